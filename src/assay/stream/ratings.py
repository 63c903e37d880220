"""Ratings, or measures where there is no scale, from sums: some hundred names at a time, on all cores."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from scipy import sparse

from assay.answers.ratings import PlayerRating, Ratings, Record
from assay.decisions.arrays import Floats
from assay.decisions.grouping import By
from assay.errors import InputError
from assay.executors import Executor, Serial
from assay.models.appearances import Appearances
from assay.pgn.wrong_evaluations import in_words
from assay.rating.files import find_calibration
from assay.rating.groups import COMBINED, Group, Rater
from assay.rating.measures import ORDER, measures, standings
from assay.rating.scale import scale_of
from assay.stream.parts import models_for
from assay.stream.run import Streamed
from assay.stream.sums import PARTS, Layout, counts_of, stacks_of

AT_ONCE = 180
"""Names that are rated together."""

_NOTHING: Callable[..., None] = lambda *_: None  # noqa: E731


@dataclass(frozen=True)
class Wanted:
    """Some names of one source, to be rated."""

    source: str
    layout: Layout
    names: Sequence[str]
    matrix: sparse.csr_array
    by: By
    least: int
    level: float


@dataclass(frozen=True, eq=False)
class _Parts:
    """What a rater asks of appearances: here each is one part of a name's games."""

    recipe_id: str
    size: Floats


def ratings_of(
    streamed: Streamed,
    *,
    least: int = 10,
    level: float = 0.95,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] = _NOTHING,
) -> list[Ratings]:
    """Ratings of everyone by source of the values, that with most games first.

    A source without a calibration has no Elo: players have the methods' own measures.
    """
    workers = executor or Serial()
    total = sum(map(len, streamed.sums.values()))
    done = 0
    found: dict[str, list[PlayerRating]] = {source: [] for source in streamed.sums}
    too_few: dict[str, dict[str, int]] = {source: {} for source in streamed.sums}
    for source, players, few, size in workers.map(rate_some, _units(streamed, least, level)):
        found[source] += players
        too_few[source] |= few
        done += size
        progress(done, total)
    if not any(found.values()):
        raise InputError(
            f"nobody has {least} evaluated decisions after the opening: give more games, or lower "
            "--min-decisions"
        )
    made = [_ratings(streamed, source, found[source], too_few[source]) for source in found if found[source]]
    return sorted(made, key=lambda one: -sum(player.games for player in one.players))


def _units(streamed: Streamed, least: int, level: float) -> Iterator[Wanted]:
    for source, sums in streamed.sums.items():
        for names, matrix in _at_once(sums.shards()):
            yield Wanted(source, sums.layout, names, matrix, streamed.by, least, level)


def _at_once(
    shards: Iterable[tuple[list[str], sparse.csr_array]],
) -> Iterator[tuple[list[str], sparse.csr_array]]:
    """The names of shards with their rows, AT_ONCE at a time: to ask costs the same for one as for many."""
    some: list[str] = []
    rows: list[sparse.csr_array] = []
    for names, matrix in shards:
        start = 0
        while start < len(names):
            end = min(start + AT_ONCE - len(some), len(names))
            some += names[start:end]
            rows.append(matrix[PARTS * start : PARTS * end])
            start = end
            if len(some) == AT_ONCE:
                yield some, sparse.vstack(rows, format="csr")
                some, rows = [], []
    if some:
        yield some, sparse.vstack(rows, format="csr")


