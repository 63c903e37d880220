"""How far (ln s, ln c) may be off."""

import math
from dataclasses import replace

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.profile import ProfileStack
from assay.models import ChoiceModel
from assay.models.choice.intervals import hidden, sandwich
from assay.models.choice.percentile import Pull
from assay.models.choice.probabilities import play, probabilities
from assay.models.choice.sums import PERCENTILES, Summaries
from examples.choice_agents import agent_decisions, agent_spreads, made_spreads

AGENTS = {2000: (0.2, 0.48), 2600: (0.1, 0.52)}


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    return agent_decisions(AGENTS, games=12, turns=30)


def test_the_sandwich_is_the_spread_of_many_fits() -> None:
    model = ChoiceModel(pull=Pull())
    spreads = made_spreads(1000, seed=6)
    p = probabilities(spreads, 0.15, 0.5)
    points, spread = [], []
    for seed in range(30):
        sums = Summaries(play(spreads, p, seed))
        row = model.layout.collect(sums, np.zeros(1000, np.int64), 1)
        fits = model._fit_rows(row, np.array([1000.0]))
        points.append(fits.points[0])
        covariance = model.layout.covariance(row[0], fits.points[0])
        assert np.linalg.eigvalsh(covariance).min() > -1e-9
        spread.append(sandwich(fits.rows[0], covariance, 1000, model.pull))
    seen, said = np.cov(np.array(points).T), np.mean(spread, axis=0)
    # A variance from 30 draws is known to 26%; three times that.
    assert np.diag(said) == pytest.approx(np.diag(seen), rel=0.78)
    assert np.sign(said[0, 1]) == np.sign(seen[0, 1])


def test_what_the_pull_may_hide_shrinks_with_decisions() -> None:
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(len(PERCENTILES) + 1, 3))
    pull = Pull(weight=1.0)
    shifts = []
    for decisions in (100, 10_000):
        rows[-1] = math.sqrt(pull.weight / decisions) * np.array([0.0, *pull.direction])
        shifts.append(np.trace(hidden(rows, decisions, pull)))
    assert shifts[0] > 1000 * shifts[1]
    assert not hidden(rows, 100, replace(pull, weight=0.0)).any()


def test_intervals_cover_the_truth() -> None:
    """Thirty replications of 300 turns here; 300 of 200, 1,000 and 5,000 in regan2011/simulation.py."""
    model = ChoiceModel()
    replications, hits = 30, np.zeros(2)
    game = np.arange(300) // 30
    for seed in range(replications):
        spreads = agent_spreads(300, 0.15, 0.5, seed=100 + seed)
        rows = model.layout.collect(Summaries(spreads), game, 10)
        stack = ProfileStack(
            model.identity, tuple("abcdefghij"), rows, model.shape, np.full(10, 30.0), np.ones(10)
        )
        found = model.resampled(stack, resamples=150, seed=seed)
        hits += [found["s"].low <= 0.15 <= found["s"].high, found["c"].low <= 0.5 <= found["c"].high]
    # If 95% are covered, fewer than 24 of 30 happen once in 1,700 times.
    assert (hits >= 24).all()
