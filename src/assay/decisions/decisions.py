"""The decisions table in memory: columns, flat arrays and offsets, no Python object per move.

All methods read this and nothing else. One row is one decision: a player, a position, the value of each
option, and the move played. Nothing in it is about chess: options are names with values, so decisions of
another game, or of another domain with valued options, are rated in the same way (docs/reference/tables.md).
"""

from __future__ import annotations

import csv
import hashlib
import html
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from assay.decisions import evaluation
from assay.decisions.arrays import (
    Column,
    Floats,
    Ints,
    Mask,
    coded,
    flat,
    list_offsets,
    make_lists,
    plain,
    single,
)
from assay.decisions.exclusions import Exclusion
from assay.decisions.schema import DECISIONS, TRACE_COLUMNS, check_version
from assay.errors import InputError, SchemaError, printable
from assay.files import written_whole

if TYPE_CHECKING:
    from assay.decisions.rules import Rule


CATEGORIES = (
    *("game_id", "player", "opponent", "colour", "event"),
    *("time_class", "played", "recipe_id", "exclusion"),
)
"""Text columns that are held as integers into a dictionary."""

MOST_MALFORMED = 0.05
"""Share of decisions with malformed lists above which a table is refused: rows that carry a reason apart."""

_NAMES = ("player", "opponent", "event")
_TRACE = tuple(column.name for column in TRACE_COLUMNS)


