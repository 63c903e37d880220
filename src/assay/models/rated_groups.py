"""Ratings of groups of appearances: of players, of their years, events or single games.

The covariance of the methods' raw ratings over a player's own games comes from leaving out one game after
another (the jackknife), the same games for every method: moves of one game stay together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from assay.domain.profile import ProfileStack
from assay.domain.rating import Rating, Record
from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.models.calibration import Calibration
from assay.models.elo_posterior import RawRatings, as_rating, elo_posterior

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

BY = ("player", "year", "event", "game")
COMBINED = "combined"

MOST_BLOCKS = 40
"""With more games than this they are left out in so many blocks: more would cost and add little."""

_BATCH = 400
"""Profiles that are mapped together."""


@dataclass(frozen=True, eq=False)
class Group:
    """Some appearances of one player, to be rated together."""

    player: str
    label: str
    """The year, event or game; empty where all of a player's games count together."""
    rows: Ints
    about: str = ""
    """The same in words, where the label is none."""

    @property
    def title(self) -> str:
        """The player, and what of him."""
        return ", ".join(part for part in (self.player, self.about or self.label) if part)


def groups_of(appearances: Appearances, by: str = "player") -> list[Group]:
    """All groups, by player and then in order of year, event or game."""
    if by not in BY:
        raise InputError(f"ratings are by {', '.join(BY)}, not by '{by}'")
    names = appearances.decisions.names("player")
    part = np.zeros(len(appearances), np.int64)
    labels = {0: ""}
    if by == "year":
        years = np.nan_to_num(appearances.numbers("year"), nan=-1).astype(np.int64)
        part, labels = years, {year: str(year) if year >= 0 else "unknown year" for year in set(years)}
    elif by != "player":
        column = {"event": "event", "game": "game_id"}[by]
        part = appearances.codes(column)
        labels = {-1: f"unknown {by}", **dict(enumerate(appearances.decisions.names(column)))}
    keys, place = np.unique(np.stack((appearances.player, part)), axis=1, return_inverse=True)
    order = np.argsort(place.reshape(-1), kind="stable")
    ends = np.searchsorted(place.reshape(-1)[order], np.arange(keys.shape[1] + 1))
    groups = []
    for index, (player, one) in enumerate(keys.T):
        rows = order[ends[index] : ends[index + 1]]
        about = _game_in_words(appearances, int(rows[0])) if by == "game" else ""
        groups.append(Group(names[player], labels[int(one)], rows, about))
    titles = Counter(group.title for group in groups)
    return [
        replace(group, about=f"{group.about}, {group.label}") if titles[group.title] > 1 else group
        for group in groups
    ]


def _game_in_words(appearances: Appearances, row: int) -> str:
    """Opponent, event and year of one appearance, as far as they are known."""
    first, decisions = appearances.first[row], appearances.decisions
    opponent, event = (
        decisions.names(column)[code] if (code := decisions.codes(column)[first]) >= 0 else ""
        for column in ("opponent", "event")
    )
    year = decisions.numbers("year")[first]
    words = (f"against {opponent}" if opponent else "", event, "" if np.isnan(year) else f"{year:.0f}")
    return ", ".join(word for word in words if word)


def record_of(appearances: Appearances, rows: Ints) -> Record:
    """Results of some appearances."""
    results = appearances.numbers("result")[rows]
    return Record(int((results == 1).sum()), int((results == 0.5).sum()), int((results == 0).sum()))


def leave_out_weights(n_games: int) -> Floats:
    """All games, then all but one block of them after another: rows of weights."""
    if n_games < 2:
        return np.ones((1, n_games))
    blocks = min(n_games, MOST_BLOCKS)
    # Every k-th game is one block: games of one event are spread over all of them.
    left_out = np.arange(n_games) % blocks == np.arange(blocks)[:, None]
    return np.concatenate((np.ones((1, n_games)), 1.0 - left_out))


def leave_out_covariance(without: Floats) -> Floats:
    """Covariance of a statistic from its values without each block (Efron and Stein 1981)."""
    blocks = len(without)
    apart = without - without.mean(axis=0)
    return np.asarray((blocks - 1) / blocks * apart.T @ apart)


class Rater:
    """Rates groups of appearances through a calibration."""

    def __init__(
        self,
        appearances: Appearances,
        calibration: Calibration,
        *,
        methods: Sequence[str] | None = None,
        stacks: Mapping[str, ProfileStack] | None = None,
    ) -> None:
        calibration.check(appearances.recipe_id)
        known = calibration.spread.methods
        unknown = sorted(set(methods or ()) - set(known))
        if unknown:
            raise InputError(f"there is no method '{unknown[0]}' to rate by: choose of {', '.join(known)}")
        self.appearances, self.calibration = appearances, calibration
        self.methods = tuple(name for name in known if methods is None or name in methods)
        self.stacks = stacks or {
            name: appearances.stack(model) for name, model in calibration.models.items() if name in known
        }

    def raw(self, groups: Sequence[Ints], players: Sequence[float] | None = None) -> Iterator[RawRatings]:
        """Raw ratings of groups of rows; `players` says how many players each group is of, if not one."""
        for batch in _batches([len(rows) for rows in groups]):
            rows = np.concatenate([groups[index] for index in batch])
            blocks = [leave_out_weights(len(groups[index])) for index in batch]
            used = {name: stack.only(rows.tolist()) for name, stack in self.stacks.items()}
            values = self.calibration.raw(used, _block_diagonal(blocks))
            end = 0
            for index, block in zip(batch, blocks, strict=True):
                start, end = end, end + len(block)
                size = float(self.appearances.size[groups[index]].sum())
                own, games = None, len(block) - 1
                without = values[start + 1 : end]
                if games > 1 and np.isfinite(without).all():
                    own = leave_out_covariance(without)
                n_players = 1.0 if players is None else players[index]
                yield RawRatings(values[start], size, own, games, n_players)

    def rate(
        self, groups: Sequence[Ints], *, level: float = 0.95, players: Sequence[float] | None = None
    ) -> Iterator[dict[str, Rating]]:
        """Ratings of groups of rows by method, and `combined` where any method has one."""
        names = self.calibration.spread.methods
        chosen = {name: [names.index(name)] for name in self.methods}
        chosen[COMBINED] = [names.index(name) for name in self.methods]
        for rows, raw in zip(groups, self.raw(groups, players), strict=True):
            ratings = {}
            for name, places in chosen.items():
                posterior = elo_posterior(raw, self.calibration.spread, self.calibration.range, places)
                if posterior is not None:
                    ratings[name] = as_rating(name, posterior, raw.size, len(rows), level)
            yield ratings


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Groups in batches of about so many profiles."""
    batch: list[int] = []
    profiles = 0
    for index, length in enumerate(lengths):
        batch.append(index)
        profiles += 1 + min(length, MOST_BLOCKS)
        if profiles >= _BATCH:
            yield batch
            batch, profiles = [], 0
    if batch:
        yield batch


def _block_diagonal(blocks: Sequence[Floats]) -> Floats:
    heights, widths = [len(block) for block in blocks], [block.shape[1] for block in blocks]
    whole = np.zeros((sum(heights), sum(widths)))
    top = left = 0
    for block, height, width in zip(blocks, heights, widths, strict=True):
        whole[top : top + height, left : left + width] = block
        top, left = top + height, left + width
    return whole
