"""How far below the last line of a depth the unlisted moves lie, in positions with all moves valued.

    python -m research.papers.regan2011.depth_unlisted

prints, for moves that another depth lists and for moves that none does, the sum of g that each bend gives,
over the true one: `SEEN_BENDS` and `UNSEEN_BEND` of assay.models.depth.views are where it is about one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.decisions.arrays import Floats
from assay.models.depth.agents import LIMIT, POINTS, SCALE
from research.papers.regan2011.depth_positions import AllMoves

BENDS = (0.8, 1.1, 1.5, 2.0, 3.0, 4.0, 5.0)
_UNIT = 10.0


def below(best: float, last: float, bend: float) -> Floats:
    """Losses of the representatives of moves below the last line."""
    near, far = np.log1p((best - last) / _UNIT), np.log1p((best + LIMIT) / _UNIT)
    way = max(float(far - near), 0.0)
    return np.asarray(_UNIT * np.expm1(near + way * ((np.arange(POINTS) + 0.5) / POINTS) ** bend))


def ratios(
    moves: AllMoves, c: float, depths: Sequence[int], lines: int = 10, bends: Sequence[float] = BENDS
) -> Floats:
    """Sum of g by each bend over the true sum at some depths: shape (2, bends), first of moves seen."""
    true, guessed = np.zeros(2), np.zeros((2, len(bends)))
    for values in moves.values:
        clipped = np.clip(values.astype(np.float64), -LIMIT, LIMIT)
        order = np.argsort(-values, axis=1, kind="stable")[:, :lines]
        seen = np.isin(np.arange(values.shape[1]), order)
        for depth, (row, listed) in enumerate(zip(clipped, order, strict=True), 1):
            if depth not in depths:
                continue
            here = np.isin(np.arange(len(row)), listed)
            best, last = row.max(), row[listed].min()
            for kind, some in enumerate((seen & ~here, ~seen)):
                if some.any():
                    true[kind] += ((1 + (best - row[some]) / SCALE) ** -c).sum()
                    for place, bend in enumerate(bends):
                        g = (1 + below(best, last, bend) / SCALE) ** -c
                        guessed[kind, place] += some.sum() * g.mean()
    return np.asarray(guessed / true[:, None])


def main() -> None:
    """Print the ratios at three consistencies."""
    moves = AllMoves.kept()
    print("bend            ", *(f"{bend:6.1f}" for bend in BENDS))
    for c in (2.5, 3.5):
        for depths in (range(1, 2), range(2, 5), range(5, 30)):
            for name, row in zip(("seen", "never"), ratios(moves, c, depths), strict=True):
                print(f"c={c} from {depths[0]} {name:6s}", *(f"{one:6.2f}" for one in row))


if __name__ == "__main__":
    main()
