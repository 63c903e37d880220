"""Blocks of games that one reader deals out, the same ones whenever the same files are read."""

from __future__ import annotations

import json
import math
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, cast
from zipfile import BadZipFile
from zlib import crc32

import numpy as np
from scipy import sparse

from assay.answers.ratings import PlayerRating, Ratings, Record
from assay.decisions import evaluation
from assay.decisions.arrays import Floats, Ints
from assay.decisions.clocks import move_times
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import evaluated_by
from assay.decisions.exclusions import Choice
from assay.decisions.grouping import By, check_by
from assay.decisions.measures import between
from assay.decisions.profile import ProfileStack
from assay.decisions.rules import evaluated
from assay.decisions.time_control import TIME_CLASSES
from assay.engine.replay import ending_values, last_boards
from assay.errors import InputError, PgnError
from assay.executors import Executor, Serial, executor_for
from assay.files import written_whole
from assay.machine import return_memory, usable_cores
from assay.models.appearances import OPENING_TURNS, Appearances
from assay.models.base import MoveModel
from assay.models.registry import make_model
from assay.pgn.reader import Batch, GameRecord, games_table, read_texts, take_texts
from assay.pgn.sources import GameText, find_files, open_stream, source_name, split_games
from assay.pgn.wrong_evaluations import ABSURD, in_words
from assay.rating.calibration import find_calibration
from assay.rating.evidence import Group
from assay.rating.measures import ORDER, measures, standings
from assay.rating.rater import COMBINED, Rater
from assay.rating.scale import scale_of
from assay.workspace.comments import assemble_annotated, decisions_between

Progress = Callable[[str, int, int, int], None]
"""Is told the file's name, its size, how much of it is read, and how many games were dealt."""


@dataclass(frozen=True)
class Block:
    """Some games of a file, as text: the unit of work."""

    number: int
    texts: Sequence[GameText]
    source: str


class Deal:
    """Deals the games of files in blocks; a file that is cut off or damaged is told of after the others."""

    def __init__(self, files: Sequence[Path], progress: Progress) -> None:
        self._files, self._progress = files, progress
        self.games = 0
        self.failures: list[str] = []
        """What ended files before their ends; the games before that count."""

    def blocks(self) -> Iterator[Block]:
        """All blocks, in order."""
        number = 0
        for path in self._files:
            with open_stream(path) as opened:
                name = source_name(path)
                games = split_games(opened.stream, name)
                failure: PgnError | None = None
                while failure is None:
                    texts, failure = take_texts(games)
                    if not texts:
                        break
                    self.games += len(texts)
                    self._progress(name, opened.size, opened.position(), self.games)
                    yield Block(number, texts, name)
                    number += 1
                if failure is not None:
                    self.failures.append(str(failure))


# What the comments of a block of games say, as flat arrays: one value, and one clock, for each position.