class Decisions:
    """Decisions with the value of every option. Immutable: `filter` and `select` give new ones."""

    def __init__(self, table: pa.Table) -> None:
        """`table` is in memory form; use `read`, `from_table` or a workspace to get one."""
        self._table = table

    # Reading and writing -------------------------------------------------------------------------------

    @classmethod
    def from_table(cls, table: pa.Table) -> Decisions:
        """Decisions from a table in the documented format, or with only its required columns."""
        whole = _complete(table)
        trace = [name for name in _TRACE if name in whole.column_names]
        valid = DECISIONS.validate(whole.drop_columns(trace)).combine_chunks()
        cp, mate, moves = (single(valid[name]) for name in ("cp", "mate", "moves"))
        furthest = pc.max(pc.abs(mate.flatten().cast(pa.int32()))).as_py()
        if furthest is not None and furthest > evaluation.MATE - evaluation.MATE_BOUND:
            raise SchemaError(f"a mate in {furthest} moves cannot be: the column mate is damaged")
        values = evaluation.encode(cp.flatten(), mate.flatten())
        _check_lists(valid, values)
        columns = {name: valid[name] for name in valid.column_names if name not in ("cp", "mate")}
        columns["values"] = make_lists(list_offsets(cp), values)
        columns["moves"] = make_lists(list_offsets(moves), coded(moves.flatten()))
        columns["exclusion"] = _mark_malformed(valid, values)
        columns |= {name: coded(columns[name]) for name in CATEGORIES}
        columns |= {name: _readable(columns[name]) for name in _NAMES}
        columns |= {name: whole[name] for name in trace}
        return cls(pa.table(columns))

    def table(self) -> pa.Table:
        """The documented format, as written to disk."""
        cp, mate = evaluation.decode(self.values)
        columns = {name: plain(self._table[name]) for name in self._table.column_names if name != "values"}
        columns["cp"] = make_lists(self.offsets, cp)
        columns["mate"] = make_lists(self.offsets, mate)
        columns["moves"] = make_lists(self.offsets, plain(flat(self._table["moves"])))
        table = DECISIONS.validate(pa.table({c.name: columns[c.name] for c in DECISIONS.columns}))
        for column in TRACE_COLUMNS:
            if column.name in columns:
                table = table.append_column(column.name, columns[column.name])
        return table

    @classmethod
    def read(cls, path: str | Path) -> Decisions:
        """Decisions from a file: Parquet, ours or one made elsewhere, or CSV as exported."""
        try:
            table = _read_csv(path) if Path(path).suffix.lower() == ".csv" else pq.read_table(path)
        except FileNotFoundError:
            raise InputError(f"{path} does not exist: give a file of decisions (.parquet)") from None
        except (pa.ArrowException, OSError, ValueError) as error:
            what = "a file of decisions" if Path(path).suffix.lower() == ".csv" else "a Parquet file"
            raise InputError(f"{path} is not {what}: {printable(str(error))[:300]}") from error
        check_version(table.schema, str(path))
        try:
            return cls.from_table(table)
        except SchemaError as error:
            raise SchemaError(f"{path}: {error}") from error

    def write(self, path: str | Path) -> None:
        """Write a Parquet file, whole or not at all."""
        with written_whole(path) as file:
            pq.write_table(self.table(), file, compression="zstd")

    @classmethod
    def concat(cls, several: Iterable[Decisions]) -> Decisions:
        """All decisions of several, in a row; of one, that one."""
        pieces = list(several)
        if not pieces:
            raise InputError("no decisions to put together")
        if len(pieces) == 1:
            return pieces[0]
        tables = [piece._table for piece in pieces]
        common = [name for name in tables[0].column_names if all(name in t.column_names for t in tables)]
        joined = pa.concat_tables([table.select(common) for table in tables])
        return cls(joined.unify_dictionaries().combine_chunks())

    # Columns -------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __repr__(self) -> str:
        return f"Decisions({len(self):,} rows, {len(self.values):,} options, {len(self.players)} players)"

    def _repr_html_(self) -> str:
        """The size, and who played what in the first ten rows, for a notebook."""
        names = [
            n for n in ("game_id", "ply", "player", "opponent", "played") if n in self._table.column_names
        ]
        first = self._table.select(names).slice(0, 10).to_pylist()
        rows = [names, *([row[name] for name in names] for row in first)]
        lines = ("".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) for row in rows)
        table = "".join(f"<tr>{line}</tr>" for line in lines)
        return f"<p>{html.escape(repr(self))}</p><table>{table}</table>"

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The documented format for any library that reads Arrow: `polars.DataFrame(decisions)`."""
        return self.table().__arrow_c_stream__(requested_schema)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Decisions) and bool(self.table().equals(other.table()))

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def offsets(self) -> Ints:
        """Options of row i are at `offsets[i]` up to `offsets[i + 1]` of the flat arrays."""
        return list_offsets(self._table["values"])

    @cached_property
    def values(self) -> npt.NDArray[np.int32]:
        """Flat values of the options, best first, mover's view: centipawns, mates beyond them."""
        values: npt.NDArray[np.int32] = flat(self._table["values"]).to_numpy()
        return values

    @cached_property
    def n_options(self) -> Ints:
        """Number of evaluated options of each decision."""
        return np.diff(self.offsets)

    @cached_property
    def played_index(self) -> Ints:
        """Index of the played move among the options of its row; -1 where it was not evaluated."""
        index: Ints = pc.fill_null(self._table["played_index"], -1).to_numpy().astype(np.int64)
        return index

    @cached_property
    def played_value(self) -> Floats:
        """Value of the played move among the options; NaN where it was not evaluated."""
        rows = np.flatnonzero(self.played_index >= 0)
        value = np.full(len(self), np.nan)
        value[rows] = self.values[self.offsets[rows] + self.played_index[rows]]
        return value

    @cached_property
    def best_value(self) -> Floats:
        """Value of the best option, of two searches that of the position; NaN where there is none."""
        rows = np.flatnonzero(self.n_options > 0)
        value = np.full(len(self), np.nan)
        value[rows] = self.values[self.offsets[rows]]
        return np.where(self.two_searches, self.numbers("before"), value)

    @cached_property
    def two_searches(self) -> Mask:
        """Which decisions have a value of the position and one of the move played, each of its own search.

        So it is with evaluations that games bring along: no line lists the options
        (assay.decisions.measures).
        """
        alone = (self.n_options == 1) & (self.played_index == 0) & (self.numbers("n_lines") == 0)
        return np.asarray(alone & ~np.isnan(self.numbers("before")))

    def has(self, column: str) -> bool:
        """Whether there is such a column: some are only in decisions that were read with it."""
        return column in self._table.column_names

    def numbers(self, column: str) -> Floats:
        """A numeric column as floats, NaN for null: ply, year, before, after, result, n_legal, ..."""
        floats: Floats = pc.fill_null(self._table[column].cast(pa.float64()), np.nan).to_numpy()
        return floats

    def codes(self, column: str) -> Ints:
        """A text column as integers into `names(column)`; -1 for null."""
        indices = coded(self._table[column]).indices
        codes: Ints = pc.fill_null(indices, -1).to_numpy(zero_copy_only=False).astype(np.int64)
        return codes

    def names(self, column: str) -> list[str]:
        """What the integers of `codes(column)` stand for (some may not occur)."""
        names: list[str] = coded(self._table[column]).dictionary.to_pylist()
        return names

    def text(self, column: str) -> list[str | None]:
        """A text column as Python strings."""
        texts: list[str | None] = self._table[column].to_pylist()
        return texts

    def options(self, row: int) -> list[tuple[str, int]]:
        """Options of one row with their values, for people to look at."""
        moves = self._table["moves"][row].as_py()
        start, end = self.offsets[row], self.offsets[row + 1]
        return list(zip(moves, self.values[start:end].tolist(), strict=True))

    @cached_property
    def players(self) -> list[str]:
        """The players whose decisions these are, sorted."""
        return sorted(pc.unique(self._table["player"]).to_pylist())

    @cached_property
    def games(self) -> list[str]:
        """The games that these decisions are from, in order of occurrence."""
        games: list[str] = pc.unique(self._table["game_id"]).to_pylist()
        return games

    def trace(self) -> tuple[Ints, npt.NDArray[np.int16], npt.NDArray[np.int32], npt.NDArray[np.int16]]:
        """The trace of every row, flat: offsets, depths, moves as codes, values."""
        if "trace_depth" not in self._table.column_names:
            raise InputError("these decisions have no trace: ask for them with trace=True")
        depth, move, value = (flat(self._table[name]) for name in _TRACE[:3])
        codes = coded(move).indices.to_numpy()
        return list_offsets(self._table["trace_depth"]), depth.to_numpy(), codes, value.to_numpy()

    @cached_property
    def traced(self) -> Mask:
        """Which decisions have the lines of every depth; none where they were read without trace."""
        if "trace_depth" not in self._table.column_names:
            return np.zeros(len(self), dtype=bool)
        return np.asarray(np.diff(list_offsets(self._table["trace_depth"])) > 0)

    def option_codes(self) -> npt.NDArray[np.int32]:
        """The moves of the options, flat, as codes of `trace`; -1 for a move that is in no line of it."""
        options = coded(flat(self._table["moves"]))
        traced = coded(flat(self._table["trace_move"])).dictionary
        place = pc.fill_null(pc.index_in(options.dictionary.cast(traced.type), value_set=traced), -1)
        codes: npt.NDArray[np.int32] = place.to_numpy(zero_copy_only=False)[options.indices.to_numpy()]
        return codes

    def trace_costs(self, unit: str) -> tuple[Ints, Floats, Floats]:
        """What depths cost in `nodes` or `seconds`, flat: offsets, and the cost of each depth of the trace.

        The third is what each whole search cost. A row has no entries, and NaN, where nothing is kept: one
        for each complete depth otherwise, as many as `trace` has depths there.
        """
        if "search_nodes" not in self._table.column_names:
            raise InputError("these decisions do not contain what their searches cost: analyse them anew")
        by_depth = self._table[f"trace_{unit}"]
        whole = self.numbers(f"search_{unit}")
        costs: Floats = flat(by_depth).cast(pa.float64()).to_numpy(zero_copy_only=False)
        return list_offsets(by_depth), costs, whole

    @property
    def changes(self) -> tuple[Floats, Floats, Floats, Floats] | None:
        """Alliot's dmean, dmax and ddmax, and the seconds of the search; None where comments do not say."""
        if "dmean" not in self._table.column_names:
            return None
        dmean, dmax, ddmax, seconds = (
            self.numbers(name) for name in ("dmean", "dmax", "ddmax", "search_seconds")
        )
        return dmean, dmax, ddmax, seconds

    # Choosing rows -------------------------------------------------------------------------------------

    def filter(self, *rules: Rule) -> Decisions:
        """The decisions that all rules keep (assay.decisions.rules)."""
        keep = np.ones(len(self), dtype=bool)
        for rule in rules:
            keep &= rule(self)
        return self if keep.all() else self.take(np.flatnonzero(keep))

    def select(self, **wanted: Any) -> Decisions:
        """The decisions whose columns have a wanted value, or one of several.

        `select(player="Tal, Mihail", year=[1959, 1960])`; `game` stands for `game_id`.
        """
        keep = np.ones(len(self), dtype=bool)
        for name, values in wanted.items():
            column = "game_id" if name == "game" else name
            if column not in self._table.column_names or column in ("values", "moves"):
                raise InputError(f"decisions have no column '{name}' to select by")
            several = isinstance(values, Iterable) and not isinstance(values, str)
            chosen = list(values) if several else [values]
            if column in CATEGORIES:
                codes = [code for code, text in enumerate(self.names(column)) if text in chosen]
                keep &= np.isin(self.codes(column), codes)
            else:
                value_set = pa.array(chosen, self._table.schema.field(column).type)
                keep &= pc.is_in(self._table[column], value_set=value_set).to_numpy()
        return self.take(np.flatnonzero(keep))

    def take(self, rows: npt.NDArray[np.integer]) -> Decisions:
        """The decisions at these row numbers, in this order."""
        return Decisions(self._table.take(pa.array(rows)))

    def with_played(self, index: Ints, after: Floats | None = None) -> Decisions:
        """The same decisions, had the options at these indices been played.

        What came after is not known, unless it is given: `after`, NaN for null.
        """
        if (index < 0).any() or (index >= self.n_options).any():
            raise InputError("a played move must be one of the options of its decision")
        schema = self._table.schema
        then = np.full(len(self), np.nan) if after is None else after
        replaced = {
            "played": flat(self._table["moves"]).take(pa.array(self.offsets[:-1] + index)),
            "played_index": pa.array(index).cast(schema.field("played_index").type),
            "after": pa.array(then, from_pandas=True).cast(schema.field("after").type),
        }
        names = self._table.column_names
        return Decisions(pa.table({name: replaced.get(name, self._table[name]) for name in names}))

    def first_lines(self, n: int, mapped: Callable[[Floats], Floats] = lambda values: values) -> Decisions:
        """The first n options of each decision and the one played, with their values `mapped`; no trace.

        The map is of centipawns, keeps their sign and order, and leaves mates as they are.
        """
        place = np.arange(len(self.values)) - np.repeat(self.offsets[:-1], self.n_options)
        chosen = np.flatnonzero((place < n) | (place == np.repeat(self.played_index, self.n_options)))
        offsets = np.searchsorted(chosen, self.offsets)
        values = self.values[chosen].astype(np.float64)
        mate = np.abs(values) >= evaluation.MATE_BOUND
        values = np.where(mate, values, evaluation.clip(np.rint(mapped(values)), evaluation.MATE_BOUND - 1))
        schema = self._table.schema
        index = np.minimum(self.played_index, n)
        replaced = {
            "moves": make_lists(offsets, flat(self._table["moves"]).take(pa.array(chosen))),
            "values": make_lists(offsets, pa.array(values.astype(np.int32))),
            "played_index": pa.array(index, mask=index < 0).cast(schema.field("played_index").type),
            "n_lines": pc.min_element_wise(self._table["n_lines"], n).cast(schema.field("n_lines").type),
        }
        names = [name for name in self._table.column_names if not name.startswith("trace_")]
        return Decisions(pa.table({name: replaced.get(name, self._table[name]) for name in names}))

    def with_games(self, games: Sequence[str]) -> Decisions:
        """The same decisions, had they been made in games of these names."""
        place = self._table.schema.get_field_index("game_id")
        return Decisions(self._table.set_column(place, "game_id", coded(pa.array(games, pa.string()))))

    def by(self, column: str) -> Iterator[tuple[Any, Decisions]]:
        """Each value of a column with its decisions, in order of first occurrence; nulls come last."""
        keys = coded(self._table[column])
        codes = pc.fill_null(keys.indices, -1).to_numpy(zero_copy_only=False)
        order = np.argsort(codes, kind="stable")
        bounds = np.flatnonzero(np.diff(codes[order], prepend=np.iinfo(np.int32).min))
        groups = np.split(order, bounds[1:]) if len(order) else []
        names = [*keys.dictionary.to_pylist(), None]
        for rows in sorted(groups, key=lambda rows: (codes[rows[0]] < 0, rows[0])):
            yield names[codes[rows[0]]], self.take(rows)

    def by_game(self) -> Iterator[tuple[str, Decisions]]:
        """Each game with its decisions."""
        return self.by("game_id")


