"""What commands print: answers as tables, JSON or CSV, messages, progress, questions; and files.

No word of a table is broken and no number is folded. Where a table is too wide, its long texts are wrapped at
words; where that is not enough, it is split: the columns that say what a row is about stand again in each
piece. Progress of what takes longer is on stderr, only on a terminal, and gone when it is done.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import textwrap
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from assay import files
from assay.errors import InputError, printable
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


def show(answer: Answer, *, json: bool = False, csv: bool = False, details: bool = False) -> None:
    """Print an answer in the way that was asked for."""
    from assay.answers.answer import columns_of, to_csv

    close()
    if json:
        print(dumps(answer.to_dict(), indent=2, ensure_ascii=False, allow_nan=False))
    elif csv:
        rows = answer.rows()
        print(to_csv(rows, columns_of(rows)), end="")
        for remark in answer.remarks:
            say(remark)
    else:
        parts = [*answer.words(), *(answer.details() if details or answer.detailed else ())]
        for place, words in enumerate(parts):
            if place and words.columns:
                print()
            print_table(words)


def print_table(words: Words) -> None:
    """Print a table for people to stdout: text to the left, numbers to the right, no word broken.

    A table that is wider than the page is printed in pieces. Of the last columns, `spare` may be left out
    instead, as many as do not fit; a note names them. Ranges are drawn in what room there is.
    """
    from assay.answers.answer import Drawn

    page, note = _width(), words.note
    rows = [["" if cell is None else cell for cell in row] for row in words.rows]
    headings = list(words.columns)
    if rows and any(isinstance(row[-1], Drawn) for row in rows if row):
        headings, rows = _with_drawings(headings, rows, page)
    headings = [_harmless(column) for column in headings]
    full = [row for row in rows if row]
    shown = [[f"{cell:,}" if isinstance(cell, int) else _harmless(str(cell)) for cell in row] for row in full]
    fitting, least = len(headings), len(headings) - words.spare
    while fitting > least and len(lay_out(headings[:fitting], shown, page)) > 1:
        fitting -= 1
    if left_out := headings[fitting:]:
        headings = headings[:fitting]
        note = f"{note}\nNo room here for {', '.join(left_out)}: see --csv or --json.".lstrip()
    pieces = lay_out(headings, shown, page) if headings else []
    wide = max([_together(piece.widths) for piece in pieces] + [min(page, _TEXT)])
    _print_title(_harmless(words.title), _harmless(words.beside), min(wide, page))
    for piece in pieces:
        right = [_are_numbers([row[index] for row in full]) for index in piece.columns]
        lines = iter(shown)
        _print_row([headings[index] for index in piece.columns], piece.widths, right)
        rule = "─" * _together(piece.widths)
        _put(rule)
        for row in rows:
            if row:
                cells = next(lines)
                _print_row([cells[index] for index in piece.columns], piece.widths, right)
            else:
                _put(rule)
        if piece is not pieces[-1]:
            print()
    for line in _harmless(note).split("\n") if note else ():
        _print_text(line, page)
    if words.grey:
        _print_text(_harmless(words.grey), page, grey=True)


_TEXT = 80
"""Characters to a line of text, where the page is wide: longer ones are hard to read."""


def _with_drawings(
    headings: list[str], rows: list[list[object]], page: int
) -> tuple[list[str], list[list[object]]]:
    """The last column drawn in the room that the others leave it; without it where that is too little."""
    from assay.answers.answer import Drawn

    others = [[str(cell) for cell in row[:-1]] for row in rows if row]
    least = [_least(heading, [row[i] for row in others]) for i, heading in enumerate(headings[:-1])]
    room = min(page, _TEXT) - _together(least) - BETWEEN
    if room < _LEAST_DRAWN:
        return headings[:-1], [row[:-1] for row in rows]
    room = min(room, _MOST_DRAWN)
    first = next(row[-1] for row in rows if row and isinstance(row[-1], Drawn))
    cells = [
        [*row[:-1], row[-1].draw(room) if isinstance(row[-1], Drawn) else row[-1]] if row else row
        for row in rows
    ]
    return [*headings[:-1], first.ruler(room)], cells


_LEAST_DRAWN, _MOST_DRAWN = 12, 34
"""Characters that a drawn range takes."""


def _put(text: str) -> None:
    """Print a line, in ASCII where whoever reads shows no more."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        from assay.answers.answer import IN_ASCII

        text = text.translate(IN_ASCII).encode(encoding, "replace").decode(encoding)
    print(text)


