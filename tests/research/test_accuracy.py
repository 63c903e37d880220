"""Tables of the accuracy page, from outcomes whose numbers are known."""

from dataclasses import replace

from assay.rating.accuracy import BASELINE, Outcome
from assay.rating.calibration import PAPERS
from assay.rating.group_ratings import COMBINED
from research.evidence import accuracy as accuracy_page


def outcome(
    method: str = COMBINED,
    games: int = 1,
    error: float = 100.0,
    *,
    one_player: bool = True,
    held: bool = True,
) -> Outcome:
    return Outcome(
        method=method,
        games=games,
        one_player=one_player,
        reference=2000.0,
        elo=2000.0 + error,
        within_95=held,
        within_50=held,
        width=400.0,
    )


def last_row(text: str) -> list[str]:
    return [cell.strip() for cell in text.splitlines()[-1].strip("|").split("|")]


def test_a_row_has_errors_and_coverage_of_one_kind_of_groups() -> None:
    outcomes = [outcome(error=100), outcome(error=-300, held=False), outcome(BASELINE, error=-50)]
    outcomes = [
        replace(entry, reference=entry.reference + 10 * place) for place, entry in enumerate(outcomes)
    ]
    name, groups, error, guess, bias, *covered, _ = last_row(accuracy_page.by_games(outcomes))
    assert (name, groups, error, guess) == ("1", "2", "205", "70")
    assert (bias, covered) == ("-105", ["50.0%", "50.0%", "400"])
    beside = last_row(accuracy_page.by_games([*outcomes, outcome(PAPERS, error=30)]))
    assert beside[3:6] == ["70", "30", "-105"]


def test_kinds_of_groups_have_names() -> None:
    outcomes = [
        replace(outcome(games=games, one_player=alone, error=error), reference=2000.0 + error)
        for games, alone in ((3, False), (3, True), (1, True))
        for error in (10.0, 20.0)
    ]
    rows = accuracy_page.by_games(outcomes).splitlines()[2:]
    names = [row.strip("|").split("|")[0].strip() for row in rows]
    assert names == ["1", "3, composite", "3 of one player"]


def test_bands_are_of_published_ratings_or_of_the_estimate() -> None:
    every = {"quick": [outcome(error=-80), outcome(error=-220, held=False), outcome(error=5, games=3)]}
    published = accuracy_page.by_band(every, "published", lambda entry: entry.reference).splitlines()
    assert "| 1900 to 2200 | -150 (50%, 2) | - | - |" in published
    printed = accuracy_page.by_band(every, "rating by moves", lambda entry: entry.elo).splitlines()
    assert "| 1600 to 1900 | -220 (0%, 1) | - | - |" in printed
    assert "| 1900 to 2200 | -80 (100%, 1) | - | - |" in printed
