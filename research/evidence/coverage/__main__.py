"""Makes docs/coverage.md: how often intervals hold the truth, by simulation over all legal moves.

    python -m research.evidence.coverage [--docs docs] [--work FOLDER] [--only forecasts/gain ...]

What is worked out is kept in coverage.json beside this file, and the page is made from that file. FOLDER
keeps every section as soon as it is there: a run that was broken off goes on after the last of them, and the
page is made when all are there. --only names sections to work out anew, and leaves the others as they were.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from importlib.resources import files
from pathlib import Path

from assay.files import write_text
from research.evidence.coverage import calibrations
from research.evidence.coverage.forecasts import COMPARING, compared, mileposts, rated
from research.evidence.coverage.measures import METHODS, measured
from research.evidence.coverage.tally import Tally, as_row
from research.markdown import render

KEPT = Path("reproduction") / "coverage.json"
TEMPLATE = files(__package__) / "coverage.md.jinja"

PAIRS = {"gain": 200, "conformance": 200}
"""Pairs that a method forecasts; those that take longer have fewer."""

FEWER = 120
RESAMPLES = 60
FEW = 6
"""Games of each player."""

SIZES = ((3, 20), (3, 70), (5, 8), (5, 16), (5, 40), (11, 8), (11, 20))
"""Calibrations: mileposts, and appearances at each."""

Section = Callable[[], dict[str, Tally]]
Rows = dict[str, dict[str, float]]


def sections() -> dict[str, Section]:
    """Everything that is worked out, by name."""
    found: dict[str, Section] = {}
    for name in COMPARING:
        found[f"forecasts/{name}"] = partial(_forecasts, name)
    found["forecasts by rating"] = _rated
    for name in METHODS:
        found[f"measures/{name}"] = partial(_measures, name)
    for number, each in SIZES:
        found[f"calibrations/{number} x {each}"] = partial(calibrations.coverage, number, each, 10)
    return found


def _forecasts(name: str) -> dict[str, Tally]:
    return {name: compared(name, PAIRS.get(name, FEWER), FEW, RESAMPLES)}


def _measures(name: str) -> dict[str, Tally]:
    return {name: measured(name, 4 * PAIRS.get(name, FEWER), FEW)}


def _rated() -> dict[str, Tally]:
    return rated(mileposts(16, seed=5), PAIRS["gain"], FEW)


def page(kept: dict[str, Rows]) -> str:
    """The page from what was worked out."""
    from research.evidence.coverage.page import tables

    return render(TEMPLATE, tables(kept))


def worked_out(name: str, section: Section, work: Path | None) -> Rows:
    """The rows of one section, from the folder of a run that was broken off where they are there."""
    path = None if work is None else work / f"{name.replace('/', ' - ')}.json"
    if path is not None and path.exists():
        found: Rows = json.loads(path.read_text(encoding="utf-8"))
        return found
    began = time.process_time()
    found = {key: as_row(tally) for key, tally in section().items()}
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, _json(found))
    shares = (f"{key} {row['inside']:.0f}/{row['intervals']:.0f}" for key, row in found.items())
    print(f"{name}, {time.process_time() - began:.0f} s:", *shares, flush=True)
    return found


def _json(kept: object) -> str:
    return json.dumps(kept, indent=1, sort_keys=True) + "\n"


def main() -> None:
    """Work out what is asked for, and make the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--docs", type=Path, default=Path("docs"))
    parser.add_argument("--work", type=Path, default=None, help="folder to go on from")
    parser.add_argument("--only", nargs="*", default=None, help="sections; none for the page alone")
    given = parser.parse_args()
    path, known = given.docs / KEPT, sections()
    found = {name: worked_out(name, known[name], given.work) for name in known if _asked(name, given.only)}
    if given.only is not None and path.exists():
        found = json.loads(path.read_text(encoding="utf-8")) | found
    write_text(path, _json(found))
    write_text(given.docs / "coverage.md", page(found))


def _asked(name: str, only: list[str] | None) -> bool:
    return only is None or name in only


if __name__ == "__main__":
    main()
