"""Decisions made elsewhere: the columns that a file must have, and what stands in for the others.

Required: `player`, `moves`, `cp`, `played`. All else has a meaning when it is absent: one game per row
without `game_id`, no mates without `mate`, the first option's value for `before`, and so on. Without
`recipe_id` nobody can tell which other analyses are alike, so such a table has a recipe of its own. Files
whose rows hold `white`, `black` and `fen` (one row per position of a game, such as analysed game collections)
are understood too.
"""

import csv
import hashlib
import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from assay.decisions import evaluation
from assay.decisions.arrays import Column, coded, flat, list_offsets, make_lists
from assay.decisions.schema import DECISIONS, TRACE_COLUMNS
from assay.decisions.text import printable
from assay.errors import SchemaError

REQUIRED = ("player", "moves", "cp", "played")
_OF_POSITIONS = (
    *("game_id", "ply", "white", "black", "white_elo", "black_elo", "result", "date", "fen"),
    *("moves", "cp", "mate", "played", "played_index", "played_source"),
)
"""What a file with one row per position must have."""


def complete(table: pa.Table) -> pa.Table:
    """The table with every column of decisions, those that were missing filled in."""
    try:
        return _completed(table)
    except (pa.ArrowException, AttributeError, TypeError, ValueError, IndexError, OverflowError) as error:
        # Columns of other types than documented fail in many ways, all of which mean this.
        first_line = printable(str(error).split("\n", 1)[0])[:200]
        raise SchemaError(f"decisions do not have the documented types: {first_line}") from error


def read_csv(path: str | Path) -> pa.Table:
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
        columns["recipe_id"] = pa.array([recipe_of_content(table)] * table.num_rows, pa.string())
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


def recipe_of_content(table: pa.Table) -> str:
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


def _played_value(table: pa.Table) -> npt.NDArray[np.float64]:
    """Value of the played move in its own list; NaN where it has none."""
    values = evaluation.encode(flat(table["cp"]), flat(table["mate"])).to_numpy(zero_copy_only=False)
    index = pc.fill_null(table["played_index"], -1).to_numpy()
    place = list_offsets(table["cp"])[:-1] + index
    return np.where(index >= 0, values[np.maximum(place, 0)], np.nan)
