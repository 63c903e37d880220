"""Regan and Haworth 2011: what follows from the printed tables and from the worked examples.

Their values of s and c rest on Rybka's evaluations of thousands of games, which are not printed; what is
recomputed here is what the paper derives from the printed numbers, and its examples of the method.
"""

from collections.abc import Iterator

import numpy as np

from assay.models.choice_probabilities import probabilities
from assay.models.choice_spreads import Spreads
from assay.models.choice_sums import up_share
from assay.models.choice_tables import consistency_line
from assay.validation.published import facts
from assay.validation.reproduce import Reproduction

PAPER = "choice"

_HALF_DIGIT = 0.0005
"""Printed numbers have three decimals."""


def rows() -> list[Reproduction]:
    """The line of c by Elo, its steps, and the examples of sections 1 and 6."""
    return [*_line(), *_examples()]


def _line() -> Iterator[Reproduction]:
    """Section 7: c_fit is the straight line through the c of 2006-2009, in steps of 0.007."""
    table = facts("regan2011")["periods"]["2006-2009"]
    line = consistency_line([r["elo"] for r in table], [r["c"] for r in table], [1.0] * len(table))
    yield Reproduction(PAPER, "step of c_fit per 100 Elo, 2006-2009", 0.007, 100 * float(line[0]), 0.0001)
    for row in table:
        item = f"c_fit at {row['elo']}, 2006-2009"
        yield Reproduction(PAPER, item, row["c_fit"], float(np.polyval(line, row["elo"])), _HALF_DIGIT)
    # Later tables hold c to the same line.
    for period in ("1991-1994", "1976-1979"):
        for row in facts("regan2011")["periods"][period]:
            item = f"c_fit at {row['elo']}, {period}"
            yield Reproduction(PAPER, item, row["c_fit"], float(np.polyval(line, row["elo"])), _HALF_DIGIT)


def _examples() -> Iterator[Reproduction]:
    share = up_share(0.30, 0.0, 0.9)
    yield Reproduction(PAPER, "share 'up' at q = 0.30 of a played move with p = 0.9", 1 / 3, share, 1e-9)
    spread = Spreads(np.array([0, 0.0, 0, 0, 0, 2]), np.array([0, 6]), np.array([0]))
    fifth = float(probabilities(spread, 0.1, 0.5)[4])
    yield Reproduction(PAPER, "probability of each of five equal best moves", 0.2, fifth, 0.01)
