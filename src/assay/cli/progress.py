"""Progress of what takes longer than two seconds: on stderr, only on a terminal, gone when it is done.

There is one display for the whole command, however many things are done one after another in it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from assay.cli.output import say

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from assay.answers.prepared import AnalysisReport

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
        display = _shown()
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


def _shown() -> Progress:
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
