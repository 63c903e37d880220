"""Opening, middlegame, endgame, and how many men are left: read from a position, not from the turn.

The rule, of material and development (docs/insights.md shows how often it agrees with others'):

- endgame: neither side has more than 13 points in pieces (queen 9, rook 5, bishop and knight 3);
- opening: no endgame, and at least 3 of the 12 pieces that development moves (knights, bishops, queen and
  king of both sides) stand on their first squares;
- middlegame: everything else.

It looks at one position at a time, so parts of games have phases too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from assay.decisions.arrays import Ints

PHASES = ("opening", "middlegame", "endgame")

MOST_POINTS = 13
"""In pieces of one side, in an endgame: a queen and a minor piece, two rooks and one, no more."""

LEAST_AT_HOME = 3
"""Of the twelve pieces on their first squares, while the opening lasts."""

MEN = ((25, 32), (17, 24), (9, 16), (2, 8))
"""Bands of the number of men on the board, kings and pawns included, first to last."""

_POINTS = {"q": 9, "r": 5, "b": 3, "n": 3}
_FIRST = {"1": " NBQKBN ", "8": " nbqkbn "}
_EMPTY = {str(n): " " * n for n in range(1, 9)}
_LETTERS = set("pnbrqkPNBRQK")


def phase(position_key: str) -> int:
    """The place in PHASES of a position (FEN, counters or not); -1 where it is no position of chess."""
    ranks = _ranks(position_key)
    if ranks is None:
        return -1
    board = "".join(ranks)
    white = sum(_POINTS.get(letter.lower(), 0) for letter in board if letter.isupper())
    black = sum(_POINTS.get(letter, 0) for letter in board if letter.islower())
    if max(white, black) <= MOST_POINTS:
        return 2
    first = zip(ranks[7] + ranks[0], _FIRST["1"] + _FIRST["8"], strict=True)
    at_home = sum(stands == own != " " for stands, own in first)
    return 0 if at_home >= LEAST_AT_HOME else 1


def men(position_key: str) -> int:
    """How many men are on the board, kings and pawns included; -1 where it is no position of chess."""
    ranks = _ranks(position_key)
    return -1 if ranks is None else sum(letter != " " for rank in ranks for letter in rank)


def phases(position_keys: Sequence[str | None]) -> Ints:
    """The phase of each position; -1 where it is not known."""
    return _each(position_keys, phase)


def men_bands(position_keys: Sequence[str | None]) -> Ints:
    """The place in MEN of each position; -1 where it is not known."""

    def band(key: str) -> int:
        count = men(key)
        return next((place for place, (low, high) in enumerate(MEN) if low <= count <= high), -1)

    return _each(position_keys, band)


def _each(position_keys: Sequence[str | None], of: Callable[[str], int]) -> Ints:
    known: dict[str | None, int] = {None: -1}
    for key in position_keys:
        if key is not None and key not in known:
            known[key] = of(key)
    return np.array([known[key] for key in position_keys], np.int64)


def _ranks(position_key: str) -> list[str] | None:
    """The eight ranks, the eighth first, blanks for empty squares; None where they are not eight of eight."""
    ranks = ["".join(_EMPTY.get(c, c) for c in rank) for rank in position_key.split(" ")[0].split("/")]
    sound = len(ranks) == 8 and all(len(rank) == 8 for rank in ranks)
    return ranks if sound and set("".join(ranks)) <= _LETTERS | {" "} else None
