"""What `make demo` shows: the bundled example tournament, rated, with a report.

The players are simulated, of 1600, 1900, 2200 and 2500, so their true Elo is known; the last lines
count how many of the ranges contain it.
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
    rated = [
        player
        for player in ratings.players
        if player.combined is not None and not math.isnan(player.reference)
    ]
    if not rated:
        return "These ratings are on no Elo scale, so they cannot be compared with the truth (assay doctor)."
    inside = [player for player in rated if player.combined.low <= player.reference <= player.combined.high]
    return (
        "These players are simulated, and their true Elo is known (column publ.).\n"
        f"The 95% range contains it for {len(inside)} of {len(rated)}.\n"
        "The rating is learned from games of people. It fits simulated players badly:\n"
        "strong ones are rated too low. For people, see docs/understand/trust.md."
    )


if __name__ == "__main__":
    sys.exit(demo())
