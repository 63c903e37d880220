"""Di Fatta, Haworth and Regan 2009: what follows from their printed numbers.

Their games are not available, so Table II itself cannot be recomputed; its columns and those of Table III
can be checked against each other, and the agent against what the text says of it.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from scipy.stats import norm, spearmanr

from assay.domain.decisions import Decisions
from assay.models.posterior import Posterior
from assay.models.reference_agent import option_probabilities
from assay.validation.published import facts
from assay.validation.reproduce import Reproduction

PAPER = "bayes"

_GRID = 0.01
"""Table II prints the ends of the regions on this grid, rounded outwards."""


def rows() -> list[Reproduction]:
    """Published and recomputed numbers."""
    tables = facts("difatta2009")
    return [
        *_agent(tables),
        *_regions(tables),
        *_order(tables),
        *_information(tables),
        *_single_games(tables),
    ]


def _agent(tables: dict[str, Any]) -> Iterator[Reproduction]:
    lines = tables["multipv"]
    options = pa.table(
        {
            "player": ["E(0)"],
            "moves": [[f"move {rank}" for rank in range(1, lines + 1)]],
            "cp": [list(range(0, -25 * lines, -25))],
            "played": [f"move {lines}"],
        }
    )
    chances = option_probabilities(Decisions.from_table(options), 0.0, tables["K"])
    item = "section III.B, E(0) chooses the worst of 10 moves"
    yield Reproduction(PAPER, item, 1 / lines, float(chances[-1]), 1e-9)


def _regions(tables: dict[str, Any]) -> Iterator[Reproduction]:
    """95% regions from mean and deviation: the posterior of 12,000 and more decisions is normal."""
    for one in tables["apparent_skill"]:
        c = np.linspace(one["mean_c"] - 8 * one["sd_c"], one["mean_c"] + 8 * one["sd_c"], 2001)
        posterior = Posterior.of(c, norm.logpdf(c, one["mean_c"], one["sd_c"]))
        for end, published, computed in zip(
            ("low", "high"), (one["cr_min"], one["cr_max"]), posterior.region(), strict=True
        ):
            item = f"Table II, {one['name']}, region {end}"
            note = "ends are printed on a grid of 0.01, rounded outwards"
            yield Reproduction(PAPER, item, published, computed, 2 * _GRID, note)


def _order(tables: dict[str, Any]) -> Iterator[Reproduction]:
    elos = [one["elo_min"] + 10 for one in tables["datasets"]]
    means = [one["mean_c"] for one in tables["apparent_skill"]]
    item = "Table II, rank correlation of c with Elo"
    yield Reproduction(PAPER, item, 1.0, float(spearmanr(elos, means).statistic), 1e-9)


def _information(tables: dict[str, Any]) -> Iterator[Reproduction]:
    """Deviations of two data sets of unlike size agree once the number of decisions is allowed for.

    Deviation times the square root of decisions changes slowly with c: neighbours agree within 5%.
    """
    events = {one["name"]: one["events"] for one in tables["datasets"]}
    deviations = {one["name"]: one["sd_c"] for one in tables["apparent_skill"]}
    for small, large in (("E2100", "E2200"), ("E2700", "E2600")):
        computed = deviations[large] * float(np.sqrt(events[large] / events[small]))
        item = f"Table II, deviation of {small} from that of {large}"
        yield Reproduction(PAPER, item, deviations[small], computed, 0.05 * deviations[small])


def _single_games(tables: dict[str, Any]) -> Iterator[Reproduction]:
    single = tables["single_games_E2400"]
    groups = [single[name] for name in ("lost", "won", "drawn")]
    mean = np.average([one["mean"] for one in groups], weights=[one["n"] for one in groups])
    yield Reproduction(PAPER, "Table III, mean over all single games", single["all"], float(mean), 0.0001)
    games = single["won"]["n"] + single["drawn"]["n"] / 2
    yield Reproduction(PAPER, "section V.D, number of games", 602, games, 0)
