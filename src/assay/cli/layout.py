"""How a table fits on a page: which columns stand side by side, and how wide each is.

No word is broken and no number is folded. Where a table is too wide, its long texts are wrapped at words;
where that is not enough, it is split: the columns that say what a row is about stand again in each piece.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

BETWEEN = 3
"""Characters between two columns."""

EDGES = 2
"""Characters at both ends of a line together."""

LONG = 30
"""A column with a longer text than this is prose, which may be wrapped; all else stays on one line."""

_NARROW = 24
"""Prose is not wrapped to fewer characters than this where splitting the table can help."""

_MOST_KEYS = 3


@dataclass(frozen=True)
class Piece:
    """Columns that stand side by side."""

    columns: tuple[int, ...]
    widths: tuple[int, ...]


def lay_out(headings: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[Piece]:
    """The pieces of a table on a page of so many characters: one piece if it fits."""
    texts = [[heading, *(row[index] for row in rows)] for index, heading in enumerate(headings)]
    most = [max(map(cell_length, column)) for column in texts]
    least = [_least(column[0], column[1:]) for column in texts]
    keys = list(range(_keys(headings, rows)))
    pieces: list[list[int]] = []
    current = list(keys)
    for index in range(len(keys), len(headings)):
        if len(current) > len(keys) and _together([least[one] for one in (*current, index)]) > width:
            pieces.append(current)
            current = list(keys)
        current.append(index)
    return [_piece(columns, most, least, width) for columns in (*pieces, current)]


def cell_length(text: str) -> int:
    """Characters that the longest line of a text takes: those of East Asian scripts take two each."""
    return max((sum(map(_places, line)) for line in text.split("\n")), default=0)


def _places(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _together(widths: Sequence[int]) -> int:
    return sum(widths) + BETWEEN * (len(widths) - 1) + EDGES


def _least(heading: str, cells: Sequence[str]) -> int:
    """How narrow a column may become: headings and prose are wrapped at words, nothing else is."""
    longest = max(map(cell_length, cells), default=0)
    if longest > LONG:
        longest = max(min(_NARROW, longest), *(cell_length(word) for cell in cells for word in cell.split()))
    return max([longest, *(cell_length(word) for word in heading.split())])


def _keys(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """How many of the first columns say what a row is about: what each piece must repeat.

    As many as it takes to tell rows apart; of a cross-table, the number of a player and the name.
    """
    first = 2 if headings and not headings[0] and all(row[0].isdigit() for row in rows) else 1
    for number in range(first, min(_MOST_KEYS, len(headings) - 1) + 1):
        if len({tuple(row[:number]) for row in rows}) == len(rows):
            return number
    return min(first, len(headings))


def _piece(columns: Sequence[int], most: Sequence[int], least: Sequence[int], width: int) -> Piece:
    """Widths of columns that stand together: the widest give way first, down to what they need."""
    widths = {index: most[index] for index in columns}
    while _together(list(widths.values())) > width:
        able = [index for index in columns if widths[index] > least[index]]
        if not able:  # one column and its keys are wider than the page: the last one is folded
            last = columns[-1]
            widths[last] = max(8, width - _together([widths[index] for index in columns]) + widths[last])
            break
        widths[max(able, key=widths.__getitem__)] -= 1
    return Piece(tuple(columns), tuple(widths.values()))
