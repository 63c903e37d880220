"""Conformance and covariance as the page has them, from games whose losses are known."""

import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.measures import loss
from assay.models.complexity import INDICATORS, error_correlations
from assay.models.conformance import ConformanceModel
from assay.models.covariance import correlation_surface
from assay.testing import make_decisions
from assay.workspace import Workspace
from examples.game_tables import make_games
from research.papers import alliot2017
from research.papers import alliot2017_figures as figures
from research.papers import alliot2017_titles as titles

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def games() -> Decisions:
    return make_games(games=40)


def cells(text: str) -> list[list[str]]:
    return [line.strip("| ").split(" | ") for line in text.splitlines()[2:] if line.startswith("|")]


def test_perfect_moves_with_either_colour(games: Decisions) -> None:
    kept, _ = ConformanceModel("raw").select(games)
    for colour, found, _ in cells(alliot2017.by_colour(games)):
        share = float(np.mean(loss(kept.select(colour=colour)) <= 0))
        assert float(found) == pytest.approx(100 * share, abs=0.051)


def test_the_best_bound_is_that_of_the_largest_correlation(games: Decisions) -> None:
    text = alliot2017.conformance_curve(games)
    bounds = text.splitlines()[0].strip("| ").split(" | ")[1:-1]
    rows = cells(text)
    assert [row[0] for row in rows][:2] == ["raw", "Guid and Bratko"]
    for _, *curve, best in rows:
        largest = max(map(float, curve))
        assert float(curve[bounds.index(best)]) == pytest.approx(largest, abs=0.0011)


def test_every_number_of_convolutions_has_its_best_bound(
    games: Decisions, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def few(decisions: Decisions, n0s: tuple[int, ...], bounds: list[float]) -> np.ndarray:
        asked.append(n0s)
        return np.tile(correlation_surface(decisions, (0,), bounds), (len(n0s), 1))

    monkeypatch.setattr(alliot2017, "correlation_surface", few)
    rows = cells(alliot2017.covariance_surface(games))
    assert [int(row[0]) for row in rows] == list(asked[0])  # type: ignore[call-overload]
    assert len({tuple(row[1:]) for row in rows}) == 1


# Complexity and the best years of the champions.


def test_complexity_goes_with_errors_on_real_games(shared_data: Callable[[str], Path]) -> None:
    decisions = Decisions.read(shared_data("analysed/championship-years.parquet"))
    everyone = error_correlations(decisions)[-1]
    assert everyone["player"] == "All"
    assert min(everyone[name] for name in INDICATORS) > 0
    assert everyone["sullivan"] == max(everyone[name] for name in INDICATORS)


# Figures of the paper from made decisions.


def for_the_title(decisions: Decisions, event: str) -> list[titles.TitleMatch]:
    games = []
    for game_id, own in decisions.by_game():
        [white] = own.select(colour="white").players
        [black] = own.select(colour="black").players
        year = int(own.numbers("year")[0])
        tags = {"event": event, "year": year, "date": f"{year}", "white": white, "black": black}
        games.append({"game_id": game_id, "exclusion": None, **tags})
    return titles.title_matches(decisions, titles.title_games(games))


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    table = make_decisions(games=20, plies=80).table()
    depth = pa.array(10 + np.arange(len(table)) % 5, pa.int16())
    return Decisions.from_table(table.set_column(table.column_names.index("depth"), "depth", depth))


def test_every_figure_is_whole_and_small(decisions: Decisions) -> None:
    [match] = for_the_title(decisions, "World Championship 3rd")
    made = figures.drawn(decisions, decisions)
    made |= {7: titles.figure_7([match], {"half": [0.5]}), 8: titles.figure_8([match])}
    page = (DOCS / "evidence" / "paper_alliot2017_figures.md").read_text(encoding="utf-8")
    assert set(made) == {int(number) for number in re.findall(r"images/alliot-(\d+)\.svg", page)}
    for svg in made.values():
        ElementTree.fromstring(svg)
        assert len(svg) < 60_000


def test_a_title_match_counts_the_moves_of_both_from_the_winners_side(decisions: Decisions) -> None:
    """Only where the event is one for the title; two years of an event without a number are two matches."""
    [match] = for_the_title(decisions, "World Championship 3rd")
    points = {
        name: np.mean([own.numbers("result")[0] for _, own in decisions.select(player=name).by_game()])
        for name in decisions.players
    }
    winner = max(points, key=lambda name: points[name])
    assert match.players[0] == winner
    assert match.actual == pytest.approx(points[winner])
    assert sorted(match.games) == sorted(decisions.games)
    model = ConformanceModel("raw")
    profile = model.profile(decisions.select(player=winner))
    for bound in (0, 10, 20, 30):
        assert titles.share(match.raw[0], bound) == pytest.approx(model.at(profile, bound).value)
    assert for_the_title(decisions, "Simultaneous") == []
    by_year = for_the_title(decisions, "WCh")
    assert len(by_year) == sum(len(part.games) >= titles.LEAST_GAMES for _, part in decisions.by("year"))


def test_the_page_has_the_title_matches_that_the_command_analyses(
    shared_data: Callable[[str], Path], tmp_path: Path
) -> None:
    """No engine: which matches, in which order, with how many games that can be read."""
    workspace = Workspace(tmp_path / "titles.assay")
    workspace.import_games(shared_data("events/title-matches-1886-2021.pgn"))
    games = workspace.games().to_pylist()
    played = {game["game_id"] for game in games if game["n_plies"] > 1}  # one of 1972 was forfeited
    by_match = titles.title_games(games)
    text = (DOCS / "evidence" / "paper_alliot2017.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\w+)-(\w+) (\d{4}) \| (\d+) \| \d+ \| \d+ \| \d+ \|", text, re.MULTILINE)
    shown = [(frozenset((first, second)), int(games)) for first, second, _, games in rows]
    wanted = [
        (frozenset(name.partition(",")[0] for name in players), len(played.intersection(ids)))
        for (_, _, *players), ids in by_match.items()
    ]
    assert shown == wanted
    assert f"Section 4.2.2: {len(wanted)} title matches" in text


def test_the_highest_value_of_a_game_and_its_result(decisions: Decisions) -> None:
    one = decisions.select(player="Ann")
    reached, result = figures.highest_values(one)
    codes = sorted(set(one.codes("game_id").tolist()))
    for game, own in one.by_game():
        place = codes.index(one.names("game_id").index(game))
        assert reached[place] == np.nanmax(own.best_value)
        assert result[place] == own.numbers("result")[0]


def test_classes_of_equal_size_hold_the_mean_of_what_is_lost(decisions: Decisions) -> None:
    x, y = figures.pooled_means(decisions, 10_000, 1)
    losing = decisions.take(np.flatnonzero(figures.LossMeasure().of(decisions) > 0))
    assert y[0] == pytest.approx(figures.LossMeasure().of(losing).mean() / 100)
    assert x[0] == pytest.approx(losing.best_value.mean() / 100)
