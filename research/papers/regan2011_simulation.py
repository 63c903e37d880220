"""Agents of known s and c on real decisions: bias and coverage of `choice`.

    python -m research choice-simulation DECISIONS [--turns 200 1000] [--replications 300]

Each replication draws whole player-games until there are enough turns, lets the agent choose, and fits by
resampling the games.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.profile import ProfileStack
from assay.errors import FitError
from assay.models.choice.model import ChoiceModel
from assay.models.choice.spreads import Scaling, Spreads, spreads_of
from assay.models.choice.sums import DIFFERENCE, PERCENTILES, Summaries, play, probabilities
from research import command
from research.markdown import table
from research.papers.all_moves import all_moves, read_as

NAMES = ("s", "c", "reference_ad")


def player_games(decisions: Decisions) -> list[Ints]:
    """Rows of each player in each game."""
    unit = decisions.codes("game_id") * 2 + decisions.numbers("ply").astype(np.int64) % 2
    order = np.argsort(unit, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(unit[order])) + 1)


def drawn(units: list[Ints], turns: int, generator: np.random.Generator) -> tuple[Ints, Ints]:
    """Rows of whole player-games, the last cut short, with the number of the game of each row."""
    rows, total = [], 0
    while total < turns:
        unit = units[generator.integers(len(units))][: turns - total]
        rows.append(unit)
        total += len(unit)
    return np.concatenate(rows), np.repeat(np.arange(len(rows)), [len(unit) for unit in rows])


def drawn_moves(spreads: Spreads, agent: Floats, rows: Ints, generator: np.random.Generator) -> Ints:
    """Index of the agent's move in each of these turns."""
    part = spreads.take(rows)
    lengths = np.diff(part.offsets)
    flat = np.repeat(spreads.offsets[rows] - part.offsets[:-1], lengths) + np.arange(part.offsets[-1])
    return play(part, agent[flat], generator).played


class Prepared:
    """Probability of every option, and of those before it, at every node: the same for all replications."""

    def __init__(self, model: ChoiceModel, spreads: Spreads) -> None:
        grid = model.grid
        nodes = [(s, c) for s in grid.log_s for c in grid.log_c]
        self.model = model
        self.p = np.empty((len(spreads.delta), len(nodes)), np.float32)
        self.before = np.empty_like(self.p)
        starts = spreads.offsets[:-1]
        for k, (log_s, log_c) in enumerate(nodes):
            p = probabilities(spreads, math.exp(log_s), math.exp(log_c), model.curve, model.conversion)
            reached = np.cumsum(p) - p
            self.p[:, k] = p
            self.before[:, k] = reached - np.repeat(reached[starts], np.diff(spreads.offsets))

    def stack(self, option: Ints, game: Ints) -> ProfileStack:
        """Profiles of games in which these options (flat places) were played; only what fits need."""
        p, before = self.p[option].astype(np.float64), self.before[option].astype(np.float64)
        up = np.clip((PERCENTILES[:, None] - before[:, None, :]) / np.maximum(p, 1e-30)[:, None, :], 0, 1)
        starts = np.flatnonzero(np.diff(game, prepend=-1))
        counts = np.add.reduceat(up, starts)
        n = len(starts)
        # Fits of resampled games need nothing else of the evidence.
        rest = np.zeros((n, self.model.grid.size - counts[0].size))
        rows = np.column_stack((counts.reshape(n, -1), rest))
        keys = tuple(str(number) for number in range(n))
        decisions = np.bincount(game).astype(np.float64)
        return ProfileStack(self.model.identity, keys, rows, self.model.shape, decisions, np.ones(n))


def check(model: ChoiceModel, spreads: Spreads, prepared: Prepared) -> None:
    """What was prepared gives the same estimate as the model's own evidence."""
    turns = np.arange(300)
    game = turns // 30
    part = spreads.take(turns)
    rows = model.grid.collect(Summaries(part, model.curve, model.conversion), game, 10)
    collected = replace(prepared.stack(spreads.offsets[turns] + spreads.played[turns], game), evidence=rows)
    other = prepared.stack(spreads.offsets[turns] + spreads.played[turns], game)
    for name in ("s", "c"):
        ours, theirs = (model.resampled(stack, 50)[name] for stack in (collected, other))
        np.testing.assert_allclose([ours.value, ours.low], [theirs.value, theirs.low], rtol=1e-3)


