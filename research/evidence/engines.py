"""Is it the engine? The same games rated with several sources of values: how far they agree, and a jury.

    python -m research.evidence.engines WORKSPACE RECIPE_ID... [--like standard]

Each RECIPE_ID is of analyses in the WORKSPACE; compared are the games that all of them have analysed, and
--like, which has a native calibration. Ratings by the others are through bridges made without the players who
are rated (as `assay calibrate --like --check` has them). The jury's rating is the mean of all (Guid and
Bratko 2011 ask the same of engines as judges of champions; Regan and Haworth speak of a jury).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.stats import spearmanr

from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.exclusions import Exclusion
from assay.models.appearances import Appearances
from assay.rating.bridge import MOST_OF_THEM, Bridge, native_for
from assay.rating.bridge_check import Crossed, mean_error, rated_crosswise
from assay.rating.calibration import find_calibration
from assay.workspace import Workspace

LIKE = "like"
JURY = "jury"

_EDGES = (1800, 2100, 2400)
_BANDS = ("below 1800", "1800 to 2099", "2100 to 2399", "2400 and more")


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
    """Markdown: agreement in rank by method, ratings of games kept out and the jury's, shifts by rating."""
    methods = next(iter(found.values())).methods
    yield f"| single games, rank correlation with {LIKE} | " + " | ".join(methods) + " |"
    yield "|---|" + "---:|" * len(methods)
    for name, one in found.items():
        by_name = dict(zip(one.methods, one.raw.tolist(), strict=True))
        yield f"| {name} | " + " | ".join(f"{by_name.get(m, float('nan')):.2f}" for m in methods) + " |"
    yield ""
    yield "| games | by | groups | rank correlation | shift | apart | mean error | less that of the first |"
    yield "|---:|---|---:|---:|---:|---:|---:|---:|"
    sizes = sorted({one.games for one in next(iter(found.values())).groups})
    for games in sizes:
        yield from _of_size(games, found)
    yield ""
    yield "| single games, shift by published rating | " + " | ".join(_BANDS) + " |"
    yield "|---|" + "---:|" * len(_BANDS)
    yield from _by_rating(found)


def _of_size(games: int, found: Mapping[str, Compared]) -> Iterator[str]:
    first, ratings = _ratings(games, found)
    native, reference, game = ratings[LIKE], _known(first, "reference"), _games(first)
    ratings[JURY] = np.mean(list(ratings.values()), axis=0)
    for name, values in ratings.items():
        apart, error = values - native, np.abs(values - reference)
        row = f"| {games} | {name} | {len(values)} "
        if name == LIKE:
            yield f"{row}| | | | {error.mean():.0f} | |"
            continue
        more = error - np.abs(native - reference)
        yield (
            f"{row}| {spearmanr(native, values).statistic:.2f} | {apart.mean():+.0f} ± "
            f"{mean_error(apart, game):.0f} | {np.sqrt(np.square(apart).mean()):.0f} | {error.mean():.0f} "
            f"| {more.mean():+.0f} ± {mean_error(more, game):.0f} |"
        )


def _by_rating(found: Mapping[str, Compared]) -> Iterator[str]:
    first, ratings = _ratings(1, found)
    band = np.digitize(_known(first, "reference"), _EDGES)
    for name, values in ratings.items():
        if name != LIKE:
            cells = []
            for one in range(len(_BANDS)):
                apart = (values - ratings[LIKE])[band == one]
                game = _games(first)[band == one]
                cells.append(f"{apart.mean():+.0f} ± {mean_error(apart, game):.0f}" if len(apart) > 1 else "")
            yield f"| {name} | " + " | ".join(cells) + " |"


def _ratings(games: int, found: Mapping[str, Compared]) -> tuple[list[Crossed], dict[str, Floats]]:
    """The groups of one size, and what each source makes of them."""
    groups = {name: [one for one in each.groups if one.games == games] for name, each in found.items()}
    first = next(iter(groups.values()))
    others = {name: _known(each, "bridged") for name, each in groups.items()}
    return first, {LIKE: _known(first, "native")} | others


def _known(groups: Sequence[Crossed], what: str) -> Floats:
    return np.array([getattr(one, what) for one in groups])


def _games(groups: Sequence[Crossed]) -> Ints:
    return np.array([one.game for one in groups], dtype=np.int64)


def bridges(workspace: Workspace, like: str, others: Sequence[str]) -> Iterator[tuple[str, Bridge]]:
    """A bridge from --like to each of the others, by its name, of the games that all have analysed."""
    start = workspace.recipe_id(like)
    native = native_for(find_calibration(start), like)
    known = workspace.recipes()
    sides = {one: workspace.decisions(one, trace=True) for one in (start, *others)}
    shared = sorted(set.intersection(*(analysed(side) for side in sides.values())))
    appearances = {one: Appearances.of(side.select(game=shared)) for one, side in sides.items()}
    for one in others:
        name = f"{known[one]['recipe']['name']} with {known[one]['engine']['name']}"
        yield name, Bridge.of(native, appearances[start], appearances[one])


def analysed(decisions: Decisions) -> set[str]:
    """The games of which nearly every decision has a value."""
    table = decisions.to_table()
    known = pc.invert(pc.fill_null(pc.equal(table["exclusion"], Exclusion.NOT_ANALYSED.value), False))
    share = table.append_column("known", pc.cast(known, pa.float64())).group_by("game_id")
    found = share.aggregate([("known", "mean")])
    return set(found.filter(pc.greater_equal(found["known_mean"], MOST_OF_THEM))["game_id"].to_pylist())


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
