"""The join of games and analyses that assembles decisions.

Everything is done on whole columns: the positions of all games are replayed, looked up among the analyses of
one recipe, and the played move is looked up among the options. A played move outside the lines takes the
value of its own search, which is not allowed to exceed that of the last line: the engine found that many
better moves.
"""

from dataclasses import dataclass

import chess
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from assay.domain import evaluation
from assay.domain import moves as move_codes
from assay.domain.columns import coded, flat, list_offsets, make_lists, single
from assay.domain.decisions import CATEGORIES, Decisions
from assay.domain.schema import DECISIONS, TRACE_COLUMNS
from assay.store.replay import Replay, replay

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

UNPLAYABLE = ("variant", "too_large", "no_moves")
"""Reasons of games whose moves cannot be replayed by the usual rules, or that have none."""


@dataclass(frozen=True)
class Lists:
    """Options of many rows: flat move codes and values with offsets."""

    offsets: Ints
    codes: npt.NDArray[np.int16]
    values: npt.NDArray[np.int32]

    @property
    def lengths(self) -> Ints:
        """Number of options of each row."""
        return np.diff(self.offsets)

    def take(self, rows: Ints) -> "Lists":
        """The lists of these rows; a negative row has none."""
        lengths = np.where(rows < 0, 0, self.lengths[np.maximum(rows, 0)] if len(self.offsets) > 1 else 0)
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        places = np.repeat(self.offsets[np.maximum(rows, 0)] - offsets[:-1], lengths) + np.arange(offsets[-1])
        return Lists(offsets, self.codes[places], self.values[places])

    def insert_last(self, rows: Ints, codes: npt.NDArray[np.int16], values: npt.NDArray[np.int32]) -> "Lists":
        """One more option at the end of each of these rows."""
        more = np.zeros(len(self.offsets) - 1, dtype=np.int64)
        more[rows] = 1
        at = self.offsets[rows + 1]
        offsets = self.offsets + np.concatenate(([0], np.cumsum(more)))
        return Lists(offsets, np.insert(self.codes, at, codes), np.insert(self.values, at, values))

    def find(self, wanted: npt.NDArray[np.int16]) -> Ints:
        """Index of the wanted code in the list of its row; -1 where it is not there."""
        row = np.repeat(np.arange(len(wanted)), self.lengths)
        hits = np.flatnonzero(self.codes == wanted[row])[::-1]  # reversed: the first hit of a row stays
        index = np.full(len(wanted), -1, dtype=np.int64)
        index[row[hits]] = hits - self.offsets[row[hits]]
        return index

    def first(self) -> Floats:
        """Value of the first option of each row; NaN where there is none."""
        some = self.lengths > 0
        value = np.full(len(some), np.nan)
        value[some] = self.values[self.offsets[:-1][some]]
        return value


def playable(games: pa.Table) -> pa.Table:
    """The games whose moves can be replayed."""
    reasons = pc.is_in(games["exclusion"], value_set=pa.array(UNPLAYABLE))
    return games.filter(pc.and_(pc.invert(reasons), pc.greater(games["n_plies"], 0)))


def positions_of(games: pa.Table) -> Replay:
    """Every position of the games, first and last included."""
    return replay(games["moves"], games["start_fen"].to_pylist())


def assemble(
    games: pa.Table, analyses: pa.Table, alone: pa.Table, recipe_id: str, *, trace: bool = False
) -> Decisions:
    """Decisions of the games from analyses of one recipe.

    `games` has the columns of Workspace.games. Games of which nothing is analysed are left out; a move of
    the others that is not analysed is a row without options, marked `not_analysed`.
    """
    games = playable(games)
    positions = positions_of(games)
    found = _look_up(positions.keys, analyses["position_key"])
    games, positions, found = _with_any_analysis(games, positions, found)
    last = positions.offsets[1:] - 1
    is_move = np.ones(len(found), dtype=bool)
    is_move[last] = False
    analysed = _option_lists(analyses).take(found)
    value = analysed.first()
    _settle_last_positions(value, positions, last)
    rows = np.flatnonzero(is_move)
    after = -value[rows + 1]
    played = move_codes.encode(flat(games["moves"]))
    options = analysed.take(rows)
    keys = positions.keys.take(pa.array(rows))
    n_lines = options.lengths
    options = _add_alone(options, keys, played, alone)
    analysis = found[rows]
    index = options.find(played)
    columns = {
        **game_columns(games, np.diff(positions.offsets) - 1),
        "position_key": keys,
        "n_legal": _take_known(analyses["n_legal"], analysis),
        "repetition": positions.repetition[rows],
        "played": _coded_moves(played),
        "played_index": pa.array(index, mask=index < 0),
        "n_lines": n_lines,
        "depth": _take_known(analyses["depth"], analysis),
        "before": pa.array(value[rows], from_pandas=True),
        "after": pa.array(after, from_pandas=True),
        "recipe_id": _constant(recipe_id, len(rows)),
    }
    columns["exclusion"] = pc.coalesce(
        columns["exclusion"], pc.if_else(pa.array(analysis < 0), "not_analysed", pa.scalar(None, pa.string()))
    )
    traces = {c.name: _take_known(analyses[c.name], analysis) for c in TRACE_COLUMNS} if trace else {}
    return build(columns, options, traces)


