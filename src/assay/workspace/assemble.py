"""The join of games and analyses that assembles decisions.

Everything is done on whole columns: the positions of all games are replayed, looked up among the analyses of
one recipe, and the played move is looked up among the options. A played move outside the lines takes the
value of its own search, which is not allowed to exceed that of the last line: the engine found that many
better moves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from assay.decisions import evaluation
from assay.decisions.arrays import (
    Codes,
    Floats,
    Hashes,
    Ints,
    Values,
    coded,
    decode_moves,
    encode_moves,
    every_move,
    flat,
    list_offsets,
    make_lists,
    single,
)
from assay.decisions.clocks import MoveTimes, move_times
from assay.decisions.decisions import CATEGORIES, Decisions
from assay.decisions.elo import published, raised
from assay.decisions.evaluation import ANNOTATED, evaluated_by
from assay.decisions.exclusions import UNPLAYABLE, Exclusion
from assay.decisions.measures import between
from assay.decisions.names import NAMELESS, name_of_side
from assay.decisions.schema import ANALYSES, ANNOTATIONS, DECISIONS
from assay.engine.replay import Replay, hash_keys, replay
from assay.pgn.san import ending_value

_UNPLAYABLE = pa.array(sorted(UNPLAYABLE), pa.string())

TRACE_OF_ANALYSES = tuple(name for name in ANALYSES.arrow.names if name.startswith("trace_"))


def playable(games: pa.Table) -> pa.Table:
    """The games whose moves can be replayed."""
    reasons = pc.is_in(games["exclusion"], value_set=_UNPLAYABLE)
    return games.filter(pc.and_(pc.invert(reasons), pc.greater(games["n_plies"], 0)))


def positions_of(games: pa.Table) -> Replay:
    """Every position of the games, first and last included."""
    return replay(games["moves"], games["start_fen"].to_pylist())


def assemble(
    games: pa.Table,
    analyses: pa.Table | StoredAnalyses,
    alone: pa.Table,
    recipe_id: str,
    *,
    trace: bool = False,
    clocks: pa.Table | None = None,
) -> Decisions:
    """Decisions of the games from analyses of one recipe.

    `games` has the columns of Workspace.games. Games of which nothing is analysed are left out; a move of
    the others that is not analysed is a row without options, marked `not_analysed`. `clocks` are the
    annotations that tell of them (assay.workspace.assemble).
    """
    games = playable(games)
    positions = positions_of(games)
    stored = StoredAnalyses.of([analyses]) if isinstance(analyses, pa.Table) else analyses
    games, positions, analysis_of = _with_any_analysis(games, positions, stored.find(positions))
    value = np.append(stored.options.first(), np.nan)[analysis_of]  # row -1, not analysed, is the NaN
    rows, before, after = before_and_after(value, positions)
    played = encode_moves(flat(games["moves"]))
    analysis = analysis_of[rows]
    keys = positions.keys.take(pa.array(rows))
    searches = _Searches(stored, analysis, keys, played, alone)
    columns = {
        **move_columns(games, positions, rows, played, searches.options),
        **searches.columns(),
        "before": pa.array(before, from_pandas=True),
        "after": pa.array(after, from_pandas=True),
        "recipe_id": constant(recipe_id, len(rows)),
        **clock_columns(games, positions.offsets, clocks),
    }
    columns["exclusion"] = mark_not_analysed(columns["exclusion"], analysis < 0)
    return build(columns, searches.options, searches.traces() if trace else {})


def reanalysed(decisions: Decisions, analyses: pa.Table, alone: pa.Table, recipe_id: str) -> Decisions:
    """The same decisions with other analyses of their positions; without trace, and without what came after.

    A position that is not among the analyses has no options.
    """
    table = decisions.table()
    keys, played = single(table["position_key"]), encode_moves(single(table["played"]))
    stored = StoredAnalyses.of([analyses])
    searches = _Searches(stored, look_up(keys, analyses["position_key"]), keys, played, alone)
    index = searches.options.find(played)
    columns = {
        **{name: single(table[name]) for name in table.column_names},
        **searches.columns(),
        "played_index": pa.array(index, mask=index < 0),
        "before": pa.array(searches.options.first(), from_pandas=True),
        "after": pa.nulls(len(keys), pa.int32()),
        "recipe_id": constant(recipe_id, len(keys)),
    }
    return build(columns, searches.options)


class _Searches:
    """The analyses of decisions: the lines of each, and the played move where it was searched alone."""

    def __init__(
        self, stored: StoredAnalyses, analysis: Ints, keys: pa.Array, played: Codes, alone: pa.Table
    ) -> None:
        """`analysis` is the row of each decision's position in what is stored; -1 where there is none."""
        self._stored, self._analysis = stored, analysis
        lines = stored.options.take(analysis)
        self._n_lines = lines.lengths
        # A part of another version may lack one of the columns: rows without a value are as if not searched.
        alone = alone.filter(pc.or_(pc.is_valid(alone["cp"]), pc.is_valid(alone["mate"])))
        outside, searched = _searched_alone(lines, keys, played, alone)
        self.options = lines
        if len(outside):
            values = evaluation.encode(single(alone["cp"]), single(alone["mate"])).to_numpy()[searched]
            last_line = lines.values[lines.offsets[outside + 1] - 1]
            self.options = lines.insert_last(outside, played[outside], np.minimum(values, last_line))

    def columns(self) -> dict[str, Any]:
        """What decisions have from the search of their position, besides the options."""
        taken = {name: take_rows(self._stored.columns[name], self._analysis) for name in ("n_legal", "depth")}
        return {**taken, "n_lines": self._n_lines}

    def traces(self) -> dict[str, pa.Array]:
        """The trace of the search, and what the whole of it cost."""
        stored = self._stored.columns
        taken = {name: take_rows(stored[name], self._analysis) for name in TRACE_OF_ANALYSES}
        return taken | {f"search_{n}": take_rows(stored[n], self._analysis) for n in ("nodes", "seconds")}


