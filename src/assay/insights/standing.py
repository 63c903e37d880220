"""Where a player stands on every measure among others: of the same rating and time class, and of all rated.

Two kinds of tables (assay.rating.measures). Of games that an engine analysed there are milepost games:
what one side of one game measures, by level. Each game of the player is ranked among the games of players of
the same rating, and the mean rank is the answer: 50% is what such players have, whether of three games or of
thirty. Of games that bring their evaluations there are tables by player, read with all games together.

`python -m research populations mileposts WORKSPACE` makes the table of milepost games that ships.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.answers.ratings import Percentile, Ratings, Standing, Standings
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import EVALUATED, OF_SERVERS
from assay.decisions.grouping import By
from assay.decisions.measures import agreement, loss
from assay.insights.difficulty import MISSED, rules
from assay.models.appearances import Appearances
from assay.models.depth.agents import LIMIT
from assay.models.intervals import FEWEST_GAMES, student
from assay.models.registry import make_model
from assay.rating.calibration import Calibration
from assay.rating.evidence import Group
from assay.rating.measures import (
    HEADLINES,
    LEVEL,
    RATING,
    Population,
    fide_percentile,
    level_populations,
    measures,
    population_of,
)
from assay.rating.references import lost_expectation
from assay.rating.scale import SHIPPED_SCALE

MOST = 30
"""Players whose decisions are read again for their measures, at most."""

MOST_DECISIONS = 100_000
"""And their decisions together: more are rated in pieces, and are not held in memory at once."""

LEAST = 10
"""Decisions of a game that is ranked: what fewer show is chance."""


@dataclass(frozen=True)
class Kind:
    """A measure of one side of a game."""

    words: str
    rises: bool = True
    """Whether more of it is better play."""
    text: str = "{:.1f}"
    """How a value of it is written."""


KINDS: Mapping[str, Kind] = {
    "accuracy": Kind("accuracy"),
    "mean_loss": Kind("mean loss, centipawns", rises=False),
    "first_move": Kind("the engine's first move", text="{:.0%}"),
    "as_good": Kind("a move as good as the first", text="{:.0%}"),
    "large_losses": Kind("losses of a tenth or more", rises=False, text="{:.1%}"),
}
"""By name. Accuracy is 100 less the mean loss of expectation in per cent; large losses a share of moves."""


def measured(decisions: Decisions, place: Ints, n: int) -> Mapping[str, Floats]:
    """The measures of KINDS of groups of decisions: the mean over each group, NaN where it has none."""
    exact = np.asarray(decisions.played_index == 0, np.float64)
    lost = lost_expectation(decisions)
    rows = {
        "accuracy": 100 * (1 - lost),
        "mean_loss": loss(decisions, int(LIMIT)),
        "first_move": exact,
        "as_good": agreement(decisions),
        "large_losses": np.asarray(lost >= MISSED, np.float64),
    }
    size = np.bincount(place, minlength=n)
    with np.errstate(invalid="ignore"):
        return {name: np.bincount(place, values, minlength=n) / size for name, values in rows.items()}


def by_game(decisions: Decisions, least: int = LEAST) -> tuple[Mapping[str, Floats], Decisions]:
    """The measures of each side of each game with enough decisions, and those decisions."""
    usable = decisions.filter(*rules(trace=False))
    if not len(usable):
        return {name: np.zeros(0) for name in KINDS}, usable
    pairs = np.stack((usable.codes("game_id"), usable.codes("player")), axis=1)
    _, place, size = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    place = place.reshape(-1)
    usable = usable.take(np.flatnonzero(size[place] >= least))
    renumbered = np.cumsum(size >= least) - 1
    place = renumbered[place[size[place] >= least]]
    return measured(usable, place, int((size >= least).sum())), usable


def standings_of(
    decisions: Decisions | None, player: str, elo: float, counted: int, calibration: Calibration
) -> Standings:
    """A player rated by so many decisions among others; without the decisions the rating alone."""
    source = calibration.recipe_id
    ranked: Sequence[Standing] = ()
    if decisions is not None:
        of_player = decisions.select(player=player)
        if source in EVALUATED:
            ranked = _by_player(of_player, population_of(source, elo), counted)
        else:
            ranked = _by_games(of_player, level_populations(source, elo))
    return Standings(
        player=player,
        elo=elo,
        rating=rating_percentile(elo, calibration),
        measures=tuple(ranked),
        among="" if not ranked else f"{ranked[0].percentile.players:,} {ranked[0].percentile.words}",
    )


def standings(ratings: Ratings, calibration: Calibration | None, most: int = MOST) -> tuple[Standings, ...]:
    """Every rated player among others; of more than `most`, or many decisions, the rating alone."""
    if calibration is None or ratings.by != By.PLAYER:
        return ()
    together = sum(player.decisions for player in ratings.players)
    few = len(ratings.players) <= most and together <= MOST_DECISIONS
    decisions = ratings.decisions if few else None
    return tuple(
        standings_of(decisions, rated.player, rated.combined.elo, rated.decisions, calibration)
        for rated in ratings.players
        if rated.combined is not None
    )


def rating_percentile(elo: float, calibration: Calibration) -> Percentile | None:
    """A rating among FIDE's list, or among the players of its server; None where its scale has no list."""
    if calibration.recipe_id in OF_SERVERS:
        population = population_of(calibration.recipe_id)
        return None if population is None else population.percentile(RATING, elo)
    scale = calibration.about.get("scale") or SHIPPED_SCALE
    return fide_percentile(elo) if str(scale).startswith("FIDE") else None


