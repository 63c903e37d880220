"""How well a bridge serves on games that it was not made from, of analyses that are there.

    python -m research.evidence.bridge_check WORKSPACE OTHER [--like 672593ce2551e878]

prints what `assay calibrate --like --check` does (OTHER as in research.evidence.bridge_trial).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from assay.answers.prepared import Agreement
from assay.models.appearances import Appearances
from assay.rating.bridge import Bridge, native_for
from assay.rating.bridge_check import crossed
from assay.rating.calibration import find_calibration
from assay.workspace import Workspace
from research.evidence.bridge_trial import read_sides


def lines(found: Sequence[Agreement]) -> Iterator[str]:
    """A table as Markdown, as docs/bridges.md has it."""
    yield "| games | correlation | shift | apart | error | in 95% | width | native error | in 95% | width |"
    yield "|---:|" + "---:|" * 9
    for one in found:
        yield (
            f"| {one.games} | {one.correlation:.2f} | {one.shift:+z.0f} ± {one.shift_error:.0f} | "
            f"{one.apart:.0f} | {one.bridged_error:.0f} | {one.bridged_within:.0%} | {one.bridged_width:.0f} "
            f"| {one.native_error:.0f} | {one.native_within:.0%} | {one.native_width:.0f} |"
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("workspace", type=Path)
    parser.add_argument("other")
    parser.add_argument("--like", default="672593ce2551e878")
    given = parser.parse_args()
    before, after = map(Appearances.of, read_sides(Workspace(given.workspace), given.like, given.other))
    native = native_for(find_calibration(before.recipe_id), given.like)
    for line in lines(crossed(Bridge.of(native, before, after))):
        print(line)


if __name__ == "__main__":
    main()