def simulate(
    prepared: Prepared,
    everything: Spreads,
    units: list[Ints],
    turns: int,
    s: float,
    c: float,
    replications: int,
    seed: int,
) -> dict[str, object]:
    """Errors and coverage of s, c and the reference loss over replications of one agent."""
    model = prepared.model
    loss = Summaries(model.reference).at(math.log(s), math.log(c))[DIFFERENCE] / len(model.reference)
    truth = dict(zip(NAMES, (s, c, loss), strict=True))
    agent = probabilities(everything, s, c, model.curve, model.conversion)
    generator = np.random.default_rng(seed)
    off_by: list[list[float]] = []
    covered, failed = [], 0
    for replication in range(replications):
        rows, game = drawn(units, turns, generator)
        moves = drawn_moves(everything, agent, rows, generator)
        stack = prepared.stack(everything.offsets[rows] + moves, game)
        try:
            resampled = model.resampled(stack, 300, seed=replication)
        except FitError:
            failed += 1
            continue
        off_by.append([math.log(resampled[name].value / truth[name]) for name in NAMES])
        covered.append([resampled[n].low <= truth[n] <= resampled[n].high for n in NAMES])
    off = np.array(off_by)
    by_name = {
        name: {
            "truth": truth[name],
            "median_off_percent": 100 * float(np.expm1(np.median(off[:, k]))),
            "mean_off_percent": 100 * float(np.expm1(off[:, k]).mean()),
            "deviation_percent": 100 * float(off[:, k].std()),
            "coverage_percent": 100 * float(np.mean(covered, axis=0)[k]),
        }
        for k, name in enumerate(NAMES)
    }
    counts = {"turns": turns, "s": s, "c": c, "replications": replications, "failed": failed}
    return {**counts, "seed": seed, "quantities": by_name}


LINES = (500, 10, 5, 4)
"""Lines of the engine through which agents are read; all legal moves first."""

GAMES, TURNS = 40, 30
"""Games of a simulated player, and turns of each."""


def through_lines(
    lines: int, unlisted: str, s: float, c: float, replications: int, seed: int = 1
) -> dict[str, tuple[float, float]]:
    """Agents that choose among all legal moves, read through some lines: mean s and c, and their coverage."""
    whole = all_moves()
    whole = whole.take(np.flatnonzero((np.abs(whole.best_value) <= 300) & (whole.n_options > 1)))
    model = ChoiceModel(scaling=Scaling(unlisted=unlisted))
    generator = np.random.default_rng(seed)
    game = np.repeat(np.arange(GAMES), TURNS)
    estimates = []
    for replication in range(replications):
        turns = whole.take(generator.integers(0, len(whole), len(game)))
        spreads = spreads_of(turns)
        turns = turns.with_played(play(spreads, probabilities(spreads, s, c), generator).played)
        rows = model.grid.collect(model.summaries(read_as(turns, lines)), game, GAMES)
        counts = np.full(GAMES, float(TURNS))
        keys = tuple(map(str, range(GAMES)))
        stack = ProfileStack(model.identity, keys, rows, model.shape, counts, np.ones(GAMES))
        estimates.append(model.resampled(stack, 200, seed=replication))
    return {
        name: (
            float(np.mean([estimate[name].value for estimate in estimates])),
            float(np.mean([estimate[name].low <= truth <= estimate[name].high for estimate in estimates])),
        )
        for name, truth in (("s", s), ("c", c))
    }


def lines_table(agents: Sequence[tuple[float, float]], replications: int) -> str:
    """Agents read through some lines, by what is assumed of unlisted moves."""
    rows = []
    for s, c in agents:
        for lines in LINES:
            for unlisted in ("measured",) if lines == LINES[0] else ("tail", "measured"):
                numbers = through_lines(lines, unlisted, s, c, replications)
                cells = (f"{mean:.3f}, {covered:.1%}" for mean, covered in numbers.values())
                shown = "all" if lines == LINES[0] else str(lines)
                rows.append((f"{s}, {c}", shown, "" if shown == "all" else unlisted, *cells))
    return table(("agent s, c", "lines", "unlisted moves", "s, covered", "c, covered"), rows)


def simulation_table(rows: list[dict[str, Any]]) -> str:
    """What the simulation found, a row for each agent and number of turns."""
    cells = []
    for row in rows:
        quantities = row["quantities"]
        cells.append(
            (
                f"{row['turns']:,}",
                f"{row['s']}, {row['c']}",
                row["replications"],
                row["failed"],
                *(
                    f"{quantities[k]['median_off_percent']:+.1f} ({quantities[k]['deviation_percent']:.1f})"
                    for k in quantities
                ),
                ", ".join(f"{quantities[k]['coverage_percent']:.1f}" for k in quantities),
            )
        )
    return table(
        (
            "turns",
            "s, c",
            "replications",
            "no number",
            "s off, % (deviation)",
            "c off, %",
            "reference loss off, %",
            "coverage of s, c, reference loss, %",
        ),
        cells,
    )


def main(words: Sequence[str]) -> None:
    """Simulate every agent with every number of turns."""
    parser = command("choice-simulation", __doc__)
    parser.add_argument("decisions", type=Path)
    parser.add_argument("--turns", type=int, nargs="+", default=[200, 1000, 5000])
    parser.add_argument("--agents", nargs="+", default=["0.15,0.5", "0.28,0.45", "0.1,0.6"], metavar="S,C")
    parser.add_argument("--replications", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(words)
    agents = [(float(s), float(c)) for s, c in (agent.split(",") for agent in given.agents)]
    print(lines_table(agents, given.replications) + "\n")
    model = ChoiceModel()
    decisions, _ = model.select(Decisions.read(given.decisions))
    everything, units = model.summaries(decisions).spreads, player_games(decisions)
    prepared = Prepared(model, everything)
    check(model, everything, prepared)
    rows = []
    for turns in given.turns:
        for s, c in agents:
            rows.append(simulate(prepared, everything, units, turns, s, c, given.replications, given.seed))
    print(simulation_table(rows))
