"""How often the rule of assay.decisions.slices agrees with how others divide games.

    python -m research.evidence.phase_agreement WORKSPACE

Compared with: *counts*, by which a middlegame begins with ten pieces or fewer (no kings, no pawns), or fewer
than four men on a back rank, and an endgame with six pieces or fewer (lichess divides so, and by a third test
of mixed armies, which is left out here); and *turns*, the habit of calling twelve turns the opening.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from assay.decisions.arrays import Ints
from assay.decisions.decisions import Decisions
from assay.decisions.slices import PHASES, phases

TURNS = 12


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """Shares of positions on which two ways agree."""

    positions: int
    shares: tuple[float, ...]
    """Of the positions, by our phases."""
    counts: float
    """Agreement with the counts, all three phases."""
    counts_opening: float
    counts_endgame: float
    turns_opening: float
    last_opening_turn: tuple[float, float, float]
    """Quartiles over games."""


def by_counts(keys: list[str], game: Ints, ply: Ints) -> Ints:
    """The division by counts: a game never goes back."""
    found = np.zeros(len(keys), np.int64)
    stage: dict[int, int] = {}
    for row in np.lexsort((ply, game)).tolist():
        ranks = keys[row].split(" ")[0].split("/")
        pieces = sum(letter in "QRBNqrbn" for rank in ranks for letter in rank)
        sparse = sum(c.isupper() for c in ranks[7]) < 4 or sum(c.islower() for c in ranks[0]) < 4
        now = 2 if pieces <= 6 else 1 if pieces <= 10 or sparse else 0
        own = int(game[row])
        stage[own] = max(stage.get(own, 0), now)
        found[row] = stage[own]
    return found


def agreement(decisions: Decisions) -> Agreement:
    """Of all decisions with a position of chess."""
    keys = decisions.text("position_key")
    ours = phases(keys)
    rows = np.flatnonzero(ours >= 0)
    ours, game = ours[rows], decisions.codes("game_id")[rows]
    ply = decisions.numbers("ply")[rows].astype(np.int64)
    theirs = by_counts([str(keys[row]) for row in rows], game, ply)
    turn = ply // 2 + 1
    last = [turn[(game == one) & (ours == 0)].max(initial=0) for one in np.unique(game)]
    low, middle, high = np.percentile(last, [25, 50, 75]).tolist()
    return Agreement(
        positions=len(rows),
        shares=tuple((np.bincount(ours, minlength=len(PHASES)) / len(rows)).tolist()),
        counts=float((ours == theirs).mean()),
        counts_opening=float(((ours == 0) == (theirs == 0)).mean()),
        counts_endgame=float(((ours == 2) == (theirs == 2)).mean()),
        turns_opening=float(((ours == 0) == (turn <= TURNS)).mean()),
        last_opening_turn=(low, middle, high),
    )


def main(arguments: list[str] | None = None) -> None:
    """Print the numbers of docs/insights.md."""
    from assay.workspace import Workspace

    parser = argparse.ArgumentParser(description="How often phases agree with others' division.")
    parser.add_argument("workspace")
    workspace = Workspace(parser.parse_args(arguments).workspace)
    print(agreement(workspace.decisions(workspace.recipe_id())))


if __name__ == "__main__":
    main()
