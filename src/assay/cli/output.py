"""What commands print: answers as tables, JSON or CSV, messages, progress, questions; and files.

No word of a table is broken and no number is folded. Where a table is too wide, its long texts are wrapped at
words; where that is not enough, it is split: the columns that say what a row is about stand again in each
piece. Progress of what takes longer is on stderr, only on a terminal, and gone when it is done.
"""

from __future__ import annotations

import errno
import json
import os
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from assay import files
from assay.decisions.text import printable
from assay.errors import InputError
from assay.files import check_writable

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from assay.answers.answer import Answer, Words
    from assay.answers.prepared import AnalysisReport
    from assay.engine.engines import EngineConfig
    from assay.engine.queue import Backlog
    from assay.figures.figure import Figure


# Said by `assay.cli.main` in its own words.
_OF_THE_MACHINE = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS)


def show(answer: Answer, *, as_json: bool = False, as_csv: bool = False) -> None:
    """Print an answer in the way that was asked for."""
    from assay.answers.answer import columns_of, to_csv

    close()
    if as_json:
        print(json.dumps(answer.to_dict(), indent=2, ensure_ascii=False, allow_nan=False))
    elif as_csv:
        rows = answer.rows()
        print(to_csv(rows, columns_of(rows)), end="")
        for remark in answer.remarks:
            say(remark)
    else:
        for words in answer.words():
            print_table(words)


def print_table(words: Words) -> None:
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

    title, note = words.title, words.note
    rows = [["" if cell is None else cell for cell in row] for row in words.rows]
    shown = [[f"{cell:,}" if isinstance(cell, int) else _harmless(str(cell)) for cell in row] for row in rows]
    headings = [_harmless(column) for column in words.columns]
    console = Console(width=_width(), highlight=False)
    fitting, least = len(headings), len(headings) - words.spare
    while fitting > least and len(lay_out(headings[:fitting], shown, console.width)) > 1:
        fitting -= 1
    if left_out := headings[fitting:]:
        headings = headings[:fitting]
        note = f"{note}\nNo room here for {', '.join(left_out)}: see --csv or --json.".lstrip()
    console.print(Text(_harmless(title)))
    for piece in lay_out(headings, shown, console.width):
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for index, width in zip(piece.columns, piece.widths, strict=True):
            side: Literal["left", "right"] = "right" if _are_numbers([row[index] for row in rows]) else "left"
            table.add_column(Text(headings[index]), justify=side, overflow="fold", width=width)
        for cells in shown:
            # Text, never markup: names come from untrusted files.
            table.add_row(*(Text(cells[index]) for index in piece.columns))
        console.print(table)
    if note:
        console.print(Text(_harmless(note)))


def _are_numbers(cells: Sequence[object]) -> bool:
    return bool(cells) and all(isinstance(cell, int | float) or cell == "" for cell in cells)


def _width() -> int | None:
    """Characters to a line: those of the terminal or of COLUMNS; many where a program may be reading."""
    if sys.stdout is None:  # closed: nobody reads it
        return 160
    return None if sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit() else 160


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


def write_figure(path: Path, figure: Figure) -> None:
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


# Tables on a page ----------------------------------------------------------------------------------------

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


# Progress ------------------------------------------------------------------------------------------------

_PATIENCE = 0.5
"""Seconds before a bar is shown: one that flashes by tells nothing."""

_display: Progress | None = None


class Bar:
    """One thing that is under way. It is shown when it has taken some time, and until it is closed."""

    def __init__(self, description: str) -> None:
        self._description = description
        self._begun: float | None = None
        self._task: TaskID | None = None

    def show(self, done: float, total: float | None, detail: str = "", description: str = "") -> None:
        """How much is done, and of how much."""
        now = time.monotonic()
        self._begun = now if self._begun is None else self._begun
        if now - self._begun < _PATIENCE:
            return
        display = _running_display()
        if self._task is None:
            self._task = display.add_task(self._description, total=total, detail=detail)
        name = description or self._description
        display.update(self._task, completed=done, total=total, detail=detail, description=name)

    def close(self) -> None:
        """Take it away."""
        if self._task is not None and _display is not None:
            _display.remove_task(self._task)
            self._task = None


