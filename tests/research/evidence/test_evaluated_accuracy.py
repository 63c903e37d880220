"""How evaluated games are judged: groups, splits and scores, on numbers with a known answer."""

import numpy as np
import pytest
from scipy.stats import norm

from assay.decisions.decisions import Decisions
from assay.models.appearances import Appearances
from examples.evaluated_games import evaluated_games
from research.evidence.evaluated_accuracy import (
    Rated,
    concat,
    deal_events,
    difference,
    events_of,
    of_one_player,
)


@pytest.fixture(scope="module")
def games() -> Decisions:
    return evaluated_games(np.arange(1500, 2700, 100), games=9, plies=60)


def rated(published: np.ndarray, elo: np.ndarray, deviation: float = 100.0) -> Rated:
    half = 1.959963984540054 * deviation
    return Rated(published, elo, elo - half, elo + half, np.full(len(elo), np.nan))


def test_no_event_and_no_player_is_in_both_parts(games: Decisions) -> None:
    appearances = Appearances.of(games)
    first, kept = deal_events(appearances)
    assert not set(appearances.player[first].tolist()) & set(appearances.player[kept].tolist())
    event = appearances.codes("event")
    assert not set(event[first].tolist()) & set(event[kept].tolist())


def test_groups_are_of_one_player_and_share_no_game(games: Decisions) -> None:
    appearances = Appearances.of(games)
    rows = np.arange(len(appearances))
    groups = of_one_player(appearances, rows, 3, 1000)
    players = [set(appearances.player[group].tolist()) for group in groups]
    assert all(len(one) == 1 for one in players)
    assert len(groups) == len(set.union(*players)) == len(np.unique(appearances.player))
    assert len(np.unique(np.concatenate(groups))) == 3 * len(groups)
    assert len(of_one_player(appearances, rows, 1, 100_000)) == len(rows)
    assert len(of_one_player(appearances, rows, 3, 5)) == 5


def test_events_have_everybody_once(games: Decisions) -> None:
    appearances = Appearances.of(games)
    events = list(events_of(appearances, np.arange(len(appearances)), 7))
    assert len(events) == 9
    for players in events:
        assert len(players) == 7
        assert len({int(appearances.player[rows[0]]) for rows in players}) == 7


def test_scores_are_log_densities_and_intervals_are_counted() -> None:
    rng = np.random.default_rng(0)
    published = rng.normal(2000, 200, 4000)
    found = rated(published, published + rng.normal(20, 100, 4000))
    assert found.bias == pytest.approx(20, abs=5)
    assert found.coverage == pytest.approx(0.945, abs=0.012)
    assert found.error == pytest.approx(81, abs=4)
    assert found.guess == pytest.approx(160, abs=6)
    assert found.scores == pytest.approx(norm.logpdf(published, found.elo, 100))
    assert concat([found, found]).score == pytest.approx(found.score)


def test_a_pull_that_is_there_is_found() -> None:
    rng = np.random.default_rng(1)
    published, apart = rng.normal(2000, 200, 3000), rng.normal(0, 200, 3000)
    elo = 1000 + 0.5 * published + 0.3 * apart + rng.normal(0, 100, 3000)
    pull, error = Rated(published, elo, elo - 1, elo + 1, published + apart).pull
    assert abs(pull - 30) < 4 * error
    assert error == pytest.approx(100 * 100 / (200 * np.sqrt(3000)), rel=0.1)


def test_those_of_one_event_err_together() -> None:
    rng = np.random.default_rng(2)
    published = np.full(400, 2000.0)
    shift = np.repeat(rng.normal(0, 100, 20), 20)
    one, other = rated(published, published + shift), rated(published, published)
    mean, together = difference(one, other, [20] * 20)
    _, alone = difference(one, other, [1] * 400)
    assert mean == pytest.approx(float((one.scores - other.scores).mean()))
    assert together == pytest.approx(alone * np.sqrt(20), rel=0.1)
