"""The tag TimeControl: `40/7200:3600`, `2700+45`, `1/259200`."""

import re
from dataclasses import dataclass
from functools import lru_cache

_PERIOD = re.compile(r"(?:(\d{1,4})/)?(\d{1,7})(?:\.\d+)?(?:\+(\d{1,5})(?:\.\d+)?)?")


@dataclass(frozen=True)
class Period:
    """One period: so many moves (0: all that are left), seconds for them, seconds added for each."""

    moves: int
    base: int
    increment: int


@lru_cache(4096)
def periods_of(control: str | None) -> tuple[Period, ...]:
    """The periods of a time control as written; none where it says nothing that can be read."""
    if not control:
        return ()
    found = [_PERIOD.fullmatch(part.strip()) for part in control.split(":")]
    if any(one is None for one in found):
        return ()
    return tuple(Period(*(int(group or 0) for group in one.groups())) for one in found if one is not None)
