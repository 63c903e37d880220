"""Keeping what the engines said: rows into parts every few seconds, and the list of recipes used."""

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from itertools import accumulate, chain
from pathlib import Path
from shlex import quote
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from assay.decisions import evaluation
from assay.decisions.schema import ALONE, ANALYSES
from assay.engine.options import AloneRow, AnalysisRow
from assay.engine.worker import Outcome
from assay.errors import MachineError, SchemaError
from assay.files import PARTIAL, is_special, write_text
from assay.store.checksums import crc32_of
from assay.store.tables import PartTable

_FLUSH_SECONDS = 5.0
_PARTS_BEFORE_COMPACTION = 200
_RECIPES = "recipes.json"
_CHECKSUM = "crc32"
"""Entry of the list of recipes beside those of their ids: what the others read as."""
_MOST_BYTES = 1 << 26


class Ledger:
    """Appends outcomes to the tables. Only one coordinator does, with the writer's lock held."""

    def __init__(self, analyses: PartTable, alone: PartTable, recipe_id: str) -> None:
        self._tables = (analyses, alone)
        self._recipe_id = recipe_id
        self._pending = Outcome()
        self._flushed = time.monotonic()
        self._parts = 0
        for table in self._tables:
            table.clean()

    def add(self, outcome: Outcome) -> None:
        """Take in an outcome; every few seconds, write."""
        self._pending.add(outcome)
        if time.monotonic() - self._flushed >= _FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write what is pending: lines first, so that a move searched alone never lacks its lines."""
        # Forgotten first: interrupted in between, rows are rather searched once more than stored twice.
        pending, self._pending = self._pending, Outcome()
        for table, rows in zip(self._tables, as_tables(pending, self._recipe_id), strict=True):
            table.append(rows)
        self._parts += 1
        if self._parts % _PARTS_BEFORE_COMPACTION == 0:
            self._compact()
        self._flushed = time.monotonic()

    def close(self) -> None:
        """Write what is pending and join the small parts."""
        self.flush()
        self._compact()

    def _compact(self) -> None:
        for table in self._tables:
            table.compact()


def as_tables(outcome: Outcome, recipe_id: str) -> tuple[pa.Table, pa.Table]:
    """The rows as the tables `analyses` and `alone`."""
    return _analyses(outcome.rows, recipe_id), _alone(outcome.alone, recipe_id)


def _analyses(rows: list[AnalysisRow], recipe_id: str) -> pa.Table:
    names = ANALYSES.arrow
    cp, mate = evaluation.decode(list(chain.from_iterable(row.values for row in rows)))
    ends = pa.array([0, *accumulate(len(row.values) for row in rows)], pa.int32())
    columns: dict[str, Any] = {
        name: [getattr(row, name) for row in rows]
        for name in (
            "position_key",
            "n_legal",
            "depth",
            "nodes",
            "seconds",
            "moves",
            "seldepth",
            "tbhits",
            "wdl",
            "trace_nodes",
            "trace_seconds",
        )
    }
    columns["recipe_id"] = [recipe_id] * len(rows)
    columns["cp"] = pa.ListArray.from_arrays(ends, cp)
    columns["mate"] = pa.ListArray.from_arrays(ends, mate)
    for place, name in enumerate(("trace_depth", "trace_move", "trace_value")):
        columns[name] = [[entry[place] for entry in row.trace] for row in rows]
    arrays = [
        column if isinstance(column, pa.Array) else pa.array(column, names.field(name).type)
        for name, column in columns.items()
    ]
    return pa.table(dict(zip(columns, arrays, strict=True)))


def _alone(rows: list[AloneRow], recipe_id: str) -> pa.Table:
    names = ALONE.arrow
    cp, mate = evaluation.decode([row.value for row in rows])
    columns = {
        name: pa.array([getattr(row, name) for row in rows], names.field(name).type)
        for name in ("position_key", "move", "depth", "nodes", "seconds")
    }
    for place, name in enumerate(("trace_depth", "trace_value")):
        lists = [None if row.trace is None else [step[place] for step in row.trace] for row in rows]
        columns[name] = pa.array(lists, names.field(name).type)
    return pa.table(
        {**columns, "recipe_id": pa.array([recipe_id] * len(rows), pa.string()), "cp": cp, "mate": mate}
    )


def stored_bytes(outcome: Outcome, recipe_id: str) -> int:
    """Bytes that the rows take on disk."""
    total = 0
    for table in as_tables(outcome, recipe_id):
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression="zstd")
        total += len(sink.getvalue())
    return total


def record_recipe(analyses: PartTable, recipe_id: str, about: dict[str, Any]) -> None:
    """Note what a recipe id stands for (`recipe` and `engine`), in a file beside the table."""
    path = recipes_path(analyses)
    with suppress(OSError):  # of a writer that was killed; on storage that is read-only it stays
        path.with_name(path.name + PARTIAL).unlink(missing_ok=True)
    known = recipes_used(analyses)
    if recipe_id not in known:
        write_recipes(analyses, {**known, recipe_id: about})


def write_recipes(analyses: PartTable, known: Mapping[str, dict[str, Any]]) -> None:
    """Write what each recipe id stands for, with the checksum of it."""
    path = recipes_path(analyses)
    content = {recipe_id: known[recipe_id] for recipe_id in sorted(known)}
    text = json.dumps({**content, _CHECKSUM: crc32_of(content)}, indent=2, sort_keys=True)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text, follow=False)
    except OSError as error:
        raise MachineError(f"cannot write {path}: {error.strerror or error}") from error


def recipes_used(analyses: PartTable) -> dict[str, dict[str, Any]]:
    """Recipe and engine by recipe id, for every recipe that was ever used with this table.

    A damaged file is an error: to go on without it would lose what the stored analyses mean.
    """
    return _read_recipes(analyses)[0]


def recipes_verified(analyses: PartTable) -> bool:
    """Whether the list of recipes has a checksum, which it reads as; one of an earlier assay has none."""
    return _read_recipes(analyses)[1]


def _read_recipes(analyses: PartTable) -> tuple[dict[str, dict[str, Any]], bool]:
    path = recipes_path(analyses)
    try:
        if is_special(path) or path.stat().st_size > _MOST_BYTES:
            raise ValueError("a pipe would never end")
        known = json.loads(path.read_text(encoding="utf-8"))
        wanted = known.pop(_CHECKSUM, None)
        sound = all(_describes(about) for about in known.values())
        sound &= wanted is None or wanted == crc32_of(known)
    except FileNotFoundError:
        return {}, True
    except OSError as error:
        raise MachineError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, TypeError, AttributeError, RecursionError):
        sound = False
    if not sound:
        raise SchemaError(
            f"{path}, which says what each recipe id stands for, is damaged: put back a copy of it, or run "
            f"assay doctor {quote(str(path.parent))} --repair, which sets it aside; then assay analyse, with "
            "every recipe and engine used, notes them anew"
        )
    return known, wanted is not None


def _describes(about: object) -> bool:
    """Whether this can be what a recipe id stands for: a recipe and an engine, each with its name."""
    parts = [about.get(part) for part in ("recipe", "engine")] if isinstance(about, dict) else [None]
    return all(isinstance(part, dict) and isinstance(part.get("name"), str) for part in parts)


def recipes_path(analyses: PartTable) -> Path:
    """The file that says what each recipe id stands for."""
    return analyses.folder.with_name(_RECIPES)