@dataclass(frozen=True, eq=False)
class Positions:
    """The positions of the games of a block, one more than moves: those of game i from `offsets[i]` on."""

    offsets: Ints
    value: Floats
    """Mover's view; NaN where nobody evaluated the position."""
    clock: Floats
    elapsed: Floats

    @classmethod
    def of(cls, batch: Batch) -> Positions:
        """What the comments of all games say."""
        plies = np.array([record.n_plies for record in batch.games], dtype=np.int64)
        offsets = np.concatenate(([0], np.cumsum(plies + 1)))
        value, clock, elapsed = (np.full(int(offsets[-1]), np.nan) for _ in range(3))
        if batch.plain is not None:
            said = batch.plain
            place = offsets[said.game] + said.position
            value[place] = evaluation.from_columns(said.cp, said.mate)
            clock[place], elapsed[place] = said.clock, said.elapsed
        for game, record in enumerate(batch.games):
            for one in batch.said.get(record.game_id, ()):
                place = offsets[game] + one.position
                if one.mate is not None:
                    value[place] = evaluation.from_mate(one.mate)
                elif one.cp is not None:
                    value[place] = evaluation.from_cp(one.cp)
                clock[place] = np.nan if one.clock is None else one.clock
                elapsed[place] = np.nan if one.elapsed is None else one.elapsed
        return cls(offsets, value, clock, elapsed)

    def evaluated(self) -> Ints:
        """How many positions of each game have a value."""
        sums = np.concatenate(([0], np.cumsum(~np.isnan(self.value))))
        return np.diff(sums[self.offsets])

    def only(self, games: Ints) -> Positions:
        """Those of some games, in this order."""
        lengths = np.diff(self.offsets)[games]
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        rows = np.arange(offsets[-1]) + np.repeat(self.offsets[games] - offsets[:-1], lengths)
        return Positions(offsets, self.value[rows], self.clock[rows], self.elapsed[rows])

    def wrong_clocks(self, records: Sequence[GameRecord]) -> Counter[str]:
        """How many clocks tell nothing, by what is wrong with them (assay.workspace.comments)."""
        if np.isnan(self.clock).all() and np.isnan(self.elapsed).all():
            return Counter()
        is_move = np.ones(len(self.value), dtype=bool)
        is_move[self.offsets[:-1]] = False  # what a clock shows stands behind the move
        times = move_times(
            self.clock[is_move],
            self.elapsed[is_move],
            np.diff(self.offsets) - 1,
            [record.time_control for record in records],
        )
        found = {"backwards": times.backwards, "absurd": times.absurd}
        return Counter({name: n for name, n in found.items() if n})

    def settle(self, records: Sequence[GameRecord]) -> None:
        """Give last positions that nobody evaluated their value by the rules, where those ended the game."""
        last = self.offsets[1:] - 1
        unknown = np.flatnonzero(np.isnan(self.value[last]))
        if not len(unknown):
            return
        moves = [records[game].moves for game in unknown.tolist()]
        lengths = np.array([len(one) for one in moves], dtype=np.int64)
        fens = [records[game].start_fen for game in unknown.tolist()]
        boards = last_boards(np.concatenate(moves), lengths, fens if any(fens) else None)
        self.value[last[unknown]] = ending_values(boards.states, boards.turns)


# Profiles of many players at once, sparse, that add up: what a stream keeps of its games.

PARTS = 8
"""Parts that the games of a player fall into. More would tell better how games vary, and take more room."""

COUNTS = ("games", "decisions", "squares", "elo", "rated", "wins", "draws", "losses")
"""The first columns: games, decisions that count, squares of how many each game has, sum and number of the
reference ratings, results."""

SHARDS = 16
_FEW_NAMES = 5_000
_MOST_WAITING = 32_000
"""Rows that wait to be added up, at least; half as many as there are, where that is more."""


@dataclass(frozen=True)
class Layout:
    """Which columns belong to which method."""

    methods: tuple[str, ...]
    models: tuple[str, ...]
    """What their evidence means: name and settings."""
    shapes: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, models: Mapping[str, MoveModel]) -> Layout:
        """The layout of these methods."""
        every = models.values()
        return cls(tuple(models), tuple(one.identity for one in every), tuple(one.shape for one in every))

    @property
    def width(self) -> int:
        """How many columns there are; each method has its decisions and games before its evidence."""
        return len(COUNTS) + sum(2 + int(np.prod(shape)) for shape in self.shapes)

    def places(self) -> dict[str, int]:
        """Where the columns of each method begin."""
        start, found = len(COUNTS), {}
        for name, shape in zip(self.methods, self.shapes, strict=True):
            found[name] = start
            start += 2 + int(np.prod(shape))
        return found


def compact(matrix: sparse.csr_array) -> sparse.csr_array:
    """The same with places of four bytes, where they will do: scipy takes eight as soon as anything has."""
    if max(matrix.nnz, *matrix.shape) <= np.iinfo(np.int32).max:
        matrix.indices = matrix.indices.astype(np.int32, copy=False)
        matrix.indptr = matrix.indptr.astype(np.int32, copy=False)
    return matrix


@dataclass
class Part:
    """Sums of one block of games, of one source of values: what a worker sends back."""

    layout: Layout
    names: list[str]
    rows: Ints
    """Place of the name, times PARTS, plus the part."""
    matrix: sparse.csr_array


