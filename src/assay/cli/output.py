"""Printing: tables for people, JSON and CSV for programs, messages to stderr, files that a user names."""

import errno
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from assay import files
from assay.decisions.text import printable
from assay.errors import InputError
from assay.files import check_writable

if TYPE_CHECKING:
    from assay.answers.answer import Answer, Words
    from assay.figures.figure import Figure

Row = Mapping[str, Any]

# Said by `assay.cli.main` in its own words.
_OF_THE_MACHINE = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS)


def show(answer: "Answer", *, as_json: bool = False, as_csv: bool = False) -> None:
    """Print an answer in the way that was asked for."""
    from assay.answers.answer import columns_of, to_csv
    from assay.cli.progress import close

    close()
    if as_json:
        print_json(answer.to_dict())
    elif as_csv:
        rows = answer.rows()
        print(to_csv(rows, columns_of(rows)), end="")
        for remark in answer.remarks:
            say(remark)
    else:
        for words in answer.words():
            print_table(words)


def print_json(value: object) -> None:
    """Print one JSON document to stdout."""
    print(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def print_table(words: "Words") -> None:
    """Print a table for people to stdout: text to the left, numbers to the right, no word broken.

    A table that is wider than the page is printed in pieces. Of the last columns, `spare` may be left out
    instead, as many as do not fit; a note names them.
    """
    if not words.columns:
        print(_harmless(words.title))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from assay.cli.layout import lay_out

    title, note = words.title, words.note
    kept = [["" if cell is None else cell for cell in row] for row in words.rows]
    shown = [[_shown(cell) for cell in row] for row in kept]
    headings = [_harmless(column) for column in words.columns]
    console = Console(width=_width(), highlight=False)
    fitting = _fitting(headings, shown, words.spare, console.width)
    if left_out := headings[fitting:]:
        headings = headings[:fitting]
        note = f"{note}\nNo room here for {', '.join(left_out)}: see --csv or --json.".lstrip()
    console.print(Text(_harmless(title)))
    for piece in lay_out(headings, shown, console.width):
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for index, width in zip(piece.columns, piece.widths, strict=True):
            side: Literal["left", "right"] = "right" if _are_numbers(row[index] for row in kept) else "left"
            table.add_column(Text(headings[index]), justify=side, overflow="fold", width=width)
        for cells in shown:
            # Text, never markup: names come from untrusted files.
            table.add_row(*(Text(cells[index]) for index in piece.columns))
        console.print(table)
    if note:
        console.print(Text(_harmless(note)))


def _are_numbers(cells: Iterable[object]) -> bool:
    found = list(cells)
    return bool(found) and all(isinstance(cell, int | float) or cell == "" for cell in found)


def _shown(cell: object) -> str:
    return f"{cell:,}" if isinstance(cell, int) else _harmless(str(cell))


def _width() -> int | None:
    """Characters to a line: those of the terminal or of COLUMNS; many where a program may be reading."""
    if sys.stdout is None:  # closed: nobody reads it
        return 160
    return None if sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit() else 160


def _fitting(headings: Sequence[str], rows: Sequence[Sequence[str]], spare: int, width: int) -> int:
    """How many columns fit into a width; all but `spare` of them stay in any case."""
    from assay.cli.layout import lay_out

    number = len(headings)
    while number > len(headings) - spare and len(lay_out(headings[:number], rows, width)) > 1:
        number -= 1
    return number


def say(message: str) -> None:
    """A message about the work, not its result: to stderr."""
    print(_harmless(message), file=sys.stderr)


def _harmless(text: str) -> str:
    """Text that cannot command the terminal: names come from untrusted files. Its lines stay lines."""
    return "\n".join(printable(line) for line in text.split("\n"))


def write_text(path: Path, text: str) -> None:
    """Write a file that a user named, whole or not at all."""
    check_writable(path)
    with _told_of(path):
        files.write_text(path, text)


def write_figure(path: Path, figure: "Figure") -> None:
    """Write a figure to a file that a user named, as the ending of its name says."""
    from assay.figures import figure as figure_files

    with _told_of(path):
        figure_files.write_figure(path, figure)
    say(f"the figure is in {path}")


@contextmanager
def _told_of(path: Path) -> Iterator[None]:
    """An error of the file that a user named is bad input; one of the machine stays what it is."""
    try:
        yield
    except OSError as error:
        if error.errno in _OF_THE_MACHINE:
            raise
        raise InputError(f"{path} cannot be written ({error.strerror}): name another file") from error
