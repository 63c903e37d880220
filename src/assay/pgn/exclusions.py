"""How games are recognised that must not be rated (`decisions.exclusions`), and how fast they were played.

Time classes follow FIDE: with base time plus sixty increments, up to 10 minutes is blitz, below 60 rapid;
under 3 minutes is called bullet. What an event or a time control was found to say is remembered: a server has
few of them, and millions of games.
"""

import re
from functools import lru_cache

from assay.decisions.time_control import periods_of
from assay.pgn.clocks import time_control_of

_SIMUL = re.compile(
    r"\b(simul\w*|blindfold|odds|handicap|consult\w*|bf|exhib\w* simul\w*|clock simul\w*)\b", re.I
)
_WORDS = (
    ("correspondence", re.compile(r"\b(corr|correspondence|postal|e-?mail|iccf|ficgs|lss)\b", re.I)),
    ("bullet", re.compile(r"\b(bullet|hyperbullet|ultrabullet|lightning)\b", re.I)),
    ("blitz", re.compile(r"\b(blitz|armageddon|speed chess|titled tue\w*|5 ?min\w*|3 ?min\w*|3m)\b", re.I)),
    (
        "rapid",
        re.compile(
            r"\b(rapid\w*|rapidplay|active|semi-?blitz|quick\w*|tiebreak\w*|15 ?min\w*|25 ?min\w*)\b", re.I
        ),
    ),
    ("classical", re.compile(r"\b(classical|standard|longplay)\b", re.I)),
)
_MINUTES = re.compile(r"\b(\d{1,3})(?: ?min(?:s|utes?)?\b|'(?!\w))", re.I)
"""Minutes for the game in a name: `Sofia m 25'`, `Paris 30 min`."""

_ANY_WORD = re.compile("|".join((*(pattern.pattern for _, pattern in _WORDS), _MINUTES.pattern)), re.I)
_STANDARD_VARIANTS = {"", "standard", "chess", "normal", "from position", "?", "-", "classical"}


def time_class_of(tags: dict[str, str], movetext: str = "") -> str:
    """bullet, blitz, rapid, classical, correspondence, or unknown.

    The tag TimeControl tells first, then words of the tags EventType and TimeClass, then the clocks in the
    comments on the first moves, then words of the event's name.
    """
    from_tag = _class_of_control(tags.get("TimeControl", ""))
    if from_tag is not None:
        return from_tag
    kind = " ".join((tags.get("EventType", ""), tags.get("TimeClass", "")))
    found = _class_of_words(kind)
    if found is None and (clocks := time_control_of(movetext)) is not None:
        return _class_of_seconds(clocks)
    return found or _class_of_words(tags.get("Event", "")) or "unknown"


@lru_cache(4096)
def _class_of_words(words: str) -> str | None:
    if not _ANY_WORD.search(words):  # most events: one search in place of five
        return None
    named = next((name for name, pattern in _WORDS if pattern.search(words)), None)
    minutes = None if named else _MINUTES.search(words)
    return named if minutes is None else _class_of_seconds(60 * int(minutes[1]))


def _class_of_seconds(seconds: float) -> str:
    """Time class from base time plus sixty increments."""
    if seconds < 180:
        return "bullet"
    return "blitz" if seconds <= 600 else "rapid" if seconds < 3600 else "classical"


@lru_cache(4096)
def _class_of_control(control: str) -> str | None:
    """Time class from a TimeControl tag such as `40/7200:3600`, `2700+45`, `1/259200`."""
    seconds = 0
    for period in periods_of(control):
        if period.moves == 1 and period.base >= 86_400:
            return "correspondence"
        seconds += period.base + 60 * period.increment
    return _class_of_seconds(seconds) if seconds else None


def is_variant(tags: dict[str, str]) -> bool:
    """Whether the tag Variant names other rules."""
    return "Variant" in tags and tags["Variant"].strip().lower() not in _STANDARD_VARIANTS


def is_odds_or_simul(tags: dict[str, str]) -> bool:
    """Whether the words of the event say that the two players did not meet on equal terms."""
    return _says_odds_or_simul(tags.get("Event", ""), tags.get("EventType", ""))


@lru_cache(4096)
def _says_odds_or_simul(*words: str) -> bool:
    return bool(_SIMUL.search(" ".join(words)))