def _readable(names: pa.DictionaryArray) -> pa.DictionaryArray:
    """Names without what a terminal would take for commands; those that differ by nothing else are one."""
    written = names.dictionary.to_pylist()
    shown = [name if name is None or name.isprintable() else printable(name).strip() for name in written]
    if shown == written:
        return names
    return coded(plain(pa.DictionaryArray.from_arrays(names.indices, pa.array(shown, pa.string()))))


def _check_lists(table: pa.Table, values: pa.Array) -> None:
    """Lists of one row are of one length, every option has a value, and the played index is within."""
    lengths = [pc.list_value_length(table[name]).to_numpy() for name in ("moves", "cp", "mate")]
    if not all(np.array_equal(lengths[0], other) for other in lengths[1:]):
        raise SchemaError("the lists moves, cp and mate of a decision must be of one length")
    if values.null_count:
        raise SchemaError("every option needs a value: exactly one of cp and mate in each place of the lists")
    index = pc.fill_null(table["played_index"], -1).to_numpy()
    if ((index < -1) | (index >= lengths[0])).any():
        raise SchemaError("played_index must be an index into the list moves")


def _mark_malformed(table: pa.Table, values: pa.Array) -> pa.Array:
    """The column `exclusion`, with a reason for rows that list a move twice or not the best first.

    Such lists come from searches whose last, incomplete iteration was stored. Few are left out and counted;
    where they are many, the other rows of the file cannot be trusted either.
    """
    offsets = list_offsets(table["moves"])
    rows = np.repeat(np.arange(table.num_rows), np.diff(offsets))
    # A move that was searched alone stands behind the lines, whatever its value.
    lines = pc.fill_null(table["n_lines"], np.iinfo(np.int16).max).to_numpy()
    place = np.arange(len(rows)) - offsets[rows]
    within = (rows[1:] == rows[:-1]) & (place < lines[rows])[1:]
    malformed = np.zeros(table.num_rows, dtype=bool)
    malformed[rows[1:][within & (np.diff(values.to_numpy(zero_copy_only=False)) > 0)]] = True
    moves = coded(single(table["moves"]).flatten()).indices.to_numpy()
    order = np.lexsort((moves, rows))
    repeated = (np.diff(rows[order]) == 0) & (np.diff(moves[order]) == 0)
    malformed[rows[order][1:][repeated]] = True
    unmarked = malformed & pc.is_null(table["exclusion"]).to_numpy()
    if unmarked.sum() > MOST_MALFORMED * table.num_rows:
        raise SchemaError(
            f"{unmarked.sum():,} of {table.num_rows:,} decisions list a move twice or not the best first: "
            "analyse the games again, and store complete iterations of the search only"
        )
    return pc.if_else(pa.array(unmarked), Exclusion.MALFORMED.value, single(table["exclusion"]))


