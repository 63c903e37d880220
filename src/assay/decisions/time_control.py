"""How fast a game is played: time controls as files spell them, and the time class of each.

Time classes follow FIDE: with base time plus sixty increments, up to 10 minutes is blitz, below 60 rapid;
under 3 minutes is called bullet. What a text was read as is remembered: a server has few events and time
controls, and millions of games.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

TIME_CLASSES = ("classical", "rapid", "blitz", "bullet", "correspondence", "unknown")
"""What the column time_class holds."""

FAST = frozenset({"bullet", "blitz"})
"""The time classes that the exclusion `fast_time_control` means."""

CLASSICAL = frozenset({"classical", "unknown"})
"""The time classes that are rated by default: Regan and Alliot use games at classical time controls."""

_PERIOD = re.compile(r"(?:(\d{1,4})/)?(\d{1,7})(?:\.\d+)?(?:\+(\d{1,5})(?:\.\d+)?)?")

_WORDS = {
    "correspondence": r"\b(corr|correspondence|postal|e-?mail|iccf|ficgs|lss)\b",
    "bullet": r"\b(bullet|hyperbullet|ultrabullet|lightning)\b",
    "blitz": r"\b(blitz|armageddon|speed chess|titled tue\w*|5 ?min\w*|3 ?min\w*|3m)\b",
    "rapid": r"\b(rapid\w*|rapidplay|active|semi-?blitz|quick\w*|tiebreak\w*|15 ?min\w*|25 ?min\w*)\b",
    "classical": r"\b(classical|standard|longplay)\b",
}
"""What the names of events and the tags EventType and TimeClass call each class; the first match counts."""

_MINUTES = r"\b(\d{1,3})(?: ?min(?:s|utes?)?\b|'(?!\w))"
"""Minutes for the game in a name: `Sofia m 25'`, `Paris 30 min`."""

_ANY_WORD = re.compile("|".join((*_WORDS.values(), _MINUTES)), re.I)


@dataclass(frozen=True)
class Period:
    """One period: so many moves (0: all that are left), seconds for them, seconds added for each."""

    moves: int
    base: int
    increment: int


@lru_cache(4096)
def periods_of(control: str | None) -> tuple[Period, ...]:
    """The periods of a tag TimeControl (`40/7200:3600`, `2700+45`, `1/259200`); none if unreadable."""
    matches = [_PERIOD.fullmatch(part.strip()) for part in (control or "").split(":")]
    if None in matches:
        return ()
    return tuple(Period(*(int(group or 0) for group in match.groups())) for match in matches if match)


@lru_cache(4096)
def class_of_control(control: str) -> str | None:
    """Time class of a tag TimeControl; None where it is unreadable."""
    seconds = 0
    for period in periods_of(control):
        if period.moves == 1 and period.base >= 86_400:
            return "correspondence"
        seconds += period.base + 60 * period.increment
    return class_of_seconds(seconds) if seconds else None


def class_of_seconds(seconds: float) -> str:
    """Time class of base time plus sixty increments."""
    if seconds < 180:
        return "bullet"
    return "blitz" if seconds <= 600 else "rapid" if seconds < 3600 else "classical"


@lru_cache(4096)
def class_of_words(words: str) -> str | None:
    """Time class by the words of an event; None where no word names one."""
    if not _ANY_WORD.search(words):  # most events: one search in place of five
        return None
    named = next((name for name, pattern in _WORDS.items() if re.search(pattern, words, re.I)), None)
    minutes = None if named else re.search(_MINUTES, words, re.I)
    return named if minutes is None else class_of_seconds(60 * int(minutes[1]))
