"""How often the 95% interval of a forecast holds the truth, for every method.

Two players of known strength have few games each, against opponents of their own strength. By the methods
that compare players, the truth is what the same method says of the same two with many games; by ratings, it
is the expectation that their published ratings give, from which the players' form strays.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from assay.answers.ratings import Forecast
from assay.decisions.decisions import Decisions
from assay.decisions.elo import expectation
from assay.decisions.names import Who
from assay.errors import FitError
from assay.models.appearances import Appearances
from assay.models.registry import make_model
from assay.rating.calibration import Calibration
from assay.rating.careers import Careers
from assay.rating.evidence import groups_of
from assay.rating.forecasts import forecast_between
from assay.rating.rater import Rater
from assay.rating.spread import LEAST_FORM
from research.evidence.coverage.players import Player, play
from research.evidence.coverage.tally import Tally

WEAK, STRONG = 2000.0, 2250.0
MANY = 240
"""Games from which the truth by a method is taken."""

COMPARING = ("gain", "conformance", "covariance", "markov", "choice")
"""Methods that compare two players by themselves."""


def opponents(
    elo: float, number: int, form: float, generator: np.random.Generator
) -> list[tuple[Player, Player]]:
    """Pairs of players of one published rating; the true strength of each strays by their form."""
    pairs = []
    for place in range(number):
        true = elo + form * generator.normal(size=2)
        first, second = (
            Player(f"{side} {elo:.0f} {place}", elo, float(one))
            for side, one in zip(("one", "other"), true, strict=True)
        )
        pairs.append((first, second))
    return pairs


def few_games(pairs: int, games: int, form: float, seed: int) -> Decisions:
    """So many weak and so many strong players, each with so many games."""
    generator = np.random.default_rng(seed)
    return play(
        [one for elo in (WEAK, STRONG) for one in opponents(elo, pairs, form, generator)], games, seed + 1
    )


def compared(method: str, pairs: int, games: int, resamples: int, seed: int = 11) -> Tally:
    """Forecasts of the strong against the weak by one method's own comparison."""
    truth = _forecasts(method, few_games(1, MANY, 0.0, seed + 100), 1, 2)[0].expectation
    found = _forecasts(method, few_games(pairs, games, 0.0, seed), pairs, resamples)
    return Tally.of([(one.low, one.expectation, one.high) for one in found], [truth] * len(found))


def _forecasts(method: str, decisions: Decisions, pairs: int, resamples: int) -> list[Forecast]:
    """Of every pair that has one: where a fit does not settle, the command refuses, and so does this."""
    careers, found = Careers(make_model(method), decisions), []
    for place in range(pairs):
        strong, weak = (Who(f"one {elo:.0f} {place}") for elo in (STRONG, WEAK))
        with suppress(FitError):
            found.append(careers.forecast(strong, weak, resamples))
    return found


def mileposts(games: int, seed: int) -> Calibration:
    """A calibration from players of 1600 to 2600 who choose among all legal moves, with their form."""
    generator = np.random.default_rng(seed)
    pairs = [
        one
        for elo in range(1600, 2700, 100)
        for one in opponents(float(elo), games // 2, LEAST_FORM, generator)
    ]
    return Calibration.fit(Appearances.of(play(pairs, 2, seed + 1)), {"recipe": "simulated"})


def rated(calibration: Calibration, pairs: int, games: int, seed: int = 12) -> dict[str, Tally]:
    """Forecasts of the strong against the weak by ratings, of each method and of all together."""
    appearances = Appearances.of(few_games(pairs, games, LEAST_FORM, seed))
    groups = {one.player: one.rows for one in groups_of(appearances)}
    ratings = dict(zip(groups, Rater(appearances, calibration).rate(list(groups.values())), strict=True))
    truth = float(expectation(STRONG - WEAK))
    found: dict[str, list[Forecast]] = {}
    for place in range(pairs):
        strong, weak = (ratings[f"one {elo:.0f} {place}"] for elo in (STRONG, WEAK))
        for name in strong.keys() & weak.keys():
            found.setdefault(name, []).append(forecast_between(strong[name], weak[name]))
    return {
        name: Tally.of([(one.low, one.expectation, one.high) for one in some], [truth] * len(some))
        for name, some in sorted(found.items())
    }
