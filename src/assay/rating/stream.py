"""Games that bring their evaluations, streamed: read, added up by player and let go. Nothing is stored.

One reader deals out blocks of games. Workers, in this process, in several or on a cluster, make decisions of
them and what these add (assay.rating.evidence.part_of); here it is added up in the order of the games, copies
of earlier games left out. At the end the evidence of a player's spellings is added up. So the same games have
the same ratings as from a workspace. Memory grows with the players, and by some 60 bytes a rated game.
"""

from __future__ import annotations

import json
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import pyarrow as pa

from assay.answers.ratings import Ratings
from assay.decisions import evaluation
from assay.decisions.arrays import Floats, Ints
from assay.decisions.clocks import move_times
from assay.decisions.decisions import Decisions
from assay.decisions.elo import published
from assay.decisions.evaluation import OF_SERVERS, evaluated_by
from assay.decisions.exclusions import UNPLAYABLE, Choice, Exclusion
from assay.decisions.grouping import By, check_by
from assay.decisions.measures import between
from assay.decisions.names import name_of_side
from assay.decisions.schema import GAMES
from assay.errors import InputError, PgnError
from assay.executors import Executor, executor_for, usable_cores
from assay.files import written_whole
from assay.models.appearances import OPENING_TURNS
from assay.models.base import MoveModel
from assay.models.registry import make_model
from assay.pgn.comments import ABSURD, doubts_in_words
from assay.pgn.importer import in_crowd
from assay.pgn.players import NEEDED as NEEDED_TO_RESOLVE
from assay.pgn.players import Spelling, alias_key, find_spelling_file, resolve
from assay.pgn.reader import Batch, GameRecord, content_id, games_table, read_texts, take_texts
from assay.pgn.sources import GameText, find_files, open_stream, source_name, split_games
from assay.rating.calibration import find_calibration
from assay.rating.evidence import MOST_BLOCKS, Evidence, Part, part_of
from assay.rating.pipeline import Request, rate_sums
from assay.settings import folder_of
from assay.workspace.assemble import assemble_annotated, decisions_between
from assay.workspace.games import names_as_written

Progress = Callable[[str, int, int, int], None]
"""Is told the file's name, its size, how much of it is read, and how many games were dealt."""

STREAMED_BY = (By.PLAYER, By.RATING_BAND)
"""What streamed games can be put together by."""

METHODS = ("conformance", "covariance", "gain", "markov")
"""What reads games that bring one value per ply, where there is no scale; a calibration names its own."""

FORMAT = 6
KEPT_EVERY = 120.0
"""Seconds between two times that the sums are kept."""

_VALUES_ALONE = frozenset((*METHODS, "traits"))
"""Methods that read nothing else of games that bring one value per ply."""

_LICHESS = "https://lichess.org/"
_COUNTED = ("games", "fragments", "without", "partly")
_REASONS = ("left_out", "clocks", "doubts")
_NOTHING: Callable[..., None] = lambda *_: None  # noqa: E731


# Reading games ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Block:
    """Some games of a file, as text: the unit of work."""

    number: int
    texts: Sequence[GameText]
    source: str


def deal(files: Sequence[Path], progress: Progress, failures: list[str]) -> Iterator[Block]:
    """The games of files in blocks, in order; what ended a file before its end comes to `failures`."""
    number = dealt = 0
    for path in files:
        with open_stream(path) as opened:
            name = source_name(path)
            games = split_games(opened.stream, name)
            failure: PgnError | None = None
            while failure is None:
                texts, failure = take_texts(games)
                if not texts:
                    break
                dealt += len(texts)
                progress(name, opened.size, opened.position(), dealt)
                yield Block(number, texts, name)
                number += 1
            if failure is not None:
                failures.append(str(failure))


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
        comments = batch.annotations
        place = offsets[comments.game] + comments.position
        value[place] = evaluation.from_columns(comments.cp, comments.mate)
        clock[place], elapsed[place] = comments.clock, comments.elapsed
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
        """Count clocks that cannot be used, by what is wrong with them (assay.decisions.clocks)."""
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
        counts = {"backwards": times.backwards, "absurd": times.absurd}
        return Counter({name: n for name, n in counts.items() if n})

    def settle(self, records: Sequence[GameRecord]) -> None:
        """Give last positions that nobody evaluated their value by the rules, where those ended the game."""
        last = self.offsets[1:] - 1
        endings = np.array([record.ending for record in records], np.float64)
        self.value[last] = np.where(np.isnan(self.value[last]), endings, self.value[last])


