"""Speed of the methods: gain, bayes, choice, depth, and the head-to-heads of Alliot 2017."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy import sparse
from scipy.signal import correlate

from assay.decisions.arrays import make_lists
from assay.decisions.decisions import Decisions
from assay.decisions.depths import values_by_depth
from assay.models import gain as by_gain
from assay.models.bayes import BayesModel
from assay.models.choice.model import ChoiceGrid, fit_choice
from assay.models.choice.spreads import Spreads
from assay.models.choice.sums import Summaries, play, probabilities
from assay.models.covariance import ResultVector, convolved_expectations
from assay.models.depth.model import DepthModel
from assay.models.markov import all_pairs, mirrored, shares
from benchmarks.measure import best_seconds, peak_megabytes, row

# Head-to-heads of everyone against everyone, Markov and covariance (Alliot 2017).

MARKOV_PLAYERS = 548
COVARIANCE_PLAYERS = 425


def alliot() -> list[dict[str, Any]]:
    return [*_markov(), *_covariance()]


def _markov() -> list[dict[str, Any]]:
    generator = np.random.default_rng(1)
    counts = np.tril(generator.gamma(0.3, size=(MARKOV_PLAYERS, 19, 19))) + 5 * np.eye(19)
    matrices = shares(counts)
    all_pairs(matrices[:2], matrices[:2])  # compiled once, kept on disk
    seconds = best_seconds(lambda: all_pairs(matrices, matrices), runs=5)
    pairs = MARKOV_PLAYERS**2
    few = 300
    plain = best_seconds(lambda: [_by_eigenvectors(matrices[i], matrices[i + 1]) for i in range(few)])
    ratio = (plain / few) / (seconds / pairs)
    return [
        row(f"{pairs:,} Markov head-to-heads, 19 classes", seconds, "s", most=2),
        row("the same, times faster than numpy's eigenvectors", ratio, "x", least=1),
    ]


def _by_eigenvectors(white: np.ndarray, black: np.ndarray) -> float:
    values, vectors = np.linalg.eig((white @ mirrored(black)).T)
    vector = np.real(vectors[:, np.argmin(np.abs(values - 1))])
    return float(vector[-1] / vector.sum())


def _covariance() -> list[dict[str, Any]]:
    generator = np.random.default_rng(2)
    players = generator.dirichlet(1 / np.arange(1, 42), size=COVARIANCE_PLAYERS)
    seconds = best_seconds(lambda: convolved_expectations(players, players, 32, 0.1, ResultVector()), runs=5)
    pairs = COVARIANCE_PLAYERS**2
    return [row(f"{pairs:,} covariance head-to-heads, n0 = 32", seconds, "s", most=2)]


# The posterior over c: from 30,000 decisions of ten moves, and with one decision more.

BAYES_DECISIONS = 30_000
BAYES_OPTIONS = 10


def _decisions(cp: np.ndarray, played: np.ndarray, **columns: Any) -> Decisions:
    """Decisions of options with these values, best first: shape (decisions, options)."""
    n, options = cp.shape
    moves = pa.array([f"m{option}" for option in range(options)])
    lines = np.arange(n + 1) * options
    return Decisions.from_table(
        pa.table(
            {
                "player": ["Ann"] * n,
                "game_id": [f"game{decision // 30}" for decision in range(n)],
                "ply": pa.array(np.full(n, 40, np.int16)),
                "moves": make_lists(lines, moves.take(pa.array(np.tile(np.arange(options), n)))),
                "cp": make_lists(lines, pa.array(cp.ravel().astype(np.int32))),
                "played": moves.take(pa.array(played)),
                **columns,
            }
        )
    )


def _lists() -> Decisions:
    generator = np.random.default_rng(0)
    cp = -np.sort(-generator.normal(0, 150, (BAYES_DECISIONS, BAYES_OPTIONS)).astype(np.int32), axis=1)
    played = np.minimum(generator.geometric(0.5, BAYES_DECISIONS) - 1, BAYES_OPTIONS - 1)
    return _decisions(cp, played)


def bayes() -> list[dict[str, Any]]:
    decisions, model = _lists(), BayesModel()

    def posterior() -> None:
        answer = model.posterior(model.profile(decisions))
        assert answer.deviation < 0.02

    posterior()  # compiles
    seconds = best_seconds(posterior, runs=15)
    return [row("30,000 decisions of 10 moves to the posterior over c", seconds, "s", most=0.3)]


# Speed and memory of the percentile fit of `choice` (issue: 25,000 turns of 50 options under 3 s).

CHOICE_OPTIONS = 50


def spreads_of(turns: int) -> Spreads:
    generator = np.random.default_rng(1)
    gaps = generator.exponential(0.12, (turns, CHOICE_OPTIONS)) * np.linspace(0.1, 1, CHOICE_OPTIONS)
    gaps[:, 0] = 0
    offsets = np.arange(turns + 1) * CHOICE_OPTIONS
    spreads = Spreads(np.cumsum(gaps, axis=1).ravel(), offsets, np.zeros(turns, np.int64))
    return play(spreads, probabilities(spreads, 0.12, 0.5), 1)


def choice() -> list[dict[str, Any]]:
    rows = []
    for turns, limit in ((25_000, 3.0), (50_000, 6.0)):
        spreads = spreads_of(turns)
        fit_choice(Summaries(spreads.take(np.arange(100))), c=0.5)  # compiles, or loads what was compiled
        seconds = best_seconds(lambda spreads=spreads: fit_choice(Summaries(spreads)), runs=5)
        name = f"choice: percentile fit of s and c, {turns:,} turns of {CHOICE_OPTIONS} options"
        rows.append(row(name, seconds, "s", most=limit))
    imports = "from benchmarks.bench_models import Summaries, fit_choice, spreads_of\n"
    memory = peak_megabytes(imports + "fit_choice(Summaries(spreads_of(50_000)))")
    rows.append(row("choice: memory of the same, 50,000 turns", memory, "MB", most=1000))
    rows.append(_on_grid(spreads_of(5_000)))
    return rows


def _on_grid(spreads: Spreads) -> dict[str, Any]:
    """The sums that profiles hold."""
    grid, group, sums = ChoiceGrid(), np.zeros(len(spreads), np.int64), Summaries(spreads)
    seconds = best_seconds(lambda: sums.on_grid(grid.log_s, grid.log_c, group, 1))
    return row("choice: 5,000 turns of 50 options to sums on the grid", seconds, "s", most=0.5)


# Weights over depths: 50,000 decisions of ten lines and ten depths to values by depth, and to evidence.

TRACED = 50_000
LINES = 10
DEPTHS = 10


def _traced() -> Decisions:
    generator = np.random.default_rng(0)
    final = -np.sort(-generator.normal(0, 150, (TRACED, LINES)), axis=1)
    noise = generator.normal(0, 60, (TRACED, DEPTHS, LINES)) * np.linspace(1, 0, DEPTHS)[:, None]
    seen = final[:, None, :] + noise
    order = np.argsort(-seen, axis=2)
    moves = pa.array([f"m{option}" for option in range(LINES)])
    ends = np.arange(TRACED + 1) * LINES * DEPTHS
    depth = np.broadcast_to(np.arange(1, DEPTHS + 1)[:, None], (TRACED, DEPTHS, LINES)).ravel()
    values = np.take_along_axis(seen, order, axis=2).ravel()
    played = np.minimum(generator.geometric(0.5, TRACED) - 1, LINES - 1)
    return _decisions(
        final,
        played,
        n_legal=pa.array(np.full(TRACED, 35, np.int16)),
        trace_depth=make_lists(ends, pa.array(depth.astype(np.int16))),
        trace_move=make_lists(ends, moves.take(pa.array(order.ravel()))),
        trace_value=make_lists(ends, pa.array(values.astype(np.int16))),
    )


def depth() -> list[dict[str, Any]]:
    decisions, model = _traced(), DepthModel()
    few = decisions.take(np.arange(100))
    model.profile(few)  # compiles
    values = best_seconds(lambda: values_by_depth(decisions), runs=5)
    group = np.zeros(TRACED, np.int64)
    evidence = best_seconds(lambda: model.evidence(decisions, group, 1), runs=3)
    return [
        row("50,000 decisions of 10 options to values at every depth", values, "s", most=1),
        row("50,000 decisions to evidence of weights over depths", evidence, "s", most=5),
    ]


# Speed of the distribution of gain: all pairs of 600 player-years, and one pair.

GAIN_LIMIT = 3900
PLAYER_YEARS = 600
MOVES = 1_500


def player_years(n: int = PLAYER_YEARS, moves: int = MOVES, seed: int = 0) -> sparse.csr_array:
    """Histograms with the shape of real ones: a peak near zero, a long tail of losses, some mates."""
    generator = np.random.default_rng(seed)
    skill = np.repeat(generator.uniform(0.7, 1.4, n), moves)
    gains = generator.laplace(-15, 25, n * moves) * skill
    blunders = generator.random(n * moves) < 0.05 * skill
    gains[blunders] -= generator.exponential(250, blunders.sum())
    clipped = np.clip(gains, -2 * GAIN_LIMIT, 2 * GAIN_LIMIT)
    return by_gain.histograms(clipped, np.repeat(np.arange(n), moves), n, GAIN_LIMIT)


def by_correlation(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> float:
    """Eq. 1 and 2 as the paper writes them: the whole cross-correlation (fast), then the sum of a half."""
    correlation = correlate(x / x.sum(), y / y.sum(), mode="full", method="fft")
    middle = len(y) - 1
    return float(0.5 * correlation[middle] + correlation[middle + 1 :].sum())


def gain() -> list[dict[str, Any]]:
    rows = player_years()
    pairs = PLAYER_YEARS * (PLAYER_YEARS - 1) // 2
    whole = best_seconds(lambda: by_gain.expectations(rows, rows), 5)
    dense = rows[:2].toarray()
    ratio = pairs * best_seconds(lambda: by_correlation(dense[0], dense[1]), 20) / whole
    return [
        row(f"gain: all {pairs:,} pairs of {PLAYER_YEARS} player-years", whole, "s", most=1),
        row("gain: all pairs, against FFT correlation of each", ratio, "times", least=100),
    ]


def run() -> list[dict[str, Any]]:
    return [*gain(), *bayes(), *choice(), *depth(), *alliot()]