class Sums:
    """Sums of one source of values by name and part.

    Names fall into shards, so that adding up takes little room besides the sums. What comes is held as it
    came until there is enough to be worth it: many small arrays would leave holes in memory.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._numbers: list[dict[str, int]] = [{} for _ in range(SHARDS)]
        self._matrices = [sparse.csr_array((0, layout.width), dtype=np.float32) for _ in range(SHARDS)]
        self._waiting: list[tuple[Ints, Ints, sparse.csr_array]] = []
        """Shard of each row, place in it, and the rows."""

    def add(self, part: Part) -> None:
        """More games."""
        if part.layout != self.layout:
            raise ValueError("sums of different meaning do not add up")
        shard_of = np.array([crc32(name.encode()) % SHARDS for name in part.names], dtype=np.int64)
        number = np.zeros(len(part.names), dtype=np.int64)
        for place, name in enumerate(part.names):
            known = self._numbers[shard_of[place]]
            number[place] = known.setdefault(name, len(known))
        names, parts = np.divmod(part.rows, PARTS)
        self._waiting.append((shard_of[names], number[names] * PARTS + parts, compact(part.matrix)))
        waiting = sum(len(rows) for _, rows, _ in self._waiting)
        if waiting > max(_MOST_WAITING, PARTS * len(self) // 2):
            self._settle()

    def _settle(self) -> None:
        """Add up what waits."""
        waiting, self._waiting = self._waiting, []
        # Few names have many games each: sums beyond what single precision counts, and room for more.
        kind = np.float64 if len(self) <= _FEW_NAMES else np.float32
        for index, known in enumerate(self._numbers):
            size = PARTS * len(known)
            own = [(rows[shards == index], matrix[shards == index]) for shards, rows, matrix in waiting]
            if self._matrices[index].shape[0] == size and not any(len(rows) for rows, _ in own):
                continue
            held = np.arange(self._matrices[index].shape[0])
            rows = np.concatenate([held, *(rows for rows, _ in own)])
            whole = [self._matrices[index], *(matrix for _, matrix in own)]
            stacked = compact(sparse.csr_array(sparse.vstack(whole, format="csr", dtype=kind)))
            ones = np.ones(len(rows), dtype=kind)
            added = sparse.csr_array((ones, (rows, np.arange(len(rows)))), shape=(size, len(rows)))
            self._matrices[index] = sparse.csr_array(compact(added) @ stacked)
        return_memory()

    def shards(self) -> Iterable[tuple[list[str], sparse.csr_array]]:
        """The names of each shard, and their rows, PARTS for each name."""
        if self._waiting:
            self._settle()
        for known, matrix in zip(self._numbers, self._matrices, strict=True):
            if known:
                yield list(known), matrix

    def __len__(self) -> int:
        return sum(map(len, self._numbers))

    def as_part(self) -> Part:
        """All of it, as a worker sends it back."""
        names: list[str] = []
        rows, matrices = [np.zeros(0, np.int64)], [sparse.csr_array((0, self.layout.width), dtype=np.float32)]
        for own, matrix in self.shards():
            filled = np.flatnonzero(np.diff(matrix.indptr))
            rows.append(PARTS * len(names) + filled)
            matrices.append(matrix[filled])
            names += own
        whole = sparse.csr_array(sparse.vstack(matrices, format="csr"))
        return Part(self.layout, names, np.concatenate(rows), compact(whole))


def add_parts(sums: dict[str, Sums], parts: Mapping[str, Part]) -> None:
    """Add what a block adds, by source."""
    for source, part in parts.items():
        if source not in sums:
            sums[source] = Sums(part.layout)
        sums[source].add(part)


def stacks_of(matrix: sparse.csr_array, layout: Layout, recipe_id: str) -> dict[str, ProfileStack]:
    """The profiles of rows of sums by method: dense, so of some names at a time."""
    found = {}
    keys = tuple(map(str, range(matrix.shape[0])))
    for name, start in layout.places().items():
        place = layout.methods.index(name)
        shape = layout.shapes[place]
        own = matrix[:, start : start + 2 + int(np.prod(shape))].astype(np.float64)
        evidence: Any = own[:, 2:]
        if np.prod(shape) < _DENSE:
            evidence = evidence.toarray()
        counts = own[:, :2].toarray()
        found[name] = ProfileStack(
            layout.models[place], keys, evidence, shape, counts[:, 0], counts[:, 1], recipe_id
        )
    return found


_DENSE = 2_000
"""Evidence of fewer numbers is held dense where players are rated."""


def counts_of(matrix: sparse.csr_array) -> dict[str, Floats]:
    """The counts of rows of sums, by name."""
    dense = matrix[:, : len(COUNTS)].toarray().astype(np.float64)
    return {name: dense[:, place] for place, name in enumerate(COUNTS)}


# Files -----------------------------------------------------------------------------------------------------


def write_sums(path: Path, sums: Mapping[str, Sums], about: Mapping[str, Any]) -> None:
    """Keep sums in a file, whole or not at all: arrays and text, nothing that runs code when read."""
    arrays: dict[str, Any] = {}
    sources = []
    for place, (source, one) in enumerate(sums.items()):
        layout = one.layout
        sources.append([source, layout.methods, layout.models, layout.shapes])
        for index, (names, matrix) in enumerate(one.shards()):
            where = f"{place}.{index}"
            arrays[f"{where}.names"] = np.array(names, dtype=np.str_)
            for part in ("data", "indices", "indptr"):
                arrays[f"{where}.{part}"] = getattr(matrix, part)
    with written_whole(path, follow=False) as file:
        np.savez(file, header=np.array(json.dumps({"sources": sources, **about})), **arrays)


def read_sums(path: Path) -> tuple[dict[str, Sums], dict[str, Any]]:
    """What `write_sums` wrote; ValueError or KeyError where it is something else."""
    found: dict[str, Sums] = {}
    with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
        about = json.loads(str(stored["header"]))
        for place, (source, methods, models, shapes) in enumerate(about.pop("sources")):
            layout = Layout(tuple(methods), tuple(models), tuple(tuple(shape) for shape in shapes))
            sums = found[source] = Sums(layout)
            for index in range(SHARDS):
                if f"{place}.{index}.names" not in stored:
                    break
                names = stored[f"{place}.{index}.names"].tolist()
                parts = [stored[f"{place}.{index}.{part}"] for part in ("data", "indices", "indptr")]
                rows = np.arange(PARTS * len(names))
                matrix = sparse.csr_array(tuple(parts), shape=(len(rows), layout.width))
                sums.add(Part(layout, names, rows, matrix))
    return found, about


# The sums of some games of one source of values: by name and part, for each method.

METHODS = ("conformance", "covariance", "gain", "markov")
"""What reads games that bring one value per ply, where there is no scale; a calibration names its own."""

_VALUES_ALONE = frozenset((*METHODS, "traits"))
"""Methods that read nothing else of games that bring one value per ply."""

BAND = 100
"""Rating points of a band."""

UNKNOWN = "unknown rating"


@dataclass(frozen=True, eq=False)
class Moves:
    """The moves of some games that may count, and which of the games each is of."""

    decisions: Decisions
    game: Ints
    black: Ints
    """1 for Black's moves, 0 for White's."""
    partly: int
    """Games that lack the evaluation of a move after the opening, other than the last."""


def models_for(source: str) -> dict[str, MoveModel]:
    """The methods that read the values of a source: those of its calibration, where it has one."""
    calibration = find_calibration(source)
    if calibration is None:
        return {name: make_model(name) for name in METHODS}
    return {name: calibration.models[name] for name in calibration.spread.methods}


def moves_of(records: Sequence[GameRecord], batch: Batch, positions: Positions, source: str) -> Moves:
    """The moves of some games of a block, whose positions are given."""
    options = any(one.moves is not None for record in records for one in batch.said.get(record.game_id, ()))
    if options or not models_for(source).keys() <= _VALUES_ALONE:
        return _assembled(records, batch, source)
    positions.settle(records)
    rows, before, after = between(positions.value, positions.offsets)
    lengths = np.diff(positions.offsets) - 1
    game = np.repeat(np.arange(len(lengths)), lengths)
    ply = rows - np.repeat(positions.offsets[:-1], lengths)
    black_starts = np.array(
        [one.start_fen is not None and " b " in one.start_fen for one in records], dtype=np.int64
    )
    known = ~(np.isnan(before) | np.isnan(after))
    partly = _partly(game, ply, known)
    before, after, ply, game = before[known], after[known], ply[known], game[known]
    decisions = decisions_between(before, after, ply, game, source)
    return Moves(decisions, game, (ply + black_starts[game]) % 2, partly)


def _assembled(records: Sequence[GameRecord], batch: Batch, source: str) -> Moves:
    """The same by the join that an import's games go through: where comments name options, for instance."""
    games, said = games_table(list(records)), batch.annotations_table(list(records))
    for side in ("white", "black"):
        games = games.append_column(side, games[f"{side}_name"])
    decisions = assemble_annotated(games, said, source)
    ids, place = decisions.names("game_id"), {record.game_id: at for at, record in enumerate(records)}
    game = np.array([place[name] for name in ids], dtype=np.int64)[decisions.codes("game_id")]
    known = decisions.codes("exclusion") < 0
    partly = _partly(game, decisions.numbers("ply"), known)
    black = np.array([name == "black" for name in decisions.names("colour")], np.int64)
    kept = np.flatnonzero(known)
    return Moves(decisions.take(kept), game[kept], black[decisions.codes("colour")][kept], partly)


