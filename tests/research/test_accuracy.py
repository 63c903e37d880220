"""Tables of the accuracy page, from outcomes whose numbers are known."""

import numpy as np
import pytest

from assay.rating.accuracy import BASELINE, DEALT, SPLITS, Outcome
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


def test_errors_are_means_of_their_size_by_kind_and_method() -> None:
    found = [outcome(error=100), outcome(error=-300), outcome(BASELINE, error=-50)]
    assert last_row(accuracy_page.errors(found, [BASELINE, COMBINED])) == ["1 game", "2", "50", "200"]


def test_kinds_have_names() -> None:
    found = [outcome(games=3, one_player=False), outcome(games=3), outcome()]
    names = [accuracy_page.kind_name(*kind) for kind in accuracy_page.kinds(found)]
    assert names == ["1 game", "3 games, composite", "3 games of one player"]


def test_coverage_counts_groups_that_do_not_overlap_only() -> None:
    composites = [outcome(games=3, one_player=False, held=k % 4 > 0) for k in range(48)]
    cells = accuracy_page.coverage(composites).splitlines()[-2]
    error = 100 * np.sqrt(0.75 * 0.25 / (48 / SPLITS / DEALT))
    assert f"75.0% ± {error:.1f}" in cells
    assert accuracy_page.independent(48, (3, True)) == pytest.approx(48 / SPLITS)
    assert last_row(accuracy_page.coverage(composites)) == ["all", "48", "75.0%", "75.0%", "400"]


def test_bias_keeps_its_sign_and_empty_bands_are_blank() -> None:
    cells = last_row(accuracy_page.bias([outcome(error=-80), outcome(error=-20, held=False)]))
    assert cells == ["1 game", "", "-50 (50%, 2)", "", ""]


def test_a_method_that_errs_less_than_all_together_is_named_with_its_error() -> None:
    found = [outcome(BASELINE), outcome(error=100), outcome("gain", error=90), outcome("markov", error=100)]
    found += [
        outcome(BASELINE),
        outcome(error=140),
        outcome("gain", error=-120),
        outcome("markov", error=200),
    ]
    found += [outcome(BASELINE), outcome(error=10), outcome("markov", error=10)]  # of which gain says nothing
    error = 5 / np.sqrt(2 / SPLITS)
    assert accuracy_page.ahead(found, ["gain", "markov"]) == f"1 game: `gain` by 15.0 ± {error:.1f}"
    assert accuracy_page.ahead(found, ["markov"]) == "none"


def test_bands_with_too_many_or_too_few_in_the_interval_are_named() -> None:
    some = [outcome(error=50, held=k > 0) for k in range(20)]
    assert accuracy_page.outside(some) == "none"
    assert accuracy_page.outside([*some, outcome(error=50, held=False)]).startswith(
        "1 game, 1800 to 2100: 90.5% ± "
    )
    assert "2100 to 2400: 100.0% ± " in accuracy_page.outside([*some, outcome(error=200)])


def test_bands_may_be_those_of_the_estimate() -> None:
    found = accuracy_page.bias([outcome(error=250), outcome(error=-300)], lambda one: one.elo)
    assert last_row(found) == ["1 game", "-300 (100%, 1)", "", "+250 (100%, 1)", ""]


def test_a_method_has_both_intervals_in_a_cell() -> None:
    found = [outcome("gain"), outcome("gain", held=False)]
    assert last_row(accuracy_page.coverage_by_method(found, ["gain"])) == ["gain", "50% / 50%"]