@contextmanager
def bar(description: str) -> Iterator[Bar]:
    """A bar for as long as something is under way."""
    one = Bar(description)
    try:
        yield one
    finally:
        one.close()


def close() -> None:
    """Take the display away, before results are printed."""
    global _display
    if _display is not None:
        _display.stop()
        _display = None


def _running_display() -> Progress:
    """The display, begun when it is first needed; silent where stderr is not a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    global _display
    if _display is None:
        console = Console(stderr=True)
        _display = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[detail]}", markup=False),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
            transient=True,
        )
        _display.start()
    return _display


def importing() -> Callable[[str, int, int, int], None]:
    """What to tell how far the reading of games is."""
    one = Bar("Reading")

    def show(name: str, size: int, position: int, games: int) -> None:
        if size and position >= size:  # done: a bar that appears now would only flash
            one.close()
        else:
            one.show(position, size or None, f"{games:,} games", name[:40])

    return show


class Analysing:
    """Is told how far an analysis is; says once that engines are at work: a reader may not expect it."""

    def __init__(self, recipe: str, bar: Bar, say_so: bool) -> None:
        self._recipe = recipe
        self._bar = bar
        self._said = not say_so

    def __call__(self, report: AnalysisReport) -> None:
        """Show how far the analysis is."""
        if not report.missing:
            return
        if not self._said:
            self._said = True
            say(
                f"{report.missing:,} positions are not analysed with recipe '{self._recipe}' yet: doing that "
                "now (Ctrl-C stops it and keeps what is done; --recipe chooses another recipe)"
            )
        detail = f"{report.per_second:.1f}/s, engines busy {report.busy_share:.0%}"
        if report.failures:
            detail += f", {len(report.failures)} put aside"
        self._bar.show(report.done + len(report.failures), report.missing, detail)


@contextmanager
def analysing(recipe: str, *, say_so: bool = True) -> Iterator[Analysing]:
    """What to tell how far an analysis by this recipe is; `say_so` where nobody asked for one."""
    with bar("Analysing") as one:
        yield Analysing(recipe, one, say_so)


# Questions before an analysis that takes long, and before anything is removed ----------------------------

LONG_ANALYSIS = 300.0
"""Seconds of analysis from which a user is asked."""


def asking(jobs: int | None) -> Callable[[Backlog, EngineConfig], None]:
    """What to show a backlog to before it is analysed: it asks where that takes long."""

    def before(backlog: Backlog, engine: EngineConfig) -> None:
        from assay.engine.run import seconds_for

        seconds = seconds_for(backlog, engine, jobs, LONG_ANALYSIS)
        if seconds >= LONG_ANALYSIS:
            _ask(len(backlog), seconds)

    return before


def telling(
    before: Callable[[Backlog, EngineConfig], None] | None, jobs: int | None
) -> Callable[[Backlog, EngineConfig], None]:
    """What to show a backlog to before it is analysed: it says how long that takes, then asks `before`."""

    def told(backlog: Backlog, engine: EngineConfig) -> None:
        from assay.answers.answer import duration
        from assay.engine.run import estimate

        if len(backlog):
            seconds = estimate(backlog, engine, jobs).seconds
            made = f"{backlog.recipe.name} with {backlog.identity.name}"
            say(f"{len(backlog):,} positions to analyse by {made}: about {duration(seconds)} here")
        if before is not None:
            before(backlog, engine)

    return told


def _ask(positions: int, seconds: float) -> None:
    from assay.answers.answer import duration

    cost = f"{positions:,} positions are not analysed yet, which takes about {duration(seconds)} here"
    if not _somebody_is_there():
        raise InputError(f"{cost}: --yes does it; ask about fewer players or years, or use --recipe quick")
    close()
    if not typer.confirm(f"{cost}. Analyse them now?", err=True):
        raise InputError("nothing was analysed: ask about fewer players or years, or use --recipe quick")


def ask_to_remove(what: str) -> None:
    """Ask whether this is to be removed; an InputError where it is not, or where nobody can be asked."""
    if not _somebody_is_there():
        raise InputError(f"{what} would be removed: --yes does it")
    if not typer.confirm(f"{what} will be removed, and cannot be had back. Remove them?", err=True):
        raise InputError("nothing was removed")


def _somebody_is_there() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()
