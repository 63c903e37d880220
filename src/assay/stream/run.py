"""The whole of it: blocks dealt out, evidence added up, what was killed taken up again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from assay.decisions.exclusions import Choice
from assay.decisions.grouping import By, check_by
from assay.errors import InputError, PgnError
from assay.executors import Executor, executor_for
from assay.machine import usable_cores
from assay.pgn.sources import find_files
from assay.pgn.wrong_evaluations import ABSURD, in_words
from assay.stream.blocks import Deal, Progress
from assay.stream.gather import EVERY_TIME, Asked, Gathered, gather
from assay.stream.state import KEPT_EVERY, State, place_of
from assay.stream.sums import Sums

STREAMED_BY = (By.PLAYER, By.RATING_BAND)
"""What streamed games can be put together by."""

_NOTHING: Callable[..., None] = lambda *_: None  # noqa: E731


@dataclass(frozen=True, eq=False)
class Streamed:
    """Sums by source of the values, and what was counted on the way."""

    sums: dict[str, Sums]
    counted: Gathered
    by: By
    damage: tuple[str, ...] = ()
    """What ended files before their ends."""
    resumed: int = 0
    """Blocks that an earlier run had finished."""


def stream(
    sources: Sequence[str | Path] | str | Path,
    *,
    by: str = By.PLAYER,
    choice: Choice | None = None,
    jobs: int | None = None,
    cluster: str | None = None,
    executor: Executor | None = None,
    keep: bool = True,
    keep_every: float = KEPT_EVERY,
    progress: Progress = _NOTHING,
) -> Streamed:
    """Add up the evidence of evaluated games by player, or by rating band, without storing them.

    Names are taken as written and duplicates are not sought: that takes all games at once. With `keep`, a
    run that ends early leaves what it had added up in the user's cache, and the next one goes on from there.
    """
    asked = Asked(check_by(by, STREAMED_BY), choice or EVERY_TIME)
    several = [sources] if isinstance(sources, str | Path) else list(sources)
    files = [file for one in several for file in find_files(one)]
    state = State(place_of(files, asked) if keep else None, keep_every)
    deal = Deal(files, progress)
    # Workers first: they are made before anything is read.
    workers = executor or executor_for(jobs or usable_cores(), cluster)
    try:
        left = (block for block in deal.blocks() if block.number not in state.finished)
        for found in workers.map(partial(gather, asked=asked), left):
            state.add(found)
    except BaseException:
        state.keep()
        raise
    finally:
        if executor is None:
            workers.close()
    state.forget()
    if not state.sums:
        raise _nothing(state.done, deal)
    return Streamed(state.sums, state.done, asked.by, tuple(deal.failures), state.resumed)


def _nothing(counted: Gathered, deal: Deal) -> Exception:
    """Why there is nothing to rate."""
    if deal.failures:
        return PgnError(deal.failures[0])
    if not counted.games:
        return PgnError("there are no games: neither tags nor legal moves")
    if counted.doubts[ABSURD]:
        return InputError(f"{in_words({ABSURD: counted.doubts[ABSURD]})[0]}, and there are no other values")
    if counted.without:
        return InputError(
            f"{counted.without:,} games have no evaluations in their comments: analyse them with an engine "
            "(--evaluations engine)"
        )
    reasons = ", ".join(f"{n:,} {reason}" for reason, n in counted.left_out.most_common())
    return InputError(f"none of {counted.games:,} games may be rated ({reasons}): see --time and --min-turns")
