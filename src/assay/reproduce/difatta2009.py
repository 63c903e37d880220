"""Di Fatta, Haworth and Regan 2009: what follows from their printed numbers.

Their games are not available, so Table II itself cannot be recomputed; its columns and those of Table III
can be checked against each other, the agent against what the text says of it, and the posterior against
agents of the printed skill.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from scipy.stats import norm, spearmanr

from assay.answers.results import Reproduction
from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile
from assay.models.bayes import BayesModel, Posterior, option_probabilities
from assay.models.choice.spreads import reference_positions
from assay.reproduce import facts

PAPER = "difatta2009"

_DIGIT = 0.0001
"""The last digit of the printed means. Half of it is their rounding; the other half allows for the mean of a
posterior of some ten thousand decisions, which lies that little above its peak."""

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
        *_posteriors(tables),
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
    chance = float(chances[-1])
    yield Reproduction(PAPER, item, None, chance, 1e-9, kind="inference", expected=1 / lines)


def _regions(tables: dict[str, Any]) -> Iterator[Reproduction]:
    """95% regions from mean and deviation: the posterior of 12,000 and more decisions is normal."""
    for row in tables["apparent_skill"]:
        c = np.linspace(row["mean_c"] - 8 * row["sd_c"], row["mean_c"] + 8 * row["sd_c"], 2001)
        posterior = Posterior.of(c, norm.logpdf(c, row["mean_c"], row["sd_c"]))
        for end, published, computed in zip(
            ("low", "high"), (row["cr_min"], row["cr_max"]), posterior.region(), strict=True
        ):
            item = f"Table II, {row['name']}, region {end}"
            note = "ends are printed on a grid of 0.01, rounded outwards"
            yield Reproduction(PAPER, item, published, computed, 2 * _GRID, note, kind="arithmetic")


def _order(tables: dict[str, Any]) -> Iterator[Reproduction]:
    elos = [row["elo_min"] + 10 for row in tables["datasets"]]
    means = [row["mean_c"] for row in tables["apparent_skill"]]
    item = "Table II, rank correlation of c with Elo"
    rank = float(spearmanr(elos, means).statistic)
    yield Reproduction(PAPER, item, None, rank, 1e-9, kind="arithmetic", expected=1.0)


def _information(tables: dict[str, Any]) -> Iterator[Reproduction]:
    """Deviations of two data sets of unlike size agree once the number of decisions is allowed for.

    Deviation times the square root of decisions changes slowly with c: neighbours agree within 5%.
    """
    events = {row["name"]: row["events"] for row in tables["datasets"]}
    deviations = {row["name"]: row["sd_c"] for row in tables["apparent_skill"]}
    for small, large in (("E2100", "E2200"), ("E2700", "E2600")):
        computed = deviations[large] * float(np.sqrt(events[large] / events[small]))
        item = f"Table II, deviation of {small} from that of {large}"
        tolerance = 0.05 * deviations[small]
        yield Reproduction(PAPER, item, deviations[small], computed, tolerance, kind="arithmetic")


def _single_games(tables: dict[str, Any]) -> Iterator[Reproduction]:
    single = tables["single_games_E2400"]
    groups = [single[name] for name in ("lost", "won", "drawn")]
    mean = np.average([group["mean"] for group in groups], weights=[group["n"] for group in groups])
    item = "Table III, mean over all single games"
    yield Reproduction(PAPER, item, single["all"], float(mean), 0.0001, kind="arithmetic")
    games = single["won"]["n"] + single["drawn"]["n"] / 2
    yield Reproduction(PAPER, "section V.D, number of games", 602, games, 0, kind="arithmetic")


def _posteriors(tables: dict[str, Any]) -> Iterator[Reproduction]:
    """Section IV: the posterior of as many decisions as Table I has, by agents of the skill of Table II.

    The agent chooses on the bundled positions, each option as often as its probability says (a weight, since
    evidence adds): no chance is left, and the posterior must find the agent.
    """
    model, decisions = BayesModel(offset=tables["K"]), every_option_played()
    evidence = model.evidence(decisions, np.arange(len(decisions)), len(decisions))
    played = decisions.offsets[:-1] + decisions.played_index
    for row, made_of in zip(tables["apparent_skill"], tables["datasets"], strict=True):
        times = model.agent(decisions, row["mean_c"])[played] * made_of["events"] / len(reference_positions())
        profile = Profile(model.identity, times @ evidence, made_of["events"], made_of["games"])
        posterior = model.posterior(profile)
        item = f"Table II, {row['name']}, mean of the posterior of {made_of['events']} simulated decisions"
        note = f"deviation {posterior.deviation:.5f} on our positions and engine, {row['sd_c']} in print"
        skill = row["mean_c"]
        yield Reproduction(PAPER, item, None, posterior.mean, _DIGIT, note, kind="inference", expected=skill)


def every_option_played() -> Decisions:
    """The bundled positions, once for each of their options: that option is played."""
    # Some of these lists are not best first, as decisions must be; the agent chooses among them in any order.
    lists = [sorted(values, reverse=True) for _, values in reference_positions()]
    rows = [(values, index) for values in lists for index in range(len(values))]
    return Decisions.from_table(
        pa.table(
            {
                "player": ["E(c)"] * len(rows),
                "moves": [[f"move {rank}" for rank in range(len(values))] for values, _ in rows],
                "cp": [values for values, _ in rows],
                "played": [f"move {index}" for _, index in rows],
            }
        )
    )