def _partly(game: Ints, ply: Any, known: Any) -> int:
    """How many games lack the evaluation of a move after the opening, other than the last."""
    if not len(game):
        return 0
    last = np.append(game[1:] != game[:-1], True)
    return len(np.unique(game[~known & (ply >= 2 * OPENING_TURNS) & ~last]))


def part_of(records: Sequence[GameRecord], moves: Moves, source: str, by: By) -> Part | None:
    """What the moves add to every method's evidence; None where they add nothing."""
    if not len(moves.decisions):
        return None
    # An appearance is one player in one game: two for each, but for games that one name plays alone.
    alone = np.array([one.white_name == one.black_name for one in records], dtype=bool)
    appearance = 2 * moves.game + np.where(alone[moves.game], 0, moves.black)
    counted = ~(moves.decisions.numbers("ply") < 2 * OPENING_TURNS) & evaluated()(moves.decisions)
    size = np.bincount(appearance[counted], minlength=2 * len(records))
    names, name = _names(records, by)
    part = np.array([int(one.game_id[-8:], 16) % PARTS for one in records], dtype=np.int64)
    rows, place = np.unique((name * PARTS + np.repeat(part, 2))[size > 0], return_inverse=True)
    if not len(rows):
        return None
    row = np.full(2 * len(records), -1, dtype=np.int64)
    row[size > 0] = place.reshape(-1)
    kept = np.flatnonzero(row[appearance] >= 0)
    decisions = moves.decisions if len(kept) == len(appearance) else moves.decisions.take(kept)
    models = models_for(source)
    matrix = _evidence(models, decisions, appearance[kept], row, len(rows))
    counts = _counts(records, size, row, len(rows))
    return Part(Layout.of(models), names, rows, _joined([counts, *matrix]))


