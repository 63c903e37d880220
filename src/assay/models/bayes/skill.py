"""The uses that Di Fatta, Haworth and Regan name for the posterior over c (2009, sections V and VI).

One player in one game, a set of games, a composite player of an Elo band, skill over time: the same call on
other groups of decisions. The training curve is Figure 2, games won, lost and drawn are Table III.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.answers.ratings import Rating
from assay.decisions.arrays import Ints
from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile, ProfileStack
from assay.errors import InputError
from assay.models.base import games_in, recipe_of
from assay.models.bayes.model import BayesModel
from assay.models.bayes.posterior import Posterior
from assay.models.intervals import FEWEST_GAMES
from assay.models.mileposts import HALF_WIDTH, split_by_milepost

RESULTS = {1.0: "won", 0.5: "drawn", 0.0: "lost"}


@dataclass(frozen=True, eq=False)
class Skill:
    """The apparent skill of some decisions: whose, how many, and the posterior over c."""

    label: tuple[str, ...]
    profile: Profile
    model: BayesModel
    decisions: Decisions
    """Decisions that pass the rules, of which these are the ones at `rows`."""
    rows: Ints
    adaptive: bool = False
    """Whether the posterior is found on the paper's adaptive grid, from the decisions themselves."""

    @cached_property
    def posterior(self) -> Posterior:
        """Probability density of c."""
        if self.adaptive:
            return self.model.adaptive_posterior(self.decisions.take(self.rows))
        return self.model.posterior(self.profile)

    @cached_property
    def rating(self) -> Rating:
        """Rating through the model's mapping, its interval from resampled games where there are enough."""
        if self.profile.games < FEWEST_GAMES:
            return self.model.rate(self.profile)
        return self.model.rate_games(self.by_games())

    def by_games(self) -> ProfileStack:
        """One profile for each game."""
        kept = self.decisions.take(self.rows)
        codes, group = np.unique(kept.codes("game_id"), return_inverse=True)
        names = kept.names("game_id")
        keys = tuple(str(names[code]) if code >= 0 else "" for code in codes)
        evidence = self.model.evidence(kept, group, len(keys))
        counts = np.bincount(group).astype(np.float64)
        of = self.profile
        return ProfileStack(
            model=of.model,
            keys=keys,
            evidence=evidence,
            shape=self.model.shape,
            decisions=counts,
            games=np.ones(len(keys)),
            recipe_id=of.recipe_id,
        )


def apparent_skill(model: BayesModel, decisions: Decisions, *label: str) -> Skill:
    """Skill of a player, a set of games or a composite player: of all the decisions together."""
    profile = model.profile(decisions)
    if profile.decisions <= 0:
        raise InputError(model.none_passes(decisions))
    kept, _ = model.select(decisions)
    return Skill(label or ("all",), profile, model, kept, np.arange(len(kept)))


def apparent_skill_by(model: BayesModel, decisions: Decisions, *columns: str) -> list[Skill]:
    """Skill for each combination of values of some columns, in order of first occurrence.

    `apparent_skill_by(model, decisions, "player", "game_id")` is each player in each game, `"year"` skill
    over time. Rows without a value in one of the columns are left out.
    """
    if not len(decisions):
        raise InputError("no decisions to find the skill of: check the selection")
    kept, _ = model.select(decisions)
    if not len(kept):
        raise InputError(model.none_passes(decisions))
    codes = np.stack([kept.codes(column) for column in columns])
    kept = kept.take(np.flatnonzero((codes >= 0).all(axis=0)))
    codes = np.stack([kept.codes(column) for column in columns])
    _, first, inverse = np.unique(codes, axis=1, return_index=True, return_inverse=True)
    group = inverse.ravel()
    evidence = model.evidence(kept, group, len(first))
    counts = np.bincount(group, minlength=len(first)).astype(np.float64)
    games = games_in(kept, group, len(first))
    rows = np.split(np.argsort(group, kind="stable"), np.cumsum(counts.astype(np.int64))[:-1])
    names = [kept.names(column) for column in columns]
    recipe = recipe_of(kept)
    return [
        Skill(
            tuple(str(name[code]) for name, code in zip(names, codes[:, first[one]], strict=True)),
            Profile(model.identity, evidence[one], counts[one], games[one], recipe_id=recipe),
            model,
            kept,
            rows[one],
        )
        for one in np.argsort(first)
    ]