# Decisions made elsewhere: the columns that a file must have, and what stands in for the others.
#
# Required: `player`, `moves`, `cp`, `played`. All else has a meaning when it is absent: one game per row
# without `game_id`, no mates without `mate`, the first option's value for `before`, and so on. Without
# `recipe_id` nobody can tell which other analyses are alike, so such a table has a recipe of its own. Files
# whose rows hold `white`, `black` and `fen` (one row per position of a game) are understood too.

REQUIRED = ("player", "moves", "cp", "played")
_OF_POSITIONS = (
    *("game_id", "ply", "white", "black", "white_elo", "black_elo", "result", "date", "fen"),
    *("moves", "cp", "mate", "played", "played_index", "played_source"),
)
"""What a file with one row per position must have."""


def _complete(table: pa.Table) -> pa.Table:
    """The table with every column of decisions, those that were missing filled in."""
    try:
        return _completed(table)
    except (pa.ArrowException, AttributeError, TypeError, ValueError, IndexError, OverflowError) as error:
        # Columns of other types than documented fail in many ways, all of which mean this.
        first_line = printable(str(error).split("\n", 1)[0])[:200]
        raise SchemaError(f"decisions do not have the documented types: {first_line}") from error


def _read_csv(path: str | Path) -> pa.Table:
    """Decisions from CSV as `assay export` writes it: moves with blanks between them, numbers as JSON."""
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file)
        texts: dict[str, list[str]] = {name: [] for name in rows.fieldnames or ()}
        for row in rows:
            if None in row or None in row.values():
                raise ValueError(f"line {rows.line_num} has not as many cells as the first line")
            for name, cell in row.items():
                texts[name].append(cell)
    columns = {}
    for column in DECISIONS.columns:
        if column.name in texts:
            cells = [_unescaped(cell) for cell in texts[column.name]]
            if pa.types.is_list(column.type):
                is_text = pa.types.is_string(column.type.value_type)
                values = [cell.split() if is_text else json.loads(cell or "[]") for cell in cells]
                columns[column.name] = pa.array(values, column.type)
            else:
                missing = pa.array([None if cell == "" else cell for cell in cells], pa.string())
                columns[column.name] = missing.cast(column.type)
    return pa.table(columns)


