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

from assay.decisions.arrays import (
    Codes,
    Hashes,
    Ints,
    Mask,
    decode_moves,
    encode_moves,
    every_move,
    flat,
    list_offsets,
    make_lists,
    single,
)
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
            codes.append(encode_moves(flat(table["moves"])))
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
        moves: list[str] = decode_moves(self.codes[first : first + plies]).to_pylist()
        return moves

    def replay(self, games: Ints) -> Replay:
        """The positions of some games."""
        codes = [self.codes[self.offsets[game] : self.offsets[game + 1]] for game in games]
        fens = [self.starts.get(int(game)) for game in games] if self.starts else None
        return replay_codes(np.concatenate([np.zeros(0, np.int16), *codes]), self.lengths[games], fens)


Unit = Sequence[Task]

_GAMES_AT_ONCE = 4000


def _find(among: Hashes, keys: Hashes) -> Ints:
    """The place of each of these among sorted keys; -1 where it is not there."""
    if not len(among):
        return np.full(len(keys), -1, np.int64)
    places = np.minimum(np.searchsorted(among, keys), len(among) - 1)
    return np.where(among[places] == keys, places, -1)


def _pair(hashes: Hashes, codes: Codes) -> Hashes:
    """A key for each position with a move: a hash as good as that of the position."""
    return hashes * np.uint64(0x9E3779B97F4A7C15) + codes.astype(np.uint64)


class Wanted:
    """The positions of games from a turn on, with the moves played there, and what is stored of them."""

    def __init__(self, lines: GameLines, first_turn: int, *, alone: bool = True) -> None:
        """Without `alone`, played moves are not looked at: they are never searched by themselves."""
        self.lines = lines
        self._first_ply = 2 * (first_turn - 1)
        sizes = np.maximum(lines.lengths + 1 - self._first_ply, 0)
        self._offsets = np.concatenate(([0], np.cumsum(sizes)))
        starts = range(0, len(lines), _GAMES_AT_ONCE)
        pieces = [self._gather(np.arange(n, min(n + _GAMES_AT_ONCE, len(lines)))) for n in starts]
        nothing = np.zeros(0, np.uint64), np.zeros(0, np.int64), np.zeros(0, np.int16)
        hashes, places, played = (np.concatenate(parts) for parts in zip(nothing, *pieces, strict=True))
        self._positions, first = np.unique(hashes, return_index=True)
        self._places = places[first]
        moves = np.flatnonzero(played >= 0) if alone else np.zeros(0, np.int64)
        self._moves, first = np.unique(_pair(hashes[moves], played[moves]), return_index=True)
        self._codes = played[moves[first]]
        self._position_of_move = _find(self._positions, hashes[moves[first]])
        self._settled: Mask = np.zeros(len(self._moves), bool)
        """Whether each played move has a value: it is among the lines, or was searched alone."""
        self._depth = np.full(len(self), -1, np.int16)
        """Of the stored analysis of each position; -1 where there is none."""

    def _gather(self, games: Ints) -> tuple[Hashes, Ints, Codes]:
        """Hash and place of each position in question of some games, and the move played there or -1."""
        positions = self.lines.replay(games)
        game = np.repeat(np.arange(len(games)), np.diff(positions.offsets))
        ply = np.arange(len(game)) - positions.offsets[game]
        covered = np.flatnonzero(ply >= self._first_ply)
        places = np.arange(len(covered)) + self._offsets[games[0]]
        if self.lines.sides is not None:
            black_first = np.array([" b " in self.lines.starts.get(int(number), "") for number in games])
            black_to_move = (ply + black_first[game])[covered] % 2
            wanted = self.lines.sides[games[game[covered]], black_to_move]
            covered, places = covered[wanted], places[wanted]
        codes = self.lines.codes[self.lines.offsets[games[0]] : self.lines.offsets[games[-1] + 1]]
        played = np.full(len(game), -1, np.int16)
        of_move = np.repeat(np.arange(len(games)), self.lines.lengths[games])
        played[np.arange(len(codes)) + of_move] = codes  # one position more than moves in each game before
        return positions.hashes[covered], places, played[covered]

    def __len__(self) -> int:
        """Number of different positions."""
        return len(self._places)

    def note(self, stored: Iterable[pa.Table]) -> None:
        """Take note of stored rows by their `position_key`.

        Analyses have a `depth`, and their lines as `moves` where played moves matter; of a move searched
        alone there is the `move`.
        """
        for rows in stored:
            hashes = hash_keys(single(rows["position_key"]))
            if "depth" in rows.column_names:
                places = _find(self._positions, hashes)
                self._depth[places[places >= 0]] = single(rows["depth"]).to_numpy()[places >= 0]
            if "move" in rows.column_names:
                self._settle(hashes, encode_moves(single(rows["move"])))
            elif "moves" in rows.column_names:
                lengths = np.diff(list_offsets(rows["moves"]))
                self._settle(np.repeat(hashes, lengths), encode_moves(flat(rows["moves"])))

    def _settle(self, hashes: Hashes, codes: Codes) -> None:
        places = _find(self._moves, np.sort(_pair(hashes, codes)))  # sorted, they are found much faster
        self._settled[places[places >= 0]] = True

    def count_unknown(self) -> int:
        """How many different positions have no stored analysis."""
        return int((self._depth < 0).sum())

    def missing(self, limit: int | None = None, *, whole_games: bool = False) -> pa.Table:
        """What is to be done, in the order of the games, as columns position_key, depth, played, game, ply.

        That is every position without a stored analysis, and every position with one in which a move was
        played that has no value; `played` are these moves. At most `limit` positions, or as many games as
        hold so many.
        """
        needed = self._depth < 0
        unsettled = np.flatnonzero(~self._settled)
        needed[self._position_of_move[unsettled]] = True
        rows = np.flatnonzero(needed)
        rows = rows[np.argsort(self._places[rows])]
        places = self._places[rows]
        if limit is not None and limit < len(rows):
            rows = rows[: self._n_within(places, limit, whole_games)]
            places = self._places[rows]
            needed[:] = False
            needed[rows] = True
            unsettled = unsettled[needed[self._position_of_move[unsettled]]]
        order = pc.sort_indices(every_move())  # alphabetical
        words, place_of = every_move().take(order), np.argsort(order.to_numpy())
        where = self._places[self._position_of_move[unsettled]]
        pairs = np.sort(where << 16 | place_of[self._codes[unsettled]])
        ends = np.searchsorted(pairs >> 16, places, side="right")
        game = np.searchsorted(self._offsets, places, side="right") - 1
        ply = places - self._offsets[game] + self._first_ply
        depth = self._depth[rows]
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
