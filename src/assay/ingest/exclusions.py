"""Which games must not be rated, and why; and how fast they were played.

A game carries one reason, the first that applies in the order of `REASONS`. Time classes follow FIDE: with
base time plus sixty increments, up to 10 minutes is blitz, below 60 rapid; under 3 minutes is called bullet.
"""

import re

REASONS = {
    "too_large": "longer than 4 MB of text; its moves were not read",
    "variant": "not played by the usual rules (tag Variant)",
    "nonstandard_start": "begins from a set-up position",
    "illegal_move": "holds a move that is not legal, or a null move; read up to it",
    "broken_moves": "a variation is not closed: the moves behind it are lost",
    "no_moves": "has no moves",
    "duplicate": "the same players, year and moves as another game",
    "too_short": "under 20 turns",
    "odds_or_simul": "odds, simultaneous, blindfold or consultation",
    "fast_time_control": "blitz or bullet",
    "result_conflict": "the tag Result and the end of the moves disagree",
    "no_result": "no result",
}
"""Every reason and what it means, first reason first."""

MIN_PLIES = 40

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
_ANY_WORD = re.compile("|".join(pattern.pattern for _, pattern in _WORDS), re.I)
_STANDARD_VARIANTS = {"", "standard", "chess", "normal", "from position", "?", "-", "classical"}
_PERIOD = re.compile(r"(?:(\d{1,4})/)?(\d{1,7})(?:\.\d+)?(?:\+(\d{1,5})(?:\.\d+)?)?")


def time_class_of(tags: dict[str, str]) -> str:
    """bullet, blitz, rapid, classical, correspondence, or unknown: from TimeControl, then from words."""
    from_clock = _class_of_control(tags.get("TimeControl", ""))
    if from_clock is not None:
        return from_clock
    words = " ".join((tags.get("EventType", ""), tags.get("TimeClass", ""), tags.get("Event", "")))
    if not _ANY_WORD.search(words):  # most events: one search in place of five
        return "unknown"
    return next((name for name, pattern in _WORDS if pattern.search(words)), "unknown")


def _class_of_control(control: str) -> str | None:
    """Time class from a TimeControl tag such as `40/7200:3600`, `2700+45`, `1/259200`."""
    periods = [_PERIOD.fullmatch(part.strip()) for part in control.split(":")]
    if not control or any(period is None for period in periods):
        return None
    seconds = 0
    for period in periods:
        assert period is not None
        moves, base, increment = (int(group or 0) for group in period.groups())
        if moves == 1 and base >= 86_400:
            return "correspondence"
        seconds += base + 60 * increment
    if seconds == 0:
        return None
    if seconds < 180:
        return "bullet"
    return "blitz" if seconds <= 600 else "rapid" if seconds < 3600 else "classical"


def is_variant(tags: dict[str, str]) -> bool:
    """Whether the tag Variant names other rules."""
    return tags.get("Variant", "").strip().lower() not in _STANDARD_VARIANTS


def is_odds_or_simul(tags: dict[str, str]) -> bool:
    """Whether the words of the event say that the two players did not meet on equal terms."""
    return bool(_SIMUL.search(" ".join((tags.get("Event", ""), tags.get("EventType", "")))))