def build(
    columns: dict[str, pa.Array], options: Lists, traces: dict[str, pa.Array] | None = None
) -> Decisions:
    """Decisions from columns and options, without going through the format on disk."""
    memory = {}
    for column in DECISIONS.columns:
        if column.name in CATEGORIES:
            memory[column.name] = coded(columns[column.name])
        elif column.name not in ("moves", "cp", "mate"):
            memory[column.name] = pa.array(columns[column.name]).cast(column.type)
    memory["moves"] = make_lists(options.offsets, _coded_moves(options.codes))
    memory["values"] = make_lists(options.offsets, pa.array(options.values))
    return Decisions(pa.table({**memory, **(traces or {})}))


def game_columns(games: pa.Table, moves_per_game: Ints) -> dict[str, pa.Array]:
    """The columns of decisions that come from the game, one row per move."""
    game = np.repeat(np.arange(len(moves_per_game)), moves_per_game)
    first = np.cumsum(moves_per_game) - moves_per_game
    ply = np.arange(len(game)) - first[game]
    black_starts = np.array(
        [fen is not None and " b " in fen for fen in games["start_fen"].to_pylist()], dtype=bool
    )
    white = (ply % 2 == 0) != black_starts[game]

    def per_game(name: str) -> pa.Array:
        return coded(games[name]).take(pa.array(game))

    def by_side(mine: str, theirs: str) -> pa.Array:
        """White's column where White moves, Black's where Black does."""
        both = pa.concat_arrays([single(games[mine]), single(games[theirs])])
        both = coded(both) if pa.types.is_string(both.type) else both
        return both.take(pa.array(game + np.where(white, 0, games.num_rows)))

    result = single(games["result"]).to_numpy(zero_copy_only=False).astype(np.float64)[game]
    return {
        "game_id": per_game("game_id"),
        "ply": ply,
        "player": by_side("white", "black"),
        "opponent": by_side("black", "white"),
        "colour": pa.DictionaryArray.from_arrays(
            pa.array((~white).astype(np.int32)), pa.array(["white", "black"])
        ),
        "year": single(games["year"]).take(pa.array(game)),
        "event": per_game("event"),
        "time_class": per_game("time_class"),
        "player_elo": by_side("white_elo", "black_elo"),
        "opponent_elo": by_side("black_elo", "white_elo"),
        "result": pa.array(np.where(white, result, 1 - result), from_pandas=True),
        "exclusion": single(games["exclusion"]).take(pa.array(game)),
    }


def _look_up(keys: pa.Array, known: pa.ChunkedArray) -> Ints:
    """Row of each key among the known ones; -1 where it is not there."""
    found = pc.fill_null(pc.index_in(keys, value_set=single(known)), -1)
    rows: Ints = found.to_numpy(zero_copy_only=False).astype(np.int64)
    return rows


def _with_any_analysis(games: pa.Table, positions: Replay, found: Ints) -> tuple[pa.Table, Replay, Ints]:
    counts = np.add.reduceat(found >= 0, positions.offsets[:-1]) if games.num_rows else np.zeros(0)
    if (counts > 0).all():
        return games, positions, found
    some = counts > 0
    lengths = np.diff(positions.offsets)
    keep = np.flatnonzero(np.repeat(some, lengths))
    offsets = np.concatenate(([0], np.cumsum(lengths[some])))
    kept = Replay(positions.keys.take(pa.array(keep)), offsets, positions.repetition[keep])
    return games.filter(pa.array(some)), kept, found[keep]


def _settle_last_positions(value: Floats, positions: Replay, last: Ints) -> None:
    """Mate and stalemate need no engine: the value of the last position by the rules."""
    for place in last[np.isnan(value[last])]:
        board = chess.Board(f"{positions.keys[int(place)].as_py()} 0 1")
        if board.is_checkmate():
            value[place] = -evaluation.MATE
        elif board.is_stalemate() or board.is_insufficient_material():
            value[place] = 0


def _option_lists(analyses: pa.Table) -> Lists:
    values = evaluation.encode(flat(analyses["cp"]), flat(analyses["mate"]))
    moves = analyses["moves"]
    return Lists(list_offsets(moves), move_codes.encode(flat(moves)), values.to_numpy())


def _add_alone(options: Lists, keys: pa.Array, played: npt.NDArray[np.int16], alone: pa.Table) -> Lists:
    """Played moves outside the lines, with the values of their own searches."""
    if not alone.num_rows:
        return options
    outside = np.flatnonzero(options.find(played) < 0)
    wanted = pc.binary_join_element_wise(
        keys.take(pa.array(outside)), move_codes.decode(played[outside]).cast(keys.type), "|"
    )
    known = pc.binary_join_element_wise(single(alone["position_key"]), single(alone["move"]), "|")
    found = _look_up(wanted, known)
    has = (found >= 0) & (options.lengths[outside] > 0)
    rows, source = outside[has], found[has]
    values = evaluation.encode(single(alone["cp"]), single(alone["mate"])).to_numpy()[source]
    worst = options.values[options.offsets[rows + 1] - 1]
    return options.insert_last(rows, played[rows], np.minimum(values, worst))


def _take_known(column: pa.ChunkedArray, rows: Ints) -> pa.Array:
    return single(column).take(pa.array(rows, mask=rows < 0))


def _coded_moves(codes: npt.NDArray[np.int16]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), move_codes.vocabulary())


def _constant(text: str, rows: int) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([text]))
