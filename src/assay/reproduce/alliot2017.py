"""Alliot 2017, Who is the master?: what its printed numbers give when computed again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy.optimize import minimize

from assay.answers.comparisons import Match, MatchForecast
from assay.answers.ratings import Forecast
from assay.answers.results import Kind, Reproduction
from assay.decisions.arrays import Floats, make_lists
from assay.decisions.decisions import Decisions
from assay.decisions.elo import expectation
from assay.engine.stopping import decided_minutes, stable_minutes
from assay.models.covariance import CovarianceModel, ResultVector, convolved_expectations
from assay.models.losses import distribution, regression_k
from assay.models.markov import MarkovModel, ValueClasses, mirrored, outcomes, stationary
from assay.models.markov_prior import draw_each, shares, tilted
from assay.rating.forecasts import match_errors
from assay.reproduce import facts

# The world championships of Table 5, as the paper prints them.


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
        for row in facts("alliot2017")["world_championships"]
    ]


# What a stationary vector can be when the printed matrices are rounded.

HALF_UNIT = 0.005


Aim = Callable[[Floats], tuple[float, Floats]]
"""What is to be as small as can be, of a stationary vector, and its gradient."""


def reachable(white: Floats, black: Floats, target: Floats) -> Floats:
    """The vector nearest to the target that matrices within the rounding have."""
    scale = 1000.0  # so that the optimiser's tolerances mean something

    def distance(vector: Floats) -> tuple[float, Floats]:
        off = vector - target
        return scale * float(off @ off), 2 * scale * off

    return _search(white, black, distance)


def reach_of_component(white: Floats, black: Floats, index: int) -> tuple[float, float]:
    """Least and largest value of one component within the rounding."""
    unit = np.eye(len(white))[index]
    low = _search(white, black, lambda vector: (float(vector[index]), unit))[index]
    high = _search(white, black, lambda vector: (-float(vector[index]), -unit))[index]
    return float(low), float(high)


def _search(white: Floats, black: Floats, aim: Aim) -> Floats:
    printed = np.stack((white, black))
    free = np.stack((np.tril(np.ones_like(white)), np.triu(np.ones_like(black)))) > 0
    free &= printed < 1.0 - 1e-9  # a class that is never left is printed as 1.00 and is exact by construction
    free[0, 0], free[1, -1] = False, False
    start = printed[free]

    def moved(entries: Floats) -> Floats:
        both = printed.copy()
        both[free] = entries
        return both

    def value(entries: Floats) -> tuple[float, Floats]:
        result, gradient = value_and_gradient(moved(entries), aim)
        return result, gradient[free]

    bounds = [(max(entry - HALF_UNIT, 1e-6), entry + HALF_UNIT) for entry in start]
    begin = np.clip(start, [low for low, _ in bounds], None)
    options = {"maxiter": 2000, "ftol": 1e-13, "gtol": 1e-9}
    result = minimize(value, begin, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    # A search that stops early still names matrices within the rounding: its answer is a fact about them.
    first, second = shares(moved(result.x))
    return stationary(first @ second)


def value_and_gradient(both: Floats, aim: Aim) -> tuple[float, Floats]:
    """The aim at the stationary vector p of the two matrices in turn, and its derivative by their entries.

    A change dM of M changes p by p dM Z, with Z = (I - M + 1 p)^-1, the fundamental matrix of the chain.
    """
    first, second = shares(both)
    chain = first @ second
    vector = stationary(chain)
    value, gradient = aim(vector)
    fundamental = np.linalg.inv(np.eye(len(chain)) - chain + vector)
    along = fundamental @ gradient
    by_share = np.stack((np.outer(vector, second @ along), np.outer(vector @ first, along)))
    # Rows are divided by their sums: what an entry gains, the others of its row lose.
    rows = both.sum(axis=2, keepdims=True)
    return value, (by_share - (by_share * np.stack((first, second))).sum(axis=2, keepdims=True)) / rows


# Decisions simulated from known transition matrices, which the Markov forecast must find again.


@dataclass(frozen=True)
class Recovery:
    """How a forecast found known expectations again."""

    pairs: int
    coverage: float
    """Share of the intervals that hold the truth."""
    error: float
    """Mean absolute error of the expectation."""
    raw_error: float
    """The same from raw counts, where they give an answer."""
    strength: float
    """Strength of the prior that was found."""


def simulate_players(
    rows: Floats,
    strength: float,
    classes: ValueClasses,
    players: int,
    moves: int,
    seed: int,
    spread: float = 0,
) -> tuple[Decisions, Floats]:
    """Decisions of players drawn about known rows at levels of this spread, and their true matrices."""
    generator = np.random.default_rng(seed)
    levels = spread * generator.normal(size=players)
    matrices = draw_each(strength * tilted(rows, levels), generator)
    visits = stationary(rows @ mirrored(rows))
    before = generator.choice(len(classes), size=(players, moves), p=visits / visits.sum())
    steps = np.cumsum(matrices, axis=-1)
    who = np.repeat(np.arange(players)[:, None], moves, axis=1)
    after = (generator.random((players, moves, 1)) > steps[who, before]).sum(axis=-1)
    return as_decisions(classes, np.minimum(before, after).ravel(), before.ravel(), who.ravel()), matrices


def as_decisions(
    classes: ValueClasses,
    after: npt.NDArray[np.int64],
    before: npt.NDArray[np.int64],
    who: npt.NDArray[np.int64],
) -> Decisions:
    """Decisions with two options: one in the class before, one in the class after; the latter is played."""
    middles = np.round(classes.middles()).astype(np.int32)
    return with_values(np.stack((middles[before], middles[after]), axis=1), who)


def with_values(values: npt.NDArray[np.int32], who: npt.NDArray[np.int64]) -> Decisions:
    """Decisions of these players with two options, rows of their values; the second is played."""
    offsets = np.arange(len(values) + 1, dtype=np.int64) * 2
    names = pa.array([f"player {index}" for index in range(int(who.max()) + 1)])
    table = pa.table(
        {
            "player": names.take(pa.array(who)),
            "ply": pa.array(np.full(len(values), 40, np.int16)),
            "moves": make_lists(offsets, pa.array(["best", "other"] * len(values))),
            "cp": make_lists(offsets, pa.array(values.ravel())),
            "played": pa.array(["other"] * len(values)),
            "played_index": pa.array(np.ones(len(values), np.int16)),
        }
    )
    return Decisions.from_table(table)


def recovery(
    rows: Floats,
    classes: ValueClasses,
    *,
    pairs: int,
    moves: int = 1500,
    strength: float = 500.0,
    seed: int = 1,
    spread: float = 0.3,
    prior: Literal["level", "pooled"] = "level",
) -> Recovery:
    """Forecast every pair of simulated players, with the prior learned from all of them."""
    decisions, matrices = simulate_players(rows, strength, classes, 2 * pairs, moves, seed, spread)
    model = MarkovModel(classes, seed=seed, prior=prior)
    stack = model.profiles_by(decisions, "player")
    by_player = dict(zip(stack.keys, stack.weighted(np.eye(len(stack))), strict=True))
    profiles = [by_player[f"player {index}"] for index in range(2 * pairs)]
    model.learn(profiles)
    first, second = np.arange(0, 2 * pairs, 2), np.arange(1, 2 * pairs, 2)
    truth = _expectations(matrices, first, second)
    raw = _expectations(shares(np.stack([profile.evidence for profile in profiles])), first, second)
    forecasts = [model.forecast(profiles[i], profiles[j]) for i, j in zip(first, second, strict=True)]
    held = [forecast.low <= true <= forecast.high for forecast, true in zip(forecasts, truth, strict=True)]
    errors = np.abs([forecast.expectation for forecast in forecasts] - truth)
    learned = model.prior_
    assert learned is not None
    return Recovery(
        pairs,
        float(np.mean(held)),
        float(errors.mean()),
        float(np.nanmean(np.abs(raw - truth))),
        float(np.ravel(learned.strength)[0]),
    )


def _expectations(matrices: Floats, first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> Floats:
    shares_of_results = outcomes(matrices, matrices, first, second)
    return np.asarray(shares_of_results[:, 0] + shares_of_results[:, 1] / 2)


PAPER = "alliot2017"

ERRATA_VECTOR = (0.04, 0.00, 0.01, 0.02, 0.08, 0.14, 0.06, 0.05, 0.04, 0.56)
"""The stationary vector of the printed matrices; the paper prints another (0.40 in the last place)."""

ERRATA_MARKOV_WITH_ELO = 2.8
"""Section 4.4.3 says 4.4, its own Table 5 gives this."""

ITSELF = "the paper itself"
"""Begins the items that compare printed numbers with each other: they check the paper, not the product."""

PRINTED_LINES = ((0.26, 0.18), (-0.60, 0.17))
"""Section 3.2.3: a and b of the mean loss a v + b, for positions above zero and below."""

SIMULATED_PAIRS = 150


def rows() -> list[Reproduction]:
    """Everything that can be recomputed without an engine."""
    return [
        *_stationary(),
        *_match(),
        *_symmetry(),
        *_table_5(),
        *_pondering(),
        *_stopping(),
        *_tables(),
        *_simulated(),
    ]


def printed_matrices() -> tuple[Floats, Floats]:
    """Fischer's matrix with White and Spassky's with Black in 1971, as printed (Tables 2 and 3)."""
    printed = facts("alliot2017")
    return np.array(printed["fischer_1971_white_matrix"]), np.array(printed["spassky_1971_black_matrix"])


def _row(
    item: str,
    published: float | None,
    computed: float,
    tolerance: float,
    note: str = "",
    *,
    kind: Kind = "arithmetic",
    expected: float | None = None,
) -> Reproduction:
    printed = None if published is None else float(published)
    return Reproduction(PAPER, item, printed, float(computed), tolerance, note, kind=kind, expected=expected)


def _stationary() -> Iterator[Reproduction]:
    white, black = printed_matrices()
    names = facts("alliot2017")["matrix_classes_pawns"]
    vector = stationary(shares(white) @ shares(black))
    printed = np.array(facts("alliot2017")["stationary_10_classes"])
    for name, published, expected, computed in zip(names, printed, ERRATA_VECTOR, vector, strict=True):
        item = f"stationary vector of the printed matrices, class {name}"
        yield _row(item, published, computed, 0.005, "ERRATA", kind="inference", expected=expected)
    low, high = reach_of_component(white, black, -1)
    within = f"reached within the rounding of the entries; alone, class 1.8 can be {low:.2f} to {high:.2f}"
    for name, published, computed in zip(names, printed, reachable(white, black, printed), strict=True):
        yield _row(f"printed stationary vector, class {name}", published, computed, 0.005, within)


def _match() -> Iterator[Reproduction]:
    """Section 3.4: the match by the printed matrices, and by the printed vector of 19 classes."""
    white, black = (shares(matrix) for matrix in printed_matrices())
    only = np.zeros(1, dtype=np.int64)
    [shares_of_results] = outcomes(white[None], mirrored(black)[None], only, only)
    win, loss = ERRATA_VECTOR[-1], ERRATA_VECTOR[0]
    names = {"wins": (0.40, win, 0.005), "draws": (0.53, 1 - win - loss, 0.01), "losses": (0.07, loss, 0.005)}
    for (name, (share, expected, tolerance)), computed in zip(names.items(), shares_of_results, strict=True):
        item = f"{name} of Fischer against Spassky from the printed matrices"
        yield _row(item, share, computed, tolerance, "ERRATA", kind="inference", expected=expected)
    printed = facts("alliot2017")
    vector = printed["stationary_19_classes"]
    [row] = [row for row in printed["world_championships"] if row["year"] == 1972]
    expected = 100 * (vector[-1] + (1 - vector[-1] - vector[0]) / 2)
    item = f"{ITSELF}: Table 5, Markov forecast of Fischer-Spassky 1972 from the printed vector of 19 classes"
    yield _row(item, row["markov"], expected, 1.0)


def _symmetry() -> Iterator[Reproduction]:
    white, black = (shares(matrix) for matrix in printed_matrices())
    worth = np.array([0.0, *[0.5] * 8, 1.0])
    there = stationary(white @ black) @ worth
    back = stationary(mirrored(white) @ mirrored(black)) @ worth
    yield _row("White's and Black's view of one chain sum to one", None, there + back, 1e-9, expected=1.0)
    for item, mass in (
        (f"{ITSELF}: mass above the diagonal of White's matrix", np.triu(white, 1)),
        (f"{ITSELF}: mass below the diagonal of Black's matrix", np.tril(black, -1)),
        ("mass above it when mirrored to White's view", np.triu(mirrored(black), 1)),
    ):
        yield _row(item, None, mass.sum(), 0.0, expected=0.0)


def _table_5() -> Iterator[Reproduction]:
    printed = facts("alliot2017")
    stated = printed["mean_absolute_error_percent"]
    table = list(zip(championships(), printed["world_championships"], strict=True))
    rated = [(match, row) for match, row in table if row["elo"] is not None]

    def error(name: str, rows: list[tuple[Match, dict[str, float]]]) -> float:
        return _mean_error({match: row[name] / 100 for match, row in rows})

    for method in ("conformance", "covariance"):
        yield _row(
            f"{ITSELF}: Table 5, mean error of {method}", stated[method]["all"], error(method, table), 0.5
        )
        yield _row(
            f"{ITSELF}: Table 5, mean error of {method} with Elo",
            stated[method]["with_elo"],
            error(method, rated),
            0.5,
        )
    yield _row(
        f"{ITSELF}: Table 5, mean error of markov", stated["markov"]["all"], error("markov", table), 0.05
    )
    yield _row(
        f"{ITSELF}: Table 5, mean error of markov with Elo",
        stated["markov"]["with_elo"],
        error("markov", rated),
        0.05,
        "ERRATA",
        expected=ERRATA_MARKOV_WITH_ELO,
    )
    yield _row(f"{ITSELF}: Table 5, mean error of elo", stated["elo"]["with_elo"], error("elo", rated), 0.5)
    half = _mean_error({match: 0.5 for match, _ in table})
    item = f"{ITSELF}: Table 5, mean error of forecasting one half"
    yield _row(item, None, half, 0.05, "ERRATA", expected=6.0)
    for match, row in table:
        if match.first_elo is not None and match.second_elo is not None:
            expected = 100 * float(expectation(match.first_elo - match.second_elo))
            yield _row(f"Table 5, Elo forecast of {match}", row["elo"], expected, 1.0)


def _mean_error(forecasts: dict[Match, float]) -> float:
    """Mean error of printed forecasts in percent, as the product computes it."""
    rows = [
        MatchForecast(match, {"printed": Forecast("printed", expected)})
        for match, expected in forecasts.items()
    ]
    return 100 * match_errors(rows)[0].error


def _pondering() -> Iterator[Reproduction]:
    k1, k2 = facts("alliot2017")["conformance_fit"]["regression_k"]
    losses = losses_on_lines(PRINTED_LINES)
    printed, flat = regression_k(losses, published=True), regression_k(losses)
    yield _row(
        "regression on losses that lie on the printed lines, k1 = a/b",
        k1,
        printed[0],
        0.005,
        kind="inference",
    )
    yield _row(
        "regression on losses that lie on the printed lines, k2 = a/b",
        k2,
        printed[1],
        0.005,
        kind="inference",
    )
    yield _row(
        "the same, k1 = b/a, which flattens the mean",
        k1,
        flat[0],
        0.005,
        "ERRATA",
        kind="inference",
        expected=0.69,
    )


def losses_on_lines(lines: tuple[tuple[float, float], tuple[float, float]]) -> Decisions:
    """Two decisions in each of 20 positions on either side of zero; the loss is on the line of its side."""
    best = np.repeat(50 * np.arange(1, 21), 2)  # steps for which the losses are whole centipawns
    sides = zip(lines, (best, -best // 2), strict=True)
    values = np.concatenate([np.column_stack((v, v - (a * v + 100 * b))) for (a, b), v in sides])
    return with_values(np.round(values).astype(np.int32), np.zeros(len(values), dtype=np.int64))


def _stopping() -> Iterator[Reproduction]:
    yield _row("condition 2 for -420, 400, -410, minutes", 2.0, decided_minutes(-420, 400, -410) or 0.0, 1e-9)
    yield _row("condition 3 for 53, -63, 57, minutes", 2.0, stable_minutes(53, -63, 57), 1e-9)


def _tables() -> Iterator[Reproduction]:
    """Tables 7 and 8 are of a colour-blind method: a cell and its mirror sum to 100, up to rounding."""
    for name, number in (("covariance_n0_0", 7), ("covariance_n0_32_b_2.4", 8)):
        cells = list(facts("alliot2017")["head_to_head"][name].values())
        table = np.array([[50.0 if cell is None else cell for cell in row] for row in cells])
        sums = table + table.T
        worst = sums.flat[np.argmax(np.abs(sums - 100))]
        yield _row(
            f"{ITSELF}: Table {number}, worst sum of a cell and its mirror", None, worst, 1.0, expected=100
        )
    # The distributions of loss behind the tables are not printed: geometric ones stand in.
    losses = distribution(np.array([0.5, 0.6, 0.7, 0.8])[:, None] ** np.arange(CovarianceModel().shape[0]))
    for n0, vector in ((0, ResultVector("step")), (32, ResultVector("bound", b=2.4))):
        table = 100 * convolved_expectations(losses, losses, n0, 0.1, vector)
        sums = table + table.T
        worst = sums.flat[np.argmax(np.abs(sums - 100))]
        yield _row(
            f"our covariance, n0 = {n0}, worst sum of a cell and its mirror", None, worst, 1e-6, expected=100
        )


def _simulated() -> Iterator[Reproduction]:
    white, black = printed_matrices()
    recovered = recovery(
        shares(shares(white) + mirrored(shares(black))), ValueClasses.uniform(), pairs=SIMULATED_PAIRS
    )
    error = 3 * np.sqrt(0.95 * 0.05 / SIMULATED_PAIRS)
    yield _row(
        "simulated players: share of 95% intervals that hold the known expectation",
        None,
        recovered.coverage,
        float(error),
        f"{SIMULATED_PAIRS} pairs; mean error {recovered.error:.3f}, "
        f"from raw counts {recovered.raw_error:.3f}",
        kind="inference",
        expected=0.95,
    )
