"""The contract of the methods that read moves.

A member of the family fills six hooks: its settings as text, the rules it applies, the evidence of some
decisions and its shape, the estimate and the forecast from profiles. Selection, counting, profiles by game,
ratings and their checks are here. `assay.testing` has the tests that every member passes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from assay.answers.ratings import Estimate, Forecast, Rating
from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.decisions import Decisions
from assay.decisions.elo import expectation
from assay.decisions.profile import Profile, ProfileStack, check_same_model
from assay.decisions.rules import Rule
from assay.errors import InputError, MappingError
from assay.models.elo_mapping import EloMapping, no_mapping


class MoveModel(ABC):
    """A method that rates players by their decisions. Constructors take settings, verbs take evidence."""

    name: ClassVar[str]
    """The method's short name: gain, bayes, choice, ..."""

    strength: ClassVar[str | None] = None
    """The quantity of the estimate that Elo is mapped from; None where the method compares pairs."""

    colour_blind: ClassVar[bool] = True
    """Whether a forecast is the same whoever has White: those of (a, b) and (b, a) then sum to one."""

    reads_trace: ClassVar[bool] = False
    """Whether the method reads values at smaller depths: decisions are then asked for with their trace."""

    linear: ClassVar[bool] = False
    """Whether the strength of several games is the mean of those of each: Elo is then mapped by a line."""

    of_most: ClassVar[bool] = False
    """Whether the method speaks only where it has read most of a player's decisions, not some of them."""

    mapping: EloMapping | None = None
    """How the estimate becomes a rating; None where there is none for the recipe."""

    # Hooks ---------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def settings(self) -> str:
        """The settings that decide what the evidence means, as text: part of a profile's identity."""

    @abstractmethod
    def rules(self) -> tuple[Rule, ...]:
        """The rules that decisions must pass, in the order in which they are counted."""

    @abstractmethod
    def evidence(self, decisions: Decisions, group: Ints, n_groups: int) -> Any:
        """Additive evidence of decisions that have passed the rules, summed within groups.

        `group` tells the group of each decision. The answer has one row per group, of `shape` when unfolded:
        a numpy array, or a scipy.sparse matrix where most entries are zero.
        """

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Shape of the evidence of one profile."""

    @abstractmethod
    def estimate(self, profile: Profile) -> Estimate:
        """The paper's own numbers with their uncertainty."""

    @abstractmethod
    def expectation(self, white: Profile, black: Profile) -> Forecast:
        """Forecast of a game; profiles have been checked."""

    # Verbs ---------------------------------------------------------------------------------------------

    @property
    def identity(self) -> str:
        """Name and settings: what profiles are stamped with."""
        return f"{self.name}({self.settings})"

    def select(self, decisions: Decisions) -> tuple[Decisions, dict[str, float]]:
        """The decisions that pass the rules, and how many each rule left out."""
        left_out = {}
        keep = np.ones(len(decisions), dtype=bool)
        for rule in self.rules():  # rows are taken once, after all of the rules: taking costs most
            before = np.count_nonzero(keep)
            keep &= rule(decisions)
            left_out[rule.name] = float(before - np.count_nonzero(keep))
        return decisions if keep.all() else decisions.take(np.flatnonzero(keep)), left_out

    def keeps(self, decisions: Decisions) -> Mask:
        """Which decisions pass the rules."""
        return np.asarray(np.logical_and.reduce([rule(decisions) for rule in self.rules()]))

    def none_passes(self, decisions: Decisions) -> str:
        """Why there is nothing to say of decisions none of which passes: the rule that the last ones fail."""
        _, left_out = self.select(decisions)
        failed = [rule for rule in self.rules() if left_out[rule.name]]
        why = f"the last ones are not '{failed[-1]}'" if failed else "no year"
        more = f", or {failed[-1].remedy}" if failed and failed[-1].remedy else ""
        # Without the method's name or counts: methods that lack the same say so in one sentence.
        return f"no decisions here pass the rules ({why}): choose other games{more}"

    def profile(self, decisions: Decisions) -> Profile:
        """Additive evidence of one player, or of a set of players."""
        if not len(decisions):
            raise InputError("no decisions to make a profile of: check the selection")
        passed, left_out = self.select(decisions)
        rows = self._stack(passed, np.zeros(len(passed), np.int64), ("all",), recipe_of(decisions))
        return replace(rows.total(), left_out=left_out)

    def profiles_by(self, decisions: Decisions, column: str = "game_id") -> ProfileStack:
        """One profile for each game (or player, event, ...), to be weighted and resampled.

        Games none of whose decisions pass the rules have an empty profile.
        """
        if not len(decisions):
            raise InputError("no decisions to make profiles of: check the selection")
        present = tuple(name for name in decisions.names(column) if name is not None)
        return self.stack(decisions, lambda passed: passed.codes(column), present)

    def stack(
        self, decisions: Decisions, place: Callable[[Decisions], Ints], keys: tuple[str, ...]
    ) -> ProfileStack:
        """One profile for each key; `place` tells the key of each of the decisions that pass the rules."""
        passed, _ = self.select(decisions)
        return self._stack(passed, place(passed), keys, recipe_of(decisions))

    def _stack(self, passed: Decisions, group: Ints, keys: tuple[str, ...], recipe_id: str) -> ProfileStack:
        return ProfileStack(
            model=self.identity,
            keys=keys,
            evidence=self.evidence(passed, group, len(keys)).reshape(len(keys), -1),
            shape=self.shape,
            decisions=np.bincount(group, minlength=len(keys)).astype(np.float64),
            games=games_in(passed, group, len(keys)),
            recipe_id=recipe_id,
        )

    @property
    def learned(self) -> bool:
        """Whether all that forecasts borrow from other players has been learned."""
        return True

    def learn(self, profiles: Sequence[Profile]) -> Self:
        """Learn what forecasts borrow from all players, such as a prior; most methods borrow nothing."""
        return self

    # Methods with learned weights ------------------------------------------------------------------------

    @property
    def weights(self) -> Mapping[str, Floats]:
        """What calibration has learned for the method, stored with it; nothing for most methods."""
        return {}

    @property
    def ready(self) -> bool:
        """Whether the method has a measure to give; one that needs weights has none without."""
        return True

    def with_weights(self, weights: Mapping[str, Floats]) -> Self:
        """Use weights that were learned before; an InputError where they are not of this method."""
        if weights:
            raise InputError(
                f"{self.name} learns nothing from calibration games, and here are weights for it"
            )
        return self

    def fit_weights(self, stack: ProfileStack, elo: Floats, opponent: Floats, fold: Ints) -> ProfileStack:
        """Learn from appearances of known Elo. Returns them as the weights of the other folds judge them.

        `opponent` is the Elo of each opponent, NaN where it is not known.
        """
        return stack

    # Answers -------------------------------------------------------------------------------------------

    def forecast(self, white: Profile, black: Profile) -> Forecast:
        """Win, draw and loss where the method gives them, expected score always."""
        self._check(white, black)
        check_same_model([white, black])
        return self.expectation(white, black)

    def expectations(self, white: Sequence[Profile], black: Sequence[Profile]) -> Floats:
        """Expectation of every White against every Black, without intervals: shape (whites, blacks)."""
        return np.array([[self.forecast(first, second).expectation for second in black] for first in white])

    def expectations_by_ratings(self, white: Sequence[Profile], black: Sequence[Profile]) -> Floats:
        """`expectations` from the Elo of both sides, for methods whose papers give no forecast."""
        if self.mapping is None:
            raise MappingError(no_mapping(self.name))
        first, second = (self.mapping.elos(self, side) for side in (white, black))
        return expectation(first[:, None] - second)

    def weighted_expectations(self, stack: ProfileStack, weights: Floats, black: Sequence[Profile]) -> Floats:
        """`expectations` of weighted sums of profiles: for methods that need not write the sums out."""
        return self.expectations(stack.weighted(weights), black)

    def strengths(self, profiles: Sequence[Profile]) -> Floats:
        """The quantity `strength` of many profiles, without intervals."""
        if self.strength is None:
            raise InputError(f"{self.name} has no strength of its own: it compares pairs of players")
        return np.array([self.estimate(profile)[self.strength].value for profile in profiles])

    def match(self, first: Profile, second: Profile) -> Forecast:
        """Forecast for the first player of a match in which both have White equally often."""
        there, back = self.forecast(first, second), self.forecast(second, first)
        return Forecast(
            self.name,
            (there.expectation + 1 - back.expectation) / 2,
            win=(there.win + back.loss) / 2,
            draw=(there.draw + back.draw) / 2,
            loss=(there.loss + back.win) / 2,
            low=(there.low + 1 - back.high) / 2,
            high=(there.high + 1 - back.low) / 2,
            notes=tuple(dict.fromkeys((*there.notes, *back.notes))),
        )

    def rate(self, profile: Profile) -> Rating:
        """Rating on the Elo scale, with an interval, through the mapping."""
        self._check(profile)
        if self.mapping is None:
            raise MappingError(no_mapping(self.name))
        return self.mapping.rate(self, profile)

    def _check(self, *profiles: Profile) -> None:
        identity = self.identity
        for profile in profiles:
            if profile.model != identity:
                check_same_model([replace(profile, model=identity), profile])
            if not profile.decisions > 0:
                raise InputError(f"no decisions of this player pass the rules of {self.name}")


