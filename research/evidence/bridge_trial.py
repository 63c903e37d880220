"""What a bridge of few games loses against a calibration of many: both made, and tried on games kept out.

    python -m research.evidence.bridge_trial WORKSPACE OTHER [--like standard] [--games 70] [--method NAME]

The WORKSPACE has games of rated players, analysed by two recipes; OTHER is one of them, or what the analyses
of --like say where their trace is cut, for which no engine is needed: `depth 8 lines 5`, or by the rule of a
recipe, `as thrifty`. The players are halved. From each half are made a calibration of OTHER, one of --like,
and a bridge from it to OTHER by some of the games, with ratings and without. The other half is rated by all
of them, in the same groups: single games, and composites of several.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from assay.decisions.arrays import Ints
from assay.decisions.decisions import Decisions
from assay.decisions.profile import ProfileStack
from assay.engine.recipe import find_recipe
from assay.models.appearances import Appearances, deal_folds
from assay.models.base import MoveModel
from assay.models.mileposts import FEWEST_DECISIONS
from assay.models.registry import make_model
from assay.rating import calibration
from assay.rating.accuracy import Outcome, Summary, rated_groups
from assay.rating.bridge import Bridge
from assay.rating.calibration import Calibration, fit_calibration, reference_of, stacks_of
from assay.rating.rater import COMBINED
from assay.workspace import Workspace
from research.evidence.thrift import decisions_cut, paired, thrifty_decisions

GAMES = (1, 5, 20)
"""Games of one group."""

_WAYS = ("like", "native", "bridge", "bridge without ratings")


def tried(
    before: Decisions,
    after: Decisions,
    *,
    games: int = 70,
    methods: Sequence[str] = (),
    splits: int = 1,
    seed: int = 0,
) -> dict[tuple[int, str], list[Outcome]]:
    """Outcomes of games kept out by number of games and way: --like itself, native, and bridges."""
    sides = [Appearances.of(one) for one in _valued_by_both(before, after)]
    stacks = [stacks_of(one, _models(methods)) for one in sides]
    rng = np.random.default_rng(seed)
    found: dict[tuple[int, str], list[Outcome]] = {}
    bridge = None
    for _ in range(splits):
        everyone = reference_of(sides[0], stacks[0])
        fold = deal_folds(everyone.game, everyone.player, everyone.milepost, 2, rng)
        for one in range(2):
            own = [_rows(sides[0], side, everyone.rows[fold != one]) for side in sides]
            like, native = (
                _fitted(side, stack, rows, methods)
                for side, stack, rows in zip(sides, stacks, own, strict=True)
            )
            bridge = replace(bridge, native=like) if bridge else Bridge.of(like, *sides)
            some = bridge.only(_of_few_games(bridge, set(_keys(sides[0], own[0])), sides[0], games, rng))
            made = (like, native, some.calibration(), some.without_ratings().calibration())
            test = everyone.rows[fold == one]
            for way, scale in zip(_WAYS, made, strict=True):
                place = 0 if way == "like" else 1
                rows = _rows(sides[0], sides[place], test)
                used = {name: stacks[place][name] for name in scale.mappings}
                # The same groups by every way: they are dealt alike.
                dealt = np.random.default_rng(seed + one)
                for outcome in rated_groups(sides[place], used, scale, rows, GAMES, dealt):
                    if outcome.method == COMBINED and outcome.one_player == (outcome.games == 1):
                        found.setdefault((outcome.games, way), []).append(outcome)
    return found


def lines(found: Mapping[tuple[int, str], list[Outcome]]) -> Iterator[str]:
    """A table as Markdown."""
    yield "| games | by | groups | mean error | less native's | bias | in 95% | width | from native |"
    yield "|---:|---|---:|---:|---:|---:|---:|---:|---:|"
    for games, way in sorted(found, key=lambda key: (key[0], _WAYS.index(key[1]))):
        outcomes, natives = found[games, way], found[games, "native"]
        one = Summary.of(outcomes)
        native = np.array([outcome.elo for outcome in natives])
        apart = np.sqrt(np.square(np.array([outcome.elo for outcome in outcomes]) - native).mean())
        more, low, high = paired(outcomes, natives)
        beside = "" if way == "native" else f"{more:+.1f} ({low:+.1f} to {high:+.1f})"
        yield (
            f"| {games} | {way} | {one.groups} | {one.mean_error:.0f} | {beside} | {one.bias:+.0f} | "
            f"{one.within_95:.1%} | {one.width:.0f} | {apart:.0f} |"
        )


def _models(methods: Sequence[str]) -> dict[str, MoveModel]:
    """Fresh ones: some are taught."""
    return {name: make_model(name) for name in methods} if methods else calibration.rating_models()


def _valued_by_both(before: Decisions, after: Decisions) -> list[Decisions]:
    """The games of which both players have decisions enough by both sources."""
    complete = []
    for side in (before, after):
        appearances = Appearances.of(side)
        least: dict[str, float] = {}
        for game, size in zip(appearances.games(), appearances.size.tolist(), strict=True):
            least[game] = min(least.get(game, size), size)
        complete.append({game for game, size in least.items() if size >= FEWEST_DECISIONS})
    shared = sorted(complete[0] & complete[1])
    return [side.select(game=shared) for side in (before, after)]


def _fitted(
    appearances: Appearances, stacks: Mapping[str, ProfileStack], rows: Ints, methods: Sequence[str]
) -> Calibration:
    reference = reference_of(appearances, stacks, among=rows)
    about = {"games": len(np.unique(reference.game))}
    return fit_calibration(stacks, reference, appearances.recipe_id, about, _models(methods))


def _keys(appearances: Appearances, rows: Ints) -> list[tuple[str, str]]:
    games, players = appearances.games(), appearances.players()
    return [(games[row], players[row]) for row in rows]


def _rows(first: Appearances, other: Appearances, rows: Ints) -> Ints:
    """The rows of the other side that are of the same appearances."""
    place = {key: row for row, key in enumerate(_keys(other, np.arange(len(other))))}
    return np.array([place[key] for key in _keys(first, rows) if key in place])


def _of_few_games(
    bridge: Bridge, allowed: set[tuple[str, str]], side: Appearances, games: int, rng: np.random.Generator
) -> Ints:
    """The rows of so many games of allowed players, spread evenly over their ratings."""
    keys = _keys(side, bridge.before.rows)
    usable = np.array([key in allowed for key in keys])
    number, place = np.unique(bridge.game, return_inverse=True)
    elo = np.bincount(place, bridge.elo) / np.bincount(place)
    whole = np.bincount(place, usable) == np.bincount(place)
    candidates = rng.permutation(np.flatnonzero(whole & np.isfinite(elo)))
    ordered = candidates[np.argsort(elo[candidates], kind="stable")]
    chosen = ordered[np.linspace(0, len(ordered) - 1, min(games, len(ordered))).round().astype(int)]
    return np.flatnonzero(np.isin(bridge.game, number[chosen]))


def read_sides(workspace: Workspace, like: str, other: str) -> tuple[Decisions, Decisions]:
    """Decisions by both recipes, or by one and by the same searches cut short."""
    start = workspace.recipe_id(like)
    before = workspace.decisions(start, trace=True)
    words = other.split()
    if words[0] == "depth":
        whole = int(workspace.recipes()[start]["recipe"]["lines"])
        most = int(words[3]) if words[2:3] == ["lines"] else whole
        shallow = decisions_cut(workspace, start, int(words[1]), most).to_table()
    elif words[0] == "as":
        shallow = thrifty_decisions(workspace, start, find_recipe(words[1])).to_table()
    else:
        return before, workspace.decisions(workspace.recipe_id(other), trace=True)
    column = shallow.schema.get_field_index("recipe_id")
    named = shallow.set_column(column, "recipe_id", pa.array([f"{start} at {other}"] * len(shallow)))
    return before, Decisions.from_table(named)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("workspace", type=Path)
    parser.add_argument("other")
    parser.add_argument("--like", default="standard")
    parser.add_argument("--games", type=int, default=70)
    parser.add_argument("--method", action="append", default=[])
    parser.add_argument("--splits", type=int, default=1)
    given = parser.parse_args()
    sides = read_sides(Workspace(given.workspace), given.like, given.other)
    for line in lines(tried(*sides, games=given.games, methods=given.method, splits=given.splits)):
        print(line)


if __name__ == "__main__":
    main()
