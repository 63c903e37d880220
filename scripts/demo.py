"""What `make demo` shows: the bundled example tournament, rated, with a report.

The players are agents of 1600, 1900, 2200 and 2500, so their true Elo is known; it is said
whether the intervals contain it.
"""

import math
import shutil
import sys
from importlib.resources import as_file, files
from pathlib import Path

import assay
from assay.cli import main

PLACE = Path("demo")
RECIPE = "thrifty"
"""The best recipe whose 1,304 positions take less than 90 seconds on two cores (docs/evidence/engines.md)."""


def demo() -> int:
    PLACE.mkdir(exist_ok=True)
    games = PLACE / "tournament.pgn"
    with as_file(files("assay") / "data" / "examples" / "tournament.pgn") as example:
        shutil.copy(example, games)
    report = PLACE / "report.html"
    steps = (
        # --yes: the demo never asks, however slow the machine and whether or not there is a terminal.
        ["rate", str(games), "--recipe", RECIPE, "--yes", "--report", str(report)],
        ["tournament", str(games), "--recipe", RECIPE, "--yes"],
    )
    for step in steps:
        print(f"\n$ assay {' '.join(step)}", flush=True)
        code = main(step)
        if code:
            return code
    print(f"\n{truth(assay.Study(games, recipe=RECIPE).rate())}")
    print(f"The report is {report}: open it in a browser.")
    return 0


def truth(ratings: assay.Ratings) -> str:
    """Whether the intervals contain the Elo that the agents were set to: it stands where ratings do."""
    told = [one for one in ratings.players if one.combined is not None and not math.isnan(one.reference)]
    if not told:
        return "These ratings are on no Elo scale, so they cannot be compared with the truth (assay doctor)."
    inside = [one for one in told if one.combined.low <= one.reference <= one.combined.high]
    return (
        "These players are agents whose true Elo is known (column Elo). "
        f"It lies within the 95% interval for {len(inside)} of {len(told)}."
    )


if __name__ == "__main__":
    sys.exit(demo())
