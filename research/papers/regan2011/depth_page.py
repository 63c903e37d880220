"""Makes docs/depth.md: the method `depth`, and what the paper foresees of it, on milepost games.

    python -m research depth WORKSPACE

WORKSPACE holds the analysed games that pick_mileposts.py picked. Every number on the page is measured
here.
"""

from __future__ import annotations

from importlib.resources import files

import numpy as np

from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.models.depth.agents import DepthAgent
from research.markdown import render, table
from research.papers.regan2011 import depth_held_out, depth_predictions
from research.papers.regan2011.depth_positions import AllMoves
from research.papers.regan2011.depth_predictions import MilepostDecisions, share
from research.papers.regan2011.depth_simulation import Recovery, Simulation

PAGE = "depth.md"
TEMPLATE = files(__package__) / "depth.md.jinja"

BANDS = {"1500 to 1900": range(1500, 2000, 100), "2000 to 2300": range(2000, 2400, 100)}
BANDS["2400 to 2800"] = range(2400, 2900, 100)

AGENTS = (DepthAgent(2.5, 0.25, 0.7), DepthAgent(3.1, 0.15, 1.1), DepthAgent(3.9, 0.09, 1.6))
"""Near the mileposts of 1600, 2100 and 2700."""


def depth_page(decisions: Decisions, resamples: int = 200, players: int = 500) -> str:
    """The page."""
    of = MilepostDecisions(decisions)
    weights = depth_predictions.resampled_games(of.n_games, resamples)
    return render(
        TEMPLATE,
        {
            "games": of.n_games,
            "decisions": f"{len(of.decisions):,}",
            "resamples": resamples,
            **on_weights(of, weights),
            **_on_held_out(decisions, resamples),
            "simulation": recovered(_simulated(players)),
            "players": players,
        },
    )


def on_weights(of: MilepostDecisions, weights: Floats) -> dict[str, object]:
    """Weights by milepost, late moves, and ties."""
    elos = of.mileposts.elos
    found = depth_predictions.weights_by_milepost(of.evidence_by_game(), weights, of.model.depths)
    rows = [
        (century, int((of.milepost == place).sum()), *(share(found[:, place, k]) for k in range(4)))
        for place, century in enumerate(of.mileposts.centuries)
    ]
    c, sight, rise, depth = depth_predictions.slopes(elos, found)
    agents = [DepthAgent(float(one[0]), float(one[1]), float(one[2])) for one in found[0]]
    projected = of.projected(of.last_depth_agents()), of.projected(agents)
    bands = {
        name: [one for one in centuries if one in of.mileposts.centuries] for name, centuries in BANDS.items()
    }
    best = depth_predictions.best_moves(of, bands, projected, weights)
    tied = depth_predictions.ties(of, projected[1], weights)
    heads = ("Elo", "decisions", "c", "sight", "rise", "mean depth")
    late = ("positions", "decisions", "best move played", "less last depth alone", "less all depths")
    return {
        "mileposts": table(heads, rows),
        "slope_c": c,
        "slope_sight": sight,
        "slope_rise": rise,
        "slope_depth": depth,
        "late": table(late, [(b.name, b.decisions, b.played, b.last_depth, b.all_depths) for b in best]),
        "ties": tied.decisions,
        "ties_first": tied.first,
        "ties_projected": tied.projected,
        "ties_off": tied.off,
    }


def _on_held_out(decisions: Decisions, resamples: int) -> dict[str, object]:
    centuries, sums, counts = depth_held_out.held_out(decisions)
    mean = sums.sum(axis=1) / counts.sum(axis=1)[:, None]
    rows = [
        (century, int(counts[place].sum()), *(f"{one:.3f}" for one in mean[place]))
        for place, century in enumerate(centuries)
    ]
    weights = depth_predictions.resampled_games(counts.shape[1], resamples, seed=1)
    below = weights @ counts.sum(axis=0)
    total = (weights @ sums.sum(axis=0)) / below[:, None]
    rows.append(("all", int(counts.sum()), *(f"{one:.3f}" for one in total[0])))
    return {
        "held_out": table(("Elo", "decisions", *depth_held_out.METHODS), rows),
        "over_choice": share(total[:, 2] - total[:, 0]),
        "over_bayes": share(total[:, 2] - total[:, 1]),
    }


def _simulated(players: int) -> list[Recovery]:
    simulation = Simulation(AllMoves.kept())
    return [simulation.recover(agent, size, players) for size in (300, 1000) for agent in AGENTS]


def recovered(found: list[Recovery]) -> str:
    """What was found of each agent."""
    heads = ("decisions", "c", "found", "covered", "logit", "found", "covered", "rise", "found", "covered")
    rows = []
    for one in found:
        cells: list[object] = [one.decisions]
        for k in range(3):
            middle = f"{one.mean[k]:.2f} ± {one.spread[k]:.2f}"
            cells += [f"{one.truth[k]:.2f}", middle, f"{100 * np.mean(one.covered[k]):.1f}%"]
        rows.append(cells)
    return table(heads, rows)
