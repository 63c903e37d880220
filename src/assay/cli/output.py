"""Printing: tables for people, JSON and CSV for programs, progress on a terminal's stderr."""

import csv
import io
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.domain.text import printable

if TYPE_CHECKING:
    from rich.progress import Progress

Row = Mapping[str, Any]


def print_json(value: object) -> None:
    """Print one JSON document to stdout."""
    print(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def print_csv(rows: Iterable[Row], columns: Sequence[str]) -> None:
    """Print rows as CSV, spreadsheet formulas made harmless, to stdout."""
    sys.stdout.write(to_csv(rows, columns))


def to_csv(rows: Iterable[Row], columns: Sequence[str]) -> str:
    """Rows as CSV text. Names come from untrusted PGN: a leading `=` must not become a formula."""
    from assay.store.export import csv_cell

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([csv_cell(row.get(column)) for column in columns] for row in rows)
    return text.getvalue()


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], note: str = "") -> None:
    """Print a table for people to stdout: text to the left, numbers to the right."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    kept = [["" if cell is None else cell for cell in row] for row in rows]
    table = Table(title=Text(_harmless(title)), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for index, column in enumerate(columns):
        numeric = all(isinstance(row[index], (int, float)) or row[index] == "" for row in kept) and bool(kept)
        table.add_column(Text(_harmless(column)), justify="right" if numeric else "left", overflow="fold")
    for row in kept:
        # Text, never markup: names come from untrusted files.
        table.add_row(*(Text(f"{cell:,}" if isinstance(cell, int) else _harmless(str(cell))) for cell in row))
    console = Console(width=None if sys.stdout.isatty() else 160, highlight=False)
    console.print(table)
    if note:
        console.print(Text(_harmless(note)))


def say(message: str) -> None:
    """A message about the work, not its result: to stderr."""
    print(_harmless(message), file=sys.stderr)


def _harmless(text: str) -> str:
    """Text that cannot command the terminal: names come from untrusted files. Its lines stay lines."""
    return "\n".join(printable(line) for line in text.split("\n"))


@contextmanager
def progress() -> Iterator["Progress"]:
    """A progress display on stderr; silent where stderr is not a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[detail]}", markup=False),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    ) as display:
        yield display


def write_text(path: Path, text: str) -> None:
    """Write a file that a user named, whole or not at all."""
    partial = path.with_name(path.name + ".part")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)
