"""Regan and Haworth 2011: what follows from the printed tables and from the worked examples.

Their values of s and c rest on Rybka's evaluations of thousands of games, which are not printed; what is
recomputed here is what the paper derives from the printed numbers, its examples of the method, and whether
the fit finds agents of the printed s and c again.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from assay.answers.results import Reproduction
from assay.models.choice.model import ChoiceModel, fit_choice
from assay.models.choice.spreads import Spreads
from assay.models.choice.sums import Summaries, probabilities, up_share
from assay.models.choice.tables import consistency_line
from assay.reproduce import facts

PAPER = "regan2011"

_HALF_DIGIT = 0.0005
"""Printed numbers have three decimals."""

FITTED = (2700, 2200, 1600)
"""Mileposts whose agents are fitted again: both ends of the table, and the middle."""

EVERY, CHOICES = 5, 400
"""Every fifth of the bundled positions; choices in each, so many that their steps do not show in s and c."""


def rows() -> list[Reproduction]:
    """The line of c by Elo, its steps, the examples of sections 1 and 6, and fits of the printed agents."""
    return [*_line(), *_examples(), *_fits()]


def _line() -> Iterator[Reproduction]:
    """Section 7: c_fit is the straight line through the c of 2006-2009, in steps of 0.007."""
    table = facts("regan2011")["periods"]["2006-2009"]
    line = consistency_line([r["elo"] for r in table], [r["c"] for r in table], [1.0] * len(table))
    item = "step of c_fit per 100 Elo, 2006-2009"
    yield Reproduction(PAPER, item, 0.007, 100 * float(line[0]), 0.0001, kind="arithmetic")
    # Later tables hold c to the same line.
    for period in ("2006-2009", "1991-1994", "1976-1979"):
        for row in facts("regan2011")["periods"][period]:
            item = f"c_fit at {row['elo']}, {period}"
            on_line = float(np.polyval(line, row["elo"]))
            yield Reproduction(PAPER, item, row["c_fit"], on_line, _HALF_DIGIT, kind="arithmetic")


def _examples() -> Iterator[Reproduction]:
    share = up_share(0.30, 0.0, 0.9)
    item = "share 'up' at q = 0.30 of a played move with p = 0.9"
    yield Reproduction(PAPER, item, 1 / 3, share, 1e-9, kind="inference")
    spread = Spreads(np.array([0, 0.0, 0, 0, 0, 2]), np.array([0, 6]), np.array([0]))
    fifth = float(probabilities(spread, 0.1, 0.5)[4])
    item = "probability of each of five equal best moves"
    yield Reproduction(PAPER, item, 0.2, fifth, 0.01, kind="inference")


def _fits() -> Iterator[Reproduction]:
    """Sections 6 and 7: the percentile fit finds the agents of the table again.

    The agent chooses on bundled positions, each option as often as its probability says. First s and c are
    fitted together; then s alone, with c on the printed line.
    """
    positions = ChoiceModel().reference
    positions = positions.take(np.arange(0, len(positions), EVERY))
    for row in facts("regan2011")["periods"]["2006-2009"]:
        if row["elo"] not in FITTED:
            continue
        free = fit_choice(Summaries(chosen_evenly(positions, row["s"], row["c"])))
        held = Summaries(chosen_evenly(positions, row["s_fit"], row["c_fit"]))
        fitted = {"s": free.s, "c": free.c, "s_fit": fit_choice(held, c=row["c_fit"]).s}
        for name, computed in fitted.items():
            item = f"{name} at {row['elo']}, 2006-2009, fitted to the choices of that simulated player"
            note = f"{CHOICES} choices in each of {len(positions)} bundled positions"
            at = row[name]
            yield Reproduction(PAPER, item, None, computed, _HALF_DIGIT, note, kind="inference", expected=at)


def chosen_evenly(positions: Spreads, s: float, c: float) -> Spreads:
    """Every position CHOICES times; the agent's choices are spread evenly over its probabilities."""
    p = probabilities(positions, s, c)
    at = (np.arange(CHOICES) + 0.5) / CHOICES
    parts = [p[first:last] for first, last in pairwise(positions.offsets)]
    played = [np.minimum(np.searchsorted(np.cumsum(part), at), len(part) - 1) for part in parts]
    repeated = positions.take(np.repeat(np.arange(len(positions)), CHOICES))
    return repeated.replayed(np.concatenate(played))
