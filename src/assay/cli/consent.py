"""Asking before an analysis that nobody asked for takes long, and before anything is removed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from assay.errors import InputError

if TYPE_CHECKING:
    from assay.engine.engines import EngineConfig
    from assay.engine.queue import Backlog

LONG = 300.0
"""Seconds of analysis from which a user is asked."""


def asking(jobs: int | None) -> Callable[[Backlog, EngineConfig], None]:
    """What to show a backlog to before it is analysed: it asks where that takes long."""

    def before(backlog: Backlog, engine: EngineConfig) -> None:
        from assay.engine.run import seconds_for

        seconds = seconds_for(backlog, engine, jobs, LONG)
        if seconds >= LONG:
            _ask(len(backlog), seconds)

    return before


def telling(
    before: Callable[[Backlog, EngineConfig], None] | None, jobs: int | None
) -> Callable[[Backlog, EngineConfig], None]:
    """What to show a backlog to before it is analysed: it says how long that takes, then asks `before`."""

    def told(backlog: Backlog, engine: EngineConfig) -> None:
        from assay.answers.answer import duration
        from assay.cli.output import say
        from assay.engine.run import estimate

        if len(backlog):
            seconds = estimate(backlog, engine, jobs).seconds
            made = f"{backlog.recipe.name} with {backlog.identity.name}"
            say(f"{len(backlog):,} positions to analyse by {made}: about {duration(seconds)} here")
        if before is not None:
            before(backlog, engine)

    return told


def _ask(positions: int, seconds: float) -> None:
    import typer

    from assay.answers.answer import duration
    from assay.cli import progress

    cost = f"{positions:,} positions are not analysed yet, which takes about {duration(seconds)} here"
    if not _somebody_is_there():
        raise InputError(f"{cost}: --yes does it; ask about fewer players or years, or use --recipe quick")
    progress.close()
    if not typer.confirm(f"{cost}. Analyse them now?", err=True):
        raise InputError("nothing was analysed: ask about fewer players or years, or use --recipe quick")


def ask_to_remove(what: str) -> None:
    """Ask whether this is to be removed; an InputError where it is not, or where nobody can be asked."""
    import typer

    if not _somebody_is_there():
        raise InputError(f"{what} would be removed: --yes does it")
    if not typer.confirm(f"{what} will be removed, and cannot be had back. Remove them?", err=True):
        raise InputError("nothing was removed")


def _somebody_is_there() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()