# What a worker does with a block of games ------------------------------------------------------------------


@dataclass
class Gathered:
    """What a block of games adds, or all so far."""

    number: int = 0
    """Of the block."""
    parts: dict[str, Part] = field(default_factory=dict)
    """By source of the values."""
    games: int = 0
    fragments: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    clocks: Counter[str] = field(default_factory=Counter)
    doubts: Counter[str] = field(default_factory=Counter)
    """Games whose evaluations are not what they should be, by what is wrong (assay.pgn.comments)."""
    without: int = 0
    """Games without evaluations, among those that may be rated."""
    partly: int = 0
    """Games that lack the evaluation of a move after the opening, other than the last."""
    register: pa.Table | None = None
    """What `Register.add` needs of the games of a block."""


def gather(block: Block, by: By = By.PLAYER, chosen: Choice | None = None) -> Gathered:
    """What a block of games adds, by source of the values.

    Where nobody chose, those games count that are rated then; of servers, which have a scale for each time
    class, all.
    """
    batch = read_texts(block.texts, block.source)
    _tell_copies_apart(batch.games)
    counted = Gathered(block.number, games=len(batch.games), fragments=batch.fragments)
    counted.doubts = Counter(batch.doubts.values())
    positions = Positions.of(batch)
    counted.clocks = positions.wrong_clocks(batch.games)
    evaluated = positions.evaluated() > 0
    may_be_rated = np.zeros(len(batch.games), dtype=bool)
    registered = np.zeros(len(batch.games), dtype=bool)
    for source, places in _by_source(batch.games).items():
        choice = chosen or Choice.parse("all" if source in OF_SERVERS else None)
        games = [batch.games[place] for place in places.tolist()]
        reasons = [
            choice.reason(record.exclusion, record.n_plies, record.time_class, record.date)
            for record in games
        ]
        counted.left_out.update(reason for reason in reasons if reason is not None)
        rated = np.array([reason is None for reason in reasons], dtype=bool)
        counted.without += int((rated & ~evaluated[places]).sum())
        used = places[rated & evaluated[places]]
        may_be_rated[used] = True
        # On a server a name is an account: only games that count are remembered, a tenth of a month.
        registered[used if source in OF_SERVERS else places] = True
        decisions, partly = decisions_of(used, batch, positions.only(used), source)
        counted.partly += partly
        if len(decisions):
            part = part_of(decisions, models_for(source), by, compact=True)
            place_of_game = {str(number): place for number, place in enumerate(used.tolist())}
            place_of_game |= {batch.games[place].game_id: place for place in used.tolist()}
            of_code = np.array([place_of_game[name] for name in decisions.names("game_id")], np.int64)
            part = replace(part, game=of_code[part.game])
            if by is By.PLAYER:  # who has too few decisions is told, also where that is none
                seen = [
                    record for record, has_values in zip(games, evaluated[places], strict=True) if has_values
                ]
                names = [
                    name for record in seen for name in _sides(record) if record.exclusion not in UNPLAYABLE
                ]
                part = replace(part, groups=list(dict.fromkeys((*part.groups, *((n, "") for n in names)))))
            counted.parts[source] = part
    rows = np.flatnonzero(registered)
    records = [batch.games[row] for row in rows.tolist()]
    columns = {
        name: [getattr(record, name) for record in records] for name in ("moves_key", *NEEDED_TO_RESOLVE)
    }
    counted.register = pa.table({**columns, "place": rows, "rated": may_be_rated[rows]}, schema=_REGISTERED)
    return counted