def before_and_after(value: Floats, positions: Replay) -> tuple[Ints, Floats, Floats]:
    """The rows of `positions` in which a move was played, their values and the values after the move.

    Mate and stalemate need no engine: the value of a last position is by the rules.
    """
    import chess

    last = positions.offsets[1:] - 1
    unknown = last[np.isnan(value[last])]
    keys = positions.keys.take(pa.array(unknown)).to_pylist()
    value[unknown] = [ending_value(chess.Board(f"{key} 0 1")) for key in keys]
    return between(value, positions.offsets)


def move_columns(
    games: pa.Table, positions: Replay, rows: Ints, played: Codes, options: Lists
) -> dict[str, Any]:
    """The columns of decisions that come from the game and the move."""
    index = options.find(played)
    return {
        **game_columns(games, np.diff(positions.offsets) - 1),
        "position_key": positions.keys.take(pa.array(rows)),
        "repetition": positions.repetition[rows],
        "played": coded_moves(played),
        "played_index": pa.array(index, mask=index < 0),
    }


def mark_not_analysed(exclusion: pa.Array, unknown: npt.NDArray[np.bool_]) -> pa.Array:
    """Reasons of the games, and for the rest of the moves whether they were analysed."""
    mark = pc.if_else(pa.array(unknown), Exclusion.NOT_ANALYSED.value, pa.scalar(None, pa.string()))
    return pc.coalesce(exclusion, mark)


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
    memory["moves"] = make_lists(options.offsets, coded_moves(options.codes))
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

    games = _on_one_scale(games)
    for side in ("white", "black"):
        if pc.any(pc.equal(games[side], NAMELESS)).as_py():
            pairs = zip(games[side].to_pylist(), games["game_id"].to_pylist(), strict=True)
            names = pa.array([name and name_of_side(name, side.title(), key) for name, key in pairs])
            games = games.set_column(games.column_names.index(side), side, names)
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


