"""A game as a Markov chain of values (Alliot 2017, sections 3.4 and 4.4).

A decision is a transition from the class of the best move's value to the class of the played move's: values
can only fall, so a player's matrix is triangular by construction (of two searches, a rise counts as none).
Two players' matrices multiplied give the chain of a game between them; its stationary vector is the forecast.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import permutations
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.answers.ratings import Estimate, Forecast, Quantity
from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.compiled import njit
from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile
from assay.decisions.rules import Rule, after_turn, evaluated, loss_known, rated
from assay.errors import FitError, InputError
from assay.machine import usable_cores
from assay.models.base import MoveModel
from assay.models.intervals import wilson
from assay.models.markov_prior import (
    LevelPrior,
    RowPrior,
    draw_each,
    fit_levels,
    fit_prior,
    one_move_per_row,
    shares,
)

Prior: TypeAlias = RowPrior | LevelPrior

FEW_PLAYERS = 5
"""Fewer than these cannot tell how alike players are: the prior is then one move per row."""

OPENING_TURNS = 9
"""Section 2.4: evaluation starts at turn 10."""


class MarkovModel(MoveModel):
    """Forecasts from transition counts.

    `prior` is "level" (rows are drawn to those of all players at the player's own level of error), "pooled"
    (to those of all players as they are) or "none": raw counts, the paper's method. `learn` the prior from
    many players first; otherwise one move per row of those in a forecast stands in. `colours` is "pooled"
    (Black by symmetry) or "apart".
    """

    name: ClassVar[str] = "markov"
    colour_blind = False

    def __init__(
        self,
        classes: ValueClasses | Literal["growing", "uniform"] = "growing",
        *,
        colours: Literal["pooled", "apart"] = "pooled",
        prior: Literal["level", "pooled", "none"] = "level",
        draws: int = 400,
        seed: int = 2017,
    ) -> None:
        if colours not in ("pooled", "apart") or prior not in ("pooled", "level", "none"):
            raise InputError("colours are 'pooled' or 'apart', the prior is 'pooled', 'level' or 'none'")
        if isinstance(classes, str):
            if classes not in ("growing", "uniform"):
                raise InputError(f"classes are 'growing' or 'uniform', not '{classes}'")
            classes = ValueClasses.growing() if classes == "growing" else ValueClasses.uniform()
        self.classes = classes
        self.colours = colours
        self.prior = prior
        self.draws = draws
        self.seed = seed
        self.prior_: Prior | None = None

    @property
    def settings(self) -> str:
        """Classes, and whether colours are apart."""
        return f"{self.classes.name}, colours {self.colours}"

    def rules(self) -> tuple[Rule, ...]:
        """From turn 10 on, with values of the played move and of the best."""
        return (rated(), after_turn(OPENING_TURNS), evaluated(), loss_known(), not_only_forced())

    @property
    def shape(self) -> tuple[int, ...]:
        """One matrix of counts, or White's and Black's."""
        size = len(self.classes)
        return (size, size) if self.colours == "pooled" else (2, size, size)

    def evidence(self, decisions: Decisions, group: Ints, n_groups: int) -> Any:
        """Transition counts."""
        before, after = self.classes.of(decisions.best_value), self.classes.of(decisions.played_value)
        after = np.where(decisions.two_searches, np.minimum(after, before), after)
        if (after > before).any():
            raise InputError("a played move is worth more than the best: its values are of two analyses")
        place = group
        if self.colours == "apart":
            codes, names = decisions.codes("colour"), decisions.names("colour")
            if (codes < 0).any():
                raise InputError("these decisions do not say the colour: use colours='pooled'")
            place = 2 * group + np.array([name == "black" for name in names], dtype=bool)[codes]
        size = len(self.classes)
        index = (place * size + before) * size + after
        counts = np.bincount(index, minlength=n_groups * int(np.prod(self.shape)))
        return counts.astype(np.float64).reshape(n_groups, -1)

    # Learning ------------------------------------------------------------------------------------------

    @property
    def learned(self) -> bool:
        """Whether the prior has been learned; raw counts need none."""
        return self.prior == "none" or self.prior_ is not None

    def learn(self, profiles: Sequence[Profile]) -> Self:
        """Learn the pooled rows and the strength of the prior from the profiles of many players."""
        self.prior_ = self._fitted(profiles)
        return self

    def _fitted(self, profiles: Sequence[Profile]) -> Prior:
        self._check(*profiles)
        if not profiles:
            raise InputError("the prior needs profiles to learn from")
        counts = np.stack([profile.evidence for profile in profiles])
        floor = one_move_per_row(len(self.classes))
        if len(profiles) < FEW_PLAYERS:
            pooled = shares(counts.sum(axis=0) + floor)
            return RowPrior(pooled, np.ones(pooled.shape[:-1]))
        return fit_levels(counts, floor) if self.prior == "level" else fit_prior(counts, floor=floor)

    def posterior(self, *profiles: Profile) -> list[Floats]:
        """Counts with what the prior adds to them, from the mover's view."""
        if self.prior == "none":
            return [profile.evidence for profile in profiles]
        prior = self.prior_ or self._fitted(profiles)
        return list(prior.posterior(np.stack([profile.evidence for profile in profiles])))

    def matrix(self, profile: Profile, colour: Literal["white", "black"] = "white") -> Floats:
        """Transition probabilities of a player with one colour, from the mover's view."""
        return shares(self._side(self.posterior(profile)[0], colour))

    def _side(self, counts: Floats, colour: Literal["white", "black"]) -> Floats:
        if self.colours == "pooled":
            return counts
        return np.asarray(counts[..., 0 if colour == "white" else 1, :, :])

    # Answers -------------------------------------------------------------------------------------------

    def estimate(self, profile: Profile) -> Estimate:
        """Expectation against all players (after `learn`), and the share of moves that keep the class."""
        self._check(profile)
        stayed = float(np.trace(profile.evidence, axis1=-2, axis2=-1).sum() / profile.evidence.sum())
        quantities = {}
        if self.prior_ is not None:
            quantities["expectation"] = self._against_all(profile, self.prior_)
        quantities["kept"] = wilson(stayed, profile.decisions)
        return Estimate(self.name, quantities, profile.decisions, profile.games)

    def _against_all(self, profile: Profile, prior: Prior) -> Quantity:
        player = np.concatenate((shares(self.posterior(profile)[0])[None], *self._drawn(profile)))
        pool = prior.rows[None]
        there = _expectation(all_pairs(self._side(player, "white"), self._side(pool, "black")))[:, 0]
        back = _expectation(all_pairs(self._side(pool, "white"), self._side(player, "black")))[0]
        both = (there + 1 - back) / 2
        if len(both) < 3:
            return Quantity(float(both[0]))
        low, high = np.nanquantile(both[1:], (0.025, 0.975))
        return Quantity(float(both[0]), float(np.nanstd(both[1:])), float(low), float(high))

    def _drawn(self, *profiles: Profile) -> list[Floats]:
        """Matrices of each player drawn from the posterior."""
        generator = np.random.default_rng(self.seed)
        counts = [profile.evidence for profile in profiles]
        if self.prior == "none":
            return [draw_each(np.broadcast_to(x, (self.draws, *x.shape)), generator) for x in counts]
        return (self.prior_ or self._fitted(profiles)).draw(counts, self.draws, generator)

    def expectation(self, white: Profile, black: Profile) -> Forecast:
        """Win, draw and loss from the stationary vector; the interval from the posteriors of the rows."""
        counts = self.posterior(white, black)
        first, second = self._side(counts[0], "white"), self._side(counts[1], "black")
        win, draw, loss = all_pairs(shares(first)[None], shares(second)[None])[0, 0].tolist()
        if np.isnan(win):
            raise FitError(
                "these transition counts have no single stationary vector (won and lost games are both never "
                "left): use more games, or the prior"
            )
        low, high = math.nan, math.nan
        if self.draws > 1:
            of_white, of_black = self._drawn(white, black)
            pairs = np.arange(self.draws)
            drawn = outcomes(self._side(of_white, "white"), self._side(of_black, "black"), pairs, pairs)
            low, high = np.nanquantile(_expectation(drawn), (0.025, 0.975)).tolist()
        return Forecast(self.name, win + draw / 2, win=win, draw=draw, loss=loss, low=low, high=high)

    def expectations(self, white: Sequence[Profile], black: Sequence[Profile]) -> Floats:
        """Every White against every Black, in one go."""
        self._check(*white, *black)
        counts = self.posterior(*white, *black)
        whites = self._side(shares(np.stack(counts[: len(white)])), "white")
        blacks = self._side(shares(np.stack(counts[len(white) :])), "black")
        return _expectation(all_pairs(whites, blacks))


def not_only_forced() -> Rule:
    """Leave out forced moves where no other move has a known loss, as with one line of the engine.

    A forced move keeps its class whoever makes it: alone it measures nothing.
    """

    def mask(decisions: Decisions) -> Mask:
        forced = decisions.numbers("n_legal") == 1
        chosen = ~forced & evaluated()(decisions) & loss_known()(decisions)
        return np.asarray(~forced | chosen.any())

    return Rule("not only forced moves", mask)


def _expectation(shares_of_results: Floats) -> Floats:
    """Win plus half the draws."""
    return np.asarray(shares_of_results[..., 0] + shares_of_results[..., 1] / 2)


# Classes of values: the states of a game (sections 3.4 and 4.4.1) -----------------------------------------


@dataclass(frozen=True)
class ValueClasses:
    """Classes between edges in centipawns, in rising order, symmetric about zero.

    `edges` are those above zero; class boundaries lie at them and at their negatives. With `zero` the value 0
    is a class of its own, otherwise 0 is a boundary and belongs to the class above it.
    """

    edges: tuple[float, ...]
    zero: bool
    name: str

    def __post_init__(self) -> None:
        rising = all(low < high for low, high in zip((0.0, *self.edges), self.edges, strict=False))
        if not self.edges or not rising:
            raise InputError("classes of values need rising bounds above zero")

    def __len__(self) -> int:
        return 2 * len(self.edges) + (3 if self.zero else 2)

    @classmethod
    def uniform(cls, width: float = 40.0, bound: float = 200.0, scale: float = 1.0) -> ValueClasses:
        """Classes of one width (the paper's grain g) between plus and minus `bound`: its Tables 2 and 3.

        The outermost classes begin one width within the bound: the paper's class -1.8 is all below -1.6.
        """
        inner = round(bound / width) - 1
        if inner < 1 or abs(bound / width - inner - 1) > 1e-9:
            raise InputError(f"the bound {bound:g} must be two or more times the class width {width:g}")
        edges = tuple(float(scale * width * step) for step in range(1, inner + 1))
        return cls(edges, False, f"uniform {width:g} to {bound:g}" + _scaled(scale))

    @classmethod
    def growing(cls, count: int = 19, bound: float = 200.0, scale: float = 1.0) -> ValueClasses:
        """Zero its own class, open classes beyond the bound, widths growing between (section 4.4.1).

        The boundaries are evenly spaced in the paper's factor f = (e^(-v/100) - e^(-bound/100)) /
        (1 - e^(-bound/100)): with 19 classes they are 11 to 59 cp wide (the paper says 10 and 50).
        """
        if count < 5 or count % 2 == 0:
            raise InputError(f"classes with zero apart must be an odd number from 5 on, not {count}")
        inner = (count - 3) // 2
        fall = 1.0 - np.exp(-bound / 100.0)
        edges = -100.0 * np.log1p(-fall * np.arange(1, inner + 1) / inner)
        edges[-1] = bound
        return cls(tuple((scale * edges).tolist()), True, f"growing {count} to {bound:g}" + _scaled(scale))

    def of(self, values: npt.ArrayLike) -> Ints:
        """Class of each value in centipawns, 0 for the lost class; mirrored for negative values."""
        value = np.asarray(values, dtype=np.float64)
        if np.isnan(value).any():
            raise InputError("a value that is not known has no class")
        edges = np.asarray(self.edges)
        size = len(edges)
        # Distance from the middle: a boundary belongs to the inner class, on both sides.
        step = np.searchsorted(edges, np.abs(value), side="left")
        if self.zero:
            return np.where(value == 0, size + 1, np.where(value > 0, size + 2 + step, size - step))
        return np.where(value >= 0, size + 1 + step, size - step)

    def middles(self) -> Floats:
        """A value in each class, for people to look at: middles, the outermost by the width beside them."""
        edges = np.asarray(self.edges)
        outer = edges[-1] + (edges[-1] - (edges[-2] if len(edges) > 1 else 0.0)) / 2
        upper = np.append((np.append(0.0, edges[:-1]) + edges) / 2, outer)
        return np.concatenate((-upper[::-1], [0.0] if self.zero else [], upper))


def _scaled(scale: float) -> str:
    if not scale > 0:
        raise InputError("the scale of the classes must be above zero")
    return "" if scale == 1.0 else f" times {scale:g}"


# The paper's own tables ----------------------------------------------------------------------------------


def pairs(model: MarkovModel, decisions: Decisions) -> list[dict[str, Any]]:
    """Win, draw and loss of every player with White against every other, with the interval."""
    profiles = _learned(model, decisions)
    return [
        {"white": white, "black": black, **_outcome(model, profiles[white], profiles[black])}
        for white, black in permutations(profiles, 2)
    ]


def _outcome(model: MarkovModel, white: Profile, black: Profile) -> dict[str, Any]:
    """What the chain of two players says; nothing where raw counts have no single stationary vector."""
    names = ("win", "draw", "loss", "expectation", "low", "high")
    try:
        forecast = model.expectation(white, black)
    except FitError:
        return dict.fromkeys(names, math.nan)
    return {name: getattr(forecast, name) for name in names}


def matrices(model: MarkovModel, decisions: Decisions) -> list[dict[str, Any]]:
    """One row for each player, colour and class of the value before: the shares of the classes after."""
    sides: tuple[Literal["white", "black"], ...] = ("white", "black")
    middles = [f"{middle / 100:+.2f}" for middle in model.classes.middles()]
    rows = []
    for player, profile in _learned(model, decisions).items():
        for colour in sides if model.colours == "apart" else sides[:1]:
            about = {"player": player} | ({"colour": colour} if model.colours == "apart" else {})
            for before, row in zip(middles, model.matrix(profile, colour), strict=True):
                rows.append({**about, "before": before, **dict(zip(middles, row.tolist(), strict=True))})
    return rows


def _learned(model: MarkovModel, decisions: Decisions) -> dict[str, Profile]:
    """Profiles of the players, in order of their names; the model has learned its prior from them."""
    passed, _ = model.select(decisions)
    profiles = {str(player): model.profile(part) for player, part in sorted(passed.by("player"))}
    if not profiles:
        raise InputError("none of these moves can be used by markov: choose other games")
    if not model.learned:
        model.learn(list(profiles.values()))
    return profiles


# Chains --------------------------------------------------------------------------------------------------
#
# Section 3.4: M = F S with White's lower and Black's upper triangular matrix, pi M = pi; the last class is a
# win of White, the first a loss, all between a draw.


def mirrored(matrix: Floats) -> Floats:
    """The same player's matrix from the other side of the board: M(n-1-i, n-1-j) (section 3.4)."""
    return np.ascontiguousarray(matrix[..., ::-1, ::-1])


def stationary(matrix: npt.ArrayLike) -> Floats:
    """The one stochastic vector with pi M = pi; a FitError where there are several."""
    work = np.array(matrix, dtype=np.float64)
    vector = np.empty(len(work))
    if not _stationary(work, vector):
        raise FitError(
            "the transition matrices have no single stationary vector (won and lost games are both never "
            "left): use more games, or the prior"
        )
    return vector


def outcomes(white: Floats, black: Floats, rows: Ints, columns: Ints, threads: int | None = None) -> Floats:
    """Win, draw and loss of White for pairs of `white[rows]` and `black[columns]`, shape (pairs, 3).

    `white` holds matrices from White's view, `black` from Black's own (they are mirrored here). Pairs without
    a single stationary vector are NaN.
    """
    whites, blacks = np.ascontiguousarray(white, dtype=np.float64), mirrored(np.asarray(black, np.float64))
    answer = np.empty((len(rows), 3))
    workers = max(1, min(threads or usable_cores(), len(rows) // 500))
    bounds = np.linspace(0, len(rows), workers + 1).astype(np.int64)

    def part(index: int) -> None:
        span = slice(bounds[index], bounds[index + 1])
        _outcomes(whites, blacks, rows[span], columns[span], answer[span])

    if workers == 1:
        part(0)
    else:
        with ThreadPoolExecutor(workers) as pool:  # the compiled loop lets go of the interpreter's lock
            list(pool.map(part, range(workers)))
    return answer


def all_pairs(white: Floats, black: Floats, threads: int | None = None) -> Floats:
    """Win, draw and loss of every White against every Black, shape (whites, blacks, 3)."""
    rows, columns = np.divmod(np.arange(len(white) * len(black)), max(len(black), 1))
    return outcomes(white, black, rows, columns, threads).reshape(len(white), len(black), 3)


@njit(nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _outcomes(whites, blacks, rows, columns, answer):  # type: ignore[no-untyped-def] # pragma: no cover
    n = whites.shape[1]
    matrix = np.empty((n, n))
    vector = np.empty(n)
    for pair in range(len(rows)):
        white, black = whites[rows[pair]], blacks[columns[pair]]
        for i in range(n):
            for j in range(n):
                matrix[i, j] = 0.0
            for k in range(i + 1):  # White's matrix is zero above, Black's below its diagonal
                share = white[i, k]
                for j in range(k, n):
                    matrix[i, j] += share * black[k, j]
        if _stationary(matrix, vector):
            answer[pair, 0] = vector[n - 1]
            answer[pair, 1] = 1.0 - vector[n - 1] - vector[0]
            answer[pair, 2] = vector[0]
        else:
            answer[pair, :] = np.nan


@njit(nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _stationary(matrix, vector):  # type: ignore[no-untyped-def] # pragma: no cover
    """Grassmann, Taksar and Heyman's elimination: no subtraction, so rare transitions keep their digits.

    `matrix` is used up. False where more than one set of classes is never left.
    """
    n = len(matrix)
    base = 0
    for k in range(n - 1, 0, -1):
        leaving = 0.0
        for j in range(k):
            leaving += matrix[k, j]
        if leaving <= 0.0:
            base = k  # never left for lower classes: all mass ends here, if all others lead here
            break
        for i in range(k):
            share = matrix[i, k] / leaving
            matrix[i, k] = share
            if share > 0.0:
                for j in range(k):
                    matrix[i, j] += share * matrix[k, j]
    if base > 0 and not _all_lead_to(matrix, base):
        return False
    total = 1.0
    for k in range(base):
        vector[k] = 0.0
    vector[base] = 1.0
    for k in range(base + 1, n):
        mass = 0.0
        for i in range(base, k):
            mass += vector[i] * matrix[i, k]
        vector[k] = mass
        total += mass
    for k in range(base, n):
        vector[k] /= total
    return True


@njit(nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _all_lead_to(matrix, target):  # type: ignore[no-untyped-def] # pragma: no cover
    """Whether every class below `target` can reach it, through classes below it."""
    leads = np.zeros(target + 1, np.bool_)
    leads[target] = True
    changed = True
    while changed:
        changed = False
        for i in range(target):
            if not leads[i]:
                for j in range(target + 1):
                    if leads[j] and matrix[i, j] > 0.0:
                        leads[i] = True
                        changed = True
                        break
    return bool(leads.all())