def _unescaped(cell: str) -> str:
    """A cell without the mark that keeps spreadsheets from taking it for a formula."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell


_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What CSV has a mark before, so that no spreadsheet takes it for a formula (assay.answers.answer)."""


def _completed(table: pa.Table) -> pa.Table:
    names = table.column_names
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SchemaError(f"decisions have the column {twice[0]} more than once: keep one of them")
    if "white" in names and "fen" in names:
        _need(table, _OF_POSITIONS, "positions of games")
        table = _from_positions(table)
    _need(table, REQUIRED, "decisions")
    documented = [column.name for column in (*DECISIONS.columns, *TRACE_COLUMNS)]
    columns = {name: table[name] for name in table.column_names if name in documented}
    if "recipe_id" not in columns or columns["recipe_id"].null_count == table.num_rows:
        columns["recipe_id"] = pa.array([_recipe_of_content(table)] * table.num_rows, pa.string())
    if all(column.name in columns for column in DECISIONS.columns):
        return pa.table(columns)
    for name, filled in _defaults(table).items():
        columns.setdefault(name, filled)
    for column in DECISIONS.columns:
        columns.setdefault(column.name, pa.nulls(table.num_rows, column.type))
    return pa.table(columns)


def _need(table: pa.Table, names: tuple[str, ...], what: str) -> None:
    missing = [name for name in names if name not in table.column_names]
    if missing:
        raise SchemaError(f"{what} need the columns {', '.join(missing)}")


