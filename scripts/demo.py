"""What `make demo` shows: the bundled example tournament, rated, with a report.

The players are Stockfish limited to 1400, 1800, 2200 and 2600, so the true order is known.
"""

import shutil
import sys
from importlib.resources import as_file, files
from pathlib import Path

from assay.cli import main

PLACE = Path("demo")


def demo() -> int:
    PLACE.mkdir(exist_ok=True)
    games = PLACE / "tournament.pgn"
    with as_file(files("assay") / "examples" / "tournament.pgn") as example:
        shutil.copy(example, games)
    report = PLACE / "report.html"
    steps = (
        ["rate", str(games), "--report", str(report)],
        ["tournament", str(games)],
    )
    for step in steps:
        print(f"\n$ assay {' '.join(step)}", flush=True)
        code = main(step)
        if code:
            return code
    print(f"\nThe report is {report}: open it in a browser.")
    return 0


if __name__ == "__main__":
    sys.exit(demo())
