"""What `make demo` shows: an event that people played, analysed, rated, with a report.

How the event was chosen is in research/calibration/example_event.py. The players have published ratings, and
the last lines count how many of the ranges contain them.
"""

import shutil
import sys
from importlib.resources import as_file, files
from pathlib import Path

import assay
from assay.cli import main

PLACE = Path("demo")
RECIPE = "quick"
"""2,700 positions take a minute of processor time, on any Stockfish from 15.1 on."""


def demo() -> int:
    PLACE.mkdir(exist_ok=True)
    games = PLACE / "island.pgn"
    with as_file(files("assay") / "data" / "examples" / "island.pgn") as example:
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
    """How many intervals contain the published rating."""
    if not ratings.calibrated:
        return "These ratings are not on an Elo scale (assay doctor)."
    inside = [
        player.combined.low <= player.reference <= player.combined.high
        for player in ratings.players
        if player.combined is not None
    ]
    return f"The 95% range contains the published rating of {sum(inside)} of {len(inside)} players."


if __name__ == "__main__":
    sys.exit(demo())
