"""Scales of evaluated games: which appearances calibrate, who is held out, how ratings are judged."""

from collections.abc import Sequence

import numpy as np
import pytest
from scipy.stats import norm

from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import EVALUATED, FIDE_CLASSICAL, LICHESS
from assay.models.appearances import Appearances
from examples.evaluated_games import evaluated_games
from research.calibration.evaluated import METHODS, TEACHINGS, Teaching, evidence_of, usable
from research.evidence.evaluated import events_of, split_events
from research.evidence.evaluated_scales import TRIALS, Trial, by_estimate, measure_scale, splits_of
from research.evidence.judge import RatedGroups, concat, difference, of_one_player

TEACHING = Teaching(EVALUATED[0], "FIDE Elo, classical", "nobody", (), 1500, 2600, 8)


@pytest.fixture(scope="module")
def games() -> Decisions:
    return evaluated_games(np.arange(1400, 2800, 100), games=6)


def test_every_source_has_a_teaching() -> None:
    assert [teaching.source for teaching in TEACHINGS] == list(EVALUATED)
    assert len({teaching.scale for teaching in TEACHINGS}) == len(EVALUATED)


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


# How evaluated games are judged: groups, splits and scores, on numbers with a known answer.


@pytest.fixture(scope="module")
def events() -> Decisions:
    return evaluated_games(np.arange(1500, 2700, 100), games=9, plies=60)


def rated(published: np.ndarray, elo: np.ndarray, deviation: float = 100.0) -> RatedGroups:
    half = 1.959963984540054 * deviation
    return RatedGroups(published, elo, elo - half, elo + half)


def test_no_event_and_no_player_is_in_both_parts(events: Decisions) -> None:
    appearances = Appearances.of(events)
    first, kept = split_events(appearances)
    assert not set(appearances.player[first].tolist()) & set(appearances.player[kept].tolist())
    event = appearances.codes("event")
    assert not set(event[first].tolist()) & set(event[kept].tolist())


def test_groups_are_of_one_player_and_share_no_game(events: Decisions) -> None:
    appearances = Appearances.of(events)
    rows = np.arange(len(appearances))
    groups = of_one_player(appearances, rows, 3, 1000)
    players = [set(appearances.player[group].tolist()) for group in groups]
    assert all(len(one) == 1 for one in players)
    assert len(groups) == len(set.union(*players)) == len(np.unique(appearances.player))
    assert len(np.unique(np.concatenate(groups))) == 3 * len(groups)
    assert len(of_one_player(appearances, rows, 1, 100_000)) == len(rows)
    assert len(of_one_player(appearances, rows, 3, 5)) == 5


def test_events_have_everybody_once(events: Decisions) -> None:
    appearances = Appearances.of(events)
    several = list(events_of(appearances, np.arange(len(appearances)), 7))
    assert len(several) == 9
    for players in several:
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


def test_those_of_one_event_err_together() -> None:
    rng = np.random.default_rng(2)
    published = np.full(400, 2000.0)
    shift = np.repeat(rng.normal(0, 100, 20), 20)
    one, other = rated(published, published + shift), rated(published, published)
    mean, together = difference(one, other, [20] * 20)
    _, alone = difference(one, other, [1] * 400)
    assert mean == pytest.approx(float((one.scores - other.scores).mean()))
    assert together == pytest.approx(alone * np.sqrt(20), rel=0.1)


# Players kept out of a scale: nobody and no game is on both sides, and the measure finds what is there.


@pytest.mark.parametrize("source", [FIDE_CLASSICAL, LICHESS["blitz"]])
def test_nobody_who_is_rated_has_taught(source: str) -> None:
    appearances = Appearances.of(evaluated_games(np.arange(1500, 2700, 100), games=9, plies=60))
    trial = Trial(2, 2, 10)
    several = list(splits_of(appearances, source, trial))
    assert len(several) == 2
    for teach, rated in several:
        assert len(teach)
        assert len(rated)
        for codes in (appearances.player, appearances.game):
            assert not set(codes[teach].tolist()) & set(codes[rated].tolist())


def test_every_scale_has_a_trial() -> None:
    assert set(TRIALS) == set(EVALUATED)
    assert all(1 <= one.rated <= one.parts for one in TRIALS.values())


def test_bands_are_by_what_was_estimated() -> None:
    elo = np.array([2000.0, 1500, 1800, 1400, 2200, 1900])
    found = by_estimate(RatedGroups(elo + 5, elo, elo - 10, elo + 10))
    assert [sorted(one.elo) for one in found] == [[1400, 1500], [1800, 1900], [2000, 2200]]
    assert all(one.bias == pytest.approx(-5) for one in found)


def test_made_up_players_are_rated_by_others() -> None:
    """Games whose losses hang on Elo: players kept out are rated far better than by the mean of all."""
    decisions = evaluated_games(np.arange(1500, 2700, 100), games=12, plies=80, source=LICHESS["blitz"])
    appearances, stacks = evidence_of(decisions)
    some = {name: stacks[name] for name in ("conformance", "covariance")}
    teaching = Teaching(LICHESS["blitz"], "made up", "nobody", (), 1400, 2700, 16)
    kept = measure_scale(teaching, appearances, some, Trial(2, 2, 60))
    assert set(kept.by_prior) == {"flat", "population"}
    for by_games in kept.by_prior.values():
        assert by_games[1].error < 0.7 * by_games[1].guess
        assert by_games[1].coverage > 0.85
    assert kept.by_prior["population"][3].error < kept.by_prior["population"][1].error