def _tell_copies_apart(records: Sequence[GameRecord]) -> None:
    """Give each copy of a game of the same block an id of its own, as an import does."""
    ids: set[str] = set()
    for place, record in enumerate(records):
        if record.game_id in ids:
            record.game_id = content_id(record.game_id.encode(), record.source.encode(), str(place).encode())
        ids.add(record.game_id)


def _by_source(records: Sequence[GameRecord]) -> dict[str, Ints]:
    """The places of the games by the source of their values."""
    places: dict[str, list[int]] = {}
    source_of: dict[tuple[str | None, ...], str] = {}
    for place, record in enumerate(records):
        site = record.site or ""
        if site.startswith(_LICHESS) and "/broadcast" not in site:
            site = _LICHESS  # the rest is the game's own
        tags = (site, record.event, record.evaluator, record.time_class)
        if tags not in source_of:
            source_of[tags] = evaluated_by(*(tag or "" for tag in tags))
        places.setdefault(source_of[tags], []).append(place)
    return {source: np.array(rows, dtype=np.int64) for source, rows in places.items()}


def models_for(source: str) -> dict[str, MoveModel]:
    """The methods that read the values of a source: those of its calibration, where it has one."""
    calibration = find_calibration(source)
    if calibration is None:
        return {name: make_model(name) for name in METHODS}
    return calibration.models_used


def decisions_of(places: Ints, batch: Batch, positions: Positions, source: str) -> tuple[Decisions, int]:
    """The decisions of some games of a block, and how many of these lack evaluations of some moves."""
    records = [batch.games[place] for place in places.tolist()]
    options = batch.annotations.engine[np.isin(batch.annotations.game, places)].any()
    if options or not models_for(source).keys() <= _VALUES_ALONE:
        return _assembled(places, batch, source)
    positions.settle(records)
    rows, before, after = between(positions.value, positions.offsets)
    lengths = np.diff(positions.offsets) - 1
    game = np.repeat(np.arange(len(lengths)), lengths)
    ply = rows - np.repeat(positions.offsets[:-1], lengths)
    valued = ~(np.isnan(before) | np.isnan(after))
    partly = _partly(game, ply, valued)
    before, after, ply, game = before[valued], after[valued], ply[valued], game[valued]
    black_starts = np.array(
        [record.start_fen is not None and " b " in record.start_fen for record in records], dtype=np.int64
    )
    side = 2 * game + (ply + black_starts[game]) % 2
    code: dict[str, int] = {}
    codes = np.array(
        [code.setdefault(name, len(code)) for record in records for name in _sides(record)], np.int32
    )
    # Of a name that plays both sides what stands with the first move counts, as elsewhere.
    alone = codes[0::2] == codes[1::2]
    side = np.where(alone[game], 2 * game + black_starts[game], side)
    elo = np.array(
        [
            published(elo, record.date, record.site, name) or np.nan
            for record in records
            for elo, name in ((record.white_elo, record.white_name), (record.black_elo, record.black_name))
        ]
    )
    white = np.array([np.nan if record.result is None else record.result for record in records])
    result = np.stack((white, 1 - white), axis=1).reshape(-1)
    columns = {
        "player": pa.DictionaryArray.from_arrays(pa.array(codes[side]), pa.array(list(code), pa.string())),
        "player_elo": pa.array(elo[side]),
        "result": pa.array(result[side]),
        "event": pa.array([record.event for record in records], pa.string()).dictionary_encode().take(game),
        "year": pa.array([record.year for record in records], pa.float64()).take(game),
    }
    return decisions_between(before, after, ply, game, source, columns), partly


def _sides(record: GameRecord) -> tuple[str, str]:
    return (
        name_of_side(record.white_name, "White", record.game_id),
        name_of_side(record.black_name, "Black", record.game_id),
    )


