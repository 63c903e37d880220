"""One score and a hierarchy of events, on players and events of known strength."""

import numpy as np
import pytest

from assay.rating.posterior import GRID, Range
from assay.rating.priors import Quantiles
from research.evidence.event_prior import Events, Population, event_posteriors, summary
from research.evidence.learned_score import fit_score, rated


def test_the_score_recovers_players_and_its_intervals_cover() -> None:
    rng = np.random.default_rng(1)
    n = 1500
    elo = rng.uniform(1500, 2700, n)
    features = (elo[:, None] - 2100) / 300 * [0.5, 0.3, 0.0] + rng.normal(0, 1, (n, 3))
    size = rng.integers(20, 60, n).astype(float)
    player, fold = np.arange(n), rng.integers(0, 10, n)
    score, _ = fit_score(features, elo, elo, size, player, fold)
    assert abs(score.weights[2]) < 0.05
    prior = Range(1500, 2700)
    for games, least in ((1, 0.93), (10, 0.92)):
        covered, error = 0, []
        for truth in rng.uniform(1500, 2700, 300):
            means = ((truth - 2100) / 300 * np.array([0.5, 0.3, 0.0]) + rng.normal(0, 1, (games, 3))).mean(
                axis=0
            )
            value = float(score.of(means[None])[0])
            mean, low, high = rated(score, prior, value, score.games(np.full(games, size.mean())), 1.0)
            covered += low <= truth <= high
            error.append(abs(mean - truth))
        assert covered / 300 >= least
        assert np.mean(error) < (300 if games == 1 else 170)


def population(shared: float) -> Population:
    players = Quantiles(tuple(np.linspace(1500, 2700, 21).tolist()))
    events = Events(2200.0, 200.0, np.log(150.0), 0.4)
    return Population(players, events, events, shared)


@pytest.mark.parametrize("players", [8, 30])
def test_events_with_a_shared_error_are_covered(players: int) -> None:
    """Each event has a level, a spread and an error of its own; intervals cover the truth of its players."""
    rng = np.random.default_rng(2)
    known, covered, errors, flat_errors = population(80.0), [], [], []
    for _ in range(600 // players):
        level, spread, shared = rng.normal(2200, 200), np.exp(rng.normal(np.log(150), 0.4)), rng.normal(0, 80)
        truth = rng.normal(level, 0.93 * spread, players)
        peak = truth + shared + rng.normal(0, 200, players)
        logs = -0.5 * np.square((GRID - peak[:, None]) / 200)
        for elo, own, log in zip(
            truth, peak, event_posteriors(known, logs, np.full(players, 3.0)), strict=True
        ):
            mean, low, high = summary(log)
            covered.append(low <= elo <= high)
            errors.append(abs(mean - elo))
            flat_errors.append(abs(own - elo))
    assert 0.92 <= np.mean(covered) <= 0.985
    assert np.mean(errors) < 0.75 * np.mean(flat_errors)


def test_without_a_shared_error_more_players_show_the_level() -> None:
    logs = np.repeat(-0.5 * np.square((GRID - 2700) / 150)[None], 12, axis=0)
    alone = summary(event_posteriors(population(0.0), logs[:4], np.ones(4))[0])
    many = summary(event_posteriors(population(0.0), logs, np.ones(12))[0])
    shared = summary(event_posteriors(population(120.0), logs, np.ones(12))[0])
    assert alone[0] < many[0] < 2700
    assert shared[0] < many[0]
    assert shared[2] - shared[1] > many[2] - many[1]
