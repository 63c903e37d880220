"""What methods measure in their own units: where there is no Elo scale, and among other players.

An interval is there from four games on: games are left out in turn (the jackknife), and Student's quantile
says how far few of them reach. Where all games happen to be alike that would be nothing, so an interval is
never narrower than the one that the method takes from the moves.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from scipy.special import ndtri

from assay.answers.ratings import HIGHEST_SHARE, LOWEST_SHARE, Measure, Percentile, Quantity
from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import ANNOTATED
from assay.decisions.profile import Profile, ProfileStack
from assay.errors import FitError, InputError
from assay.models.appearances import Appearances
from assay.models.base import MoveModel
from assay.models.elo_mapping import Z95
from assay.models.intervals import FEWEST_GAMES, student, widened
from assay.models.registry import make_model
from assay.rating.evidence import Evidence, Group, groups_of

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
        raise InputError(model.none_passes(decisions))
    return rows


# Percentiles -------------------------------------------------------------------------------------------

# How many of a population a number is better than. Three kinds ship, as quantiles alone: players of
# evaluated games by source and rating, FIDE's rating list, and single games of players of known levels that
# an engine analysed (research.calibration.populations).

SHARES = (LOWEST_SHARE, 0.02, 0.05, *(round(0.1 * n, 1) for n in range(1, 10)), 0.95, 0.98, HIGHEST_SHARE)
"""The shares of a population whose quantiles are kept."""

FEWEST_PLAYERS = 30
"""Of fewer players no quantiles are kept."""

RATING = "rating"
"""The name of the published rating itself among the measures."""

LEVEL = "level"
"""What games have in common that were played by players of one level."""


@dataclass(frozen=True)
class Population:
    """A set of players, and the quantiles of numbers that are known of them."""

    source: str
    """Whose values or ratings these are: a recipe id (assay.decisions.evaluation), or `fide`."""
    words: str
    """Who they are, in words: `players rated 1600 to 1799, lichess blitz`."""
    players: int
    quantiles: Mapping[str, Sequence[float]]
    """Of each measure at `SHARES`, lowest first."""
    rises: Mapping[str, bool] = field(default_factory=dict)
    """Whether more of a measure is better; it is where nothing is said."""
    band: tuple[float, float] | None = None
    """The ratings that they have, first and last; None for all."""
    part: Mapping[str, str] = field(default_factory=dict)
    """What else they have in common: the kind of rating, sex, age; the time class."""
    least: int = 0
    """Decisions that each of them has at least."""

    def percentile(self, measure: str, value: float) -> Percentile | None:
        """How many of them a value is better than; None where the measure is not known of them."""
        known = self.quantiles.get(measure)
        if known is None or not math.isfinite(value):
            return None
        below = share_below(np.asarray(known, dtype=np.float64), value)
        better = below if self.rises.get(measure, True) else round(1 - below, 12)
        return Percentile(better, self.players, self.words, measure)

    def document(self) -> dict[str, Any]:
        """As it is kept."""
        return {
            "source": self.source,
            "words": self.words,
            "players": self.players,
            "band": self.band,
            "part": dict(self.part),
            "least": self.least,
            "rises": dict(self.rises),
            "quantiles": {
                name: [float(f"{one:.5g}") for one in many] for name, many in self.quantiles.items()
            },
        }

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Population:
        """What `document` gave."""
        band = document["band"]
        return cls(**{**document, "band": None if band is None else (band[0], band[1])})


def share_below(quantiles: np.ndarray[Any, np.dtype[np.float64]], value: float) -> float:
    """The share of a population below a value, from its quantiles at `SHARES`; ties count as half."""
    low = float(np.interp(value, quantiles, SHARES))
    left, right = np.searchsorted(quantiles, value, "left"), np.searchsorted(quantiles, value, "right")
    if right - left > 1:  # several quantiles are this value
        low = (SHARES[left] + SHARES[right - 1]) / 2
    return min(max(low, SHARES[0]), SHARES[-1])


def quantiles_of(values: Sequence[float] | np.ndarray[Any, Any]) -> list[float] | None:
    """Quantiles at `SHARES`; None of too few."""
    some = np.asarray(values, dtype=np.float64)
    some = some[np.isfinite(some)]
    return np.quantile(some, SHARES).tolist() if len(some) >= FEWEST_PLAYERS else None


@cache
def shipped_populations() -> tuple[Population, ...]:
    """The populations that come with the package: of evaluated games, and FIDE's list."""
    folder = files("assay") / "data" / "calibrations"
    found: list[Population] = []
    for name in ("populations.json", "mileposts.json", "fide-list.json"):
        resource = folder / name
        if resource.is_file():
            found += [Population.of(one) for one in json.loads(resource.read_text(encoding="utf-8"))]
    return tuple(found)