def recipe_of(decisions: Decisions) -> str:
    """The one recipe that decisions were analysed with: values of several do not go together."""
    names = decisions.names("recipe_id")
    recipes = sorted(names[code] for code in np.unique(decisions.codes("recipe_id")) if code >= 0)
    if len(recipes) > 1:
        raise InputError(
            f"decisions of one recipe are needed, and these are of {', '.join(recipes)}: choose one"
        )
    return recipes[0] if recipes else ""


TAIL_UNIT = 10.0


def tail_losses(last: npt.ArrayLike, lost: npt.ArrayLike, fraction: Floats) -> Floats:
    """Losses of moves that the engine did not list, in centipawns: the last axis has the fractions.

    They lie at fractions of the way from the loss of the last line to that of a lost position, measured as
    ln(1 + loss / 0.1 pawns). How near to the last line they are, each method has measured for itself.
    """
    at_last = np.log1p(np.asarray(last, np.float64) / TAIL_UNIT)
    way = np.maximum(np.log1p(np.asarray(lost, np.float64) / TAIL_UNIT) - at_last, 0.0)
    return np.asarray(TAIL_UNIT * np.expm1(at_last[..., None] + way[..., None] * fraction))


def games_in(decisions: Decisions, group: Ints, n_groups: int) -> Floats:
    """How many different games the decisions of each group are from."""
    game = decisions.codes("game_id")
    n_games = int(game.max(initial=-1)) + 1
    pairs = np.unique(group * n_games + game)
    return np.bincount(pairs // max(n_games, 1), minlength=n_groups).astype(np.float64)