def _assembled(places: Ints, batch: Batch, source: str) -> tuple[Decisions, int]:
    """The same by the join that an import's games go through: where comments name options, for instance."""
    places = places.tolist()
    games, comments = games_table([batch.games[place] for place in places]), batch.annotations_table(places)
    for side in ("white", "black"):
        games = games.append_column(side, games[f"{side}_name"])
    decisions = assemble_annotated(games, comments, source)
    valued = decisions.codes("exclusion") < 0
    partly = _partly(decisions.codes("game_id"), decisions.numbers("ply"), valued)
    return decisions.take(np.flatnonzero(valued)), partly


def _partly(game: Ints, ply: Any, valued: Any) -> int:
    """How many games lack the evaluation of a move after the opening, other than the last."""
    if not len(game):
        return 0
    last = np.append(game[1:] != game[:-1], True)
    return len(np.unique(game[~valued & (ply >= 2 * OPENING_TURNS) & ~last]))


# The whole of it: blocks dealt out, evidence added up, what was killed taken up again ----------------------


_REGISTERED = pa.schema(
    [
        *((name, GAMES.arrow.field(name).type) for name in ("moves_key", *NEEDED_TO_RESOLVE)),
        ("place", pa.int64()),
        ("rated", pa.bool_()),
    ]
)
_NUMBERS = {"moves_key": "i8", "year": "i4", "white_elo": "i2", "black_elo": "i2", "white_fide": "i4"}
_NUMBERS |= {"black_fide": "i4", "white_name": "i4", "black_name": "i4", "event": "i4", "copy": "?"}
_ABSENT = -1
_MOST_RECENT = 200_000


