"""How often the interval of a game under way holds the published rating: milepost games, cut off.

    python -m research.evidence.unfinished WORKSPACE [--recipe standard] [--kept FOLDER]

prints the table of docs/gain.md. The games are dealt into two halves, so that no game and as far as possible
no player is in both; each half is cut off after some moves and rated through a calibration made from the
whole games of the other. FOLDER keeps the two calibrations, so that a second run need not make them again.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.profile import ProfileStack
from assay.models.appearances import Appearances, deal_folds
from assay.rating.calibration import Calibration, fit_calibration, reference_of, stacks_of
from assay.rating.rate import LEAST_DECISIONS
from assay.rating.rater import COMBINED, Rater
from assay.workspace import Workspace
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
            np.concatenate([getattr(one, name) for one in parts])
            for name in ("reference", "elo", "low", "high")
        ]
        return cls(parts[0].moves, sum(one.players for one in parts), *joined)


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
    known = np.flatnonzero(np.isfinite(appearances.elo))
    enough = known[appearances.size[known] >= LEAST_DECISIONS]
    if not len(enough):
        return Cut(moves, len(known), *_NONE)
    groups = [np.array([row]) for row in enough]
    found = [one[COMBINED] for one in Rater(appearances, calibration).rate(groups)]
    numbers = np.array([(one.elo, one.low, one.high) for one in found])
    return Cut(moves, len(known), appearances.elo[enough], *numbers.T)


_NONE = (np.zeros(0),) * 4


def halves(appearances: Appearances, kept: Path | None = None) -> Iterator[tuple[Calibration, Decisions]]:
    """The games of each half, and the calibration made from the other half without their players."""
    stacks = stacks_of(appearances)
    everyone = reference_of(appearances, stacks)
    fold = deal_folds(everyone.game, everyone.player, everyone.milepost, FOLDS, np.random.default_rng(0))
    codes = appearances.decisions.codes("game_id")
    for one in range(FOLDS):
        tried = fold == one
        # A player of many games may be in both halves, as the opponent of somebody who has more.
        others = everyone.rows[~tried & ~np.isin(everyone.player, everyone.player[tried])]
        path = None if kept is None else kept / f"without-{one}.npz"
        own = appearances.decisions.take(np.flatnonzero(np.isin(codes, everyone.game[tried])))
        yield _calibration(appearances, stacks, others, path), own


def _calibration(
    appearances: Appearances, stacks: Mapping[str, ProfileStack], rows: Ints, path: Path | None
) -> Calibration:
    if path is not None and path.exists():
        return Calibration.read(path)
    reference = reference_of(appearances, stacks, among=rows)
    made = fit_calibration(stacks, reference, appearances.recipe_id, {})
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        made.write(path)
    return made


def measured(decisions: Decisions, kept: Path | None = None) -> list[Cut]:
    """All players after each number of moves, and at the end of their games."""
    found: dict[int | None, list[Cut]] = {moves: [] for moves in (*AFTER, None)}
    for calibration, own in halves(Appearances.of(decisions), kept):
        for moves, parts in found.items():
            parts.append(cut_off(own, moves, calibration))
    return [Cut.together(parts) for parts in found.values()]


def page_table(cuts: Sequence[Cut]) -> str:
    """The table of the documentation."""
    rows = [
        (
            "the whole game" if one.moves is None else f"{one.moves} moves",
            one.players,
            one.rated,
            *(("", "", "") if not one.rated else (one.share, f"{one.error:.0f}", f"{one.width:.0f}")),
        )
        for one in cuts
    ]
    heads = ("after", "players", "rated", "95% interval holds", "mean error", "mean width")
    return table(heads, rows, (PLAIN, *(RIGHT,) * 5))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--recipe", default="standard")
    parser.add_argument("--kept", type=Path, default=None, help="folder that keeps the calibrations")
    given = parser.parse_args()
    workspace = Workspace(given.workspace)
    decisions = workspace.decisions(workspace.recipe_id(given.recipe), trace=True)
    print(page_table(measured(decisions, given.kept)))


if __name__ == "__main__":
    main()
