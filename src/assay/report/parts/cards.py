"""One card per player: a figure for each method, on axes that all cards share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.answers.ratings import PlayerRating, Quantity, Ratings
from assay.decisions.decisions import Decisions
from assay.figures.axes import span
from assay.figures.svg import Point
from assay.report.parts import panels
from assay.report.parts.evidence import Examiner, PlayerEvidence, decisions_of
from assay.report.parts.panels import Figure, Frame

MOST_CARDS = 150
"""Beyond these the page would be slow to open."""


@dataclass(frozen=True)
class Card:
    """A player with the figures of the methods."""

    rated: PlayerRating
    figures: tuple[Figure, ...]


def cards(ratings: Ratings, decisions: Decisions, most: int = MOST_CARDS) -> list[Card]:
    """Cards of the first players."""
    examiner = Examiner()
    chosen = ratings.players[:most]
    found = [examiner.examine(decisions_of(decisions, rated, ratings.by)) for rated in chosen]
    frame = _frame(examiner.compare(decisions), chosen, found)
    return [
        Card(rated, tuple(_figures(examiner, own, rated, frame)))
        for rated, own in zip(chosen, found, strict=True)
    ]


def single_card(rated: PlayerRating, own: Decisions, everybody: PlayerEvidence) -> Card:
    """The card of one player by itself, on its own axes; `everybody` is `Examiner.compare` of all."""
    examiner = Examiner()
    found = examiner.examine(own)
    return Card(rated, tuple(_figures(examiner, found, rated, _frame(everybody, [rated], [found]))))


def _figures(examiner: Examiner, own: PlayerEvidence, rated: PlayerRating, frame: Frame) -> Iterator[Figure]:
    drawn: dict[str, tuple[str, Callable[[], Figure]]] = {
        "gain": ("Distribution of gain", lambda: panels.gain(examiner, own, frame)),
        "conformance": ("Conformance", lambda: panels.conformance(examiner, own, frame)),
        "bayes": ("Posterior of the skill c", lambda: panels.skill(examiner, own, frame)),
        "choice": ("Sensitivity and consistency", lambda: panels.choice(own, frame)),
        "markov": ("Markov matrix", lambda: panels.markov(own)),
    }
    failures = {**frame.everybody.failures, **own.failures}
    for method, (title, draw) in drawn.items():
        if method in failures:
            yield Figure(title, failure=failures[method])
        else:
            yield replace(draw(), decisions=round(own.profiles[method].decisions))
    yield panels.history(rated, frame)


def _frame(
    everybody: PlayerEvidence, chosen: Sequence[PlayerRating], found: Sequence[PlayerEvidence]
) -> Frame:
    skills = [own.estimates["bayes"]["c"] for own in found if "bayes" in own.estimates]
    choices = [own.estimates["choice"] for own in found if "choice" in own.estimates]
    ratings = [rating for rated in chosen for _, rating in rated.history]
    return Frame(
        everybody,
        found,
        skill=span(end for c in skills for end in (c.value - 3 * c.deviation, c.value + 3 * c.deviation)),
        sensitivity=_above_zero(span(_ends([choice["s"] for choice in choices]))),
        consistency=_above_zero(span(_ends([choice["c"] for choice in choices]))),
        elo=span(end for rating in ratings for end in (rating.low, rating.elo, rating.high)),
    )


def _above_zero(ends: Point) -> Point:
    """A range of what is never negative."""
    return max(ends[0], 0.0), ends[1]


def _ends(quantities: Sequence[Quantity]) -> list[float]:
    """Ends of the intervals, far wider ones cut: one of them must not flatten all the others."""
    if not quantities:
        return []
    usual = 1.5 * float(np.median([quantity.high - quantity.low for quantity in quantities]))
    return [end for q in quantities for end in (max(q.low, q.value - usual), min(q.high, q.value + usual))]