class Register:
    """Players, years, events and moves of games, as numbers: finds copies and spellings of one name."""

    def __init__(self, text: Sequence[str] = (), rows: Any = None) -> None:
        """`text` has the names and events, `rows` (of _NUMBERS) the games of an earlier run."""
        self._codes = {name: code for code, name in enumerate(text)}
        self._text = list(text)
        self._rows = [] if rows is None else [rows]
        self._starts = [0, *([] if rows is None else [len(rows)])]
        """The place of the first game of each of them, and of the next."""
        self._sorted = np.zeros((2, 0), np.int64)
        """Hashes of moves, rising, and the place of the first game of each."""
        self._recent: dict[int, int] = {}
        """The same of hashes that came last."""
        self._crowds: dict[int, dict[Any, Any]] = {}
        """The games of each hash that several games have."""
        if rows is not None:
            places = np.flatnonzero(~rows["copy"])
            keys, first = np.unique(rows["moves_key"][places], return_index=True)
            self._merge(keys, places[first])
            for place in np.delete(places, first).tolist():
                in_crowd(self._crowd(int(rows["moves_key"][place])), self._game(place), remember=True)

    def add(self, games: pa.Table) -> Ints:
        """Remember the games of a block; returns the places in the block of rated games that are copies."""
        columns = {name: games[name].to_pylist() for name in ("moves_key", *NEEDED_TO_RESOLVE)}
        rows = np.zeros(games.num_rows, list(_NUMBERS.items()))
        for name, values in columns.items():
            if name in ("white_name", "black_name", "event"):
                values = [_ABSENT if text is None else self._code(text) for text in values]
            rows[name] = [_ABSENT if value is None else value for value in values]
        first = self._starts[-1]
        self._rows.append(rows)
        self._starts.append(first + len(rows))
        keys = rows["moves_key"]
        before = np.isin(keys, self._sorted[0]).tolist()
        for row, key in enumerate(keys.tolist()):
            if before[row] or key in self._recent:
                rows["copy"][row] = in_crowd(self._crowd(key), self._game(first + row))
            else:
                self._recent[key] = first + row
        if len(self._recent) > _MOST_RECENT:
            self._merge(*np.array(list(self._recent.items()), np.int64).T)
            self._recent = {}
        return np.asarray(games["place"].to_numpy()[rows["copy"] & games["rated"].to_numpy()], np.int64)

    def _code(self, text: str) -> int:
        code = self._codes.setdefault(text, len(self._text))
        if code == len(self._text):
            self._text.append(text)
        return code

    def _crowd(self, key: int) -> dict[Any, Any]:
        """The games of these moves so far, of which there is at least one."""
        if key not in self._crowds:
            place = self._recent.get(key)
            if place is None:
                place = int(self._sorted[1, np.searchsorted(self._sorted[0], key)])
            self._crowds[key] = {}
            in_crowd(self._crowds[key], self._game(place), remember=True)
        return self._crowds[key]

    def _merge(self, keys: Ints, places: Ints) -> None:
        every = np.concatenate((self._sorted, np.stack((keys, places))), axis=1)
        self._sorted = every[:, np.argsort(every[0], kind="stable")]

    def _game(self, place: int) -> tuple[int | None, str, str]:
        """Year, White and Black of a game."""
        block = bisect_right(self._starts, place) - 1
        row = self._rows[block][place - self._starts[block]]
        year, white, black = (row[name].item() for name in ("year", "white_name", "black_name"))
        return None if year == _ABSENT else year, self._text[white], self._text[black]

    def arrays(self) -> tuple[Any, Any]:
        """Names and events, and the games: what the constructor takes."""
        self._rows = [np.concatenate([np.zeros(0, list(_NUMBERS.items())), *self._rows])]
        self._starts = [0, len(self._rows[0])]
        return np.array(self._text, np.str_), self._rows[0]

    def players(self, aliases: Mapping[str, str]) -> dict[str, str]:
        """The player of each name that is another's spelling, settled as in a workspace."""
        text, rows = self.arrays()
        texts, columns = pa.array(text.tolist(), pa.string()), {}
        for name in NEEDED_TO_RESOLVE:
            values = pa.array(rows[name], mask=rows[name] == _ABSENT)
            is_text = name in ("white_name", "black_name", "event")
            columns[name] = pa.DictionaryArray.from_arrays(values, texts) if is_text else values
        games = pa.table(columns)
        counts = names_as_written(games)
        file = find_spelling_file()
        spellings = {} if file is None else Spelling(file, _NOTHING).players(counts)
        folded = {alias_key(name): player for name, player in aliases.items()}
        resolved = resolve(counts, folded, spellings, games)
        return {name: settled.player for name, settled in resolved.items() if settled.player != name}


