"""What methods measure where there is no Elo scale: their own numbers, and the order that these give.

An interval is there from four games on: games are left out in turn (the jackknife), and Student's quantile
says how far few of them reach. Where all games happen to be alike that would be nothing, so an interval is
never narrower than the one that the method takes from the moves.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from assay.answers.ratings import Measure, Quantity
from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile, ProfileStack
from assay.errors import FitError, InputError
from assay.models.appearances import Appearances
from assay.models.base import MoveModel
from assay.models.elo_mapping import Z95
from assay.models.intervals import FEWEST_GAMES, student, widened
from assay.rating.evidence import Group, groups_of

ORDER = "the share of the other players that each is ahead of, the mean over the methods' measures"


@dataclass(frozen=True)
class Headline:
    """The quantity of an estimate that stands for a method."""

    quantity: str
    words: str
    rises: bool = True
    """Whether more of it is better play."""
    lowest: float = -math.inf
    highest: float = math.inf


HEADLINES = {
    "bayes": Headline("c", "skill c"),
    "choice": Headline("reference_ad", "expected loss on reference positions, pawns", rises=False, lowest=0),
    "conformance": Headline("conformance", "share of conforming moves", lowest=0, highest=1),
    "covariance": Headline("loss", "mean loss, centipawns", rises=False, lowest=0),
    "depth": Headline("mean_depth", "mean depth of what is weighed", lowest=1),
    "gain": Headline("mean_gain", "mean gain, pawns"),
    "markov": Headline("kept", "share of moves that keep the class", lowest=0, highest=1),
}
"""By method."""


def headline(model: MoveModel, profile: Profile) -> Headline:
    """What stands for a method: for one of another package its strength, or its first quantity."""
    if model.name in HEADLINES:
        return HEADLINES[model.name]
    name = model.strength or next(iter(model.estimate(profile).quantities))
    return Headline(name, name.replace("_", " "))


def measures(
    models: Mapping[str, MoveModel],
    stacks: Mapping[str, ProfileStack],
    group: Group,
    level: float = 0.95,
) -> dict[str, Measure]:
    """What each method measures of one group; a method that cannot read so few decisions is not there."""
    found = {}
    for name, model in models.items():
        if not model.ready:
            continue
        stack = stacks[name].only(group.rows.tolist())
        stack = stack.only(np.flatnonzero(stack.decisions > 0).tolist())
        if len(stack):
            try:
                found[name] = _measure(model, stack, level)
            except (FitError, InputError):
                continue
    return found


def _measure(model: MoveModel, stack: ProfileStack, level: float) -> Measure:
    total = stack.total()
    chosen = headline(model, total)
    own = model.estimate(total)[chosen.quantity]
    low = high = math.nan
    if len(stack) >= FEWEST_GAMES:
        without = _values(model, stack.weighted(1.0 - np.eye(len(stack))), chosen)
        # The variance from the values without each block (Efron and Stein 1981).
        reach = student(len(without), level) * math.sqrt((len(without) - 1) * float(without.var()))
        by_moves = _by_moves(own, level)
        low = max(min(own.value - reach, by_moves[0]), chosen.lowest)
        high = min(max(own.value + reach, by_moves[1]), chosen.highest)
    return Measure(model.name, chosen.words, own.value, low=low, high=high, rises=chosen.rises)


def _values(model: MoveModel, profiles: Sequence[Profile], chosen: Headline) -> Floats:
    """The quantity of many profiles; fitted together where the method can."""
    if model.name == "choice":
        return -model.strengths(profiles)
    if model.strength == chosen.quantity:
        return model.strengths(profiles)
    return np.array([model.estimate(one)[chosen.quantity].value for one in profiles])


def _by_moves(own: Quantity, level: float) -> tuple[float, float]:
    """The interval that the method itself has, at another level; the value alone where it has none."""
    ends = own.low, own.high
    if not all(map(math.isfinite, ends)):
        reach = Z95 * own.deviation if math.isfinite(own.deviation) else 0.0
        ends = own.value - reach, own.value + reach
    low, high = widened(own.value, ends, float(ndtri((1 + level) / 2)) / Z95)
    return float(low), float(high)


def standings(found: Sequence[Mapping[str, Measure]]) -> Floats:
    """Share of the others that each is ahead of, ties as half: the mean over the methods that measured both.

    No distance is in it, so nothing that differs in unit is added up. NaN for whoever no method measured.
    """
    from scipy.stats import rankdata  # a fifth of a second to import

    methods = sorted({name for one in found for name in one})
    ahead = np.full((len(methods), len(found)), np.nan)
    for row, name in enumerate(methods):
        values = np.array([_upwards(one.get(name)) for one in found])
        known = np.flatnonzero(np.isfinite(values))
        some = values[known]
        ahead[row, known] = (rankdata(some) - 1) / (len(known) - 1) if len(known) > 1 else 0.5
    counts = np.isfinite(ahead).sum(axis=0)
    sums = np.nansum(ahead, axis=0)
    return np.asarray(np.divide(sums, counts, out=np.full(len(found), np.nan), where=counts > 0))


def _upwards(one: Measure | None) -> float:
    if one is None:
        return math.nan
    return one.value if one.rises else -one.value


# A method's own numbers, for each player or each part of a player.


def estimates_by(model: MoveModel, decisions: Decisions, by: str = "player") -> list[dict[str, Any]]:
    """One row for each group: games, decisions, and every quantity of the estimate with its interval.

    Groups none of whose decisions pass the rules of the method are left out.
    """
    appearances = Appearances.of(decisions)
    stack = appearances.stack(model)
    rows = []
    for group in groups_of(appearances, by):
        profile = stack.only(group.rows.tolist()).total()
        if profile.decisions <= 0:
            continue
        row: dict[str, Any] = {"player": group.player}
        if by != "player":
            row[by] = group.about or group.label
        row |= {"games": round(profile.games), "decisions": round(profile.decisions)}
        try:
            quantities = model.estimate(profile).quantities
        except (FitError, InputError):
            continue
        for name, one in quantities.items():
            row |= {name: one.value, f"{name}_low": one.low, f"{name}_high": one.high}
        rows.append(row)
    if not rows:
        raise InputError(f"none of these moves can be used by {model.name}: choose other games")
    return rows