def _recipe_of_content(table: pa.Table) -> str:
    """A recipe's name for a table that gives none: the same for the same content, for no other."""
    content = hashlib.blake2b(digest_size=6)
    content.update(list_offsets(table["cp"]).tobytes())
    content.update(pc.fill_null(flat(table["cp"]).cast(pa.int64()), 0).to_numpy().tobytes())
    for name in ("player", "played"):
        content.update("\n".join(map(str, table[name].to_pylist())).encode())
    return f"elsewhere-{content.hexdigest()}"


def _defaults(table: pa.Table) -> dict[str, pa.Array]:
    rows, cp = table.num_rows, table["cp"]
    lengths = pc.fill_null(pc.list_value_length(table["moves"]), 0).cast(pa.int16())
    no_mates = make_lists(list_offsets(cp), pa.nulls(len(flat(cp)), pa.int16()))
    choices = zip(table["moves"].to_pylist(), table["played"].to_pylist(), strict=True)
    index = [options.index(move) if move in options else None for options, move in choices]
    return {
        "game_id": pa.array([str(row) for row in range(rows)], pa.string()),
        "repetition": pa.array(np.zeros(rows, np.int16)),
        "n_lines": lengths,
        "n_legal": lengths,
        "played_index": pa.array(index, pa.int16()),
        "mate": no_mates,
        "before": _first_value(cp, table["mate"] if "mate" in table.column_names else no_mates),
    }