def _on_one_scale(games: pa.Table) -> pa.Table:
    """The games with published ratings on the scale before March 2024, each by its own date."""
    dates = coded(games["date"])
    since = pa.array([raised(date) for date in dates.dictionary.to_pylist()], pa.bool_()).take(dates.indices)
    if not pc.any(since).as_py():
        return games
    for side in ("white", "black"):
        name = f"{side}_elo"
        tags = zip(*(games[column].to_pylist() for column in (name, "date", "site", side)), strict=True)
        ratings = pa.array([published(*tag) for tag in tags], games.schema.field(name).type)
        games = games.set_column(games.column_names.index(name), name, ratings)
    return games


def _with_any_analysis(games: pa.Table, positions: Replay, rows: Ints) -> tuple[pa.Table, Replay, Ints]:
    counts = np.add.reduceat(rows >= 0, positions.offsets[:-1]) if games.num_rows else np.zeros(0)
    if (counts > 0).all():
        return games, positions, rows
    analysed = counts > 0
    lengths = np.diff(positions.offsets)
    keep = np.flatnonzero(np.repeat(analysed, lengths))
    offsets = np.concatenate(([0], np.cumsum(lengths[analysed])))
    keys = positions.keys.take(pa.array(keep))
    replay = Replay(keys, offsets, positions.repetition[keep], positions.hashes[keep])
    return games.filter(pa.array(analysed)), replay, rows[keep]


def _searched_alone(options: Lists, keys: pa.Array, played: Codes, alone: pa.Table) -> tuple[Ints, Ints]:
    """The decisions whose played move was searched alone, and the rows of those searches."""
    if not alone.num_rows:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    outside = np.flatnonzero(options.find(played) < 0)
    wanted = pc.binary_join_element_wise(
        keys.take(pa.array(outside)), decode_moves(played[outside]).cast(keys.type), "|"
    )
    searched = pc.binary_join_element_wise(single(alone["position_key"]), single(alone["move"]), "|")
    rows = look_up(wanted, searched)
    has = (rows >= 0) & (options.lengths[outside] > 0)
    return outside[has], rows[has]


def take_rows(column: pa.Array | pa.ChunkedArray, rows: Ints) -> pa.Array:
    """Values at these rows; null for a negative row."""
    return single(column).take(pa.array(rows, mask=rows < 0))


def coded_moves(codes: Codes) -> pa.DictionaryArray:
    """Codes of moves as a text column."""
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), every_move())


