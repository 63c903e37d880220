"""Makes docs/coverage.md: how often intervals hold the truth, by simulation over all legal moves.

    python -m assay.reproduction.coverage [--docs docs] [--only forecasts/gain ...]

Every section is kept in docs/reproduction/coverage.json as soon as it is worked out; the page is made from
that file. All of it takes an hour of one core; --only names sections to work out anew.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from functools import partial
from importlib.resources import files
from pathlib import Path

from assay.files import write_text
from assay.markdown import render
from assay.reproduction.coverage import calibrations
from assay.reproduction.coverage.forecasts import COMPARING, compared, mileposts, rated
from assay.reproduction.coverage.measures import METHODS, measured
from assay.reproduction.coverage.tally import Tally, as_row

KEPT = Path("reproduction") / "coverage.json"
TEMPLATE = files(__package__) / "coverage.md.jinja"

PAIRS = {"gain": 100, "conformance": 100}
"""Pairs that a method forecasts; those that take longer have fewer."""

FEWER = 40
RESAMPLES = 60
FEW = 6
"""Games of each player."""

SIZES = ((3, 20), (3, 70), (5, 8), (5, 16), (5, 40), (11, 8), (11, 20))
"""Calibrations: mileposts, and appearances at each."""

Section = Callable[[], dict[str, Tally]]


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


def page(kept: dict[str, dict[str, dict[str, float]]]) -> str:
    """The page from what was worked out."""
    from assay.reproduction.coverage.page import tables

    return render(TEMPLATE, tables(kept))


def main() -> None:
    """Work out what is asked for, and make the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--docs", type=Path, default=Path("docs"))
    parser.add_argument("--only", nargs="*", default=None, help="sections; none for the page alone")
    given = parser.parse_args()
    path = given.docs / KEPT
    known = sections()
    for name in known if given.only is None else given.only:
        found = {key: as_row(tally) for key, tally in known[name]().items()}
        kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        kept[name] = found
        write_text(path, json.dumps(kept, indent=1, sort_keys=True) + "\n")
        print(name, *(f"{key} {row['inside']}/{row['intervals']}" for key, row in found.items()), flush=True)
    if path.exists():
        write_text(given.docs / "coverage.md", page(json.loads(path.read_text(encoding="utf-8"))))


if __name__ == "__main__":
    main()