def _first_value(cp: Column, mate: Column) -> pa.Array:
    """Value of the first option of each row; null where there is none."""
    values, offsets = evaluation.encode(flat(cp), flat(mate)), list_offsets(cp)
    has_options = np.diff(offsets) > 0
    if not len(values):
        return pa.nulls(len(has_options), pa.int32())
    first = values.take(pa.array(np.where(has_options, offsets[:-1], 0)))
    return pc.if_else(pa.array(has_options), first, None)


def _from_positions(table: pa.Table) -> pa.Table:
    """Decisions from a file with one row per position: `white`, `black`, `fen`, a null `played` at the end.

    The value after a move is the next row's, where that is the next position of the same game.
    """
    white = pc.equal(pc.bit_wise_and(table["ply"].cast(pa.int32()), 1), 0)
    first = _first_value(table["cp"], table["mate"]).to_numpy(zero_copy_only=False).astype(np.float64)
    ply = table["ply"].to_numpy().astype(np.int64)
    game = coded(table["game_id"]).indices.to_numpy()
    follows = np.zeros(len(ply), dtype=bool)
    follows[:-1] = (game[1:] == game[:-1]) & (ply[1:] == ply[:-1] + 1)
    after = np.where(follows, np.append(-first[1:], np.nan), np.nan)
    # A game that ends in mate has no analysis of its last position.
    after[_played_value(table) == evaluation.MATE - 1] = evaluation.MATE
    lines = pc.subtract(
        pc.list_value_length(table["moves"]),
        pc.cast(pc.fill_null(pc.equal(table["played_source"], "alone"), False), pa.int32()),
    )
    digits = pc.utf8_slice_codeunits(table["date"], 0, 4)
    dated = pc.fill_null(pc.match_substring_regex(digits, r"^\d{4}$"), False)
    columns = {
        "player": pc.if_else(white, table["white"], table["black"]),
        "opponent": pc.if_else(white, table["black"], table["white"]),
        "colour": pc.if_else(white, "white", "black"),
        "year": pc.if_else(dated, digits, None).cast(pa.int16()),
        "player_elo": pc.if_else(white, table["white_elo"], table["black_elo"]),
        "opponent_elo": pc.if_else(white, table["black_elo"], table["white_elo"]),
        "result": pc.if_else(white, table["result"], pc.subtract(1.0, table["result"])),
        "position_key": pc.replace_substring_regex(table["fen"], r" \d+ \d+$", ""),
        "n_lines": lines,
        "after": pa.array(after, pa.float64(), from_pandas=True),
        # What the file says of player and year goes before what its tags say.
        **{name: table[name] for name in table.column_names if name not in ("trace_cp", "result")},
    }
    if "trace_cp" in table.column_names:
        columns["trace_value"] = table["trace_cp"]
    return pa.table(columns).filter(pc.is_valid(table["played"]))


def _played_value(table: pa.Table) -> Floats:
    """Value of the played move in its own list; NaN where it has none."""
    values = evaluation.encode(flat(table["cp"]), flat(table["mate"])).to_numpy(zero_copy_only=False)
    index = pc.fill_null(table["played_index"], -1).to_numpy()
    place = list_offsets(table["cp"])[:-1] + index
    return np.where(index >= 0, values[np.maximum(place, 0)], np.nan)