def band(decisions: Decisions, low: float, high: float) -> Decisions:
    """Decisions from games in which both players were rated from `low` to `high`: a composite player."""
    own, other = decisions.numbers("player_elo"), decisions.numbers("opponent_elo")
    inside = (own >= low) & (own <= high) & (other >= low) & (other <= high)
    return decisions.take(np.flatnonzero(inside))


# Figure 2 ----------------------------------------------------------------------------------------------


def training_curve(
    model: BayesModel, decisions: Decisions, sizes: Sequence[int] | None = None
) -> list[Skill]:
    """Skill after the first so many decisions, in their order (Figure 2); by default 100, 200, 400, ..."""
    kept, _ = model.select(decisions)
    if not len(kept):
        raise InputError(model.none_passes(decisions))
    chosen = sorted({min(size, len(kept)) for size in sizes or _doubling(len(kept))})
    if chosen[0] < 1:
        raise InputError("a training curve needs numbers of decisions above zero")
    part = np.searchsorted(chosen, np.arange(len(kept)), side="right")
    within = kept.take(np.flatnonzero(part < len(chosen)))
    rows = np.cumsum(model.evidence(within, part[part < len(chosen)], len(chosen)), axis=0)
    game, recipe = kept.codes("game_id"), recipe_of(kept)
    games = [len(np.unique(game[:size])) for size in chosen]
    profiles = [
        Profile(model.identity, row, size, count, recipe_id=recipe)
        for size, row, count in zip(chosen, rows, games, strict=True)
    ]
    return [
        Skill((str(size),), profile, model, kept, np.arange(size))
        for size, profile in zip(chosen, profiles, strict=True)
    ]


def _doubling(total: int) -> list[int]:
    return [*(100 * 2**power for power in range(40) if 100 * 2**power < total), total]


# Table III ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ResultGroup:
    """One row of Table III: players in single games that ended in one way."""

    result: str
    players_in_games: int
    mean: float
    """Mean of the apparent skills of the single games."""
    deviation: float
    """Spread of the apparent skills between the single games."""
    own_deviation: float
    """What the posteriors of the single games give as their own deviation, on average."""
    pooled: Posterior
    """The posterior from all decisions of the group together."""


def results_apart(model: BayesModel, decisions: Decisions) -> list[ResultGroup]:
    """Apparent skill in single games that were lost, won and drawn (Table III), and of all."""
    singles = apparent_skill_by(model, decisions, "result", "player", "game_id")
    if not singles:
        raise InputError("no game here has a result: games won, lost and drawn cannot be told apart")
    groups = {name: [s for s in singles if float(s.label[0]) == value] for value, name in RESULTS.items()}
    return [_result_group(name, group) for name, group in (*groups.items(), ("all", singles)) if group]


def _result_group(result: str, singles: list[Skill]) -> ResultGroup:
    means = np.array([single.posterior.mean for single in singles])
    own = float(np.mean([single.posterior.deviation for single in singles]))
    pooled = singles[0].model.posterior(Profile.sum([single.profile for single in singles]))
    spread = float(means.std(ddof=1)) if len(means) > 1 else float("nan")
    return ResultGroup(
        result=result,
        players_in_games=len(singles),
        mean=float(means.mean()),
        deviation=spread,
        own_deviation=own,
        pooled=pooled,
    )


# Elo ---------------------------------------------------------------------------------------------------


def mileposts(
    model: BayesModel, decisions: Decisions, within: float = HALF_WIDTH
) -> list[tuple[float, Skill]]:
    """Composite players of 1600, 1700, ...: the appearances of each milepost together."""
    return [
        (float(century), apparent_skill(model, part, str(century)))
        for century, part in split_by_milepost(decisions, within).items()
        if model.profile(part).decisions > 0
    ]
