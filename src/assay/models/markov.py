"""A game as a Markov chain of values (Alliot 2017, sections 3.4 and 4.4).

A decision is a transition from the class of the best move's value to the class of the played move's: values
can only fall, so a player's matrix is triangular by construction (of two searches, a rise counts as none).
Two players' matrices multiplied give the chain of a game between them; its stationary vector is the forecast.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import gammaln, logsumexp

from assay.answers.ratings import Estimate, Forecast, Quantity
from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.compiled import njit
from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile
from assay.decisions.rules import MORE_LINES, Rule, after_turn, evaluated, loss_known, rated
from assay.errors import FitError, InputError
from assay.models.base import MoveModel
from assay.models.intervals import wilson

FEW_PLAYERS = 5
"""Fewer than these cannot tell how alike players are: the prior is then one move per row."""

OPENING_TURNS = 9
"""Section 2.4: evaluation starts at turn 10."""

DRAWS = 400
"""Pairs of matrices from the posterior, for intervals."""


class MarkovModel(MoveModel):
    """Forecasts from transition counts.

    `prior` is "level" (rows are shrunk towards those of all players at the player's own level of error) or
    "none": raw counts, the paper's method. `learn` the prior from many players first; otherwise one move per
    row of those in a forecast stands in. `colours` is "pooled" (Black by symmetry) or "apart".
    """

    name: ClassVar[str] = "markov"
    colour_blind = False

    def __init__(
        self,
        classes: Literal["growing", "uniform"] = "growing",
        *,
        colours: Literal["pooled", "apart"] = "pooled",
        prior: Literal["level", "none"] = "level",
    ) -> None:
        if colours not in ("pooled", "apart") or prior not in ("level", "none"):
            raise InputError("colours are 'pooled' or 'apart', the prior is 'level' or 'none'")
        if classes not in ("growing", "uniform"):
            raise InputError(f"classes are 'growing' or 'uniform', not '{classes}'")
        self.classes = GROWING if classes == "growing" else UNIFORM
        self.colours = colours
        self.prior = prior
        self.prior_: LevelPrior | None = None

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
                raise InputError("these decisions do not contain the colour: use colours='pooled'")
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

    def _fitted(self, profiles: Sequence[Profile]) -> LevelPrior:
        self._check(*profiles)
        if not profiles:
            raise InputError("the prior needs profiles to learn from")
        counts, size = np.stack([profile.evidence for profile in profiles]), len(self.classes)
        # What no player did stays possible: one move in every row, half of it stays, half falls anywhere.
        floor = (np.eye(size) + np.tril(np.ones((size, size))) / np.arange(1, size + 1)[:, None]) / 2
        if len(profiles) < FEW_PLAYERS:
            return LevelPrior(shares(counts.sum(axis=0) + floor), strength=1.0, spread=0.0)
        return fit_levels(counts, floor)

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

    def _against_all(self, profile: Profile, prior: LevelPrior) -> Quantity:
        player = np.concatenate((shares(self.posterior(profile)[0])[None], *self._drawn(profile)))
        pool = prior.rows[None]
        there = _expectation(all_pairs(self._side(player, "white"), self._side(pool, "black")))[:, 0]
        back = _expectation(all_pairs(self._side(pool, "white"), self._side(player, "black")))[0]
        both = (there + 1 - back) / 2
        low, high = np.nanquantile(both[1:], (0.025, 0.975))
        return Quantity(float(both[0]), float(np.nanstd(both[1:])), float(low), float(high))

    def _drawn(self, *profiles: Profile) -> list[Floats]:
        """Matrices of each player drawn from the posterior."""
        generator = np.random.default_rng(2017)
        counts = [profile.evidence for profile in profiles]
        if self.prior == "none":
            return [draw_each(np.broadcast_to(x, (DRAWS, *x.shape)), generator) for x in counts]
        return (self.prior_ or self._fitted(profiles)).draw(counts, generator)

    def expectation(self, white: Profile, black: Profile) -> Forecast:
        """Win, draw and loss from the stationary vector; the interval from the posteriors of the rows."""
        counts = self.posterior(white, black)
        first, second = self._side(counts[0], "white"), self._side(counts[1], "black")
        win, draw, loss = all_pairs(shares(first)[None], shares(second)[None])[0, 0].tolist()
        if np.isnan(win):
            raise FitError(_NOT_SINGLE)
        of_white, of_black = self._drawn(white, black)
        pairs = np.arange(DRAWS)
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

    return Rule("not only forced moves", mask, MORE_LINES)


_NOT_SINGLE = (
    "these transitions have no single stationary vector (won and lost games are both never left): use more "
    "games, or the prior"
)


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

    def __len__(self) -> int:
        return 2 * len(self.edges) + (3 if self.zero else 2)

    def of(self, values: npt.ArrayLike) -> Ints:
        """Class of each value in centipawns, 0 for the lost class; mirrored for negative values."""
        value = np.asarray(values, dtype=np.float64)
        if np.isnan(value).any():
            raise InputError("a value that is not known has no class")
        size = len(self.edges)
        # Distance from the middle: a boundary belongs to the inner class, on both sides.
        step = np.searchsorted(self.edges, np.abs(value), side="left")
        if self.zero:
            return np.where(value == 0, size + 1, np.where(value > 0, size + 2 + step, size - step))
        return np.where(value >= 0, size + 1 + step, size - step)

    def middles(self) -> Floats:
        """A value in each class, for people to look at: middles, the outermost by the width beside them."""
        edges = np.asarray(self.edges)
        outer = edges[-1] + (edges[-1] - edges[-2]) / 2
        upper = np.append((np.append(0.0, edges[:-1]) + edges) / 2, outer)
        return np.concatenate((-upper[::-1], [0.0] if self.zero else [], upper))


UNIFORM = ValueClasses((40.0, 80.0, 120.0, 160.0), False, "uniform 40 to 200")
"""Ten classes of 40 centipawns, the paper's Tables 2 and 3: its class -1.8 is all below -1.6."""

GROWING = ValueClasses(
    (*(-100.0 * np.log1p((math.exp(-2.0) - 1.0) * np.arange(1, 8) / 8)).tolist(), 200.0),
    True,
    "growing 19 to 200",
)
"""Zero its own class, open classes beyond two pawns, widths growing between (section 4.4.1): boundaries are
evenly spaced in the paper's factor f = (e^(-v/100) - e^-2) / (1 - e^-2). They are 11 to 59 centipawns wide
(the paper says 10 and 50)."""


# Rows of transition counts, shrunk towards the pooled rows of all players --------------------------------
#
# A row of one player's matrix is multinomial. Players are alike, so their rows are taken as drawn from a
# Dirichlet distribution about the pooled row. Who errs more errs more in every class: the pooled rows are
# tilted first, all steps down e^theta times as likely against staying; theta, one number a player, is normal
# about zero. Strength, in moves, and spread of theta are those under which all counts are most likely.

STRENGTHS = (0.1, 1e5)
"""Bounds of a row's strength in moves: beyond the upper one, the players cannot be told apart."""

SPREADS = (0.01, 1.0)
"""Bounds of the spread of levels."""

GRID: Floats = np.linspace(-1.5, 1.5, 121)
"""Levels theta that are weighed: from a fifth to five times as many errors as usual."""

MANY = 150
"""The prior is learned from at most so many players, those with most moves."""


def tilted(rows: Floats, theta: npt.ArrayLike) -> Floats:
    """Rows with steps down e^theta times as likely against staying; one matrix for each theta."""
    down = np.tril(np.ones(rows.shape[-2:]), -1)
    lead = np.asarray(theta, dtype=np.float64)
    return shares(rows * np.exp(lead.reshape(*lead.shape, *[1] * rows.ndim) * down))


def log_likelihoods(counts: Floats, expected: Floats, gammas: Floats, strength: float) -> Floats:
    """Log Dirichlet-multinomial probability of the rows of players for each matrix of pseudo-counts.

    `counts` is (players, ..., n, n), `expected` (levels, cells), `gammas` its log gamma; the answer (players,
    levels). Many players have the same number of moves in the same place: what it says is worked out once.
    """
    players = counts.reshape(len(counts), -1)
    player, cell = np.nonzero(players)
    amounts, amount = np.unique(players[player, cell], return_inverse=True)
    pairs, pair = np.unique(cell * len(amounts) + amount, return_inverse=True)
    cells, amount = np.divmod(pairs, max(len(amounts), 1))
    says = gammaln(expected[:, cells] + amounts[amount]) - gammas[:, cells]
    seen = csr_array((np.ones(len(pair)), (player, pair)), shape=(len(players), len(pairs)))
    rows = (gammaln(strength) - gammaln(strength + counts.sum(axis=-1))).reshape(len(players), -1)
    return np.asarray(seen @ says.T + rows.sum(axis=1, keepdims=True))


def log_weights(spread: float) -> Floats:
    """Log probability of the levels of the grid, normal about zero."""
    logs = -0.5 * np.square(GRID / spread)
    return np.asarray(logs - logsumexp(logs))


@dataclass(frozen=True, eq=False)
class LevelPrior:
    """Pooled rows, the strength in moves with which they hold at a level, and the spread of levels."""

    rows: Floats
    strength: float
    spread: float

    @cached_property
    def _expected(self) -> tuple[Floats, Floats]:
        """Pseudo-counts at every level of the grid, flat, with their log gammas: the same for all players."""
        expected = self.strength * tilted(self.rows, GRID).reshape(len(GRID), -1)
        return expected, np.asarray(gammaln(expected))

    def levels(self, counts: Floats) -> Floats:
        """Probabilities of the levels of the grid for players with these counts, shape (..., levels)."""
        players = counts.reshape(-1, *self.rows.shape)
        logs = log_likelihoods(players, *self._expected, self.strength) + log_weights(self.spread)
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        return np.asarray(weights.reshape(*counts.shape[: counts.ndim - self.rows.ndim], len(GRID)))

    def posterior(self, counts: Floats) -> Floats:
        """Counts, of one player or of many, with what the prior adds to them at each player's mean level."""
        if self.spread == 0.0:
            return counts + self.strength * self.rows
        return counts + self.strength * tilted(self.rows, self.levels(counts) @ GRID)

    def draw(self, players: Sequence[Floats], generator: np.random.Generator) -> list[Floats]:
        """Matrices of each player from the posterior, of the level too: shapes (DRAWS, ..., n, n)."""
        drawn = []
        for counts in players:
            theta = np.zeros(DRAWS)
            if self.spread > 0.0:
                theta = generator.choice(GRID, size=DRAWS, p=self.levels(counts))
            drawn.append(draw_each(counts + self.strength * tilted(self.rows, theta), generator))
        return drawn


def fit_levels(counts: npt.ArrayLike, floor: Floats) -> LevelPrior:
    """Prior from the counts of several players, shape (players, ..., n, n).

    Strength and spread by marginal likelihood: the levels of the players are summed over.
    """
    many = np.asarray(counts, dtype=np.float64)
    if many.ndim < 3 or not len(many):
        raise InputError("a prior needs the counts of at least one player")
    rows = shares(many.sum(axis=0) + floor)
    most = np.argsort(-many.reshape(len(many), -1).sum(axis=1), kind="stable")[:MANY]
    log_strength = _least(lambda log: -_best_spread(many[most], rows, float(np.exp(log)))[1], STRENGTHS)
    strength = float(np.exp(log_strength))
    return LevelPrior(rows, strength, _best_spread(many[most], rows, strength)[0])


def _best_spread(counts: Floats, rows: Floats, strength: float) -> tuple[float, float]:
    """The most likely spread of levels at a strength, and the log marginal likelihood there."""
    logs = log_likelihoods(counts, *LevelPrior(rows, strength, 0.0)._expected, strength)

    def shortfall(log: float) -> float:
        return -float(logsumexp(logs + log_weights(float(np.exp(log))), axis=1).sum())

    log_spread = _least(shortfall, SPREADS)
    return float(np.exp(log_spread)), -shortfall(log_spread)


def _least(function: Callable[[float], float], bounds: tuple[float, float]) -> float:
    """Where a function of a logarithm is least."""
    from scipy.optimize import minimize_scalar

    fit = minimize_scalar(function, bounds=np.log(bounds), method="bounded", options={"xatol": 1e-2})
    if not fit.success:
        raise FitError(f"the prior was not found: {fit.message}")
    return float(fit.x)


def draw_each(counts: Floats, generator: np.random.Generator) -> Floats:
    """One draw from the posterior of every row of every matrix; rows without counts stay put."""
    gamma = generator.standard_gamma(counts)
    empty = (gamma.sum(axis=-1, keepdims=True) <= 0) & (counts.sum(axis=-1, keepdims=True) > 0)
    # All gammas of a row with tiny counts can underflow: such a draw is the mean.
    return np.where(empty, shares(counts), shares(gamma))


# The paper's own tables ----------------------------------------------------------------------------------


def pairs(model: MarkovModel, decisions: Decisions) -> list[dict[str, Any]]:
    """Win, draw and loss of every player with White against every other, with the interval."""
    profiles = _learned(model, decisions)
    if len(profiles) < 2:
        raise InputError("a table of pairs needs two players or more: name another, or leave out --player")
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
        raise InputError(model.none_passes(decisions))
    if not model.learned:
        model.learn(list(profiles.values()))
    return profiles


# Chains --------------------------------------------------------------------------------------------------
#
# Section 3.4: M = F S with White's lower and Black's upper triangular matrix, pi M = pi; the last class is a
# win of White, the first a loss, all between a draw.


def shares(counts: Floats) -> Floats:
    """Rows of counts as probabilities; a row that was never seen stays where it is."""
    totals = counts.sum(axis=-1, keepdims=True)
    stay = np.broadcast_to(np.eye(counts.shape[-1]), counts.shape)
    return np.where(totals > 0, counts / np.where(totals > 0, totals, 1.0), stay)


def mirrored(matrix: Floats) -> Floats:
    """The same player's matrix from the other side of the board: M(n-1-i, n-1-j) (section 3.4)."""
    return np.ascontiguousarray(matrix[..., ::-1, ::-1])


def stationary(matrix: npt.ArrayLike) -> Floats:
    """The one stochastic vector with pi M = pi; a FitError where there are several."""
    work = np.array(matrix, dtype=np.float64)
    vector = np.empty(len(work))
    if not _stationary(work, vector):
        raise FitError(_NOT_SINGLE)
    return vector


def outcomes(white: Floats, black: Floats, rows: Ints, columns: Ints) -> Floats:
    """Win, draw and loss of White for pairs of `white[rows]` and `black[columns]`, shape (pairs, 3).

    `white` holds matrices from White's view, `black` from Black's own (they are mirrored here). Pairs without
    a single stationary vector are NaN.
    """
    whites, blacks = np.ascontiguousarray(white, dtype=np.float64), mirrored(np.asarray(black, np.float64))
    answer = np.empty((len(rows), 3))
    _outcomes(whites, blacks, rows, columns, answer)
    return answer


def all_pairs(white: Floats, black: Floats) -> Floats:
    """Win, draw and loss of every White against every Black, shape (whites, blacks, 3)."""
    rows, columns = np.divmod(np.arange(len(white) * len(black)), max(len(black), 1))
    return outcomes(white, black, rows, columns).reshape(len(white), len(black), 3)


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
