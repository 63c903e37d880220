"""Alliot 2017, Who is the master?: what its printed numbers give when computed again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.answers.comparisons import Match
from assay.answers.results import Kind, Reproduction
from assay.decisions.arrays import Floats
from assay.decisions.elo import expectation
from assay.engine.trace import decided_minutes, stable_minutes
from assay.models.markov import mirrored, outcomes, shares, stationary
from assay.reproduce import facts

PAPER = "alliot2017"

ERRATA_VECTOR = (0.04, 0.00, 0.01, 0.02, 0.08, 0.14, 0.06, 0.05, 0.04, 0.56)
"""The stationary vector of the printed matrices; the paper prints another (0.40 in the last place)."""

ERRATA_MARKOV_WITH_ELO = 2.8
"""Section 4.4.3 says 4.4, its own Table 5 gives this."""

ITSELF = "the paper itself"
"""Begins the items that compare printed numbers with each other: they check the paper, not the product."""

PRINTED_LINES = ((0.26, 0.18), (-0.60, 0.17))
"""Section 3.2.3: a and b of the mean loss a v + b, for positions above zero and below."""


def championships() -> list[Match]:
    """The 17 championships of Table 5, with the Elo printed there."""
    return [
        Match(
            first=row["winner"],
            second=row["loser"],
            year=row["year"],
            actual=row["actual"] / 100,
            first_elo=row["winner_elo"],
            second_elo=row["loser_elo"],
        )
        for row in facts(PAPER)["world_championships"]
    ]


def printed_matrices() -> tuple[Floats, Floats]:
    """Fischer's matrix with White and Spassky's with Black in 1971, as printed (Tables 2 and 3)."""
    printed = facts(PAPER)
    return np.array(printed["fischer_1971_white_matrix"]), np.array(printed["spassky_1971_black_matrix"])


def rows() -> list[Reproduction]:
    """Everything that can be recomputed without an engine."""
    printed = facts(PAPER)
    return [*_chain(printed), *_table_5(printed), *_pondering(printed), *_stopping(), *_tables(printed)]


def _row(
    item: str,
    published: float | None,
    computed: float,
    tolerance: float,
    *,
    kind: Kind = "arithmetic",
    expected: float | None = None,
) -> Reproduction:
    printed = None if published is None else float(published)
    note = "" if expected is None or published is None else "ERRATA"
    return Reproduction(PAPER, item, printed, float(computed), tolerance, note, kind=kind, expected=expected)


def _chain(printed: dict[str, Any]) -> Iterator[Reproduction]:
    """Section 3.4: the stationary vector and the match by the printed matrices; the match of 19 classes."""
    white, black = (shares(matrix) for matrix in printed_matrices())
    columns = printed["matrix_classes_pawns"], printed["stationary_10_classes"], ERRATA_VECTOR
    for name, published, expected, computed in zip(*columns, stationary(white @ black), strict=True):
        item = f"stationary vector of the printed matrices, class {name}"
        yield _row(item, published, computed, 0.005, kind="inference", expected=expected)
    only = np.zeros(1, dtype=np.int64)
    [match] = outcomes(white[None], mirrored(black)[None], only, only)
    win, loss = ERRATA_VECTOR[-1], ERRATA_VECTOR[0]
    names = {"wins": (0.40, win, 0.005), "draws": (0.53, 1 - win - loss, 0.01), "losses": (0.07, loss, 0.005)}
    for (name, (share, expected, tolerance)), computed in zip(names.items(), match, strict=True):
        item = f"{name} of Fischer against Spassky from the printed matrices"
        yield _row(item, share, computed, tolerance, kind="inference", expected=expected)
    vector = printed["stationary_19_classes"]
    [row] = [row for row in printed["world_championships"] if row["year"] == 1972]
    item = f"{ITSELF}: Table 5, Markov forecast of Fischer-Spassky 1972 from the printed vector of 19 classes"
    yield _row(item, row["markov"], 100 * (vector[-1] + (1 - vector[-1] - vector[0]) / 2), 1.0)


def _table_5(printed: dict[str, Any]) -> Iterator[Reproduction]:
    stated, table = printed["mean_absolute_error_percent"], printed["world_championships"]
    rated = [row for row in table if row["elo"] is not None]

    def error(name: str, rows: list[dict[str, float]]) -> float:
        return float(np.mean([abs(row[name] - row["actual"]) for row in rows]))

    for method, tolerance in (("conformance", 0.5), ("covariance", 0.5), ("markov", 0.05)):
        item = f"{ITSELF}: Table 5, mean error of {method}"
        yield _row(item, stated[method]["all"], error(method, table), tolerance)
        expected = ERRATA_MARKOV_WITH_ELO if method == "markov" else None
        with_elo = error(method, rated)
        yield _row(f"{item} with Elo", stated[method]["with_elo"], with_elo, tolerance, expected=expected)
    yield _row(f"{ITSELF}: Table 5, mean error of elo", stated["elo"]["with_elo"], error("elo", rated), 0.5)
    for match, row in zip(championships(), table, strict=True):
        if match.first_elo is not None and match.second_elo is not None:
            by_elo = 100 * float(expectation(match.first_elo - match.second_elo))
            yield _row(f"Table 5, Elo forecast of {match}", row["elo"], by_elo, 1.0)


def _pondering(printed: dict[str, Any]) -> Iterator[Reproduction]:
    """Section 3.2.3: k1 and k2 are a/b of the printed lines; what makes the pondered mean flat is b/a."""
    published = printed["conformance_fit"]["regression_k"]
    for name, k, (a, b) in zip(("k1", "k2"), published, PRINTED_LINES, strict=True):
        yield _row(f"{ITSELF}: {name} = a/b of the printed line", k, a / b, 0.005)
    k1, (a, b) = published[0], PRINTED_LINES[0]
    yield _row(f"{ITSELF}: k1 = b/a, which flattens the mean", k1, b / a, 0.005, expected=0.69)


def _stopping() -> Iterator[Reproduction]:
    yield _row("condition 2 for -420, 400, -410, minutes", 2.0, decided_minutes(-420, 400, -410) or 0.0, 1e-9)
    yield _row("condition 3 for 53, -63, 57, minutes", 2.0, stable_minutes(53, -63, 57), 1e-9)


def _tables(printed: dict[str, Any]) -> Iterator[Reproduction]:
    """Tables 7 and 8 are of a colour-blind method: a cell and its mirror sum to 100, up to rounding."""
    for name, number in (("covariance_n0_0", 7), ("covariance_n0_32_b_2.4", 8)):
        cells = printed["head_to_head"][name].values()
        table = np.array([[50.0 if cell is None else cell for cell in row] for row in cells])
        sums = table + table.T
        worst = sums.flat[np.argmax(np.abs(sums - 100))]
        item = f"{ITSELF}: Table {number}, worst sum of a cell and its mirror"
        yield _row(item, None, worst, 1.0, expected=100)