def _evidence(
    models: dict[str, MoveModel], decisions: Decisions, appearance: Ints, row: Ints, n_rows: int
) -> list[Any]:
    """Decisions, games and evidence of every method, one row for each name and part."""
    found: list[Any] = []
    chosen: dict[bytes, tuple[Decisions, Ints, Floats]] = {}  # most methods read the same decisions
    for model in models.values():
        keep = model.keeps(decisions)
        which = keep.tobytes()
        if which not in chosen:
            kept = decisions if keep.all() else decisions.take(np.flatnonzero(keep))
            own = appearance if keep.all() else appearance[keep]
            made = np.bincount(row[own], minlength=n_rows)
            chosen[which] = kept, row[own], np.stack((made, _games(own, row, n_rows)), axis=1)
        kept, group, counts = chosen[which]
        evidence = model.evidence(kept, group, n_rows)
        found += [counts, evidence if sparse.issparse(evidence) else evidence.reshape(n_rows, -1)]
    return found


def _games(appearance: Ints, row: Ints, n_rows: int) -> Ints:
    """How many different games each row has; both sides of one in one row, of a band, are one game."""
    here = (np.bincount(appearance, minlength=len(row)) > 0).reshape(-1, 2)
    both = row.reshape(-1, 2)
    here[:, 1] &= ~(here[:, 0] & (both[:, 0] == both[:, 1]))
    return np.bincount(both[here], minlength=n_rows)


