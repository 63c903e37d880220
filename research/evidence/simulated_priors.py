"""Ratings of simulated players by each prior, with and without results: errors and coverage, the truth known.

    python -m research.evidence.simulated_priors        the table of docs/rating.md, in some minutes

Strengths are drawn from a population, raw ratings through the spread of a calibration: what a rating assumes
of moves is true here. What is measured is what a prior, and results, make of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.models.bayes import Posterior
from assay.rating.calibration import all_shipped
from assay.rating.posterior import (
    GRID,
    Prior,
    Range,
    RawRatings,
    covariance,
    elo_evidence,
    elo_posterior,
    without_prior,
)
from assay.rating.priors import RATING_ERROR, Normal, pool_of
from assay.rating.spread import Spread
from assay.rating.with_results import USUAL, Follows, Meetings, given_moves, joint_posteriors
from assay.results.metrics import WHITE_ADVANTAGE, outcome_probabilities

LEVEL = 0.95

DRAWS = 1.0
"""Davidson's nu of simulated games: a third of those between equals are drawn."""


@dataclass
class Tally:
    """Errors of ratings, and whether their intervals held the truth."""

    errors: list[float] = field(default_factory=list)
    held: list[bool] = field(default_factory=list)

    def add(self, truth: float, posterior: Posterior) -> None:
        """Count one rating."""
        low, high = posterior.region(LEVEL)
        self.errors.append(posterior.mean - truth)
        self.held.append(low <= truth <= high)

    @property
    def error(self) -> float:
        """Mean distance from the truth."""
        return float(np.abs(self.errors).mean())

    @property
    def bias(self) -> float:
        """Mean of how much too strong ratings are."""
        return float(np.mean(self.errors))

    @property
    def coverage(self) -> float:
        """Share of the intervals that held the truth."""
        return float(np.mean(self.held))


def draw_raw(elo: float, games: float, spread: Spread, rng: np.random.Generator) -> RawRatings:
    """Raw ratings of a player of this Elo in so many typical games."""
    empty = RawRatings(np.zeros(len(spread.methods)), games * spread.game_size)
    _, offset, slope, _ = spread.at(empty.size)
    everything = range(len(spread.methods))
    values = rng.multivariate_normal(offset + slope * elo, covariance(empty, spread, elo, list(everything)))
    return RawRatings(values, empty.size)


def priors_of(
    elos: Floats, raws: Sequence[RawRatings], spread: Spread, span: Range, rng: np.random.Generator
) -> dict[str, Sequence[Prior]]:
    """The prior of each player by name; published ratings err as they are said to."""
    _, pool = pool_of(raws, spread, span, range(len(spread.methods)))
    known = [Normal(float(elo), RATING_ERROR) for elo in elos + rng.normal(0, RATING_ERROR, len(elos))]
    return {"flat": [span] * len(elos), "pool": pool, "rating": known}


def populations(
    mean: float, deviation: float, players: int, repeats: int, rng: np.random.Generator
) -> Iterator[Floats]:
    """Strengths of so many groups of players, drawn from a population."""
    for _ in range(repeats):
        yield rng.normal(mean, deviation, players)


def tally_priors(
    strengths: Iterator[Floats], games: float, spread: Spread, span: Range, rng: np.random.Generator
) -> Mapping[str, Tally]:
    """How each prior fares on players of these strengths with so many games."""
    found: dict[str, Tally] = {}
    everything = range(len(spread.methods))
    for elos in strengths:
        raws = [draw_raw(float(elo), games, spread, rng) for elo in elos]
        for name, priors in priors_of(elos, raws, spread, span, rng).items():
            tally = found.setdefault(name, Tally())
            for elo, raw, prior in zip(elos, raws, priors, strict=True):
                posterior = elo_posterior(raw, spread, prior, everything)
                if posterior is not None:
                    tally.add(float(elo), posterior)
    return found


# Moves and results ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Event:
    """A tournament of simulated players: everyone plays so many games against others, drawn by lot."""

    elos: Floats
    games: int

    def meetings(
        self, spread: Spread, rng: np.random.Generator, follows: Follows
    ) -> tuple[Meetings, list[list[RawRatings]], Floats]:
        """Results, the raw ratings of each player's single games, and what these say of both sides.

        Results hang on the moves as assay.rating.with_results has it.
        """
        player, opponent = _rounds(len(self.elos), self.games, rng)
        form = rng.normal(0, spread.form, len(self.elos))
        single: list[list[RawRatings]] = [[] for _ in self.elos]
        said = np.zeros((len(player), 2))
        for game, pair in enumerate(zip(player, opponent, strict=True)):
            for side, one in enumerate(pair):
                raw = _one_game(self.elos[one] + form[one], spread, rng)
                single[one].append(raw)
                said[game, side] = without_prior(raw, spread, range(len(spread.methods)))
        n = len(player)
        plain = Meetings(player, opponent, np.full(n, WHITE_ADVANTAGE), np.ones(n), DRAWS, np.ones((n, 2)))
        beside = given_moves(plain, said, follows)
        met = self.elos[np.stack((player, opponent), axis=1)]
        difference = (beside.shares * met) @ np.array([1.0, -1.0]) + beside.ahead
        win, drawn, _ = outcome_probabilities(difference, DRAWS)
        chance = rng.random(n)
        result = np.where(chance < win, 1.0, np.where(chance < win + drawn, 0.5, 0.0))
        return replace(plain, result=result), single, said