def population_of(source: str, elo: float | None = None) -> Population | None:
    """The players of a source of values, of like rating where one is given; None where none are known."""
    some = [one for one in shipped_populations() if one.source == source]
    if elo is None or math.isnan(elo):
        return next((one for one in some if one.band is None), None)
    return next((one for one in some if one.band is not None and one.band[0] <= elo < one.band[1] + 1), None)


def level_populations(source: str, elo: float) -> list[tuple[Population, float]]:
    """Games of the levels next to a rating, with weights by which a line between them passes the rating.

    Beyond the lowest and the highest level there is that level alone; nothing where none are known.
    """
    some = [one for one in shipped_populations() if one.source == source and LEVEL in one.part]
    some = sorted(some, key=lambda one: float(one.part[LEVEL]))
    if not some or math.isnan(elo):
        return []
    levels = [float(one.part[LEVEL]) for one in some]
    above = next((place for place, level in enumerate(levels) if level > elo), len(levels))
    if above in (0, len(levels)):
        return [(some[min(above, len(levels) - 1)], 1.0)]
    share = (elo - levels[above - 1]) / (levels[above] - levels[above - 1])
    near = [(some[above - 1], 1 - share), (some[above], share)]
    return [(one, weight) for one, weight in near if weight > 0]


def fide_percentile(elo: float) -> Percentile:
    """How many of FIDE's active players with a standard rating a rating is above."""
    (everyone,) = (one for one in shipped_populations() if one.source == "fide")
    percentile = everyone.percentile(RATING, elo)
    if percentile is None:
        raise InputError(f"{elo} is not a rating")
    return percentile


# Population tables: how what the methods measure is distributed over players, by rating band and source.

BAND = 200
"""Rating points of a band."""

LEAST_DECISIONS = 100
"""Players with fewer decisions are not in the tables."""

_AT_ONCE = 500


def populations(
    evidence: Mapping[str, Evidence],
    least: int = LEAST_DECISIONS,
    within: Mapping[str, tuple[float, float]] | None = None,
) -> list[Population]:
    """The population tables of some evidence by player: for each source all players, and those of each band.

    Where `within` has ratings for a source, from the first to below the second, others do not count.
    """
    found = []
    for source, one in evidence.items():
        values, elo = measured(source, one, least)
        if within is not None and source in within:
            low, high = within[source]
            counted = (elo >= low) & (elo < high)
            values, elo = {name: some[counted] for name, some in values.items()}, elo[counted]
        found += tables_of(source, values, elo, least)
    return found


def tables_of(source: str, values: Mapping[str, Floats], elo: Floats, least: int) -> list[Population]:
    """All players of a source and those of each band, where there are enough, by what is known of them."""
    rises = {name: HEADLINES[name].rises for name in values if name in HEADLINES}
    bands = [None, *sorted({float(BAND * (value // BAND)) for value in elo[np.isfinite(elo)]})]
    found = []
    for band in bands:
        own = np.ones(len(elo), bool) if band is None else (elo >= band) & (elo < band + BAND)
        kept = {name: quantiles_of(some[own]) for name, some in values.items()}
        known = {name: many for name, many in kept.items() if many is not None}
        if not known:
            continue
        rated = "" if band is None else f" rated {band:.0f} to {band + BAND - 1:.0f}"
        found.append(
            Population(
                source=source,
                words=f"players{rated}, {named(source)}, of {least} decisions or more",
                players=int(own.sum()),
                quantiles=known,
                rises=rises,
                band=None if band is None else (band, band + BAND - 1),
                least=least,
            )
        )
    return found


def named(source: str) -> str:
    """A source of values in words."""
    return "evaluated games" if source == ANNOTATED else source.removeprefix("evaluated-").replace("-", " ")


def measured(source: str, evidence: Evidence, least: int) -> tuple[dict[str, Floats], Floats]:
    """What the methods measure of every player of enough decisions, and their mean published ratings."""
    # As the methods come: what a calibration taught them takes long to ask, and is no headline.
    models = {name: make_model(name) for name in HEADLINES if name in evidence.meaning}
    values: dict[str, list[float]] = {name: [] for name in (*models, RATING)}
    for start in range(0, len(evidence), _AT_ONCE):
        sums = evidence.sums(start, start + _AT_ONCE)
        stacks = sums.stacks()
        groups = [sums.rows(place) for place in range(len(sums.groups))]
        for rows in [rows for rows in groups if sums.size[rows].sum() >= least]:
            values[RATING].append(sums.reference(rows))
            for name, model in models.items():
                values[name].append(headline_of(model, stacks[name].only(rows.tolist()).total()))
    found = {name: np.array(some) for name, some in values.items()}
    return found, found[RATING]


def headline_of(model: MoveModel, profile: Profile) -> float:
    """What stands for a method of a player; NaN where it has no answer."""
    try:
        return model.estimate(profile)[HEADLINES[model.name].quantity].value
    except (FitError, InputError):
        return math.nan
