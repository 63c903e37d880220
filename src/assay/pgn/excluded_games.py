"""Which reason a game carries why it must not be rated (what each means: `assay.decisions.exclusions`)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from assay.decisions.exclusions import Exclusion

if TYPE_CHECKING:
    from assay.pgn.san import Parsed
    from assay.pgn.sources import GameText
    from assay.pgn.tags import TaggedText


STANDARD_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"

_SIMUL = re.compile(
    r"\b(simul\w*|blindfold|odds|handicap|consult\w*|bf|exhib\w* simul\w*|clock simul\w*)\b", re.I
)
_COMMENT = re.compile(r"\{[^}]*+(?:\}|\Z)|;[^\n]*+")
_STANDARD_VARIANTS = {"", "standard", "chess", "normal", "from position", "?", "-", "classical"}


def exclusion_of(
    parts: TaggedText, parsed: Parsed, game: GameText, *, truncated: bool, conflict: bool, has_result: bool
) -> Exclusion | None:
    """The first plain reason that applies, duplicates apart: those show only among all games.

    What depends on a choice, length and time control, is worked out on reading.
    """
    tags = parts.tags
    fen = tags.get("FEN", "")
    checks = (
        (Exclusion.TOO_LARGE, truncated),
        (Exclusion.VARIANT, is_variant(tags)),
        (Exclusion.NONSTANDARD_START, bool(fen) and not fen.startswith(STANDARD_START)),
        (Exclusion.ILLEGAL_MOVE, parsed.error is not None),
        (Exclusion.BROKEN_MOVES, game.halved or _is_broken(parts)),
        (Exclusion.NO_MOVES, not len(parsed.codes)),
        (Exclusion.ODDS_OR_SIMUL, is_odds_or_simul(tags)),
        (Exclusion.RESULT_CONFLICT, conflict),
        (Exclusion.NO_RESULT, not has_result),
    )
    return next((reason for reason, applies in checks if applies), None)


def is_variant(tags: dict[str, str]) -> bool:
    """Whether the tag Variant names other rules."""
    return "Variant" in tags and tags["Variant"].strip().lower() not in _STANDARD_VARIANTS


def is_odds_or_simul(tags: dict[str, str]) -> bool:
    """Whether the words of the event name odds, a simultaneous, blindfold or consultation game."""
    return _names_odds_or_simul(tags.get("Event", ""), tags.get("EventType", ""))


@lru_cache(4096)
def _names_odds_or_simul(*words: str) -> bool:
    return bool(_SIMUL.search(" ".join(words)))


def _is_broken(parts: TaggedText) -> bool:
    """Whether a variation is not closed, so that the moves behind it are lost, or a comment not opened."""
    movetext = parts.movetext
    if "(" not in movetext and movetext.count("}") <= parts.opened:
        return False
    plain = _COMMENT.sub("", movetext)
    return plain.count("(") > plain.count(")") or "}" in plain
