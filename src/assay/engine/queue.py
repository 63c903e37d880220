"""What is to be analysed: which positions of games a recipe covers, and which of them are not stored yet.

A large collection has tens of millions of positions, which as text are gigabytes. So games are held as codes
of their moves, and a position is known by the hash of its key (assay.engine.replay) and by its *place*: its
number among the positions of all games. Stored analyses are shown to it some rows at a time, and never held.
A position of a thousand games is one task.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from assay.decisions import move_codes
from assay.decisions.arrays import Codes, Hashes, Ints, Mask, flat, list_offsets, make_lists, single
from assay.decisions.compiled import njit
from assay.engine.recipe import EngineIdentity, Recipe, recipe_id
from assay.engine.replay import Replay, hash_keys, replay_codes
from assay.engine.search import Task


@dataclass(frozen=True, eq=False)
class GameLines:
    """The moves of many games as codes, those of game i at `offsets[i]` up to `offsets[i + 1]`.

    `starts` has the first position of a game where it is not the usual one. `sides` says for each game
    whether positions with White to move are wanted, and those with Black to move; None where all are.
    """

    codes: Codes
    offsets: Ints
    starts: Mapping[int, str]
    sides: npt.NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, games: pa.Table | Iterable[pa.Table]) -> GameLines:
        """From tables of games with the columns `moves` and `start_fen`, which need not be there at once.

        Columns `of_white` and `of_black` say which sides are wanted, where not both are.
        """
        codes, lengths, starts = [np.zeros(0, np.int16)], [np.zeros(0, np.int64)], {}
        n_games, sides = 0, []
        for table in [games] if isinstance(games, pa.Table) else games:
            if not table.num_rows:
                continue
            codes.append(move_codes.encode(flat(table["moves"])))
            lengths.append(np.diff(list_offsets(table["moves"])))
            for index, fen in enumerate(table["start_fen"].to_pylist()):
                if fen is not None:
                    starts[n_games + index] = fen
            if "of_white" in table.column_names:
                wanted = (table[name].to_numpy() for name in ("of_white", "of_black"))
                sides.append(np.column_stack([mask.astype(bool) for mask in wanted]))
            n_games += table.num_rows
        offsets = np.concatenate(([0], np.cumsum(np.concatenate(lengths))))
        return cls(np.concatenate(codes), offsets, starts, np.concatenate(sides) if sides else None)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Ints:
        """Number of moves of each game."""
        return np.diff(self.offsets)

    def moves(self, game: int, plies: int) -> list[str]:
        """The first moves of a game, UCI."""
        first = int(self.offsets[game])
        moves: list[str] = move_codes.decode(self.codes[first : first + plies]).to_pylist()
        return moves

    def replay(self, games: Ints) -> Replay:
        """The positions of some games."""
        codes = [self.codes[self.offsets[game] : self.offsets[game + 1]] for game in games]
        fens = [self.starts.get(int(game)) for game in games] if self.starts else None
        return replay_codes(np.concatenate([np.zeros(0, np.int16), *codes]), self.lengths[games], fens)


Unit = Sequence[Task]

_GAMES_AT_ONCE = 4000

_BINS = 16
"""Positions are sorted in so many parts, by the last bits of their hashes: sorting takes room of its own."""

_FEW = 100_000
"""Positions that are gathered before they are sorted among the others."""


class _Bin:
    """Positions whose hashes end alike with the moves played there, each pair once, sorted by hash."""

    def __init__(self) -> None:
        self.hashes: Hashes = np.zeros(0, np.uint64)
        self.places: npt.NDArray[np.int32] = np.zeros(0, np.int32)
        """Where each is first met. Those of one hash are in order."""
        self.played: Codes = np.zeros(0, np.int16)
        self._pending: list[tuple[Hashes, npt.NDArray[np.int32], Codes]] = []

    def add(self, hashes: Hashes, places: npt.NDArray[np.int32], played: Codes) -> None:
        """More of them, of later places."""
        self._pending.append((hashes, places, played))
        if sum(len(more) for more, _, _ in self._pending) > max(_FEW, len(self.hashes)):
            self._merge()

    def _merge(self) -> None:
        parts = [(self.hashes, self.places, self.played), *self._pending]
        self._pending = []
        hashes, places, played = (np.concatenate(part) for part in zip(*parts, strict=True))
        order = np.argsort(hashes, kind="stable")
        hashes, places, played = hashes[order], places[order], played[order]
        first = _first_of_each(hashes, played)
        self.hashes, self.places, self.played = hashes[first], places[first], played[first]

    def close(self) -> None:
        """No more will come."""
        self._merge()
        self.settled: Mask = self.played < 0
        """Whether the played move needs no search of its own."""
        self.firsts: Ints = np.flatnonzero(
            np.append(True, self.hashes[1:] != self.hashes[:-1])[: len(self.hashes)]
        ).astype(np.int32)
        """Where each different hash begins."""
        self.depth: npt.NDArray[np.int16] = np.full(len(self.firsts), -1, np.int16)
        """Of the stored analysis of each different hash; -1 where there is none."""

    def find(self, hashes: Hashes) -> Ints:
        """Which of the different hashes each of these is; -1 where it is not there."""
        if not len(self.hashes):
            return np.full(len(hashes), -1, np.int64)
        places = np.searchsorted(self.hashes, hashes)
        there = self.hashes[np.minimum(places, len(self.hashes) - 1)] == hashes
        return np.where(there, np.searchsorted(self.firsts, places), -1)

    def needed(self) -> Mask:
        """Which of the different hashes have something to do."""
        if not len(self.firsts):
            return np.zeros(0, bool)
        return np.asarray((self.depth < 0) | np.logical_or.reduceat(~self.settled, self.firsts))

    def searches(self, needed: Mask) -> tuple[Ints, Codes]:
        """The moves to be searched in these positions, each with the first place of its position."""
        run = np.repeat(np.arange(len(self.firsts)), np.diff(self.firsts, append=len(self.hashes)))
        rows = np.flatnonzero(~self.settled & needed[run])
        return self.places[self.firsts[run[rows]]].astype(np.int64), self.played[rows]


class Wanted:
    """The positions of games from a turn on, with the moves played there, and what is stored of them."""

    def __init__(self, lines: GameLines, first_turn: int, *, alone: bool = True) -> None:
        """Without `alone`, played moves are not looked at: they are never searched by themselves."""
        self.lines = lines
        self._first_ply = 2 * (first_turn - 1)
        sizes = np.maximum(lines.lengths + 1 - self._first_ply, 0)
        self._offsets = np.concatenate(([0], np.cumsum(sizes)))
        self._bins = [_Bin() for _ in range(_BINS)]
        for start in range(0, len(lines), _GAMES_AT_ONCE):
            self._gather(np.arange(start, min(start + _GAMES_AT_ONCE, len(lines))), alone)
        for part in self._bins:
            part.close()

    def _gather(self, games: Ints, alone: bool) -> None:
        positions = self.lines.replay(games)
        game = np.repeat(np.arange(len(games)), np.diff(positions.offsets))
        covered = np.flatnonzero(np.arange(len(game)) - positions.offsets[game] >= self._first_ply)
        played = self._moves_in(games, game) if alone else np.full(len(game), -1, np.int16)
        places = np.arange(len(covered), dtype=np.int32) + np.int32(self._offsets[games[0]])
        if self.lines.sides is not None:
            own = self._own_moves(games, game[covered], covered - positions.offsets[game[covered]])
            covered, places = covered[own], places[own]
        hashes, played = positions.hashes[covered], played[covered]
        which = (hashes % np.uint64(_BINS)).astype(np.int8)
        for number, part in enumerate(self._bins):
            rows = np.flatnonzero(which == number)
            part.add(hashes[rows], places[rows], played[rows])

    def _own_moves(self, games: Ints, game: Ints, ply: Ints) -> Mask:
        """Whether the side to move of each position, by its game and ply, is wanted."""
        assert self.lines.sides is not None
        black_first = [" b " in self.lines.starts.get(int(number), "") for number in games]
        black_to_move = (ply + np.array(black_first, dtype=np.int64)[game]) % 2
        return np.asarray(self.lines.sides[games[game], black_to_move])

    def _moves_in(self, games: Ints, game: Ints) -> Codes:
        """The move played in each position of these games; -1 in the last one of a game."""
        codes = self.lines.codes[self.lines.offsets[games[0]] : self.lines.offsets[games[-1] + 1]]
        played = np.full(len(game), -1, np.int16)
        of_move = np.repeat(np.arange(len(games)), self.lines.lengths[games])
        played[np.arange(len(codes)) + of_move] = codes  # one position more than moves in each game before
        return played

    def __len__(self) -> int:
        """Number of different positions."""
        return sum(len(part.firsts) for part in self._bins)

    def note(self, stored: Iterable[pa.Table]) -> None:
        """Take note of stored rows by their `position_key`.

        Analyses have a `depth`, and their lines as `moves` where played moves matter; of a move searched
        alone there is the `move`.
        """
        for rows in stored:
            offsets, codes = np.arange(rows.num_rows + 1), np.zeros(0, np.int16)
            if "move" in rows.column_names:
                codes = move_codes.encode(single(rows["move"]))
            elif "moves" in rows.column_names:
                offsets, codes = list_offsets(rows["moves"]), move_codes.encode(flat(rows["moves"]))
            for part, which, places in self._wanted_rows(rows):
                if "depth" in rows.column_names:
                    part.depth[places] = single(rows["depth"]).to_numpy()[which]
                if len(codes):
                    firsts = part.firsts[places]
                    _settle(part.hashes, part.played, part.settled, firsts, which, offsets, codes)

    def _wanted_rows(self, rows: pa.Table) -> Iterable[tuple[_Bin, Ints, Ints]]:
        """Each bin with the rows whose positions are wanted, and which of its positions they are."""
        hashes = hash_keys(single(rows["position_key"]))
        which = (hashes % np.uint64(_BINS)).astype(np.int8)
        for number, part in enumerate(self._bins):
            mine = np.flatnonzero(which == number)
            places = part.find(hashes[mine])
            yield part, mine[places >= 0], places[places >= 0]

    def count_unknown(self) -> int:
        """How many different positions have no stored analysis."""
        return sum(int((part.depth < 0).sum()) for part in self._bins)

    def missing(self, limit: int | None = None, *, whole_games: bool = False) -> pa.Table:
        """What is to be done, in the order of the games, as columns position_key, depth, played, game, ply.

        That is every position without a stored analysis, and every position with one in which a move was
        played that has no value; `played` are these moves. At most `limit` positions, or as many games as
        hold so many.
        """
        needed = [part.needed() for part in self._bins]
        places = np.concatenate(
            [part.places[part.firsts[wanted]] for part, wanted in zip(self._bins, needed, strict=True)]
        )
        depth = np.concatenate([part.depth[wanted] for part, wanted in zip(self._bins, needed, strict=True)])
        order = np.argsort(places)
        if limit is not None and limit < len(order):
            order = order[: self._n_within(places[order], limit, whole_games)]
            for part, wanted in zip(self._bins, needed, strict=True):
                wanted &= part.places[part.firsts] <= (places[order[-1]] if len(order) else -1)
        places, depth = places[order].astype(np.int64), depth[order]
        searches = [part.searches(wanted) for part, wanted in zip(self._bins, needed, strict=True)]
        where, moves = (np.concatenate(parts) for parts in zip(*searches, strict=True))
        words, place_of = _alphabetical()
        pairs = np.sort(where << 16 | place_of[moves])
        ends = np.searchsorted(pairs >> 16, places, side="right")
        game = np.searchsorted(self._offsets, places, side="right") - 1
        ply = places - self._offsets[game] + self._first_ply
        return pa.table(
            {
                "position_key": self._keys(game, ply),
                "depth": pa.array(depth, mask=depth < 0),
                "played": make_lists(np.append(0, ends), words.take(pa.array(pairs & 0xFFFF))),
                "game": game.astype(np.int32),
                "ply": ply.astype(np.int16),
            }
        )

    def _n_within(self, places: Ints, limit: int, whole_games: bool) -> int:
        if not whole_games or not limit:
            return limit
        game = np.searchsorted(self._offsets, places[limit - 1], side="right")
        return int(np.searchsorted(places, self._offsets[game]))

    def _keys(self, game: Ints, ply: Ints) -> pa.ChunkedArray:
        """The keys of positions, whose games are in order: played once more, some games at a time."""
        games, first = np.unique(game, return_index=True)
        chunks = []
        for start in range(0, len(games), _GAMES_AT_ONCE):
            batch = games[start : start + _GAMES_AT_ONCE]
            last = first[start + len(batch)] if start + len(batch) < len(games) else len(game)
            rows = slice(int(first[start]), int(last))
            positions = self.lines.replay(batch)
            places = positions.offsets[np.searchsorted(batch, game[rows])] + ply[rows]
            chunks.append(positions.keys.take(pa.array(places)).cast(pa.string()))
        return pa.chunked_array(chunks, pa.string())


@dataclass(frozen=True)
class Backlog:
    """What is to be done for a recipe."""

    recipe: Recipe
    identity: EngineIdentity
    wanted: int
    """Different positions in the games that the recipe covers."""
    missing: pa.Table
    games: GameLines

    @property
    def recipe_id(self) -> str:
        """The recipe's id with this engine."""
        return recipe_id(self.recipe, self.identity)

    def __len__(self) -> int:
        return int(self.missing.num_rows)

    @property
    def n_units(self) -> int:
        """How many pieces of work could go on at once."""
        return pc.count_distinct(self.missing["game"]).as_py() if self.recipe.walk else len(self)

    def tasks(self) -> Iterator[Task]:
        """The tasks in order: game by game, backwards through each where the recipe walks."""
        for batch in self.missing.to_batches(max_chunksize=1000):
            for row in batch.to_pylist():
                task = Task(row["position_key"], tuple(row["played"]), row["depth"], row["ply"], row["game"])
                yield task._replace(history=self._history(task)) if self.recipe.history else task

    def units(self, size: int) -> Iterator[Unit]:
        """The tasks in units: games where the recipe walks, else `size` tasks."""
        tasks = self.tasks()
        if self.recipe.walk:
            for _, walk in groupby(tasks, key=lambda task: task.game):
                yield list(walk)
        else:
            while unit := list(islice(tasks, size)):
                yield unit

    def _history(self, task: Task) -> str:
        start = self.games.starts.get(task.game)
        moves = self.games.moves(task.game, task.ply)
        return f"{f'fen {start}' if start else 'startpos'} moves {' '.join(moves)}"


