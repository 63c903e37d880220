"""A game as a Markov chain of values (Alliot 2017, sections 3.4 and 4.4).

A decision is a transition from the class of the best move's value to the class of the played move's: values
can only fall, so a player's matrix is triangular by construction (of two searches, a rise counts as none).
Two players' matrices multiplied give the chain of a game between them; its stationary vector is the forecast.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.answers.ratings import Estimate, Forecast, Quantity
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile
from assay.decisions.rules import Rule, after_turn, evaluated, loss_known, rated
from assay.errors import FitError, InputError
from assay.models.base import MoveModel
from assay.models.markov.chains import all_pairs, outcomes
from assay.models.markov.dirichlet import RowPrior, draw_rows, fit_prior, one_move_per_row, shares
from assay.models.markov.levels import LevelPrior, fit_levels
from assay.models.markov.value_classes import ValueClasses

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
        classes: ValueClasses | None = None,
        *,
        colours: Literal["pooled", "apart"] = "pooled",
        prior: Literal["level", "pooled", "none"] = "level",
        draws: int = 400,
        seed: int = 2017,
    ) -> None:
        if colours not in ("pooled", "apart") or prior not in ("pooled", "level", "none"):
            raise InputError("colours are 'pooled' or 'apart', the prior is 'pooled', 'level' or 'none'")
        self.classes = classes or ValueClasses.growing()
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
        return (rated(), after_turn(OPENING_TURNS), evaluated(), loss_known())

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
            place = 2 * group + is_black(decisions)
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
        for profile in profiles:
            self._check(profile)
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
        side: Floats = counts[..., 0 if colour == "white" else 1, :, :]
        return side

    # Answers -------------------------------------------------------------------------------------------

    def estimate(self, profile: Profile) -> Estimate:
        """Expectation against all players (after `learn`), and the share of moves that keep the class."""
        self._check(profile)
        kept = float(np.trace(profile.evidence, axis1=-2, axis2=-1).sum() / profile.evidence.sum())
        quantities = {}
        if self.prior_ is not None:
            quantities["expectation"] = self._against_all(profile, self.prior_)
        quantities["kept"] = Quantity(kept, float(np.sqrt(kept * (1 - kept) / profile.decisions)))
        return Estimate(self.name, quantities, profile.decisions, profile.games)

    def _against_all(self, profile: Profile, prior: Prior) -> Quantity:
        own = np.concatenate((self._shares(profile)[None], *self._drawn(profile)))
        pool = prior.rows[None]
        there = _expectation(all_pairs(self._side(own, "white"), self._side(pool, "black")))[:, 0]
        back = _expectation(all_pairs(self._side(pool, "white"), self._side(own, "black")))[0]
        both = (there + 1 - back) / 2
        if len(both) < 3:
            return Quantity(float(both[0]))
        low, high = np.nanquantile(both[1:], (0.025, 0.975))
        return Quantity(float(both[0]), float(np.nanstd(both[1:])), float(low), float(high))

    def _drawn(self, *profiles: Profile) -> list[Floats]:
        """Matrices of each player drawn from the posterior."""
        generator = np.random.default_rng(self.seed)
        if self.prior == "none":
            return [draw_rows(profile.evidence, self.draws, generator) for profile in profiles]
        prior = self.prior_ or self._fitted(profiles)
        return prior.draw([profile.evidence for profile in profiles], self.draws, generator)

    def _shares(self, profile: Profile) -> Floats:
        return shares(self.posterior(profile)[0])

    def expectation(self, white: Profile, black: Profile) -> Forecast:
        """Win, draw and loss from the stationary vector; the interval from the posteriors of the rows."""
        counts = self.posterior(white, black)
        first, second = self._side(counts[0], "white"), self._side(counts[1], "black")
        one = np.zeros(1, np.int64)
        win, draw, loss = outcomes(shares(first)[None], shares(second)[None], one, one)[0].tolist()
        if np.isnan(win):
            raise FitError(
                "these transition counts have no single stationary vector (won and lost games are both never "
                "left): use more games, or the prior"
            )
        low, high = self._interval(white, black)
        return Forecast(self.name, win + draw / 2, win=win, draw=draw, loss=loss, low=low, high=high)

    def _interval(self, white: Profile, black: Profile) -> tuple[float, float]:
        if self.draws < 2:
            return float("nan"), float("nan")
        one, other = self._drawn(white, black)
        pairs = np.arange(self.draws)
        drawn = outcomes(self._side(one, "white"), self._side(other, "black"), pairs, pairs)
        low, high = np.nanquantile(_expectation(drawn), (0.025, 0.975)).tolist()
        return low, high

    def expectations(self, white: Sequence[Profile], black: Sequence[Profile]) -> Floats:
        """Every White against every Black, in one go."""
        self._check_all((*white, *black))
        counts = self.posterior(*white, *black)
        whites = self._side(shares(np.stack(counts[: len(white)])), "white")
        blacks = self._side(shares(np.stack(counts[len(white) :])), "black")
        return _expectation(all_pairs(whites, blacks))


def is_black(decisions: Decisions) -> npt.NDArray[np.bool_]:
    """Which decisions are Black's; an error where colours are not known."""
    codes, names = decisions.codes("colour"), decisions.names("colour")
    if (codes < 0).any():
        raise InputError("these decisions do not say the colour: use colours='pooled'")
    return np.array([name == "black" for name in names], dtype=bool)[codes]


def _expectation(shares_of_results: Floats) -> Floats:
    """Win plus half the draws."""
    expected: Floats = shares_of_results[..., 0] + shares_of_results[..., 1] / 2
    return expected
