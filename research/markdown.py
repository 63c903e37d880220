"""Tables as Markdown. The words around them are in docs/."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

PLAIN, RIGHT = "---", "---:"
"""Cells of the rule below the heads: a column of words, and one of numbers."""

Tables = Iterable[tuple[str, str]]
"""Titles with the Markdown of a table or a sentence."""


def table(
    heads: Sequence[object], rows: Iterable[Sequence[object]], rule: str | Sequence[str] = PLAIN
) -> str:
    """A table; `rule` is the cell below each head, or one for every head. No line break at the end."""
    cells = [rule] * len(heads) if isinstance(rule, str) else rule
    return "\n".join([_line(heads), "|" + "|".join(cells) + "|", *(_line(row) for row in rows)])


def _line(cells: Iterable[object]) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def numbers_table(heads: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """A table of names, and numbers to their right."""
    return table(heads, rows, [f" {PLAIN} ", *[f" {RIGHT} "] * (len(heads) - 1)])


def print_tables(tables: Tables) -> None:
    """Print each table below its title, as soon as it is there."""
    for title, text in tables:
        print(f"## {title}\n\n{text}\n", flush=True)
