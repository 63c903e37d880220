"""How often the interval of a game under way contains the published rating: docs/evidence/live.md.

    python -m research live WORKSPACE [--recipe standard]

Milepost games are split into two halves, so that no game and as far as possible no player is in both. Each
half is cut off after some moves and rated through a calibration made from the whole games of the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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


@dataclass(frozen=True, eq=False)
class RatedGroups:
    """Published ratings of some players, ratings by moves, and the ends of their 95% intervals."""

    published: Floats
    elo: Floats
    low: Floats
    high: Floats

    def __len__(self) -> int:
        return len(self.published)

    @property
    def error(self) -> float:
        """Mean of |rating - published|."""
        return float(np.abs(self.elo - self.published).mean())

    @property
    def coverage(self) -> float:
        """How many intervals contain the published rating."""
        return float(((self.low <= self.published) & (self.published <= self.high)).mean())


NOBODY = RatedGroups(*[np.zeros(0)] * 4)

Cuts = Mapping[int | None, tuple[int, RatedGroups]]
"""Players and their ratings by the number of moves after which games are cut off; None is whole games."""


def cut_off(decisions: Decisions, moves: int | None, calibration: Calibration) -> tuple[int, RatedGroups]:
    """Rate both players of every game that went on after so many moves, as `assay live` would then.

    None rates the whole games. Returns how many players have a published rating, and those who have moves
    enough for a rating.
    """
    games, ply = decisions.codes("game_id"), decisions.numbers("ply")
    last = np.zeros(games.max() + 1)
    np.maximum.at(last, games, ply)
    end = 2 * moves if moves is not None else np.inf
    rows = np.flatnonzero((ply < end) & ((moves is None) | (last[games] >= end)))
    if not len(rows):
        return 0, NOBODY
    appearances = Appearances.of(decisions.take(rows))
    published = np.flatnonzero(np.isfinite(appearances.elo))
    enough = published[appearances.size[published] >= LEAST_DECISIONS]
    if not len(enough):
        return len(published), NOBODY
    groups = [np.array([row]) for row in enough]
    ratings = [rating[COMBINED] for rating in Rater(appearances, calibration).rate(groups)]
    numbers = np.array([(rating.elo, rating.low, rating.high) for rating in ratings])
    return len(published), RatedGroups(appearances.elo[enough], *numbers.T)


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


def measured(decisions: Decisions) -> Cuts:
    """Rate all players after each number of moves, and at the end of their games."""
    parts = list(halves(Appearances.of(decisions)))
    cuts = {}
    for moves in (*AFTER, None):
        of_halves = [cut_off(games, moves, calibration) for calibration, games in parts]
        players, rated = zip(*of_halves, strict=True)
        columns = [np.concatenate([getattr(half, name) for half in rated]) for name in vars(NOBODY)]
        cuts[moves] = sum(players), RatedGroups(*columns)
    return cuts


def page_table(cuts: Cuts) -> str:
    """Write the table of the documentation, coverage with its standard error."""
    rows = []
    for moves, (players, rated) in cuts.items():
        cells = ("", "", "")
        if len(rated):
            deviation = np.sqrt(rated.coverage * (1 - rated.coverage) / len(rated))
            coverage = f"{rated.coverage:.1%} ± {100 * deviation:.1f}"
            cells = (coverage, f"{rated.error:.0f}", f"{(rated.high - rated.low).mean():.0f}")
        rows.append(("the whole game" if moves is None else f"{moves} moves", players, len(rated), *cells))
    heads = ("after", "players", "rated", "95% interval covers", "mean error", "mean width")
    return table(heads, rows, (PLAIN, *(RIGHT,) * 5))


def main(words: Sequence[str]) -> None:
    """Print the table."""
    given = command_on_workspace("live", __doc__).parse_args(words)
    workspace = Workspace(given.workspace)
    print(page_table(measured(workspace.decisions(workspace.recipe_id(given.recipe), trace=True))))