def _print_title(title: str, beside: str, width: int) -> None:
    """A title with what stands at the right end of its first line; below it where there is no room."""
    first, *others = title.split("\n")
    gap = width - cell_length(first) - cell_length(beside)
    if beside and gap >= 2:
        first = f"{first}{' ' * gap}{beside}"
    elif beside:
        others.insert(0, f"{' ' * max(width - cell_length(beside), 0)}{beside}")
    for line in (first, *others):
        _print_text(line, max(width, _TEXT))


def _print_row(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> None:
    """One row of a table, of as many lines as its highest cell."""
    wrapped = [_wrapped(cell, width) for cell, width in zip(cells, widths, strict=True)]
    for number in range(max(map(len, wrapped))):
        texts = [lines[number] if number < len(lines) else "" for lines in wrapped]
        padded = [
            f"{' ' * (width - cell_length(text))}{text}"
            if to_the_right
            else f"{text}{' ' * (width - cell_length(text))}"
            for text, width, to_the_right in zip(texts, widths, right, strict=True)
        ]
        _put((" " * BETWEEN).join(padded).rstrip())


def _wrapped(text: str, width: int) -> list[str]:
    """The lines of a cell: broken at words, and within one only where it is longer than the column."""
    lines: list[str] = []
    for line in text.split("\n"):
        if cell_length(line) <= width:
            lines.append(line)
            continue
        current = ""
        for word in line.split(" "):
            while cell_length(word) > width:
                fits = next(n for n in range(len(word), 0, -1) if cell_length(word[:n]) <= width or n == 1)
                lines += [current] * bool(current) + [word[:fits]]
                current, word = "", word[fits:]
            joined = f"{current} {word}" if current else word
            if cell_length(joined) > width:
                lines.append(current)
                joined = word
            current = joined
        lines.append(current)
    return lines


def _print_text(line: str, width: int, *, grey: bool = False) -> None:
    """A line of text, wrapped."""
    text = _wrapped_text(line, min(width, _TEXT))
    dim = grey and sys.stdout is not None and sys.stdout.isatty() and "NO_COLOR" not in os.environ
    _put(f"\033[2m{text}\033[0m" if dim else text)


def _wrapped_text(line: str, width: int) -> str:
    """A line wrapped at words below its own beginning; a link or a FEN stays whole."""
    indent = " " * (len(line) - len(line.lstrip()))
    lines = textwrap.wrap(
        line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(lines)


def _are_numbers(cells: Sequence[object]) -> bool:
    return bool(cells) and all(isinstance(cell, int | float) or cell == "" for cell in cells)


def _width() -> int:
    """Characters to a line: those of the terminal or of COLUMNS; 80 in a file or a pipe."""
    if os.environ.get("COLUMNS", "").isdigit():
        return max(int(os.environ["COLUMNS"]), 20)
    if sys.stdout is None or not sys.stdout.isatty():
        return _TEXT
    return max(shutil.get_terminal_size().columns, 20)


def say(message: str) -> None:
    """A message about the work, not its result: to stderr; on a terminal wrapped at words."""
    lines = _harmless(message).split("\n")
    if sys.stderr is not None and sys.stderr.isatty():
        width = min(shutil.get_terminal_size().columns, _TEXT)
        lines = [_wrapped_text(line, max(width, 20)) for line in lines]
    print("\n".join(lines), file=sys.stderr)


def _harmless(text: str) -> str:
    """Text that cannot command the terminal: names come from untrusted files. Its lines stay lines."""
    return "\n".join(printable(line) for line in text.split("\n"))


def write_text(path: Path, text: str) -> None:
    """Write a file that a user named, whole or not at all."""
    check_writable(path)
    with _told_of(path):
        files.write_text(path, text)


def write_figure(path: Path, figure: Figure) -> None:
    """Write a figure to a file that a user named, by the ending of its name."""
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

BETWEEN = 2
"""Characters between two columns."""

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
    return sum(widths) + BETWEEN * (len(widths) - 1)


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
        raise InputError(f"{cost}: --yes does it; --recipe quick takes a tenth of the time of standard")
    close()
    if not typer.confirm(f"{cost}. Analyse them now?", err=True):
        raise InputError("nothing was analysed: --recipe quick takes a tenth of the time of standard")


def ask_to_remove(what: str) -> None:
    """Ask whether this is to be removed; an InputError where it is not, or where nobody can be asked."""
    if not _somebody_is_there():
        raise InputError(f"{what} would be removed: --yes does it")
    if not typer.confirm(f"{what} will be removed, and cannot be had back. Remove them?", err=True):
        raise InputError("nothing was removed")


def _somebody_is_there() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()
