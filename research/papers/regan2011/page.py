"""Makes docs/reproduction/choice.md and its figure: the method `choice` on real games.

    python -m research.papers regan2011 DECISIONS SIMULATION

DECISIONS holds decisions of players of known Elo with all their options; SIMULATION is what
`python -m research.papers.regan2011.simulation` wrote. Every number on the page is measured here or read
from there.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from assay.decisions.decisions import Decisions
from assay.models.choice.model import ChoiceModel
from assay.models.choice.spreads import Scaling
from assay.models.choice.tables import Milepost, milepost_table, mileposts_of
from assay.reproduce import facts
from research.markdown import render, table
from research.papers.regan2011 import real_games
from research.papers.regan2011.figure import svg

PAGE, FIGURE = "reproduction/choice.md", "images/choice_mileposts.svg"
TEMPLATE = files(__package__) / "choice.md.jinja"


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the page is made from."""
    parser.add_argument("decisions", type=Path, help="decisions of milepost games")
    parser.add_argument("simulation", type=Path, help="JSON file of the simulation")


def make(given: argparse.Namespace) -> dict[str, str]:
    """The page and its figure."""
    decisions = Decisions.read(given.decisions)
    model = ChoiceModel()
    published = {row["elo"]: row for row in facts("regan2011")["periods"]["2006-2009"]}
    rows = milepost_table(model, decisions)
    simulated = json.loads(given.simulation.read_text(encoding="utf-8"))
    context = {
        **on_mileposts(rows, published),
        **on_settings(model, decisions),
        "simulation": simulation_table(simulated),
    }
    return {PAGE: render(TEMPLATE, context), FIGURE: svg(rows, published)}


def on_mileposts(rows: Sequence[Milepost], published: dict[int, dict[str, Any]]) -> dict[str, object]:
    """What the page says of the paper's table."""
    ours = np.corrcoef([row.elo for row in rows], [row.s_fit for row in rows])[0, 1]
    theirs = np.corrcoef(list(published), [row["s_fit"] for row in published.values()])[0, 1]
    low, high = (100 * rows[place].projections.mm.actual for place in (-1, 0))
    return {
        "games": sum(row.games for row in rows),
        "turns": f"{sum(row.decisions for row in rows):,}",
        "mileposts": real_games.mileposts(rows, published),
        "correlation": f"{ours:.3f}",
        "paper_correlation": f"{theirs:.3f}",
        "lowest_agreement": f"{low:.1f}",
        "highest_agreement": f"{high:.1f}",
        "chance": f"{np.mean([row.projections.q_fit.projected for row in rows]):.3f}",
        "ratios": real_games.variance_ratios(rows),
    }


def on_settings(model: ChoiceModel, decisions: Decisions) -> dict[str, object]:
    """What the page says of settings and of ways to fit."""
    parts = mileposts_of(model, decisions)
    left_out = ChoiceModel(scaling=Scaling(unlisted="left out"))
    tail_bias, tail_error = real_games.halves_error(model, decisions)
    left_out_bias, left_out_error = real_games.halves_error(left_out, decisions)
    return {
        "outside": f"{100 * real_games.outside_lines(parts):.1f}",
        "variants": real_games.variants(model, left_out, parts),
        "methods": real_games.methods(model, parts),
        "tail_error": f"{tail_error:.0f}",
        "tail_bias": f"{tail_bias:+.0f}",
        "left_out_error": f"{left_out_error:.0f}",
        "left_out_bias": f"{left_out_bias:+.0f}",
    }


def simulation_table(rows: list[dict[str, Any]]) -> str:
    """What the simulation found, a row for each agent and number of turns."""
    cells = []
    for row in rows:
        found = row["quantities"]
        cells.append(
            (
                f"{row['turns']:,}",
                f"{row['s']}, {row['c']}",
                row["replications"],
                row["failed"],
                *(
                    f"{found[k]['median_off_percent']:+.1f} ({found[k]['deviation_percent']:.1f})"
                    for k in found
                ),
                ", ".join(f"{found[k]['coverage_percent']:.1f}" for k in found),
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
