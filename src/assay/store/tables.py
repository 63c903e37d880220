"""Tables as append-only Parquet parts.

A table is a folder of parts named after the range of writes that they hold: `00000007-00000007.parquet` is
the seventh write, `00000001-00000007.parquet` a part that replaces the first seven. A part is written under a
temporary name, synced and renamed, so it is there whole or not at all; a part whose range lies within
another's is passed over. So compaction and replacement need no list of parts that could disagree with the
folder, a kill at any moment leaves a readable table, and readers never wait.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from assay.domain.schema import TableSchema, check_version
from assay.errors import MachineError

_PART = re.compile(r"(\d{8})-(\d{8})\.parquet")
_TEMPORARY = ".tmp"
_ROW_GROUP = 50_000
_SMALL_BYTES = 64 * 1024 * 1024
_READ_TRIES = 5

T = TypeVar("T")


class PartTable:
    """One table of a workspace. Writers hold the workspace's lock; readers need nothing."""

    def __init__(self, folder: Path, schema: TableSchema) -> None:
        self.folder = folder
        self.schema = schema

    def append(self, rows: pa.Table) -> None:
        """Add rows as one new part."""
        if rows.num_rows:
            number = self._last_number() + 1
            self._write([self.schema.validate(rows)], number, number)

    def replace(self, rows: pa.Table) -> None:
        """Put rows in place of all that the table holds."""
        self._write([self.schema.validate(rows)], 0, self._last_number() + 1)
        self._remove_superseded()

    def compact(self, least: int = 2) -> None:
        """Join runs of `least` or more neighbouring small parts into larger ones, a row group at a time."""
        for run in _small_runs(self.parts(), least):
            first, last = _range(run[0])[0], _range(run[-1])[1]
            self._write(_batches(run), first, last)
        self._remove_superseded()

    def parts(self) -> list[Path]:
        """The parts that make up the table now, oldest first."""
        found = sorted(
            (path for path in self._entries() if _PART.fullmatch(path.name)),
            key=lambda path: (_range(path)[0], -_range(path)[1]),
        )
        kept: list[Path] = []
        for path in found:
            if not kept or _range(path)[1] > _range(kept[-1])[1]:
                kept.append(path)
        return kept

    def count(self) -> int:
        """Number of rows, from the parts' footers."""
        return self.attempt(lambda parts: sum(int(pq.read_metadata(part).num_rows) for part in parts))

    def read(self, columns: Sequence[str] | None = None) -> pa.Table:
        """All rows, in the order in which they were written."""

        def read_parts(parts: list[Path]) -> pa.Table:
            wanted = list(columns) if columns is not None else None
            tables = [_read_part(part, wanted) for part in parts]
            return pa.concat_tables([self.empty(wanted), *tables])

        return self.attempt(read_parts)

    def empty(self, columns: Sequence[str] | None = None) -> pa.Table:
        """A table of no rows with these columns."""
        empty = self.schema.arrow.remove_metadata().empty_table()
        return empty.select(list(columns)) if columns is not None else empty

    def attempt(self, read: Callable[[list[Path]], T]) -> T:
        """Call `read` with the parts; again where a writer compacted them away in between."""
        for remaining in reversed(range(_READ_TRIES)):
            try:
                return read(self.parts())
            except FileNotFoundError:
                if not remaining:
                    raise
        raise AssertionError("unreachable")

    def clean(self) -> None:
        """Remove what a killed writer left behind. Only with the lock held."""
        for path in self._entries():
            if path.name.endswith(_TEMPORARY):
                path.unlink(missing_ok=True)
        self._remove_superseded()

    def _entries(self) -> list[Path]:
        return list(self.folder.iterdir()) if self.folder.is_dir() else []

    def _last_number(self) -> int:
        return max((_range(part)[1] for part in self.parts()), default=0)

    def _write(self, tables: Iterable[pa.Table], first: int, last: int) -> None:
        final = self.folder / f"{first:08d}-{last:08d}.parquet"
        temporary = final.with_suffix(_TEMPORARY)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with (
                temporary.open("wb") as file,
                pq.ParquetWriter(file, self.schema.arrow, compression="zstd") as writer,
            ):
                for table in tables:
                    writer.write_table(table, row_group_size=_ROW_GROUP)
            sync(temporary)
            temporary.replace(final)
            sync(self.folder)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise MachineError(f"cannot write to {self.folder}: {error.strerror or error}") from error
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)

    def _remove_superseded(self) -> None:
        kept = set(self.parts())
        for path in self._entries():
            if _PART.fullmatch(path.name) and path not in kept:
                path.unlink(missing_ok=True)


def _range(part: Path) -> tuple[int, int]:
    match = _PART.fullmatch(part.name)
    assert match is not None
    return int(match[1]), int(match[2])


def _small_runs(parts: list[Path], least: int) -> Iterator[list[Path]]:
    """Runs of at least so many neighbouring parts that together stay small."""
    run: list[Path] = []
    size = 0
    for part in parts:
        part_size = part.stat().st_size
        if run and size + part_size > _SMALL_BYTES:
            if len(run) >= least:
                yield run
            run, size = [], 0
        run.append(part)
        size += part_size
    if len(run) >= least:
        yield run


def _batches(parts: list[Path]) -> Iterator[pa.Table]:
    for part in parts:
        with pq.ParquetFile(part) as file:
            for group in range(file.num_row_groups):
                yield file.read_row_group(group)


def _read_part(part: Path, columns: list[str] | None) -> pa.Table:
    with pq.ParquetFile(part) as file:
        check_version(file.schema_arrow, str(part))
        table = file.read(columns=columns)
    return (table.select(columns) if columns is not None else table).replace_schema_metadata(None)


def sync(path: Path) -> None:
    """Have the system write a file, or the names in a folder, to the disk now."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def query(sql: str, tables: Mapping[str, PartTable | pa.Table], parameters: Sequence[Any] = ()) -> pa.Table:
    """Answer of DuckDB to `sql` over the named tables, of a workspace or in memory."""
    import duckdb

    stored = {name: table for name, table in tables.items() if isinstance(table, PartTable)}
    in_memory = {name: table for name, table in tables.items() if not isinstance(table, PartTable)}

    def run(_: list[Path]) -> pa.Table:
        with duckdb.connect() as connection:
            for name, table in stored.items():
                parts = [str(part) for part in table.parts()]
                if parts:
                    connection.read_parquet(parts).create_view(name)
                else:
                    connection.register(name, table.empty())
            for name, rows in in_memory.items():
                connection.register(name, rows)
            return connection.sql(sql, params=list(parameters)).to_arrow_table()

    def run_again_where_parts_vanish(parts: list[Path]) -> pa.Table:
        try:
            return run(parts)
        except duckdb.IOException as error:
            raise FileNotFoundError(str(error)) from error

    return next(iter(stored.values())).attempt(run_again_where_parts_vanish) if stored else run([])
