"""Makes docs/reproduction/alliot.md: what Alliot 2017 found, beside what we find on real games.

    python -m research.papers alliot2017 SHARED_DATA_FOLDER [--earlier DECISIONS.parquet]

Reads `analysed/championship-years.parquet` and `analysed/mileposts.parquet` of that folder. `--earlier` is a
file of decisions from years before, analysed by `assay analyse` (the page says how); without it the page
keeps the table of earlier years that it has.
"""

from __future__ import annotations

import argparse
from importlib.resources import files
from pathlib import Path

from assay.decisions.decisions import Decisions
from research.markdown import render
from research.papers.alliot2017 import champions as of_champions
from research.papers.alliot2017 import losses, markov_variants, matches

PAGE = "reproduction/alliot.md"
TEMPLATE = files(__package__) / "alliot.md.jinja"


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the page is made from."""
    parser.add_argument("shared", type=Path, help="folder with the analysed games")
    parser.add_argument("--earlier", type=Path, help="decisions of years before")


def make(given: argparse.Namespace) -> dict[str, str]:
    """The page."""
    analysed = given.shared / "analysed"
    champions = Decisions.read(analysed / "championship-years.parquet")
    mileposts = Decisions.read(analysed / "mileposts.parquet")
    if given.earlier is not None:
        earlier = matches.earlier(champions, given.earlier)
    else:
        earlier = matches.kept_earlier(given.docs / PAGE)
    return {PAGE: render(TEMPLATE, {**context(champions, mileposts), "earlier": earlier})}


def context(champions: Decisions, mileposts: Decisions) -> dict[str, object]:
    """What the page says of the championship years and of the milepost games."""
    both = {
        "year before only": matches.forecasts(champions, markov_variants.ONE_YEAR),
        "forgetting factor 2": matches.forecasts(champions, 2.0),
    }
    return {
        "table_5": matches.table_5(both["forgetting factor 2"]),
        "errors": matches.mean_errors(both),
        "variants": markov_variants.markov_variants(champions),
        "prior": markov_variants.prior_strengths(champions),
        "simulated": markov_variants.simulated(),
        "colour": losses.by_colour(champions),
        "curve": losses.conformance_curve(mileposts),
        "pondering": losses.pondering(mileposts, champions),
        "covariance": losses.covariance_table(mileposts),
        "surface": losses.covariance_surface(mileposts),
        "complexity": of_champions.complexity_table(champions, mileposts),
        "years": of_champions.best_years(champions),
    }
