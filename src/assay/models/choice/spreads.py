"""Spreads: the scaled differences between the best option and each other one, for every turn.

Regan and Haworth 2011, section 3.1: a difference is measured as the integral of 1/(1+|x|) between the two
values, in pawns, and options tied with the first are set 0.03 apart from it, because players choose the
first-listed more.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from assay.decisions.arrays import Floats, Ints
from assay.decisions.compiled import njit
from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.models.base import tail_losses

UNLISTED = ("tail", "measured", "left out")
"""What is assumed about legal moves that the engine did not list (see `Scaling.unlisted`)."""


@dataclass(frozen=True)
class Scaling:
    """How values become differences. Every part can be changed or switched off."""

    logarithmic: bool = True
    """Measure differences as the integral of 1/(1+|x|); otherwise in plain pawns."""
    tie: float = 0.03
    """Difference given to later options tied with the first; 0 switches it off."""
    cap: int | None = 400
    """Options worse than the best by more than this, in centipawns, count as that much worse: the paper's
    engine cut its search there. None switches it off."""
    unlisted: str = "tail"
    """`tail`: legal moves that were not listed follow the last line, their differences going on with the
    mean step of the lower half of the lines. `measured`: they lie between the last line and a lost position
    as positions with all moves valued show (BEND): s and c are then those of agents that choose
    among all legal moves. `left out`: the evaluated options are all there are. Elo scales are made with
    `tail`."""

    def __post_init__(self) -> None:
        if self.unlisted not in UNLISTED:
            raise InputError(f"unlisted moves are one of {', '.join(UNLISTED)}, not '{self.unlisted}'")
        if self.tie < 0 or (self.cap is not None and self.cap <= 0):
            raise InputError("the tie correction must not be negative and the cap must be positive")

    def __str__(self) -> str:
        scale = "log" if self.logarithmic else "plain"
        return f"{scale} scale, tie {self.tie:g}, cap {self.cap}, unlisted {self.unlisted}"


@cache
def reference_positions() -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Number of legal moves and values of the best of them, in centipawns, of 300 fixed positions.

    25 for each milepost 1600 to 2700 (`python -m research choice-reference`). Players are compared on
    them.
    """
    text = (files("assay") / "data" / "choice_reference.csv").read_text(encoding="utf-8")
    rows = (line.split(",") for line in text.splitlines()[1:])
    return tuple((int(legal), tuple(map(int, values.split()))) for legal, values in rows)


@dataclass(frozen=True, eq=False)
class Spreads:
    """Scaled differences of the options of many turns, flat, with the option played."""

    delta: Floats
    offsets: Ints
    played: Ints
    """Index of the played option within its turn."""

    def __len__(self) -> int:
        return len(self.played)

    @cached_property
    def arrays(self) -> tuple[Floats, Floats, Ints, Ints]:
        """What kernels read: logarithms of the differences first, -inf for zero."""
        with np.errstate(divide="ignore"):
            log_delta = np.asarray(np.log(self.delta), dtype=np.float64)
        return log_delta, self.delta, self.offsets, self.played

    @property
    def lost(self) -> Floats:
        """Scaled difference of the played option of each turn."""
        return np.asarray(self.delta[self.offsets[:-1] + self.played], dtype=np.float64)

    def take(self, turns: npt.NDArray[np.integer]) -> Spreads:
        """The spreads of some turns, in this order."""
        lengths = np.diff(self.offsets)[turns]
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        flat = np.repeat(self.offsets[:-1][turns] - offsets[:-1], lengths) + np.arange(offsets[-1])
        return Spreads(self.delta[flat], offsets, self.played[turns])

    def replayed(self, played: Ints) -> Spreads:
        """The same turns with other choices."""
        return Spreads(self.delta, self.offsets, played)


def antiderivative(pawns: npt.ArrayLike) -> Floats:
    """Integral of 1/(1+|x|) from zero: sign(x) ln(1+|x|)."""
    x = np.asarray(pawns, dtype=np.float64)
    return np.asarray(np.sign(x) * np.log1p(np.abs(x)), dtype=np.float64)


def differences(values: npt.ArrayLike, offsets: Ints, scaling: Scaling | None = None) -> Floats:
    """Scaled difference of each option from the first of its turn; values in centipawns, best first."""
    settings = scaling or Scaling()
    pawns = np.asarray(values, dtype=np.float64) / 100
    lengths = np.diff(offsets)
    best = np.repeat(pawns[offsets[:-1][lengths > 0]], lengths[lengths > 0])
    if settings.cap is not None:
        pawns = np.maximum(pawns, best - settings.cap / 100)
    gap = antiderivative(best) - antiderivative(pawns) if settings.logarithmic else best - pawns
    # A move searched alone can come out above the best line; the order of the lines stands.
    gap = np.maximum(gap, 0.0)
    later_tie = gap == 0
    later_tie[offsets[:-1][lengths > 0]] = False
    gap[later_tie] = settings.tie
    return gap


def spreads_of(decisions: Decisions, scaling: Scaling | None = None) -> Spreads:
    """Spreads of decisions whose played move has a value."""
    settings = scaling or Scaling()
    if (decisions.played_index < 0).any():
        raise InputError("the played move of some decisions has no value: apply the rule evaluated() first")
    lines = np.clip(decisions.numbers("n_lines").astype(np.int64), 1, decisions.n_options)
    legal = np.nan_to_num(decisions.numbers("n_legal"), nan=0.0).astype(np.int64)
    return _spreads(decisions.values, decisions.offsets, decisions.played_index, lines, legal, settings)