class State:
    """The evidence of the first blocks, and what was counted: kept in the user's cache on the way."""

    def __init__(self, place: Path | None, every: float = KEPT_EVERY) -> None:
        self._place, self._every = place, every
        self._last = time.monotonic()
        self.evidence: dict[str, Evidence] = {}
        """By source of the values."""
        self.done = Gathered()
        """What was counted of the finished blocks."""
        self.register = Register()
        self.finished = self.resumed = 0
        """Blocks that are finished, and that an earlier run had finished."""
        self._changed = False
        if place is not None and place.is_file():
            with suppress(OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile):  # damaged: anew
                self._resume(place)

    def _resume(self, place: Path) -> None:
        evidence = {}
        with place.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            about = json.loads(str(stored["header"]))
            if about["format"] != FORMAT:
                return
            for number, (source, meaning) in enumerate(about["sources"]):
                start = f"{number}:"
                arrays = {name.removeprefix(start): stored[name] for name in stored if name.startswith(start)}
                restored = evidence[source] = _evidence_of(source, arrays)
                if meaning != _meaning(restored):  # of the methods of another version
                    return
            register = Register(stored["text"].tolist(), stored["games"])
        self.evidence, self.register = evidence, register
        self.finished = self.resumed = int(about["finished"])
        for name in _COUNTED:
            setattr(self.done, name, int(about["counted"][name]))
        for name in _REASONS:
            getattr(self.done, name).update(about["counted"][name])

    def add(self, block: Gathered) -> None:
        """The next block, without copies of games before."""
        copies = np.zeros(0, np.int64) if block.register is None else self.register.add(block.register)
        if len(copies):
            block.left_out[Exclusion.DUPLICATE.value] += len(copies)
        for source, part in block.parts.items():
            if len(copies):
                part = part.only(np.flatnonzero(~np.isin(part.game, copies)))
            if source not in self.evidence:
                self.evidence[source] = _evidence_of(source)
            self.evidence[source].add(part)
        self.finished += 1
        for name in _COUNTED:
            setattr(self.done, name, getattr(self.done, name) + getattr(block, name))
        for name in _REASONS:
            getattr(self.done, name).update(getattr(block, name))
        self._changed = True
        if time.monotonic() - self._last >= self._every:
            self.keep()

    def keep(self) -> None:
        """Write what there is, whole or not at all; a cache that cannot be written to is done without."""
        if self._place is None or not self._changed:
            return
        header = {
            "format": FORMAT,
            "finished": self.finished,
            "counted": {name: getattr(self.done, name) for name in (*_COUNTED, *_REASONS)},
            "sources": [[source, _meaning(of_source)] for source, of_source in self.evidence.items()],
        }
        arrays = {
            f"{number}:{name}": array
            for number, of_source in enumerate(self.evidence.values())
            for name, array in of_source.arrays().items()
        }
        arrays["text"], arrays["games"] = self.register.arrays()
        with suppress(OSError):
            self._place.parent.mkdir(parents=True, exist_ok=True)
            with written_whole(self._place, follow=False) as file:
                np.savez(file, header=np.array(json.dumps(header)), **arrays)
        self._changed = False
        self._last = time.monotonic()

    def forget(self) -> None:
        """Remove the file: the run is complete."""
        if self._place is not None:
            with suppress(OSError):
                self._place.unlink(missing_ok=True)


def _evidence_of(source: str, arrays: Mapping[str, Any] | None = None) -> Evidence:
    """Nothing yet, or what was kept: one row for each player where there is a scale, else blocks of games."""
    blocks = MOST_BLOCKS if find_calibration(source) is None else 1
    if arrays is None:
        return Evidence(models_for(source), source, blocks=blocks)
    return Evidence.restored(models_for(source), source, arrays, blocks=blocks)


def _meaning(evidence: Evidence) -> list[list[Any]]:
    return [[name, identity, list(shape)] for name, (identity, shape) in evidence.meaning.items()]


def place_of(files: Sequence[Path], by: By = By.PLAYER, chosen: Choice | None = None) -> Path | None:
    """Where the state of a run over these files is kept; None where there is no home, or a file is a pipe."""
    if not all(path.is_file() for path in files):
        return None
    asked = f"{by} {chosen and (sorted(chosen.times), chosen.min_turns)}"
    named = blake2b(asked.encode(), digest_size=12)
    for path in files:
        about = path.stat()
        named.update(f"\n{path.resolve()} {about.st_size} {about.st_mtime_ns}".encode())
    folder = folder_of("cache")
    return None if folder is None else folder / "streams" / f"{named.hexdigest()}.npz"