def _by_games(of_player: Decisions, near: Sequence[tuple[Population, float]]) -> list[Standing]:
    """Rank each game among those of the levels next to the rating, by their weights."""
    if not near:
        return []
    values, usable = by_game(of_player)
    if not len(usable):
        return []
    whole = measured(usable, np.zeros(len(usable), np.int64), 1)
    words = f"{near[0][0].words} {' and '.join(level.part[LEVEL] for level, _ in near)}"
    players = sum(level.players for level, _ in near)
    ranked = []
    for name, kind in KINDS.items():
        shares = np.array([_share(near, name, value) for value in values[name]])
        mean, n = float(shares.mean()), len(shares)
        low = high = math.nan
        if n >= FEWEST_GAMES:
            reach = student(n, 0.95) * float(shares.std(ddof=1)) / math.sqrt(n)
            low, high = max(mean - reach, 0.0), min(mean + reach, 1.0)
        value = float(whole[name][0])
        ranked.append(
            Standing(
                measure=name,
                words=kind.words,
                value=value,
                shown=kind.text.format(value),
                percentile=Percentile(mean, players, words, name),
                low=low,
                high=high,
            )
        )
    return ranked


def _share(near: Sequence[tuple[Population, float]], name: str, value: float) -> float:
    """Return the share of the levels' games that a value is better than, by the levels' weights."""
    ranks = [(level.percentile(name, value), weight) for level, weight in near]
    return sum(weight * rank.share for rank, weight in ranks if rank is not None)


def _by_player(of_player: Decisions, among: Population | None, decisions: int) -> list[Standing]:
    """What the methods measure of all games together, among players of enough decisions."""
    if among is None or decisions < among.least:
        return []
    appearances = Appearances.of(of_player)
    models = {name: make_model(name) for name in among.quantiles if name in HEADLINES}
    stacks = appearances.stacks(models)
    ranked = []
    for name, measure in measures(models, stacks, Group("", "", np.arange(len(appearances)))).items():
        value, percentile = measure.value, among.percentile(name, measure.value)
        if percentile is not None:
            words, shown = measure.name, f"{value:.3g}"
            ranked.append(
                Standing(measure=name, words=words, value=value, shown=shown, percentile=percentile)
            )
    return ranked
