"""The page of ratings: one self-contained HTML file that opens without a network and prints well."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from jinja2 import Environment
from markupsafe import Markup

from assay.answers.ratings import Ratings
from assay.decisions.decisions import Decisions
from assay.decisions.exclusions import MEANINGS
from assay.figures.style import REFERENCE_SHAPE, SHAPES, page_style
from assay.report.environment import page_templates
from assay.report.parts import wording
from assay.report.parts.cards import cards
from assay.report.parts.insights import RATE_WORDS, PlayerInsights, apart, ranked
from assay.report.parts.intervals import interval_plot
from assay.report.parts.losses import biggest_losses
from assay.report.parts.meetings import cross_table, expectation_table
from assay.report.parts.summary import summarise, units
from assay.report.provenance import Provenance

__all__ = ["Provenance", "ratings_page"]

OPEN_CARDS = 3
"""Cards that are open at first where there are many players."""

FEW_PLAYERS = 6
"""Up to so many, all cards are open."""


def ratings_page(
    ratings: Ratings,
    decisions: Decisions,
    *,
    source: str,
    made: Provenance,
    insights: Sequence[PlayerInsights] = (),
) -> str:
    """The report of a study as HTML text; `source` names the games or the file that they are from.

    `insights` are sections about single players (assay.report.parts.insights).
    """
    return (
        templates()
        .get_template("ratings.html")
        .render(
            ratings=ratings,
            source=source,
            made=made,
            summary=summarise(ratings),
            decisions=sum(one.decisions for one in ratings.players),
            units=units(ratings),
            left_out=[(MEANINGS.get(reason, reason), n) for reason, n in made.left_out.items()],
            plot=interval_plot(ratings),
            shapes=list(SHAPES.values()),
            reference_shape=REFERENCE_SHAPE,
            figure_style=Markup(page_style()),
            cards=cards(ratings, decisions),
            open_cards=len(ratings) if len(ratings) <= FEW_PLAYERS else OPEN_CARDS,
            crosstable=cross_table(ratings, decisions),
            expectations=expectation_table(ratings),
            insights=insights,
            rate_words=RATE_WORDS,
            losses=biggest_losses(decisions.select(player=sorted({one.player for one in ratings.players}))),
        )
    )


@cache
def templates() -> Environment:
    """The templates of pages, with their filters."""
    environment = page_templates("assay.report")
    for name in ("elo", "interval", "points", "counted", "measured", "measured_interval", "range_of"):
        environment.filters[name] = getattr(wording, name)
    environment.filters["apart"] = apart
    environment.filters["ranked"] = ranked
    environment.globals["asset"] = _asset
    environment.globals["fingerprint"] = _fingerprint
    return environment


def _asset(name: str) -> Markup:
    """A style sheet or script of ours, to stand in the page as it is."""
    return Markup((files("assay.report") / "templates" / name).read_text(encoding="utf-8"))


def _fingerprint(name: str) -> str:
    """The hash by which the page allows this script and no other to run."""
    digest = hashlib.sha256(str(_asset(name)).encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