def _joined(columns: list[Any]) -> sparse.csr_array:
    """Columns side by side, sparse; dense ones that stand together are made so together."""
    pieces: list[Any] = []
    dense: list[Any] = []
    for one in [*columns, None]:
        if one is not None and not sparse.issparse(one):
            dense.append(one)
            continue
        if dense:
            pieces.append(sparse.csr_array(np.concatenate(dense, axis=1, dtype=np.float32)))
            dense = []
        if one is not None:
            pieces.append(sparse.csr_array(one, dtype=np.float32))
    return compact(sparse.csr_array(sparse.hstack(pieces, format="csr", dtype=np.float32)))


def _names(records: Sequence[GameRecord], by: By) -> tuple[list[str], Ints]:
    """What the sums are kept by, and the place of each appearance's name: White's and Black's in turn."""
    if by is By.PLAYER:
        known: dict[str, int] = {}
        place = [
            known.setdefault(name, len(known)) for one in records for name in (one.white_name, one.black_name)
        ]
        return list(known), np.array(place, dtype=np.int64)
    elo = _elos(records)
    band = np.where(np.isnan(elo), -1, np.nan_to_num(elo) // BAND).astype(np.int64)
    bands, places = np.unique(band, return_inverse=True)
    return [band_name(one) for one in bands.tolist()], places.reshape(-1)


def band_name(band: int) -> str:
    """A band of ratings: `1600 to 1699`."""
    return UNKNOWN if band < 0 else f"{BAND * band:04d} to {BAND * band + BAND - 1:04d}"


def _elos(records: Sequence[GameRecord]) -> Floats:
    """The reference rating of each appearance, NaN where it is not known."""
    return np.array([elo or np.nan for one in records for elo in (one.white_elo, one.black_elo)])


def _counts(records: Sequence[GameRecord], size: Ints, row: Ints, n_rows: int) -> Floats:
    kept = row >= 0
    elo = _elos(records)[kept]
    white = np.array([np.nan if one.result is None else one.result for one in records])
    result = np.stack((white, 1 - white), axis=1).reshape(-1)[kept]
    columns = {
        "games": np.ones(int(kept.sum())),
        "decisions": size[kept],
        "squares": np.square(size[kept]),
        "elo": np.nan_to_num(elo),
        "rated": ~np.isnan(elo),
        "wins": result == 1,
        "draws": result == 0.5,
        "losses": result == 0,
    }
    return np.stack(
        [np.bincount(row[kept], columns[name].astype(np.float64), minlength=n_rows) for name in COUNTS],
        axis=1,
    )


# What a worker does with a block of games: read it, and add up the evidence of every player in it.

EVERY_TIME = Choice(frozenset(TIME_CLASSES))
"""Each time class has a source of values, and a scale, of its own: so none is left out."""

_LICHESS = "https://lichess.org/"


@dataclass(frozen=True)
class Asked:
    """What decides the sums, besides the games."""

    by: By = By.PLAYER
    choice: Choice = EVERY_TIME

    @property
    def words(self) -> str:
        """For telling one run from another."""
        return f"{self.by} {sorted(self.choice.times)} {self.choice.min_turns}"


@dataclass
class Gathered:
    """What a block of games adds."""

    numbers: list[int]
    """Of the blocks."""
    parts: dict[str, Part] = field(default_factory=dict)
    """By source of the values."""
    games: int = 0
    fragments: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    clocks: Counter[str] = field(default_factory=Counter)
    doubts: Counter[str] = field(default_factory=Counter)
    """Games whose evaluations are not what they should be, by what is wrong (assay.pgn.wrong_evaluations)."""
    without: int = 0
    """Games without evaluations, among those that may be rated."""
    partly: int = 0
    """Games that lack the evaluation of a move after the opening, other than the last."""


def gather(block: Block, asked: Asked) -> Gathered:
    """The evidence of a block of games by source of the values, name and part."""
    batch = read_texts(block.texts, block.source)
    found = Gathered([block.number], games=len(batch.games), fragments=batch.fragments)
    found.doubts = Counter(batch.doubts.values())
    positions = Positions.of(batch)
    found.clocks = positions.wrong_clocks(batch.games)
    reasons = [asked.choice.reason(one.exclusion, one.n_plies, one.time_class) for one in batch.games]
    found.left_out = Counter(reason for reason in reasons if reason is not None)
    rated = np.array([reason is None for reason in reasons], dtype=bool)
    evaluated = positions.evaluated() > 0
    found.without = int((rated & ~evaluated).sum())
    for source, games in _by_source(batch.games, np.flatnonzero(rated & evaluated)).items():
        own = [batch.games[game] for game in games.tolist()]
        moves = moves_of(own, batch, positions.only(games), source)
        found.partly += moves.partly
        part = part_of(own, moves, source, asked.by)
        if part is not None:
            found.parts[source] = part
    return found


def _by_source(records: Sequence[GameRecord], games: Ints) -> dict[str, Ints]:
    """The places of some games by the source of their values."""
    found: dict[str, list[int]] = {}
    known: dict[tuple[str | None, ...], str] = {}
    for game in games.tolist():
        one = records[game]
        site = one.site or ""
        if site.startswith(_LICHESS) and "/broadcast" not in site:
            site = _LICHESS  # the rest is the game's own
        tags = (site, one.event, one.evaluator, one.time_class)
        if tags not in known:
            known[tags] = evaluated_by(*(tag or "" for tag in tags))
        found.setdefault(known[tags], []).append(game)
    return {source: np.array(some, dtype=np.int64) for source, some in found.items()}


# What a run that was killed had added up: kept in the user's cache, so that the next one goes on.

FORMAT = 3
KEPT_EVERY = 120.0
"""Seconds between two times that the sums are kept."""


class State:
    """The sums so far, which blocks they are of, and what was counted."""

    def __init__(self, place: Path | None, every: float = KEPT_EVERY) -> None:
        self._place, self._every = place, every
        self._last = time.monotonic()
        self.sums: dict[str, Sums] = {}
        self.done = Gathered([])
        """What was counted, of the finished blocks."""
        self.finished: set[int] = set()
        self.resumed = 0
        """Blocks that an earlier run had finished."""
        self._changed = False
        if place is not None and place.is_file():
            self._resume(place)

    def _resume(self, place: Path) -> None:
        with suppress(OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile):  # damaged: begin anew
            sums, about = read_sums(place)
            if about["format"] == FORMAT and all(map(_is_of_today, sums, sums.values())):
                self.sums = sums
                self.finished = set(about["finished"])
                self.resumed = len(self.finished)
                for name, number in about["counted"].items():
                    setattr(self.done, name, number)
                self.done.left_out.update(about["left_out"])
                self.done.clocks.update(about["clocks"])
                self.done.doubts.update(about["doubts"])

    def add(self, found: Gathered) -> None:
        """More blocks."""
        add_parts(self.sums, found.parts)
        self.finished.update(found.numbers)
        for name in ("games", "fragments", "without", "partly"):
            setattr(self.done, name, getattr(self.done, name) + getattr(found, name))
        self.done.left_out.update(found.left_out)
        self.done.clocks.update(found.clocks)
        self.done.doubts.update(found.doubts)
        self._changed = True
        if time.monotonic() - self._last >= self._every:
            self.keep()

    def keep(self) -> None:
        """Write what there is; a cache that cannot be written to is done without."""
        if self._place is None or not self._changed:
            return
        counted = {name: getattr(self.done, name) for name in ("games", "fragments", "without", "partly")}
        about = {
            "format": FORMAT,
            "finished": sorted(self.finished),
            "counted": counted,
            "left_out": dict(self.done.left_out),
            "clocks": dict(self.done.clocks),
            "doubts": dict(self.done.doubts),
        }
        with suppress(OSError):
            self._place.parent.mkdir(parents=True, exist_ok=True)
            write_sums(self._place, self.sums, about)
        self._changed = False
        self._last = time.monotonic()

    def forget(self) -> None:
        """Remove the file: the run is complete."""
        if self._place is not None:
            with suppress(OSError):
                self._place.unlink(missing_ok=True)


def _is_of_today(source: str, sums: Sums) -> bool:
    """Whether sums are of the methods that would be asked now: another version may ask others."""
    return sums.layout == Layout.of(models_for(source))


def place_of(files: Sequence[Path], asked: Asked) -> Path | None:
    """Where the state of a run over these files is kept; None where there is no home, or a file is a pipe."""
    if not all(path.is_file() for path in files):
        return None
    named = blake2b(asked.words.encode(), digest_size=12)
    for path in files:
        about = path.stat()
        named.update(f"\n{path.resolve()} {about.st_size} {about.st_mtime_ns}".encode())
    try:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:
        return None
    return Path(base) / "assay" / "streams" / f"{named.hexdigest()}.npz"


# The whole of it: blocks dealt out, evidence added up, what was killed taken up again.

STREAMED_BY = (By.PLAYER, By.RATING_BAND)
"""What streamed games can be put together by."""

_NOTHING: Callable[..., None] = lambda *_: None  # noqa: E731


@dataclass(frozen=True, eq=False)
class Streamed:
    """Sums by source of the values, and what was counted on the way."""

    sums: dict[str, Sums]
    counted: Gathered
    by: By
    damage: tuple[str, ...] = ()
    """What ended files before their ends."""
    resumed: int = 0
    """Blocks that an earlier run had finished."""


def stream(
    sources: Sequence[str | Path] | str | Path,
    *,
    by: str = By.PLAYER,
    choice: Choice | None = None,
    jobs: int | None = None,
    cluster: str | None = None,
    executor: Executor | None = None,
    keep: bool = True,
    keep_every: float = KEPT_EVERY,
    progress: Progress = _NOTHING,
) -> Streamed:
    """Add up the evidence of evaluated games by player, or by rating band, without storing them.

    Names are taken as written and duplicates are not sought: that takes all games at once. With `keep`, a
    run that ends early leaves what it had added up in the user's cache, and the next one goes on from there.
    """
    asked = Asked(check_by(by, STREAMED_BY), choice or EVERY_TIME)
    several = [sources] if isinstance(sources, str | Path) else list(sources)
    files = [file for one in several for file in find_files(one)]
    state = State(place_of(files, asked) if keep else None, keep_every)
    deal = Deal(files, progress)
    # Workers first: they are made before anything is read.
    workers = executor or executor_for(jobs or usable_cores(), cluster)
    try:
        left = (block for block in deal.blocks() if block.number not in state.finished)
        for found in workers.map(partial(gather, asked=asked), left):
            state.add(found)
    except BaseException:
        state.keep()
        raise
    finally:
        if executor is None:
            workers.close()
    state.forget()
    if not state.sums:
        raise _nothing(state.done, deal)
    return Streamed(state.sums, state.done, asked.by, tuple(deal.failures), state.resumed)


def _nothing(counted: Gathered, deal: Deal) -> Exception:
    """Why there is nothing to rate."""
    if deal.failures:
        return PgnError(deal.failures[0])
    if not counted.games:
        return PgnError("there are no games: neither tags nor legal moves")
    if counted.doubts[ABSURD]:
        return InputError(f"{in_words({ABSURD: counted.doubts[ABSURD]})[0]}, and there are no other values")
    if counted.without:
        return InputError(
            f"{counted.without:,} games have no evaluations in their comments: analyse them with an engine "
            "(--evaluations engine)"
        )
    reasons = ", ".join(f"{n:,} {reason}" for reason, n in counted.left_out.most_common())
    return InputError(f"none of {counted.games:,} games may be rated ({reasons}): see --time and --min-turns")


# Ratings, or measures where there is no scale, from sums: some hundred names at a time, on all cores.

AT_ONCE = 180
"""Names that are rated together."""


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
