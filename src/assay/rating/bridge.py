"""Bridges: the Elo scale of one source of values, carried over to another by games valued with both.

A native calibration is made from many games of rated players (assay.rating.calibration). The same few games
analysed with its recipe and engine, and with the recipe and engine at hand, tell how what the methods say
changes from one to the other, and how far ratings stray (assay.rating.bridge). Curves from evidence to
raw ratings are carried over too: those of a strength by a line between the strengths of the same games;
those of a comparison by pooled games, each pool labelled with the native raw rating of the same games;
weights by others that say of the new features what the native ones say of theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.decisions.profile import ProfileStack
from assay.errors import InputError, MappingError
from assay.models.appearances import Appearances, assign_folds
from assay.models.base import MoveModel
from assay.models.depth.agents import AgentsByElo, fit_agents
from assay.models.depth.model import DepthModel
from assay.models.elo_mapping import EloMapping, PairwiseMapping, ScalarMapping
from assay.models.mileposts import FEWEST_DECISIONS
from assay.models.registry import make_model
from assay.rating.calibration import FOLDS, Calibration, raw_ratings
from assay.rating.group_ratings import Rater
from assay.rating.posterior import without_prior
from assay.rating.spread import BridgeError, Spread, deal

SAME_SIDES = (
    "both sides of the bridge are the same recipe with the same engine, by what the engine calls itself: "
    "name another with --recipe or --engine"
)

FEWEST_GAMES = 30
"""A bridge rests on no fewer games."""

FEWEST_RATED = 60
"""Appearances of rated players from which on their ratings are used; with fewer, none is."""

LEAST_WIDTH = 100.0
"""Deviation of the players' Elo from which on their ratings are used: a narrow field shows no slope."""

POOL = 10
"""Appearances of one pool, whose groups are dealt; two pools make one profile to compare with."""

MOST_OF_THEM = 0.9
"""Share of the decisions of an appearance that both sources must have valued."""

LEAST_AGREEMENT = 0.3
"""Correlation of the strengths of pools by both sources below which a method is left out."""


@dataclass(frozen=True, eq=False)
class Side:
    """Profiles of some appearances by one source of values, by method."""

    models: Mapping[str, MoveModel]
    whole: Mapping[str, ProfileStack]
    appearances: Appearances
    rows: Ints

    @classmethod
    def of(cls, appearances: Appearances, native: Calibration) -> Side:
        """All appearances by the methods of a calibration."""
        models = {name: native.models[name] for name in native.spread.methods}
        whole = appearances.stacks(models)
        return cls(models, whole, appearances, np.arange(len(appearances)))

    def only(self, names: Sequence[str], rows: Ints) -> Side:
        """Some of the appearances by some of the methods."""
        models = {name: self.models[name] for name in names}
        whole = {name: self.whole[name].only(rows.tolist()) for name in names}
        return Side(models, whole, self.appearances, self.rows[rows])

    @cached_property
    def halves(self) -> list[dict[str, ProfileStack]]:
        """The same of every other decision of each player, and of those between."""
        every = self.appearances
        turn = every.decisions.numbers("ply").astype(np.int64) // 2
        keys = tuple(map(str, range(len(every))))
        found = []
        for part in (0, 1):
            some = every.decisions.take(np.flatnonzero(turn % 2 == part))
            stacks = {name: model.stack(some, every.place, keys) for name, model in self.models.items()}
            found.append({name: stack.only(self.rows.tolist()) for name, stack in stacks.items()})
        return found


