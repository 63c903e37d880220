"""Makes docs/reproduction/bayes.md with its figure, and bayes-toga.md: the method `bayes` on real games.

    python -m research.papers difatta2009 [ANALYSED [--replications 1000]] [--toga WORKSPACE]

ANALYSED is a file of decisions from milepost games; WORKSPACE holds milepost games analysed with Toga II
(`python -m research.papers.difatta2009.toga_games`). Each makes its own page.
"""

from __future__ import annotations

import argparse
from importlib.resources import files
from pathlib import Path

from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.models.bayes import BayesModel
from assay.models.bayes_skill import mileposts
from assay.models.mileposts import mapping_from
from research.markdown import render
from research.papers.difatta2009 import real_games, unlisted
from research.papers.difatta2009.figure import density_svg
from research.papers.difatta2009.simulation import simulation
from research.papers.difatta2009.toga import toga

PAGE, TOGA_PAGE = "reproduction/bayes.md", "reproduction/bayes-toga.md"
FIGURE = "reproduction/bayes-densities.svg"
TEMPLATE = files(__package__) / "bayes.md.jinja"
TOGA_TEMPLATE = files(__package__) / "bayes-toga.md.jinja"


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the pages are made from."""
    parser.add_argument("analysed", type=Path, nargs="?", help="decisions of milepost games")
    parser.add_argument("--replications", type=int, default=1000, help="of the simulation")
    parser.add_argument("--toga", type=Path, help="workspace of games analysed with Toga II")


def make(given: argparse.Namespace) -> dict[str, str]:
    """The pages that there are decisions for."""
    pages = {}
    if given.toga is not None:
        pages[TOGA_PAGE] = render(TOGA_TEMPLATE, {"toga": toga(given.toga)})
    if given.analysed is not None:
        model, decisions = BayesModel(), Decisions.read(given.analysed)
        pages[FIGURE] = density_svg([skill for _, skill in mileposts(model, decisions)])
        pages[PAGE] = render(TEMPLATE, context(model, decisions, given.replications))
    if not pages:
        raise InputError("give a file of decisions of milepost games, or --toga with a workspace")
    return pages


def context(model: BayesModel, decisions: Decisions, replications: int) -> dict[str, object]:
    """What the page says of milepost games."""
    return {
        "table_2": real_games.table_2(model, decisions),
        "order": real_games.order(model, decisions),
        "table_3": real_games.table_3(model, decisions),
        "settings": real_games.settings(decisions),
        "mapping_error": f"{mapping_from(model, decisions).error:.0f}",
        "training": real_games.training(model, decisions),
        "replications": replications,
        "simulation": simulation(model, replications),
        "unlisted_simulated": unlisted.simulated(replications),
        "unlisted_real": unlisted.real(),
    }