@dataclass(frozen=True, eq=False)
class Streamed:
    """Evidence by source of the values, and what was counted on the way."""

    evidence: dict[str, Evidence]
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
    aliases: Mapping[str, str] | None = None,
    executor: Executor | None = None,
    keep: bool = True,
    keep_every: float = KEPT_EVERY,
    progress: Progress = _NOTHING,
) -> Streamed:
    """Add up the evidence of evaluated games by player, or by rating band, without storing them.

    With `keep`, a run that ends early leaves what it had added up in the user's cache, and the next one goes
    on from there. `aliases` are names and the players that they mean.
    """
    grouped, failures = check_by(by, STREAMED_BY), list[str]()
    several = [sources] if isinstance(sources, str | Path) else list(sources)
    files = [file for path in several for file in find_files(path)]
    state = State(place_of(files, grouped, choice) if keep else None, keep_every)
    # Workers first: they are made before anything is read.
    workers = executor or executor_for(jobs or usable_cores(), cluster)
    try:
        left = (block for block in deal(files, progress, failures) if block.number >= state.finished)
        worker = partial(gather, by=grouped, chosen=choice)
        for block in _in_turn(workers.map(worker, left), state.finished):
            state.add(block)
    except BaseException:
        state.keep()
        raise
    finally:
        if executor is None:
            workers.close()
    state.forget()
    if not state.evidence:
        raise _nothing(state.done, failures)
    if grouped is By.PLAYER:
        players = state.register.players(aliases or {})
        for evidence in state.evidence.values():
            evidence.rename(players)
    return Streamed(state.evidence, state.done, grouped, tuple(failures), state.resumed)


def _in_turn(blocks: Iterable[Gathered], first: int) -> Iterator[Gathered]:
    """Blocks in the order of their numbers: which games are left out together hangs on it."""
    early: dict[int, Gathered] = {}
    for block in blocks:
        early[block.number] = block
        while first in early:
            yield early.pop(first)
            first += 1


def _nothing(counted: Gathered, failures: Sequence[str]) -> Exception:
    """Why there is nothing to rate."""
    if failures:
        return PgnError(failures[0])
    if not counted.games:
        return PgnError("there are no games: neither tags nor legal moves")
    if counted.doubts[ABSURD]:
        return InputError(
            f"{doubts_in_words({ABSURD: counted.doubts[ABSURD]})[0]}, and there are no other values"
        )
    if counted.without:
        return InputError(
            f"{counted.without:,} games have no evaluations in their comments: analyse them with an engine "
            "(--evaluations engine)"
        )
    reasons = ", ".join(f"{n:,} {reason}" for reason, n in counted.left_out.most_common())
    return InputError(f"none of {counted.games:,} games may be rated ({reasons}): see --time and --min-turns")


# Ratings ---------------------------------------------------------------------------------------------------


def ratings_of(
    streamed: Streamed,
    *,
    least: int = 10,
    level: float = 0.95,
    progress: Callable[[int, int], None] = _NOTHING,
) -> list[Ratings]:
    """Ratings of everyone by source of the values, that with most games first.

    A source without a calibration has no Elo: players have the methods' own measures.
    """
    asked, nobody = Request(by=streamed.by, min_decisions=least, level=level), None
    answers = []
    for source, evidence in streamed.evidence.items():
        calibration = find_calibration(source)
        try:
            ratings = rate_sums(evidence.sums(), models_for(source), calibration, asked, progress=progress)
        except InputError as error:  # nobody has decisions enough
            nobody = error
            continue
        caveat = None if calibration is None else calibration.about.get("caveat")
        notes = (*notes_of(streamed), caveat) if caveat else notes_of(streamed)
        answers.append(replace(ratings, notes=notes, left_out=dict(streamed.counted.left_out)))
    if nobody is not None and not any(ratings.players for ratings in answers):
        raise nobody
    return sorted(answers, key=lambda ratings: -sum(player.games for player in ratings.players))


def notes_of(streamed: Streamed) -> tuple[str, ...]:
    """What must be said with streamed ratings."""
    counted = streamed.counted
    notes = ["Streamed: no workspace is written."]
    if counted.without:
        notes.append(f"{counted.without:,} games without evaluations are passed over.")
    if counted.partly:
        notes.append(f"{counted.partly:,} games lack evaluations of some moves, which are passed over.")
    if counted.clocks:
        notes.append(
            f"{sum(counted.clocks.values()):,} clocks run backwards or cannot be right, and are left out."
        )
    notes += [f"{doubt[0].upper()}{doubt[1:]}." for doubt in doubts_in_words(counted.doubts)]
    return (*notes, *streamed.damage)
