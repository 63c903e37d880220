"""Scales of evaluated games: which appearances calibrate, who is held out, how ratings are judged."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import EVALUATED, FIDE_OTHER, LICHESS
from assay.models.appearances import Appearances
from examples.evaluated_games import evaluated_games
from research.calibration.evaluated import (
    METHODS,
    TEACHINGS,
    Teaching,
    evidence_of,
    fields_of,
    fit_teaching,
    is_held_out,
    population_of,
    usable,
)
from research.evidence.evaluated import groups_of_players, outcomes_of

TEACHING = Teaching(EVALUATED[0], "FIDE Elo, classical", "nobody", (), 1500, 2600, 8)


@pytest.fixture(scope="module")
def games() -> Decisions:
    return evaluated_games(np.arange(1400, 2800, 100), games=6)


def test_every_source_has_a_teaching() -> None:
    """But for evaluators that are not known: their scale is derived from that of Stockfish."""
    taught = [source for source in EVALUATED if source != FIDE_OTHER]
    assert [teaching.source for teaching in TEACHINGS] == taught
    assert len({teaching.scale for teaching in TEACHINGS}) == len(taught)


def test_centuries_with_too_few_appearances_do_not_teach(games: Decisions) -> None:
    appearances = Appearances.of(games)
    rows = usable(appearances, TEACHING)
    assert set(appearances.elo[rows]) == set(range(1500, 2600, 100))
    fewer: Sequence[int] = rows[appearances.elo[rows] == 1500][:5].tolist()
    some = np.append(rows[appearances.elo[rows] > 1500], fewer)
    assert appearances.elo[usable(appearances, TEACHING, some)].min() == 1600


def test_methods_that_one_value_per_position_speaks_to(games: Decisions) -> None:
    _, stacks = evidence_of(games)
    assert set(stacks) == set(METHODS)


@pytest.fixture(scope="module")
def events() -> Decisions:
    return evaluated_games(np.arange(1500, 2700, 100), games=9, plies=60)


def test_groups_are_of_one_player_and_share_no_game(events: Decisions) -> None:
    appearances = Appearances.of(events)
    rows = np.arange(len(appearances))
    groups = groups_of_players(appearances, rows, 3, np.random.default_rng(0))
    players = [set(appearances.player[group].tolist()) for group in groups]
    assert all(len(one) == 1 for one in players)
    assert len(groups) == len(set.union(*players)) == len(np.unique(appearances.player))
    assert len(np.unique(np.concatenate(groups))) == 3 * len(groups)


def test_fields_have_everybody_once(events: Decisions) -> None:
    appearances = Appearances.of(events)
    fields = fields_of(appearances, np.arange(len(appearances)))
    assert fields
    for field in fields:
        players = [int(appearances.player[rows[0]]) for rows in field]
        assert len(set(players)) == len(players)
        assert len(np.unique(appearances.codes("event")[np.concatenate(field)])) == 1


def test_a_quarter_of_the_events_is_held_out_by_name() -> None:
    names = [f"Open {number}" for number in range(2000)]
    assert np.mean([is_held_out(name) for name in names]) == pytest.approx(0.25, abs=0.03)
    assert is_held_out("Open 1") == is_held_out("Open 1")


def test_players_are_counted_once_in_a_population(events: Decisions) -> None:
    appearances = Appearances.of(events)
    teaching = replace(TEACHING, lowest=1400, highest=2700)
    once = population_of(appearances, teaching, np.arange(len(appearances)))
    again = population_of(appearances, teaching, np.repeat(np.arange(len(appearances)), 3))
    assert once == again
    assert once["mean"] == pytest.approx(2050, abs=10)


def test_made_up_players_are_rated_by_others() -> None:
    """Games whose losses depend on Elo: held-out players are rated far better than by the average."""
    decisions = evaluated_games(np.arange(1500, 2700, 100), games=12, plies=80, source=LICHESS["blitz"])
    appearances, stacks = evidence_of(decisions)
    some = {name: stacks[name] for name in ("conformance", "covariance")}
    teaching = Teaching(LICHESS["blitz"], "made up", "nobody", (), 1400, 2700, 8)
    rng = np.random.default_rng(0)
    half = rng.random(appearances.player.max() + 1) < 0.5
    taught, rest = (np.flatnonzero(side[appearances.player]) for side in (half, ~half))
    calibration = fit_teaching(teaching, appearances, some, taught)
    errors = {}
    for n in (1, 3):
        groups = groups_of_players(appearances, rest, n, rng)
        for prior in ("population", "flat"):
            truth, elo, low, high, _ = outcomes_of(appearances, some, calibration, groups, prior).T
            errors[n, prior] = np.abs(elo - truth).mean()
            assert errors[n, prior] < 0.85 * np.abs(truth - truth.mean()).mean()
            assert ((low <= truth) & (truth <= high)).mean() > 0.85
    assert errors[3, "population"] < errors[1, "population"]