def constant(text: str, rows: int) -> pa.Array:
    """A text column with the same text in every row."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([text]))


def look_up(keys: pa.Array, among: pa.Array | pa.ChunkedArray) -> Ints:
    """Row of each key among others; -1 where it is not there."""
    index = pc.fill_null(pc.index_in(keys, value_set=single(among)), -1)
    rows: Ints = index.to_numpy(zero_copy_only=False).astype(np.int64)
    return rows


@dataclass(frozen=True, eq=False)
class StoredAnalyses:
    """Analyses of one recipe, found by the hashes of their positions; the options as numbers.

    Without the columns of a trace that is a sixth of the room of the rows.
    """

    hashes: Hashes
    options: Lists
    columns: pa.Table

    COLUMNS = ("position_key", "recipe_id", "n_legal", "depth", "moves", "cp", "mate")
    """What decisions without a trace are made of."""

    @classmethod
    def of(cls, tables: Iterable[pa.Table], wanted: Hashes | None = None) -> StoredAnalyses:
        """From rows of the table analyses of one recipe: all, or those with a hash of `wanted`, sorted."""
        hashes, lengths = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
        codes, values = [np.zeros(0, np.int16)], [np.zeros(0, np.int32)]
        columns = []
        for table in tables:
            hashed = hash_keys(single(table["position_key"]))
            if wanted is not None:
                place = np.searchsorted(wanted[:-1], hashed)
                chosen = np.flatnonzero(wanted[place] == hashed) if len(wanted) else np.zeros(0, np.int64)
                if len(chosen) < len(hashed):
                    hashed, table = hashed[chosen], table.take(pa.array(chosen))
            hashes.append(hashed)
            lengths.append(np.diff(list_offsets(table["moves"])))
            codes.append(encode_moves(flat(table["moves"])))
            values.append(evaluation.encode(flat(table["cp"]), flat(table["mate"])).to_numpy())
            columns.append(table.select([name for name in table.column_names if name not in _APART]))
        offsets = np.concatenate(([0], np.cumsum(np.concatenate(lengths))))
        options = Lists(offsets, np.concatenate(codes), np.concatenate(values))
        return cls(np.concatenate(hashes), options, pa.concat_tables(columns or [_NO_ROWS]))

    def find(self, positions: Replay) -> Ints:
        """The row of each position; -1 where it is not analysed."""
        return look_up(pa.array(positions.hashes), pa.array(self.hashes))


_APART = ("position_key", "recipe_id", "moves", "cp", "mate")
_NO_ROWS = ANALYSES.select(["n_legal", "depth"]).empty_table()


# Options of many decisions at once: flat arrays with offsets.


@dataclass(frozen=True)
class Lists:
    """Options of many rows: flat move codes and values with offsets."""

    offsets: Ints
    codes: Codes
    values: Values

    @property
    def lengths(self) -> Ints:
        """Number of options of each row."""
        return np.diff(self.offsets)

    def take(self, rows: Ints) -> Lists:
        """The lists of these rows; a negative row has none."""
        lengths = np.where(rows < 0, 0, self.lengths[np.maximum(rows, 0)] if len(self.offsets) > 1 else 0)
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        places = np.repeat(self.offsets[np.maximum(rows, 0)] - offsets[:-1], lengths) + np.arange(offsets[-1])
        return Lists(offsets, self.codes[places], self.values[places])

    def insert_last(self, rows: Ints, codes: Codes, values: Values) -> Lists:
        """One more option at the end of each of these rows."""
        more = np.zeros(len(self.offsets) - 1, dtype=np.int64)
        more[rows] = 1
        at = self.offsets[rows + 1]
        offsets = self.offsets + np.concatenate(([0], np.cumsum(more)))
        return Lists(offsets, np.insert(self.codes, at, codes), np.insert(self.values, at, values))

    def find(self, wanted: Codes) -> Ints:
        """Index of the wanted code in the list of its row; -1 where it is not there."""
        row = np.repeat(np.arange(len(wanted)), self.lengths)
        hits = np.flatnonzero(self.codes == wanted[row])[::-1]  # reversed: the first hit of a row stays
        index = np.full(len(wanted), -1, dtype=np.int64)
        index[row[hits]] = hits - self.offsets[row[hits]]
        return index

    def first(self) -> Floats:
        """Value of the first option of each row; NaN where there is none."""
        filled = self.lengths > 0
        value = np.full(len(filled), np.nan)
        value[filled] = self.values[self.offsets[:-1][filled]]
        return value


# What comments say of clocks, found by game and position.

CLOCK_COLUMNS = ("game_id", "position", "clock", "elapsed")
"""Columns of the table annotations that tell of clocks."""


def with_clocks(annotations: pa.Table) -> pa.Table:
    """The annotations that tell of clocks, in those columns only: few bytes a position, for many games."""
    rows = annotations.select(CLOCK_COLUMNS)
    return coded_ids(rows.filter(pc.or_(pc.is_valid(rows["clock"]), pc.is_valid(rows["elapsed"]))))


def coded_ids(annotations: pa.Table) -> pa.Table:
    """Annotations with the ids of their games as integers into a dictionary."""
    place = annotations.schema.get_field_index("game_id")
    return annotations.set_column(place, "game_id", coded(annotations["game_id"]))


def without_empty_columns(annotations: pa.Table) -> pa.Table:
    """Annotations without the columns that none of them has, and without their format: most have few."""
    empty = [name for name in annotations.column_names if annotations[name].null_count == len(annotations)]
    return annotations.drop_columns(["format", *empty]) if len(annotations) else annotations


def of_games(annotations: pa.Table, games: pa.Table) -> pa.Table:
    """The annotations, with coded ids, of these games; with the columns that were left out."""
    named = coded(annotations["game_id"])
    wanted = look_up(named.dictionary, games["game_id"]) >= 0
    rows = annotations.filter(pa.array(wanted[named.indices.to_numpy()]))
    for column in ANNOTATIONS.arrow:
        if column.name not in rows.column_names:
            rows = rows.append_column(column.name, pa.nulls(len(rows), column.type))
    return rows


def rows_of_positions(games: pa.Table, offsets: Ints, annotations: pa.Table) -> Ints:
    """Row of the annotation of each position of the games; -1 where there is none.

    The positions of game i, one more than its moves, are at `offsets[i]` up to `offsets[i + 1]`.
    """
    named = coded(annotations["game_id"])
    game_of_name = look_up(named.dictionary, games["game_id"])
    codes = named.indices.to_numpy()
    game = game_of_name[codes] if len(game_of_name) else np.full(len(codes), -1)
    number = single(annotations["position"]).to_numpy().astype(np.int64)
    within = np.flatnonzero((game >= 0) & (number < np.diff(offsets)[game] if len(games) else False))
    rows = np.full(int(offsets[-1]), -1, dtype=np.int64)
    rows[offsets[game[within]] + number[within]] = within
    return rows


def clock_columns(games: pa.Table, offsets: Ints, annotations: pa.Table | None) -> dict[str, pa.Array]:
    """The columns of decisions that tell of clocks, one row per move."""
    lengths = np.diff(offsets) - 1
    if annotations is None or not annotations.num_rows or not games.num_rows:
        nothing = pa.nulls(int(lengths.sum()), pa.float32())
        return dict.fromkeys(("seconds_before", "seconds_spent", "seconds_left"), nothing)
    times = clock_times(games, offsets, annotations)
    return {
        "seconds_before": pa.array(times.before, pa.float32(), from_pandas=True),
        "seconds_spent": pa.array(times.spent, pa.float32(), from_pandas=True),
        "seconds_left": pa.array(times.left, pa.float32(), from_pandas=True),
    }


def clock_times(games: pa.Table, offsets: Ints, annotations: pa.Table) -> MoveTimes:
    """The times of the moves, from the clocks of these games."""
    of_position = rows_of_positions(games, offsets, annotations)
    is_move = np.ones(len(of_position), dtype=bool)
    is_move[offsets[:-1]] = False  # what a clock shows stands behind the move
    rows = of_position[is_move]
    controls = games["time_control"].to_pylist() if "time_control" in games.column_names else []
    return move_times(
        _taken(annotations["clock"], rows),
        _taken(annotations["elapsed"], rows),
        np.diff(offsets) - 1,
        controls or [None] * games.num_rows,
    )


def wrong_clocks(games: pa.Table, annotations: pa.Table) -> Counter[str]:
    """How many clocks of these games tell nothing, by what is wrong with them: `backwards`, `absurd`."""
    clocks = with_clocks(annotations)
    if not clocks.num_rows:
        return Counter()
    offsets = np.concatenate(([0], np.cumsum(games["n_plies"].to_numpy().astype(np.int64) + 1)))
    times = clock_times(games, offsets, clocks)
    counts = {"backwards": times.backwards, "absurd": times.absurd}
    return Counter({name: n for name, n in counts.items() if n})


def _taken(column: pa.ChunkedArray, rows: Ints) -> Floats:
    values: Floats = pc.fill_null(single(column).cast(pa.float64()), np.nan).to_numpy(zero_copy_only=False)
    return np.append(values, np.nan)[rows]  # row -1 is the NaN


# Decisions from evaluations in the games' own comments: no engine is needed.


def assemble_annotated(games: pa.Table, annotations: pa.Table, recipe_id: str | None = None) -> Decisions:
    """Decisions of the games from evaluations in their comments: no engine is needed.

    A comment that evaluates only the position gives a decision with one option, the played move, at the
    value of the next position: a search of its own, so no line lists it (`n_lines` is 0). Moves without an
    evaluation before or after are marked `not_analysed`. The recipe is the source of the values
    (assay.decisions.evaluation), by default the one that most games have, whose others are then marked.
    """
    games = playable(games)
    if recipe_id is None:
        games, recipe_id = of_one_source(games)
    evaluated = annotations.filter(pc.or_(pc.is_valid(annotations["cp"]), pc.is_valid(annotations["mate"])))
    named = coded(evaluated["game_id"])
    games = games.filter(pc.is_in(games["game_id"], named.dictionary.take(pc.unique(named.indices))))
    positions = positions_of(games)
    rows_of = rows_of_positions(games, positions.offsets, evaluated)
    values = evaluation.encode(single(evaluated["cp"]), single(evaluated["mate"])).to_numpy(
        zero_copy_only=False
    )
    value = np.where(rows_of >= 0, values[np.maximum(rows_of, 0)] if len(values) else 0.0, np.nan)
    rows, before, after = before_and_after(value, positions)
    played = encode_moves(flat(games["moves"]))
    options = _annotated_lists(evaluated).take(rows_of[rows])
    options, n_lines = _lines_first(options, played)
    single_option = np.flatnonzero((options.lengths == 0) & ~np.isnan(after))
    values_after = after[single_option].astype(np.int32)
    options = options.insert_last(single_option, played[single_option], values_after)
    columns = {
        **move_columns(games, positions, rows, played, options),
        "n_legal": _legal_moves(positions.keys, rows, n_lines),
        "n_lines": n_lines,
        "depth": take_rows(evaluated["depth"], rows_of[rows]),
        "before": pa.array(before, from_pandas=True),
        "after": pa.array(after, from_pandas=True),
        "recipe_id": constant(recipe_id, len(rows)),
        **clock_columns(games, positions.offsets, with_clocks(annotations)),
    }
    unknown = np.isnan(before) | (options.lengths == 0)
    columns["exclusion"] = mark_not_analysed(columns["exclusion"], unknown)
    return build(columns, options, _searches(evaluated, rows_of[rows]))


def _searches(annotations: pa.Table, rows: Ints) -> dict[str, pa.Array]:
    """What Alliot's comments say of the searches; nothing where there are none of them."""
    if annotations["dmean"].null_count == len(annotations):
        return {}
    kept = {name: take_rows(annotations[name], rows) for name in ("dmean", "dmax", "ddmax")}
    return {"search_seconds": take_rows(annotations["seconds"], rows), **kept}


