"""How often the interval of a game under way contains the published rating: the table of docs/gain.md.

    python -m research live WORKSPACE [--recipe standard]

Milepost games are split into two halves, so that no game and as far as possible no player is in both. Each
half is cut off after some moves and rated through a calibration made from the whole games of the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.models.appearances import Appearances, assign_folds
from assay.rating.calibration import Calibration, fit_calibration, reference_of, stacks_of
from assay.rating.group_ratings import COMBINED, Rater
from assay.rating.pipeline import LEAST_DECISIONS
from assay.workspace import Workspace
from research import command_on_workspace
from research.markdown import PLAIN, RIGHT, table

AFTER = (10, 20, 30, 40)
"""Moves of both sides, after which a game is cut off."""

FOLDS = 2


@dataclass(frozen=True)
class Cut:
    """The players of games that were cut off after so many moves."""

    moves: int | None
    """None for whole games."""
    players: int
    """With a published rating, in games that went on after so many moves."""
    reference: Floats
    """Published rating of each who has moves enough for a rating."""
    elo: Floats
    low: Floats
    high: Floats

    @property
    def rated(self) -> int:
        """How many have moves enough for a rating."""
        return len(self.elo)

    @property
    def holds(self) -> float:
        """Share of the intervals that hold the published rating."""
        return float(np.mean((self.low <= self.reference) & (self.reference <= self.high)))

    @property
    def share(self) -> str:
        """The same in words, with its standard error; every player counts once."""
        return f"{self.holds:.1%} ± {100 * np.sqrt(self.holds * (1 - self.holds) / self.rated):.1f}"

    @property
    def error(self) -> float:
        """Mean absolute error, in Elo."""
        return float(np.abs(self.elo - self.reference).mean())

    @property
    def width(self) -> float:
        """Mean width of the intervals."""
        return float((self.high - self.low).mean())

    @classmethod
    def together(cls, parts: Sequence[Cut]) -> Cut:
        """The same of several halves."""
        joined = [
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("reference", "elo", "low", "high")
        ]
        return cls(parts[0].moves, sum(part.players for part in parts), *joined)


def cut_off(decisions: Decisions, moves: int | None, calibration: Calibration) -> Cut:
    """Rate both players of every game that went on after so many moves, as `assay live` would then.

    None rates the whole games.
    """
    games, ply = decisions.codes("game_id"), decisions.numbers("ply")
    last = np.zeros(games.max() + 1)
    np.maximum.at(last, games, ply)
    end = 2 * moves if moves is not None else np.inf
    rows = np.flatnonzero((ply < end) & ((moves is None) | (last[games] >= end)))
    if not len(rows):
        return Cut(moves, 0, *_NONE)
    appearances = Appearances.of(decisions.take(rows))
    rated = np.flatnonzero(np.isfinite(appearances.elo))
    enough = rated[appearances.size[rated] >= LEAST_DECISIONS]
    if not len(enough):
        return Cut(moves, len(rated), *_NONE)
    groups = [np.array([row]) for row in enough]
    ratings = [rating[COMBINED] for rating in Rater(appearances, calibration).rate(groups)]
    numbers = np.array([(rating.elo, rating.low, rating.high) for rating in ratings])
    return Cut(moves, len(rated), appearances.elo[enough], *numbers.T)


_NONE = (np.zeros(0),) * 4


def halves(appearances: Appearances) -> Iterator[tuple[Calibration, Decisions]]:
    """The games of each half, and the calibration made from the other half without their players."""
    stacks = stacks_of(appearances)
    everyone = reference_of(appearances, stacks)
    fold = assign_folds(everyone.game, everyone.player, everyone.milepost, FOLDS, np.random.default_rng(0))
    codes = appearances.decisions.codes("game_id")
    for half in range(FOLDS):
        test = fold == half
        # A player of many games may be in both halves, as the opponent of somebody who has more.
        others = everyone.rows[~test & ~np.isin(everyone.player, everyone.player[test])]
        reference = reference_of(appearances, stacks, among=others)
        games = appearances.decisions.take(np.flatnonzero(np.isin(codes, everyone.game[test])))
        yield fit_calibration(stacks, reference, appearances.recipe_id, {}), games


def measured(decisions: Decisions) -> list[Cut]:
    """All players after each number of moves, and at the end of their games."""
    cuts: dict[int | None, list[Cut]] = {moves: [] for moves in (*AFTER, None)}
    for calibration, games in halves(Appearances.of(decisions)):
        for moves, parts in cuts.items():
            parts.append(cut_off(games, moves, calibration))
    return [Cut.together(parts) for parts in cuts.values()]


def page_table(cuts: Sequence[Cut]) -> str:
    """The table of the documentation."""
    rows = [
        (
            "the whole game" if cut.moves is None else f"{cut.moves} moves",
            cut.players,
            cut.rated,
            *(("", "", "") if not cut.rated else (cut.share, f"{cut.error:.0f}", f"{cut.width:.0f}")),
        )
        for cut in cuts
    ]
    heads = ("after", "players", "rated", "95% interval holds", "mean error", "mean width")
    return table(heads, rows, (PLAIN, *(RIGHT,) * 5))


def main(words: Sequence[str]) -> None:
    """Print the table."""
    given = command_on_workspace("live", __doc__).parse_args(words)
    workspace = Workspace(given.workspace)
    print(page_table(measured(workspace.decisions(workspace.recipe_id(given.recipe), trace=True))))
