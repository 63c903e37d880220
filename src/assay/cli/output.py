"""Printing: tables for people, JSON and CSV for programs, progress on a terminal's stderr."""

import csv
import errno
import io
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.domain.text import printable
from assay.errors import InputError, MachineError

if TYPE_CHECKING:
    from rich.progress import Progress

Row = Mapping[str, Any]

# Said by `assay.cli.main` in its own words.
_OF_THE_MACHINE = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS)


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


def print_table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    note: str = "",
    *,
    spare: int = 0,
) -> None:
    """Print a table for people to stdout: text to the left, numbers to the right.

    Of the last columns, `spare` may be left out, as many as do not fit on the page; a note names them.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    kept = [["" if cell is None else cell for cell in row] for row in rows]
    console = Console(width=_width(), highlight=False)
    if left_out := columns[_fitting(columns, kept, spare, console.width) :]:
        columns = columns[: -len(left_out)]
        note = f"{note}\nNo room here for {', '.join(left_out)}: see --csv or --json.".lstrip()
    table = Table(title=Text(_harmless(title)), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for index, column in enumerate(columns):
        numeric = all(isinstance(row[index], (int, float)) or row[index] == "" for row in kept) and bool(kept)
        table.add_column(Text(_harmless(column)), justify="right" if numeric else "left", overflow="fold")
    for row in kept:
        # Text, never markup: names come from untrusted files.
        table.add_row(*(Text(_shown(cell)) for cell in row[: len(columns)]))
    console.print(table)
    if note:
        console.print(Text(_harmless(note)))


def _shown(cell: object) -> str:
    return f"{cell:,}" if isinstance(cell, int) else _harmless(str(cell))


def _width() -> int | None:
    """Characters to a line: those of the terminal or of COLUMNS; many where a program may be reading."""
    return None if sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit() else 160


def _fitting(columns: Sequence[str], rows: Sequence[Sequence[object]], spare: int, width: int) -> int:
    """How many columns fit into a width; all but `spare` of them stay in any case."""
    from rich.cells import cell_len

    between = 3  # rich leaves a space on either side and one for the line
    widths = [
        max(map(cell_len, [_harmless(column), *(_shown(row[index]) for row in rows)])) + between
        for index, column in enumerate(columns)
    ]
    number = len(columns)
    while number > len(columns) - spare and sum(widths[:number]) > width:
        number -= 1
    return number


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


def check_out(path: Path | None) -> None:
    """Refuse a file that cannot be written before the work is done, not after it."""
    if path is None:
        return
    folder = path.absolute().parent
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder} to write {path.name} to")
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a file to write")
    if not os.access(folder, os.W_OK):
        raise MachineError(f"no permission to write to {folder}: choose another place")


def write_text(path: Path, text: str) -> None:
    """Write a file that a user named, whole or not at all."""
    check_out(path)
    partial = path.with_name(path.name + ".part")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        if error.errno in _OF_THE_MACHINE:
            raise
        raise InputError(f"{path} cannot be written ({error.strerror}): name another file") from error
    finally:
        with suppress(OSError):  # the first error is the one to tell
            partial.unlink(missing_ok=True)
