"""Is it the engine? The same games rated with several sources of values: how far they agree, and a jury.

    python -m assay.validation.engines WORKSPACE RECIPE_ID... [--like standard]

Each RECIPE_ID is of analyses in the WORKSPACE, of the same games as those of --like, which has a native
calibration. Ratings by the others are through bridges made without the players who are rated (as `assay
calibrate --like --check` has them). The jury's rating is the mean of all (Guid and Bratko 2011 ask the same
of engines as judges of champions; Regan and Haworth speak of a jury).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from assay.domain.arrays import Floats
from assay.models.appearances import Appearances
from assay.rating.bridge import Bridge, native_for
from assay.rating.files import find_calibration
from assay.validation.bridge_check import Crossed, rated_crosswise
from assay.workspace import Workspace

LIKE = "like"
JURY = "jury"


@dataclass(frozen=True, eq=False)
class Compared:
    """One other source: what its methods say of single games, and its ratings of games kept out."""

    raw: Floats
    """Spearman's correlation with the native source of what each method says of single games."""
    methods: tuple[str, ...]
    groups: Sequence[Crossed]


def compared(bridge: Bridge) -> Compared:
    """The two sources of a bridge."""
    made = bridge.calibration()
    every = np.eye(len(bridge))
    names = made.spread.methods
    native = bridge.native.raw(bridge.before.whole, every)
    places = [bridge.native.spread.methods.index(name) for name in names]
    other = made.raw({name: bridge.after.whole[name] for name in names}, every)
    ranks = [spearmanr(native[:, place], other[:, k]).statistic for k, place in enumerate(places)]
    return Compared(np.array(ranks), names, rated_crosswise(bridge))


def tables(found: Mapping[str, Compared]) -> Iterator[str]:
    """Markdown: each method's agreement in rank, then ratings of games kept out and the jury's."""
    methods = next(iter(found.values())).methods
    yield f"| single games, rank correlation with {LIKE} | " + " | ".join(methods) + " |"
    yield "|---|" + "---:|" * len(methods)
    for name, one in found.items():
        by_name = dict(zip(one.methods, one.raw.tolist(), strict=True))
        yield f"| {name} | " + " | ".join(f"{by_name.get(m, float('nan')):.2f}" for m in methods) + " |"
    yield ""
    yield "| games | by | groups | rank correlation | shift | apart | mean error |"
    yield "|---:|---|---:|---:|---:|---:|---:|"
    sizes = sorted({one.games for one in next(iter(found.values())).groups})
    for games in sizes:
        yield from _of_size(games, found)


def _of_size(games: int, found: Mapping[str, Compared]) -> Iterator[str]:
    groups = {name: [one for one in each.groups if one.games == games] for name, each in found.items()}
    first = next(iter(groups.values()))
    native = np.array([one.native for one in first])
    reference = np.array([one.reference for one in first])
    ratings = {LIKE: native} | {
        name: np.array([one.bridged for one in each]) for name, each in groups.items()
    }
    ratings[JURY] = np.mean(list(ratings.values()), axis=0)
    for name, values in ratings.items():
        apart = values - native
        beside = (
            "| | | "
            if name == LIKE
            else f"| {spearmanr(native, values).statistic:.2f} | {apart.mean():+.0f} "
            f"| {np.sqrt(np.square(apart).mean()):.0f} "
        )
        yield f"| {games} | {name} | {len(values)} {beside}| {np.abs(values - reference).mean():.0f} |"


def bridges(workspace: Workspace, like: str, others: Sequence[str]) -> Iterator[tuple[str, Bridge]]:
    """A bridge from --like to each of the others, by its name."""
    start = workspace.recipe_id(like)
    native = native_for(find_calibration(start), like)
    before = Appearances.of(workspace.decisions(start, trace=True))
    known = workspace.recipes()
    for one in others:
        after = Appearances.of(workspace.decisions(one, trace=True))
        name = f"{known[one]['recipe']['name']} with {known[one]['engine']['name']}"
        yield name, Bridge.of(native, before, after)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("workspace", type=Path)
    parser.add_argument("others", nargs="+", metavar="RECIPE_ID")
    parser.add_argument("--like", default="672593ce2551e878")
    given = parser.parse_args()
    opened = Workspace(given.workspace)
    found = {name: compared(bridge) for name, bridge in bridges(opened, given.like, given.others)}
    for line in tables(found):
        print(line)


if __name__ == "__main__":
    main()