def rate_some(wanted: Wanted) -> tuple[str, list[PlayerRating], dict[str, int], int]:
    """Ratings of some names, and who has too few decisions."""
    counts = {name: one.reshape(-1, PARTS) for name, one in counts_of(wanted.matrix).items()}
    sizes = counts["decisions"].sum(axis=1)
    few = {
        name: int(size) for name, size in zip(wanted.names, sizes, strict=True) if size < max(wanted.least, 1)
    }
    chosen = np.flatnonzero(sizes >= max(wanted.least, 1))
    if not len(chosen):
        return wanted.source, [], few, len(wanted.names)
    rows = [PARTS * index + np.flatnonzero(counts["decisions"][index] > 0) for index in chosen]
    kept = np.concatenate(rows)
    stacks = stacks_of(wanted.matrix[kept], wanted.layout, wanted.source)
    ends = np.cumsum([len(one) for one in rows])
    groups = [np.arange(end - len(one), end) for one, end in zip(rows, ends, strict=True)]
    calibration = find_calibration(wanted.source)
    players = [_player(wanted.names[index], counts, index) for index in chosen.tolist()]
    if calibration is None:
        models = models_for(wanted.source)
        found = [
            replace(one, measures=measures(models, stacks, Group(one.player, "", group), wanted.level))
            for one, group in zip(players, groups, strict=True)
        ]
        return wanted.source, [one for one in found if one.measures], few, len(wanted.names)
    size = counts["decisions"].reshape(-1)[kept]
    parts = cast("Appearances", _Parts(wanted.source, size))
    rater = Rater(parts, calibration, stacks=stacks, squares=counts["squares"].reshape(-1)[kept])
    found = []
    raws, games = list(rater.raw(groups)), [one.games for one in players]
    for one, ratings in zip(players, rater.many_ratings(raws, games=games, level=wanted.level), strict=True):
        combined = ratings.pop(COMBINED, None)
        if combined is not None:
            found.append(replace(one, ratings=ratings, combined=combined))
    return wanted.source, found, few, len(wanted.names)


def _player(name: str, counts: dict[str, Floats], index: int) -> PlayerRating:
    total = {column: float(counts[column][index].sum()) for column in counts}
    return PlayerRating(
        player=name,
        group="",
        games=int(total["games"]),
        decisions=int(total["decisions"]),
        record=Record(int(total["wins"]), int(total["draws"]), int(total["losses"])),
        reference=total["elo"] / total["rated"] if total["rated"] else math.nan,
        ratings={},
        combined=None,
    )


def _ratings(
    streamed: Streamed, source: str, players: list[PlayerRating], too_few: dict[str, int]
) -> Ratings:
    calibration = find_calibration(source)
    if calibration is None:
        order = -standings([one.measures for one in players])
    else:
        order = np.array([-one.combined.elo for one in players if one.combined is not None])
    ranked = [players[place] for place in np.argsort(order, kind="stable")]
    span = None if calibration is None else calibration.range
    caveat = None if calibration is None else calibration.about.get("caveat")
    return Ratings(
        engine="the games' own comments",
        recipe="evaluations",
        recipe_id=source,
        by=streamed.by,
        players=tuple(ranked),
        too_few=too_few,
        notes=(*notes_of(streamed), *([caveat] if caveat else [])),
        scale=scale_of(calibration),
        prior=None if calibration is None else "flat",
        order=ORDER if calibration is None else "combined rating",
        span=(math.nan, math.nan) if span is None else (span.lowest, span.highest),
        left_out=dict(streamed.counted.left_out),
    )


def notes_of(streamed: Streamed) -> tuple[str, ...]:
    """What must be said with streamed ratings."""
    counted = streamed.counted
    notes = [
        "Streamed: no workspace is written, duplicates are not sought, and names are as written.",
        f"Intervals: games are left out in {PARTS} parts, into which they fall by their hash.",
    ]
    if counted.without:
        notes.append(f"{counted.without:,} games without evaluations are passed over.")
    if counted.partly:
        notes.append(f"{counted.partly:,} games lack evaluations of some moves, which are passed over.")
    if counted.clocks:
        notes.append(f"{sum(counted.clocks.values()):,} clocks run backwards or cannot be, and tell nothing.")
    notes += [f"{said[0].upper()}{said[1:]}." for said in in_words(counted.doubts)]
    return (*notes, *streamed.damage)