@dataclass(frozen=True, eq=False)
class Bridge:
    """The same appearances by two sources of values: their profiles, and what is known of the players."""

    native: Calibration
    before: Side
    """Profiles by the native source."""
    after: Side
    elo: Floats
    """Reference ratings, NaN where they are not known."""
    level: Floats
    """What native values say of each appearance, without any prior."""
    size: Floats
    """Decisions that may be rated."""
    game: Ints
    player: Ints
    recipe_id: str

    @classmethod
    def of(cls, native: Calibration, before: Appearances, after: Appearances) -> Bridge:
        """The appearances that both sources have valued, with decisions enough."""
        if native.bridged_from is not None:
            raise InputError("a bridge starts from a native calibration, and this one is a bridge itself")
        native.check(before.recipe_id)
        if before.recipe_id == after.recipe_id:
            raise InputError(SAME_SIDES)
        rows = _shared(before, after)
        sides = [Side.of(one, native) for one in (before, after)]
        used = native.spread.methods
        known = np.ones(len(rows), dtype=bool)
        for name in used:
            known &= sides[0].whole[name].decisions[rows[:, 0]] > 0
        there = {name: sides[1].whole[name].decisions[rows[:, 1]] > 0 for name in used}
        usable = [name for name in used if there[name][known].mean() > MOST_OF_THEM]
        for name in usable:
            known &= there[name]
        rows = rows[known]
        games = len(np.unique(before.game[rows[:, 0]]))
        if games < FEWEST_GAMES:
            raise InputError(
                f"a bridge needs {FEWEST_GAMES} games analysed by both sides, and these are {games}: give "
                "more games, or analyse them all (assay status says what is missing)"
            )
        rater = Rater(before, native, stacks=sides[0].whole)
        raw = rater.raw([np.array([row]) for row in rows[:, 0]])
        return cls(
            native=native,
            before=sides[0].only(usable, rows[:, 0]),
            after=sides[1].only(usable, rows[:, 1]),
            elo=before.elo[rows[:, 0]],
            level=np.array([without_prior(one, native.spread, rater.places) for one in raw]),
            size=before.size[rows[:, 0]],
            game=before.game[rows[:, 0]],
            player=before.player[rows[:, 0]],
            recipe_id=after.recipe_id,
        )

    def __len__(self) -> int:
        return len(self.game)

    @property
    def games(self) -> int:
        """How many games."""
        return len(np.unique(self.game))

    @property
    def rated(self) -> bool:
        """Whether reference ratings are used: enough of them, over a range wide enough."""
        known = self.elo[np.isfinite(self.elo)]
        return len(known) >= FEWEST_RATED and float(known.std()) >= LEAST_WIDTH

    def only(self, rows: Ints) -> Bridge:
        """The bridge of some of the appearances."""
        return replace(
            self,
            before=self.before.only(tuple(self.before.whole), rows),
            after=self.after.only(tuple(self.after.whole), rows),
            elo=self.elo[rows],
            level=self.level[rows],
            size=self.size[rows],
            game=self.game[rows],
            player=self.player[rows],
        )

    def without_ratings(self) -> Bridge:
        """The same as if nobody were rated."""
        return replace(self, elo=np.full(len(self), np.nan))

    def calibration(self, about: Mapping[str, Any] | None = None) -> Calibration:
        """The calibration of the other source."""
        if self.rated and not np.isfinite(self.elo).all():
            return self.only(np.flatnonzero(np.isfinite(self.elo))).calibration(about)
        order = self.elo if self.rated else self.level
        pool = _pools(order, POOL)
        fold = assign_folds(self.game, self.player, pool, FOLDS, np.random.default_rng(0))
        carried = {name: self._carried(name, pool, fold) for name in self.before.whole}
        found = {name: one for name, one in carried.items() if one is not None}
        if not found:
            raise InputError("what the two sides say of these games does not go together: give more games")
        names = tuple(found)
        models = {name: one.model for name, one in found.items()}
        mappings = {name: one.mapping for name, one in found.items()}
        stacks = {name: one.stack for name, one in found.items()}

        def other(weights: Floats, profiles: Mapping[str, ProfileStack] = stacks) -> Floats:
            return raw_ratings(models, mappings, self.native.mileposts, profiles, weights)

        def halves() -> Halves:
            every = np.eye(len(self))
            return Halves(
                np.stack([self._native_raw(names, every, one) for one in self.before.halves]),
                np.stack([other(every, one) for one in self.after.halves]),
            )

        paired = Paired(
            native=lambda weights: self._native_raw(names, weights, self.before.whole),
            other=other,
            elo=self.elo if self.rated else None,
            pool=pool,
            cluster=self.game,
            halves=None if self.rated else halves(),
        )
        return Calibration(
            recipe_id=self.recipe_id,
            about={**(about or {}), "games": self.games, "bridge": self._from()},
            mileposts=self.native.mileposts,
            mappings=mappings,
            spread=bridge_spread(_some(self.native.spread, names), paired),
            agents=self._agents(order, pool),
            models={**{name: make_model(name) for name in self.native.models}, **models},
        )

    def _from(self) -> dict[str, Any]:
        """What it was carried over from, in words."""
        made = self.native.about
        return {
            "engine": made.get("engine"),
            "recipe": made.get("recipe"),
            "recipe_id": self.native.recipe_id,
            "games": made.get("games"),
            "by_ratings": self.rated,
        }

    def _native_raw(
        self, names: Sequence[str], weights: Floats, profiles: Mapping[str, ProfileStack]
    ) -> Floats:
        """Raw ratings of the native source by some of its methods."""
        mappings = {name: self.native.mappings[name] for name in names}
        return raw_ratings(self.native.models, mappings, self.native.mileposts, profiles, weights)

    def _carried(self, name: str, pool: Ints, fold: Ints) -> _Carried | None:
        """A method with its mapping for the other source; None where the two do not go together."""
        model = make_model(name).with_weights(self.native.models[name].weights)
        first = self.before.whole[name]
        stack = model.refit_weights(first, self.after.whole[name], fold)
        native = self.native.mappings[name]
        mapping: EloMapping | None
        if isinstance(native, ScalarMapping):
            before = self.native.models[name].strengths(first.weighted(_membership(pool)))
            after = model.strengths(stack.weighted(_membership(pool)))
            mapping = _strengths_carried(native, self.recipe_id, before, after)
        else:
            mapping = self._compared(name, model, stack, pool // 2)
        return None if mapping is None else _Carried(model, mapping, stack)

    def _compared(self, name: str, model: MoveModel, stack: ProfileStack, pool: Ints) -> EloMapping | None:
        """Pools to compare with, labelled by the native raw ratings of the same games."""
        weights = _membership(pool)
        [raw] = self._native_raw([name], weights, self.before.whole).T
        place = self.native.spread.methods.index(name)
        size = float(self.size.sum()) / len(weights)
        _, offset, slope, _ = self.native.spread.at(size)
        label = np.clip((raw - offset[place]) / slope[place], *_bounds(self.native.mileposts))
        label, first = np.unique(label, return_index=True)
        if len(label) < 3:
            return None
        profiles = stack.weighted(weights)
        made = PairwiseMapping.fit(
            model,
            self.recipe_id,
            [(elo, profiles[one]) for elo, one in zip(label.tolist(), first, strict=True)],
        )
        model.learn(made.profiles)
        return made

    def _agents(self, order: Floats, pool: Ints) -> AgentsByElo | None:
        """The native agents, moved by what separates agents of these games by both sources."""
        native, name = self.native.agents, DepthModel.name
        if native is None or name not in self.before.whole:
            return None
        weights = _membership(pool)
        elos = weights @ order / weights.sum(axis=1)
        sides = (self.before.whole[name], self.after.whole[name])
        before, after = (fit_agents(elos, one.weighted(weights)) for one in sides)
        ends = np.array([native.elo[0], native.elo[-1]])
        moved = [_lines(after, ends) - _lines(before, ends), _lines(native, ends)]
        return AgentsByElo(ends, np.sum(moved, axis=0))


@dataclass(frozen=True, eq=False)
class _Carried:
    model: MoveModel
    mapping: EloMapping
    stack: ProfileStack
    """Profiles by the other source, as they are to one who did not learn from them."""


def _shared(before: Appearances, after: Appearances) -> Ints:
    """The rows of the appearances that both have, with decisions enough: pairs, in the same order."""
    second = {key: row for row, key in enumerate(zip(after.games(), after.players(), strict=True))}
    enough = before.size >= FEWEST_DECISIONS
    pairs = [
        (row, second[key])
        for row, key in enumerate(zip(before.games(), before.players(), strict=True))
        if key in second and enough[row] and after.size[second[key]] >= MOST_OF_THEM * before.size[row]
    ]
    if 2 * len(pairs) < int(enough.sum()):
        raise InputError(
            f"of {int(enough.sum()):,} players in games only {len(pairs):,} were analysed by both sides: "
            "analyse the rest (assay analyse), or find out why the engine failed on them (assay status)"
        )
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _pools(order: Floats, size: int) -> Ints:
    """Neighbours in some order, in pools of about so many."""
    number = max(len(order) // size, 4)
    place = np.empty(len(order), np.int64)
    place[np.argsort(order, kind="stable")] = np.arange(len(order)) * number // len(order)
    return place


def _membership(pool: Ints) -> Floats:
    return np.asarray(pool == np.unique(pool)[:, None], dtype=np.float64)


def _bounds(mileposts: Floats) -> tuple[float, float]:
    """Where labels are: beyond them a pool has no place on the scale."""
    reach = float(mileposts[-1] - mileposts[0]) / 2
    return float(mileposts[0]) - reach, float(mileposts[-1]) + reach


def _strengths_carried(
    native: ScalarMapping, recipe_id: str, before: Floats, after: Floats
) -> ScalarMapping | None:
    """The native curve over strengths of the other source: a line that equates those of the same pools."""
    if not (np.isfinite(before).all() and np.isfinite(after).all()) or after.std() == 0:
        return None
    if np.corrcoef(before, after)[0, 1] < LEAST_AGREEMENT:
        return None
    ratio = after.std() / before.std()
    knots = after.mean() + ratio * (native.knots_strength - before.mean())
    return replace(native, recipe_id=recipe_id, knots_strength=knots)


def _some(spread: Spread, names: Sequence[str]) -> Spread:
    """The spread of some of the methods."""
    places = [spread.methods.index(name) for name in names]
    return replace(
        spread,
        methods=tuple(names),
        offset=spread.offset[:, places],
        slope=spread.slope[:, places],
        unit=spread.unit[:, places][:, :, places],
        tilt=spread.tilt[places],
    )


def _lines(agents: AgentsByElo, ends: Floats) -> Floats:
    """The straight lines of agents at two Elos, wherever those they were made from are."""
    slope = (agents.parameters[-1] - agents.parameters[0]) / (agents.elo[-1] - agents.elo[0])
    return np.asarray(agents.parameters[0] + np.multiply.outer(ends - agents.elo[0], slope))


def native_for(found: Calibration | None, recipe_id: str) -> Calibration:
    """A calibration to start a bridge from; an error where there is none, or only a bridge."""
    if found is None:
        raise MappingError(
            f"a bridge starts from a recipe and an engine that have an Elo scale, and {recipe_id} has none: "
            "name one with --like (assay recipes lists them)"
        )
    if found.bridged_from is not None:
        raise MappingError(
            "a bridge starts from a native scale, not from another bridge: use --like standard with "
            f"{found.bridged_from.get('engine')}"
        )
    return found


# How raw ratings by another source of values stray, from the same games valued by both sources.

FEWEST_GROUPS = 24
"""Groups of one size that a line is learned from, at least; longer ones stand to native ones as these do."""

_REPLICATIONS = 4

NEAR_ONE = 0.3
"""Deviation from one of the ratio of slopes, before the halves of games say anything: the curves of the other
source were made so that pools of these games come out alike by both. Halves of few games say little."""

Raw = Callable[[Floats], Floats]
"""Raw ratings, shape (groups, methods), for weights of the appearances (groups, appearances)."""


@dataclass(frozen=True, eq=False)
class Halves:
    """Raw ratings by every other decision, and by those between: shape (2, appearances, methods) each."""

    native: Floats
    other: Floats


@dataclass(frozen=True, eq=False)
class Paired:
    """The appearances of a bridge: raw ratings by both sources, and whose they are."""

    native: Raw
    other: Raw
    elo: Floats | None
    """Reference ratings; None where they are not used."""
    pool: Ints
    """Appearances that are near each other in strength, and may be one group."""
    cluster: Ints
    """Appearances whose errors may go together: those of one game."""
    halves: Halves | None = None
    """Needed where there are no reference ratings."""


@dataclass(frozen=True, eq=False)
class _Lines:
    """Of one number of games: lines by Elo (offset, slope) and deviations against the native ones."""

    offset: Floats
    slope: Floats
    wider: Floats
    """Deviation of each method as a multiple of the native one."""


def bridge_spread(native: Spread, paired: Paired, seed: int = 0) -> Spread:
    """The spread of the other source: the native one with other lines, deviations, and the bridge's error."""
    if paired.elo is None:
        assert paired.halves is not None
        found, error = _split(native, paired, paired.halves)
    else:
        found, error = _regressed(native, paired, paired.elo, np.random.default_rng(seed))
    last = len(found) - 1
    lines = [found[min(rung, last)] for rung in range(len(native.games))]
    # Of more games than were measured: as the native lines, seen through the last measured one.
    beyond = lines[-1].slope / native.slope[last]
    shift = lines[-1].offset - beyond * native.offset[last]
    offset = [
        one.offset if rung <= last else shift + beyond * native.offset[rung] for rung, one in enumerate(lines)
    ]
    slope = [one.slope if rung <= last else beyond * native.slope[rung] for rung, one in enumerate(lines)]
    unit = [
        native.unit[rung] * np.outer(lines[rung].wider, lines[rung].wider)
        for rung in range(len(native.games))
    ]
    return replace(native, offset=np.stack(offset), slope=np.stack(slope), unit=np.stack(unit), bridge=error)


def _regressed(
    native: Spread, paired: Paired, elo: Floats, rng: np.random.Generator
) -> tuple[list[_Lines], BridgeError]:
    """Lines by the regression on reference ratings and the errors of native raw ratings."""
    smallest = int(np.bincount(paired.pool).min())
    found: list[_Lines] = []
    error = None
    for rung, games in enumerate(native.games.astype(int).tolist()):
        if games > 1 and (2 * games > smallest or len(elo) < FEWEST_GROUPS * games):
            break
        weights = deal(paired.pool, games, 1 if games == 1 else _REPLICATIONS, rng)
        x, y, known = _raw(paired, weights)
        weights = weights[known]
        lines, left, middle, width = _rung(native, rung, weights @ elo / games, x, y)
        found.append(lines)
        if error is None:
            error = _error(native, lines, left, weights @ paired.cluster, middle, width)
    assert error is not None
    return found, error


def _rung(
    native: Spread, rung: int, elo: Floats, x: Floats, y: Floats
) -> tuple[_Lines, Floats, float, float]:
    """Lines and deviations of groups of one size; what is left of y, and where and how wide the Elo is."""
    middle, width = float(elo.mean()), float(elo.std())
    plain = np.column_stack((np.ones(len(elo)), elo - middle))
    errors = x - native.offset[rung] - native.slope[rung] * elo[:, None]
    offset, slope, left = np.zeros(y.shape[1]), np.zeros(y.shape[1]), np.zeros_like(y)
    for k in range(y.shape[1]):
        design = np.column_stack((plain, errors[:, k]))
        fitted = np.linalg.lstsq(design, y[:, k], rcond=None)[0]
        left[:, k] = (y[:, k] - design @ fitted) * np.sqrt(len(elo) / (len(elo) - 3))
        # Raw ratings that do not rise with Elo say nothing: a slope near zero makes them weigh so.
        slope[k] = max(fitted[1], 1e-6)
        offset[k] = fitted[0] - slope[k] * middle
    scale = np.exp(native.tilt * (elo[:, None] - native.centre))
    around = [(one - plain @ np.linalg.lstsq(plain, one, rcond=None)[0]) / scale for one in (x, y)]
    own, other = (np.sqrt(np.square(one).sum(axis=0) / (len(elo) - 2)) for one in around)
    together = np.sum(around[0] * around[1], axis=0) / np.sqrt(
        np.square(around[0]).sum(axis=0) * np.square(around[1]).sum(axis=0)
    )
    known = np.sqrt(np.diag(native.unit[rung]) / native.games[rung])
    # Where native deviations came out too small in these games, so did the others, by their correlation.
    deviation = np.exp(np.log(other) + together**2 * (np.log(known) - np.log(own)))
    return _Lines(offset, slope, deviation / known), left, middle, width


def _error(
    native: Spread, lines: _Lines, left: Floats, cluster: Floats, middle: float, width: float
) -> BridgeError:
    """What the lines err by: what the regression leaves, over so many independent appearances."""
    deviation = np.sqrt(np.diag(native.unit[0])) * lines.wider
    scaled = left / deviation
    share = scaled.T @ scaled / len(scaled) / _independent(scaled, cluster)
    return BridgeError(middle, share, share / width**2)


def _independent(left: Floats, cluster: Floats) -> float:
    """How many appearances are worth as much as these, of which some err together: both sides of a game."""
    together = np.stack([left[cluster == one].sum(axis=0) for one in np.unique(cluster)])
    ratio = np.square(together).sum() / np.square(left).sum()
    return float(len(left) / max(ratio, 1.0))


def _split(native: Spread, paired: Paired, halves: Halves) -> tuple[list[_Lines], BridgeError]:
    """Lines without any reference rating; one for all numbers of games.

    What one half of the decisions says by one source errs apart from what the other half says by the other.
    So the ratio of covariances between halves is that of the slopes, however reliable either source is.
    """
    x, y, known = _raw(paired, np.eye(len(paired.pool)))
    cluster = paired.cluster[known]
    halved = _halved(halves)
    some = [one[halved] for one in (halves.native[0], halves.native[1], halves.other[0], halves.other[1])]
    whose = paired.cluster[halved]
    apart = np.stack([_ratio(*(part[whose != one] for part in some)) for one in np.unique(whose)])
    apart = np.sqrt((len(apart) - 1) / len(apart)) * (apart - apart.mean(axis=0))
    weight = NEAR_ONE**2 / (NEAR_ONE**2 + np.square(apart).sum(axis=0))
    ratio = np.maximum(1 + weight * (_ratio(*some) - 1), 1e-6)
    shift = y.mean(axis=0) - ratio * x.mean(axis=0)
    # Var(y) less the part of it that is not error: by native lines, Var(x) less the native error.
    own, game = np.diag(native.unit[0]), np.var(x, axis=0)
    square = np.maximum(np.var(y, axis=0) - ratio**2 * (game - own), ratio**2 * own / 2)
    wider = np.sqrt(square / own)
    found = [
        _Lines(shift + ratio * native.offset[rung], ratio * native.slope[rung], wider)
        for rung in range(len(native.games))
    ]
    left = y - shift - ratio * x
    middle = float(np.mean((x.mean(axis=0) - native.offset[0]) / native.slope[0]))
    error = _error(native, found[0], left, cluster.astype(float), middle, 1.0)
    # The posterior of the ratio has the weight's share of the variance that the halves leave it.
    apart *= np.sqrt(weight) * native.slope[0] / (np.sqrt(own) * wider)
    return found, replace(error, slope=apart.T @ apart)


def _halved(halves: Halves) -> Ints:
    """The appearances of which both halves say something by every method and either source.

    A short game may leave a method nothing in one of its halves, though the whole has enough.
    """
    known = np.isfinite(halves.native).all(axis=(0, 2)) & np.isfinite(halves.other).all(axis=(0, 2))
    rows = np.flatnonzero(known)
    if len(rows) < FEWEST_GROUPS:
        raise InputError(
            f"a bridge without ratings compares halves of games, and only {len(rows)} players in games have "
            f"decisions enough for it, where {FEWEST_GROUPS} are needed: give longer or more games"
        )
    return rows


def _ratio(first: Floats, second: Floats, other_first: Floats, other_second: Floats) -> Floats:
    """Slopes of the other source by those of the native one, from the halves of the same decisions."""
    across = _covariance(other_first, second) + _covariance(other_second, first)
    return np.asarray(across / np.maximum(2 * _covariance(first, second), 1e-9))


def _covariance(one: Floats, other: Floats) -> Floats:
    return np.asarray(((one - one.mean(axis=0)) * (other - other.mean(axis=0))).mean(axis=0))


def _raw(paired: Paired, weights: Floats) -> tuple[Floats, Floats, Ints]:
    """Raw ratings by both sources, and which groups have them by every method."""
    x, y = paired.native(weights), paired.other(weights)
    known = np.flatnonzero(np.isfinite(x).all(axis=1) & np.isfinite(y).all(axis=1))
    return x[known], y[known], known
