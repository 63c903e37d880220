"""Speed and memory of the percentile fit of `choice` (issue: 25,000 turns of 50 options under 3 s)."""

from typing import Any

import numpy as np

from assay.models.choice.fit import ChoiceGrid, fit_choice
from assay.models.choice.probabilities import play, probabilities
from assay.models.choice.spreads import Spreads
from assay.models.choice.sums import Summaries
from benchmarks.measure import best_seconds, peak_megabytes, row

OPTIONS = 50


class _General(Summaries):
    """Summaries by the kernel that serves every curve and conversion."""

    usual = False


def made(turns: int) -> Spreads:
    generator = np.random.default_rng(1)
    gaps = generator.exponential(0.12, (turns, OPTIONS)) * np.linspace(0.1, 1, OPTIONS)
    gaps[:, 0] = 0
    offsets = np.arange(turns + 1) * OPTIONS
    spreads = Spreads(np.cumsum(gaps, axis=1).ravel(), offsets, np.zeros(turns, np.int64))
    return play(spreads, probabilities(spreads, 0.12, 0.5), 1)


def run() -> list[dict[str, Any]]:
    rows = []
    for turns, limit in ((25_000, 3.0), (50_000, 6.0)):
        spreads = made(turns)
        fit_choice(Summaries(spreads.take(np.arange(100))), c=0.5)  # compiles, or loads what was compiled
        seconds = best_seconds(lambda spreads=spreads: fit_choice(Summaries(spreads)), runs=5)
        name = f"choice: percentile fit of s and c, {turns:,} turns of {OPTIONS} options"
        rows.append(row(name, seconds, "s", f"< {limit:g} s", seconds < limit))
    code = (
        "from benchmarks.bench_choice import made, fit_choice, Summaries\nfit_choice(Summaries(made(50_000)))"
    )
    memory = peak_megabytes(code)
    rows.append(row("choice: memory of the same, 50,000 turns", memory, "MB", "< 1,000 MB", memory < 1000))
    rows.append(_on_grid(made(5_000)))
    return rows


def _on_grid(spreads: Spreads) -> dict[str, Any]:
    """The sums that profiles hold: the fast way, against the kernel that serves every curve."""
    grid, group = ChoiceGrid(), np.zeros(len(spreads), np.int64)
    fast, general = Summaries(spreads), _General(spreads)
    slow, quick = (
        best_seconds(lambda sums=sums: sums.on_grid(grid.log_s, grid.log_c, group, 1))
        for sums in (general, fast)
    )
    name = "choice: sums on the grid, against the kernel of all curves"
    return row(name, slow / quick, "times", "over 2", slow > 2 * quick)