def _lines_first(options: Lists, played: Codes) -> tuple[Lists, Ints]:
    """The options with a move searched alone behind the lines, and the number of lines of each row.

    Comments do not tell it from a line. There are as many lines as options where the best one was played;
    where there is one more, and none is worse than the played move, that was searched alone.
    """
    lengths, place = options.lengths, options.find(played)
    of_best = lengths[(place == 0) & (lengths > 1)]
    if not len(of_best):
        return options, lengths
    usual = int(np.bincount(of_best).argmax())
    last = options.offsets[1:] - 1
    at = options.offsets[:-1] + place
    rows = np.flatnonzero((lengths == usual + 1) & (place > 0))
    rows = rows[options.values[at[rows]] == options.values[last[rows]]]
    codes = options.codes.copy()
    codes[at[rows]], codes[last[rows]] = options.codes[last[rows]], options.codes[at[rows]]
    n_lines = lengths.copy()
    n_lines[rows] -= 1
    return replace(options, codes=codes), n_lines


def _legal_moves(keys: pa.Array, rows: Ints, n_lines: Ints) -> pa.Array:
    """The number of legal moves where comments have several lines, which methods on all moves need."""
    import chess

    counts: list[int | None] = [None] * len(rows)
    listed = np.flatnonzero((n_lines > 0) & (n_lines > 1).any())
    for row, key in zip(listed.tolist(), keys.take(pa.array(rows[listed])).to_pylist(), strict=True):
        counts[row] = chess.Board(f"{key} 0 1").legal_moves.count()
    return pa.array(counts, pa.int16())


