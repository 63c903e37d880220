"""What `go` allows: seconds, nodes, depth; and how much of the recipe's search fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MOVES_TO_GO = 30
"""Moves for which the clock must last where nothing is said of it."""

OVERHEAD = 0.03
"""Seconds of a move that are left for the way to the other program."""

LEAST_SECONDS = 0.01
LEAST_NODES = 500
"""Fewer nodes do not complete the first depths."""

_NUMBERS = ("wtime", "btime", "winc", "binc", "movestogo", "movetime", "nodes", "depth", "mate")
_WORDS = ("infinite", "ponder", "searchmoves")
_MOST = 10**12


@dataclass(frozen=True)
class Limits:
    """One `go`, understood."""

    seconds: float | None = None
    """For this move; None where time does not matter."""
    nodes: int | None = None
    depth: int | None = None
    waits: bool = False
    """Whether the answer waits for `stop` or `ponderhit`."""
    ponder: bool = False
    moves: tuple[str, ...] = ()
    """Only these moves may be played."""


def parse_go(words: Sequence[str], *, white: bool) -> Limits:
    """The words after `go`; what is not understood is passed over, as the protocol asks."""
    numbers: dict[str, int] = {}
    moves: list[str] = []
    flags: set[str] = set()
    index = 0
    while index < len(words):
        word = words[index]
        index += 1
        if word == "searchmoves":
            while index < len(words) and words[index] not in (*_NUMBERS, *_WORDS):
                moves.append(words[index])
                index += 1
        elif word in _WORDS:
            flags.add(word)
        elif word in _NUMBERS and index < len(words):
            number = _whole(words[index])
            if number is not None:
                numbers[word] = number
                index += 1
    return Limits(
        seconds=None if "infinite" in flags else _seconds(numbers, white),
        nodes=_positive(numbers.get("nodes")),
        depth=_positive(numbers.get("depth")),
        waits=bool(flags & {"infinite", "ponder"}),
        ponder="ponder" in flags,
        moves=tuple(moves),
    )


def affordable(limits: Limits, nodes: int, per_second: float) -> int:
    """Nodes of this search: those of the recipe, or as many as are allowed and fit the time."""
    most = nodes if limits.nodes is None else min(nodes, limits.nodes)
    if limits.seconds is not None:
        most = min(most, round(0.9 * limits.seconds * per_second))
    return max(most, min(nodes, LEAST_NODES))


def _seconds(numbers: dict[str, int], white: bool) -> float | None:
    if "movetime" in numbers:
        return max(numbers["movetime"] / 1000 - OVERHEAD, LEAST_SECONDS)
    left = numbers.get("wtime" if white else "btime")
    if left is None:
        return None
    added = numbers.get("winc" if white else "binc", 0)
    moves = _positive(numbers.get("movestogo")) or MOVES_TO_GO
    share = left / 1000 / min(moves, MOVES_TO_GO) + 0.8 * added / 1000
    # Never so much that the flag falls, whatever is added after the move.
    return max(min(share, 0.5 * left / 1000) - OVERHEAD, LEAST_SECONDS)


def _whole(text: str) -> int | None:
    try:
        number = int(text[:20])
    except ValueError:
        return None
    return max(min(number, _MOST), -_MOST)


def _positive(number: int | None) -> int | None:
    return None if number is None or number <= 0 else number