def _alphabetical() -> tuple[pa.Array, Ints]:
    """Every move in UCI in alphabetical order, and the place of each there by its code."""
    order = pc.sort_indices(move_codes.vocabulary())
    return move_codes.vocabulary().take(order), np.argsort(order.to_numpy())


@njit()
def _first_of_each(hashes, played):  # type: ignore[no-untyped-def]
    """Which to keep of positions sorted by hash: the first with each move."""
    rows = np.empty(len(hashes), dtype=np.int64)
    n_rows, first = 0, 0
    for row in range(len(hashes)):
        if row == 0 or hashes[row] != hashes[row - 1]:
            first = n_rows
        again = False
        for earlier in range(first, n_rows):
            if played[rows[earlier]] == played[row]:
                again = True
                break
        if not again:
            rows[n_rows] = row
            n_rows += 1
    return rows[:n_rows]


@njit()
def _settle(hashes, played, settled, firsts, which, offsets, codes):  # type: ignore[no-untyped-def]
    """Mark the played moves that are among the moves of the stored row of their position."""
    for index in range(len(firsts)):
        row, place = which[index], firsts[index]
        wanted = hashes[place]
        while place < len(hashes) and hashes[place] == wanted:
            for option in range(offsets[row], offsets[row + 1]):
                if codes[option] == played[place]:
                    settled[place] = True
                    break
            place += 1