def decisions_between(
    before: Floats,
    after: Floats,
    ply: Ints,
    game: Ints,
    recipe_id: str,
    columns_of_games: Mapping[str, pa.Array],
) -> Decisions:
    """Decisions of moves by the values before and after, which must be known: in the fewest columns.

    Enough for methods that read one value per ply and count by game (games have numbers, no names): what a
    stream lets go as soon as it is added up.
    """
    n = len(before)
    nothing = pa.nulls(n, pa.float64())
    columns = {
        "game_id": pa.DictionaryArray.from_arrays(
            pa.array(game, pa.int32()), pa.array(np.arange(int(game.max(initial=-1)) + 1)).cast(pa.string())
        ),
        "ply": pa.array(ply, pa.float64()),
        "played_index": pa.array(np.zeros(n, np.int16)),
        "n_legal": nothing,
        "n_lines": pa.array(np.zeros(n)),
        "before": pa.array(before),
        "after": pa.array(after),
        "recipe_id": constant(recipe_id, n),
        "exclusion": pa.DictionaryArray.from_arrays(pa.nulls(n, pa.int32()), pa.array([], pa.string())),
        "values": make_lists(np.arange(n + 1), pa.array(after.astype(np.int32))),
        **columns_of_games,
    }
    return Decisions(pa.table(columns))