@cache
def reference_spreads(scaling: Scaling) -> Spreads:
    """Spreads of the reference positions."""
    legal, values = zip(*reference_positions(), strict=True)
    lines = np.array([len(row) for row in values])
    offsets, first = np.concatenate(([0], np.cumsum(lines))), np.zeros(len(lines), np.int64)
    return _spreads(np.concatenate(values), offsets, first, lines, np.array(legal), scaling)


def _spreads(
    values: npt.ArrayLike, offsets: Ints, played: Ints, lines: Ints, legal: Ints, scaling: Scaling
) -> Spreads:
    """Spreads of values in centipawns, with the legal moves that were not listed as `scaling` has them."""
    spreads = Spreads(differences(values, offsets, scaling), offsets, played)
    if scaling.unlisted == "tail":
        return extended(spreads, lines, legal)
    return with_tail(spreads, values, lines, legal, scaling) if scaling.unlisted == "measured" else spreads


def extended(spreads: Spreads, lines: Ints, legal: Ints) -> Spreads:
    """Spreads with the legal moves that were not listed, at guessed differences, behind the last line.

    The played move, where it was searched alone, keeps its own difference and takes its place among them.
    """
    options = np.diff(spreads.offsets)
    # From fewer than three lines there is no step to go on with.
    unlisted = np.where(lines >= 3, np.maximum(legal - options, 0), 0)
    if not unlisted.any():
        return spreads
    counts = options + unlisted
    offsets = np.concatenate(([0], np.cumsum(counts)))
    delta, played = np.empty(offsets[-1]), np.empty(len(options), np.int64)
    _interleave(spreads.delta, spreads.offsets, spreads.played, lines, unlisted, offsets, delta, played)
    return Spreads(delta, offsets, played)


BEND = (1.65, 2.6)
"""The move at the fraction x of the unlisted ones, behind k lines, lies at the fraction x^(1.65 - 2.6 / k) of
the way from the last line to a lost position, in the logarithm of the loss. Fitted to what agents choose
there, where all moves have a value (tests/research/test_regan2011.py)."""


def with_tail(spreads: Spreads, values: npt.ArrayLike, lines: Ints, legal: Ints, scaling: Scaling) -> Spreads:
    """Spreads with the legal moves that were not listed, where BEND has them.

    What lies behind the lines is the same whatever was played: a move searched alone keeps its own difference
    and stands in for the guessed one nearest to it.
    """
    centipawns = np.asarray(values, dtype=np.float64)
    rows, played = [], spreads.played.copy()
    for turn, (first, end) in enumerate(zip(spreads.offsets[:-1], spreads.offsets[1:], strict=True)):
        n, unlisted = lines[turn], max(legal[turn] - lines[turn], 0)
        if not unlisted:
            rows.append(spreads.delta[first:end])
            continue
        best = centipawns[first]
        fraction = ((np.arange(unlisted) + 0.5) / unlisted) ** (BEND[0] - BEND[1] / max(n, 2))
        last, lost = max(best - centipawns[first + n - 1], 0.0), np.clip(best, -1000, 1000) + 1000
        losses = tail_losses(last, lost, fraction)
        tail = differences(np.concatenate(([best], best - losses)), np.array([0, unlisted + 1]), scaling)[1:]
        tail = np.maximum(tail, spreads.delta[first + n - 1])
        if played[turn] >= n:
            own = spreads.delta[first + played[turn]]
            tail[np.argmin(np.abs(tail - own))] = own
            tail.sort()
            played[turn] = n + np.searchsorted(tail, own)
        rows.append(np.concatenate((spreads.delta[first : first + n], tail)))
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    return Spreads(np.concatenate(rows) if rows else np.zeros(0), offsets, played)


@njit(nogil=True)
def _interleave(  # type: ignore[no-untyped-def] # pragma: no cover
    delta, offsets, played, lines, unlisted, places, out, where
):
    """Lines in their order, then guessed options and any option searched alone by their difference.

    Fills the differences, those of a turn from its entry in `places` on, and where the played option is then.
    """
    for t in range(len(played)):
        a, n = offsets[t], lines[t]
        own = delta[a : offsets[t + 1]]
        to = out[places[t] : places[t + 1]]
        to[:n] = own[:n]
        where[t] = played[t]
        alone = np.argsort(own[n:], kind="mergesort") if len(own) > n + 1 else np.arange(len(own) - n)
        # Ties set apart can stand above later lines: steps are never negative.
        middle = (n - 1) // 2
        step = max(own[n - 1] - own[middle], 0.0) / max(n - 1 - middle, 1)
        rank, next_alone = 1, 0
        for k in range(n, len(to)):
            guessed = own[n - 1] + rank * step
            if next_alone < len(alone) and (rank > unlisted[t] or own[n + alone[next_alone]] <= guessed):
                to[k] = own[n + alone[next_alone]]
                if n + alone[next_alone] == played[t]:
                    where[t] = k
                next_alone += 1
            else:
                to[k] = guessed
                rank += 1