def _rounds(players: int, games: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Pairings of so many rounds by lot; an even number of players."""
    rounds = [rng.permutation(players).reshape(2, -1) for _ in range(games)]
    player, opponent = np.concatenate(rounds, axis=1)
    return player, opponent


def _one_game(form: float, spread: Spread, rng: np.random.Generator) -> RawRatings:
    """Raw ratings of one game of a player in this form."""
    _, offset, slope, unit = spread.at(spread.game_size)
    without_form = unit - spread.form**2 * np.outer(slope, slope)
    return RawRatings(rng.multivariate_normal(offset + slope * form, without_form), spread.game_size)


def tally_results(
    events: Iterator[Event],
    spread: Spread,
    span: Range,
    rng: np.random.Generator,
    follows: Follows = USUAL,
) -> Mapping[str, Tally]:
    """Moves alone, results alone, both as they are read together, and both multiplied as if independent."""
    found: dict[str, Tally] = {}
    everything = range(len(spread.methods))
    for event in events:
        meetings, single, said = event.meetings(spread, rng, follows)
        before = span.log_density(GRID)
        own = []
        for games in single:
            raw = RawRatings(np.mean([one.values for one in games], axis=0), len(games) * spread.game_size)
            evidence = elo_evidence(raw, spread, span, everything)
            own.append(before if evidence is None else before + evidence)
        posteriors = {
            "moves": [Posterior.of(GRID, one) for one in own],
            "results": joint_posteriors([before] * len(own), meetings),
            "both": joint_posteriors(own, given_moves(meetings, said, follows)),
            "both, as if independent": joint_posteriors(own, meetings),
        }
        for name, ratings in posteriors.items():
            tally = found.setdefault(name, Tally())
            for elo, rating in zip(event.elos, ratings, strict=True):
                tally.add(float(elo), rating)
    return found


def plain_spread(deviation: float = 520.0, form: float = 50.0) -> Spread:
    """The spread of one method whose single game strays as all of the shipped calibration do together."""
    games = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
    return Spread(
        methods=("all",),
        centre=2150.0,
        game_size=35.0,
        games=games,
        offset=np.zeros((len(games), 1)),
        slope=np.ones((len(games), 1)),
        unit=np.full((len(games), 1, 1), deviation**2),
        tilt=np.zeros(1),
        form=form,
        milepost_games=np.inf,
    )


def lines(players: int = 240, seed: int = 0) -> Iterator[str]:
    """Both tables as Markdown, of about so many players in each row."""
    rng = np.random.default_rng(seed)
    shipped = all_shipped()[0]
    spread, follows = shipped.spread, Follows.of(shipped)
    span = Range(1500, 2800, beyond=30.0)
    yield "| population | players | games each | flat | pool | rating |"
    yield "|---|---:|---:|---:|---:|---:|"
    for mean, deviation in ((1600, 120), (2150, 250), (2600, 60)):
        for size, games in ((2, 1), (8, 1), (40, 1), (40, 10)):
            drawn = populations(mean, deviation, size, players // size, rng)
            found = tally_priors(drawn, games, spread, span, rng)
            yield f"| {mean} ± {deviation} | {size} | {games} | {_cells(found)} |"
    yield ""
    yield "| players | games each | moves | results | both | both, as if independent |"
    yield "|---:|---:|---:|---:|---:|---:|"
    for size, games in ((8, 1), (8, 7), (40, 9)):
        strengths = (rng.uniform(1500, 2800, size) for _ in range(players // size))
        drawn_events = (Event(elos, games) for elos in strengths)
        plain = plain_spread(follows.error, spread.form)
        yield f"| {size} | {games} | {_cells(tally_results(drawn_events, plain, span, rng, follows))} |"


def _cells(found: Mapping[str, Tally]) -> str:
    return " | ".join(f"{one.error:.0f} ({one.bias:+.0f}, {one.coverage:.0%})" for one in found.values())


if __name__ == "__main__":
    for line in lines():
        print(line, flush=True)