def sources_of(games: pa.Table) -> list[str]:
    """The source of the values of each game, by its tags (assay.decisions.evaluation)."""
    names = ("site", "event", "evaluator", "time_class")
    # Tables made before there was such a column lack it.
    columns = [
        games[name].to_pylist() if name in games.column_names else [None] * games.num_rows for name in names
    ]
    by_tags: dict[tuple[str | None, ...], str] = {}
    sources = []
    for tags in zip(*columns, strict=True):
        if tags not in by_tags:
            by_tags[tags] = evaluated_by(*(str(tag or "") for tag in tags))
        sources.append(by_tags[tags])
    return sources


def source_of_most(pieces: Iterable[pa.Table]) -> str:
    """The source of the values of most games that may be rated."""
    rated: Counter[str] = Counter()
    for games in pieces:
        rated.update(sources_of(games.filter(pc.is_null(games["exclusion"]))))
    return max(rated, key=lambda name: rated[name], default=ANNOTATED)


def of_one_source(games: pa.Table, source: str | None = None) -> tuple[pa.Table, str]:
    """The games with the source named, or that most have; those of another are marked `other_scale`."""
    source = source or source_of_most([games])
    if source == ANNOTATED:
        return games, source
    other = pa.array([game_source != source for game_source in sources_of(games)], pa.bool_())
    mark = pc.if_else(other, Exclusion.OTHER_SCALE.value, pa.scalar(None, pa.string()))
    place = games.schema.get_field_index("exclusion")
    return games.set_column(place, "exclusion", pc.coalesce(single(games["exclusion"]), mark)), source


def _annotated_lists(annotations: pa.Table) -> Lists:
    """Options that comments name; most name none."""
    values = evaluation.encode(flat(annotations["option_cp"]), flat(annotations["option_mate"]))
    lengths = pc.fill_null(pc.list_value_length(single(annotations["moves"])), 0).to_numpy(
        zero_copy_only=False
    )
    offsets = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    return Lists(offsets, encode_moves(flat(annotations["moves"])), values.to_numpy(zero_copy_only=False))
