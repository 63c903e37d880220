"""Tables of docs/coverage.md from what was worked out."""

from __future__ import annotations

from collections.abc import Mapping

from research.evidence.coverage.tally import Tally
from research.markdown import PLAIN, RIGHT, table

Kept = Mapping[str, Mapping[str, Mapping[str, float]]]

HEADS = ("method", "intervals", "hold the truth (95% interval)", "mean width", "mean error")
RULES = (PLAIN, RIGHT, RIGHT, RIGHT, RIGHT)


def tables(kept: Kept) -> dict[str, str]:
    """Everything that the page shows."""
    return {
        "forecasts": _table(_under(kept, "forecasts/"), 3),
        "rated": _table(_tallies(kept.get("forecasts by rating", {})), 3),
        "measures": _table(_under(kept, "measures/"), 3),
        "calibrations": _calibrations(kept),
    }


def _tallies(rows: Mapping[str, Mapping[str, float]]) -> dict[str, Tally]:
    return {
        name: Tally(int(row["intervals"]), int(row["inside"]), row["width"], row["bias"])
        for name, row in rows.items()
    }


def _under(kept: Kept, prefix: str) -> dict[str, Tally]:
    found: dict[str, Tally] = {}
    for name, rows in kept.items():
        if name.startswith(prefix):
            found |= _tallies(rows)
    return found


def _table(found: Mapping[str, Tally], digits: int) -> str:
    rows = [
        (name, one.intervals, str(one), f"{one.width:.{digits}f}", f"{one.bias:+.{digits}f}")
        for name, one in sorted(found.items())
    ]
    return table(HEADS, rows, RULES)


def _calibrations(kept: Kept) -> str:
    rows = []
    for name, found in kept.items():
        if not name.startswith("calibrations/"):
            continue
        number, each = (int(part) for part in name.removeprefix("calibrations/").split(" x "))
        tallies = _tallies(found)
        shown = [f"{tallies[one]}" for one in ("combined", "one method")]
        widths = [f"{tallies[one].width:.0f}" for one in ("combined", "one method")]
        rows.append((number, each, number * each, shown[0], widths[0], shown[1], widths[1]))
    heads = ("mileposts", "at each", "appearances", "all methods", "mean width", "one method", "mean width")
    return table(heads, sorted(rows), (RIGHT,) * len(heads))
