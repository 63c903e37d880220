"""Whose values a game brings along, by what it says of itself: what a calibration is for.

Values of one evaluator are not those of another, and ratings of one server, or time class, are not those of
another. A game of which this is not known has values all the same, but no scale.
"""

from __future__ import annotations

import re

from assay.decisions.exclusions import CLASSICAL

ANNOTATED = "annotations"
"""Stands in the column recipe_id for evaluations from the games' own comments, whoever made them."""

OURSELVES = "assay"
"""The evaluator of games that this program wrote with its analyses: from White's view, and nobody's scale."""

FIDE_CLASSICAL = "evaluated-fide-classical"
FICS_BLITZ = "evaluated-fics-blitz"
LICHESS = {name: f"evaluated-lichess-{name}" for name in ("bullet", "blitz", "rapid", "classical")}

EVALUATED = (FIDE_CLASSICAL, *LICHESS.values(), FICS_BLITZ)
"""Sources of values that are known: each is found in the games, and may have a calibration."""

OF_SERVERS = frozenset({*LICHESS.values(), FICS_BLITZ})
"""Of those, the ones whose ratings are a server's own, for one time class each."""

DEPTHS = range(14, 21)
"""Depths of Stockfish that go together (docs/evaluated.md says how much they differ)."""

_SPEED = re.compile(r"\b(bullet|blitz|rapid|classical)\b", re.I)
_DEPTH = re.compile(r"\bdepth (\d{1,3})\b")
_SERVER = re.compile(r"://|\b(lichess|fics|freechess|chess\.com|chess24|icc)\b", re.I)


def evaluated_by(site: str, event: str, evaluator: str, time_class: str) -> str:
    """The source of a game's values by its tags; ANNOTATED where it is not one that is known."""
    if evaluator == OURSELVES:
        return ANNOTATED
    if "/broadcast" in site:  # relayed by lichess: the ratings are FIDE's, the values another engine's
        return ANNOTATED
    if "lichess.org" in site:
        named = _SPEED.search(event)  # names the rating, whose limits of time are not FIDE's
        return LICHESS.get(named[1].lower() if named else time_class, ANNOTATED)
    found = _DEPTH.search(evaluator)
    if found is None or not evaluator.startswith(("Stockfish", "depth")) or int(found[1]) not in DEPTHS:
        return ANNOTATED
    if re.search(r"\b(fics|freechess)\b", site, re.I):
        return FICS_BLITZ if time_class == "blitz" else ANNOTATED
    return FIDE_CLASSICAL if time_class in CLASSICAL and not _SERVER.search(site) else ANNOTATED
