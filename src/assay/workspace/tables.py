"""Tables as append-only Parquet parts.

A table is a folder of parts named after the range of writes that they hold: `00000007-00000007.parquet` is
the seventh write, `00000001-00000007.parquet` a part that replaces the first seven. A part is written under a
temporary name, synced and renamed, so it is there whole or not at all; a part whose range lies within
another's is passed over. So compaction and replacement need no list of parts to be right, a kill at any
moment leaves a readable table, and readers never wait.

A list with the checksum of every part is kept besides (`parts.py`): each part is verified when a
process first opens it, and one that is missing is missed. A change of several tables at once lies in a folder
of its own until its parts take their places (`changing`): they come before those of the same name.

Parts of one table may differ in their columns, since schemas grow: every way of reading goes through
`TableSchema.check`, and gives today's columns.
"""

from __future__ import annotations

import errno
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import reduce
from pathlib import Path
from typing import TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from assay.decisions.schema import TableSchema, check_version, fill
from assay.decisions.text import printable
from assay.errors import DamagedError, InputError, MachineError
from assay.files import PARTIAL, is_special, make_own_folder, sync, written_whole
from assay.workspace.parts import (
    Checksums,
    checksum_of,
    damaged,
    in_force,
    is_part,
    part_name,
    reads_as,
    small_runs,
    writes_of,
)

CHANGED = "changed"
"""Folder of a workspace with parts of a change that is in force, and not yet in their places."""

_TEMPORARY = (PARTIAL, ".tmp")
_ROW_GROUP = 50_000
_READ_TRIES = 5
_PAUSE = 0.005
_MOST_SHOWN = 120

T = TypeVar("T")


class PartTable:
    """One table of a workspace. Writers hold the workspace's lock; readers need nothing."""

    def __init__(self, folder: Path, schema: TableSchema) -> None:
        self.folder = folder
        self.schema = schema
        self.checksums = Checksums(folder)
        self._changed = folder.parent / CHANGED / folder.name
        self._changed_checksums = Checksums(self._changed)
        self._not_newer = False

    def append(self, rows: pa.Table) -> None:
        """Add rows as one new part."""
        if rows.num_rows:
            number = self._last_number() + 1
            self._write([self.schema.validate(rows)], number, number, self.schema.arrow)

    def replace(self, rows: pa.Table) -> None:
        """Put rows in place of all that the table holds."""
        self._write([self.schema.validate(rows)], 0, self._last_number() + 1, self.schema.arrow)
        self._remove_superseded()

    def compact(self, least: int = 2) -> None:
        """Join runs of `least` or more neighbouring small parts into larger ones, a row group at a time.

        Columns that only a later assay knows are kept; parts that disagree on the type of one stay apart.
        """
        for run in small_runs(self.expected_parts(), least):
            first, last = writes_of(run[0].name)[0], writes_of(run[-1].name)[1]
            try:
                joined = self.schema.joined([self._schema_of(part) for part in run])
            except pa.ArrowTypeError:
                continue
            self._write(self._row_groups(run, joined), first, last, joined)
        self._remove_superseded()

    def parts(self) -> list[Path]:
        """The parts that make up the table now, oldest first."""
        # The change first: a part that takes its place in between is seen twice rather than never.
        changed = {path.name: path for path in self._changed_parts()}
        here = {path.name: path for path in _parts_in(self.folder)}
        return in_force({**here, **changed}.values())

    def expected_parts(self) -> list[Path]:
        """The same; DamagedError where one is not there that should be."""
        listed = self.checksums.read()  # first: what it lists is there, or in a part that replaces it
        parts = self.parts()
        for name, checksum in listed.missing(parts).items():
            raise damaged(self.folder / name, checksum.rows, None)
        return parts

    def count(self) -> int:
        """Number of rows, from the parts' footers."""

        def count_rows(parts: list[Path]) -> int:
            with ExitStack() as opened:
                files = [opened.enter_context(self._opened(part))[0] for part in parts]
                return sum(int(file.metadata.num_rows) for file in files)

        return self.attempt(count_rows)

    def read(self, columns: Sequence[str] | None = None) -> pa.Table:
        """All rows, in the order in which they were written; null where a part is older than a column."""
        wanted = self.schema.select(columns)

        def read_parts(parts: list[Path]) -> pa.Table:
            rows = (self._read_part(part, wanted) for part in parts)
            return pa.concat_tables([wanted.empty_table(), *rows])

        return self.attempt(read_parts)

    def chunks(self, rows: int, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """The same, some `rows` at a time: for what does not fit into memory.

        All parts are opened at the beginning, so a writer that compacts them away takes nothing from it.
        """
        wanted = self.schema.select(columns)
        with ExitStack() as opened:
            files = self.attempt(
                lambda parts: [(part, *opened.enter_context(self._opened(part))) for part in parts]
            )
            yield from gathered(
                (chunk for file in files for chunk in self._batches(rows, wanted, *file)), rows
            )

    def _batches(
        self, rows: int, wanted: pa.Schema, part: Path, file: pq.ParquetFile, verified: bool
    ) -> Iterator[pa.Table]:
        with _blaming(part):
            for batch in file.iter_batches(rows, columns=_both(wanted, file.schema_arrow)):
                yield self._filled(pa.Table.from_batches([batch]), wanted, part, verified)

    def select(
        self, where: Mapping[str, Iterable[str] | pa.Array], columns: Sequence[str] | None = None
    ) -> pa.Table:
        """The rows that have one of these values in each of the named columns.

        Of each part those columns are read first, and then only the row groups that contain such rows.
        """
        wanted, tested = self.schema.select(columns), self.schema.select(list(where))
        values = {name: pa.array(of_column, pa.string()) for name, of_column in where.items()}

        def select_rows(parts: list[Path]) -> pa.Table:
            rows = (group for part in parts for group in self._matching(part, values, tested, wanted))
            return pa.concat_tables([wanted.empty_table(), *rows])

        return self.attempt(select_rows)

    def _matching(
        self, part: Path, values: Mapping[str, pa.Array], tested: pa.Schema, wanted: pa.Schema
    ) -> Iterator[pa.Table]:
        with self._opened(part) as (file, verified):
            keys = self._filled(file.read(columns=_both(tested, file.schema_arrow)), tested, part, verified)
            mask = reduce(pc.and_, (pc.is_in(keys[name], value_set=of) for name, of in values.items()))
            begin = 0
            for group in range(file.num_row_groups):
                in_group = mask.slice(begin, file.metadata.row_group(group).num_rows)
                begin += len(in_group)
                if pc.any(in_group).as_py():
                    rows = file.read_row_group(group, columns=_both(wanted, file.schema_arrow))
                    yield self._filled(rows, wanted, part, verified).filter(in_group)

    def value_counts(self, column: str) -> Counter[str]:
        """How many rows have each value of a column."""
        counts: Counter[str] = Counter()
        for rows in self.chunks(_ROW_GROUP, [column]):
            for counted in pc.value_counts(rows[column]):
                counts[counted["values"].as_py()] += counted["counts"].as_py()
        return counts

    def attempt(self, read: Callable[[list[Path]], T]) -> T:
        """Call `read` with the parts; again where a writer put others in their place in between."""
        for remaining in reversed(range(_READ_TRIES)):
            try:
                return read(self.expected_parts())
            except (FileNotFoundError, DamagedError):
                if not remaining:
                    raise
                time.sleep(_PAUSE)
        raise AssertionError("unreachable")

    def clean(self) -> None:
        """Remove what a killed writer left behind. Only with the lock held."""
        self.checksums.clean()
        if self.folder.is_symlink():
            return
        for path in list(self.folder.glob("*")):
            if path.name.endswith(_TEMPORARY):
                path.unlink(missing_ok=True)
        self._remove_superseded()

    def rewrite_without(self, into: Path, gone: Mapping[str, pa.Array]) -> int:
        """Write each part that loses rows to a folder below `into`, under its own name, without them.

        A row goes where one of these columns has one of these values. Return how many go.
        """

        def goes(rows: pa.Table) -> pa.Array:
            return reduce(pc.or_, (pc.is_in(rows[name], value_set=values) for name, values in gone.items()))

        other = PartTable(into / self.folder.name, self.schema)
        total = 0
        for part in self.expected_parts():
            n = pc.sum(goes(self._read_part(part, self.schema.select(list(gone))))).as_py()
            if n:
                joined = self.schema.joined([self._schema_of(part)])
                remaining = (rows.filter(pc.invert(goes(rows))) for rows in self._row_groups([part], joined))
                other._write(remaining, *writes_of(part.name), joined)
                total += n
        return total

    def take_changed_parts(self) -> None:
        """Put the parts of a change that is in force in their places. Only with the lock held."""
        listed = self._changed_checksums.read().parts
        for part in self._changed_parts():
            make_own_folder(self.folder)
            if part.name in listed:
                self.checksums.put({part.name: listed[part.name]})
            part.replace(self.folder / part.name)
            sync(self.folder)

    def verify(self, part: Path) -> bool:
        """Whether a part has the checksum that it was written with; False where none is listed.

        DamagedError where the checksum is another.
        """
        checksums = self._changed_checksums if part.parent == self._changed else self.checksums
        listed = checksums.read().find(part.name)
        rows = listed[-1].rows if listed else None
        with _blaming(part, rows):
            if is_special(part):
                raise damaged(part, rows, "it is no file")
            if listed and not any(reads_as(part, checksum) for checksum in listed):
                raise damaged(part, rows, "it does not have the checksum that it was written with")
        return bool(listed)

    def examine(self, part: Path) -> int:
        """Read a whole part, unless its checksum verifies it; return its number of rows."""
        with self._opened(part) as (file, verified):
            if not verified:
                for _ in self._row_groups([part], self.schema.select()):
                    pass
            return int(file.metadata.num_rows)

    def _changed_parts(self) -> list[Path]:
        is_link = self._changed.is_symlink() or self._changed.parent.is_symlink()
        return [] if is_link else _parts_in(self._changed)

    def _last_number(self) -> int:
        names = [*(part.name for part in self.parts()), *self.checksums.read().parts]
        return max((writes_of(name)[1] for name in names), default=0)

    @contextmanager
    def _opened(self, part: Path) -> Iterator[tuple[pq.ParquetFile, bool]]:
        """A part, and whether it was verified; what goes wrong in reading it is its damage."""
        verified = self.verify(part)
        with _blaming(part), pq.ParquetFile(part) as file:
            self.schema.check(file.schema_arrow, str(part))
            yield file, verified

    def _filled(self, rows: pa.Table, wanted: pa.Schema, part: Path, verified: bool) -> pa.Table:
        """Rows of a part with the wanted columns; where no checksum vouches for them, looked at closely."""
        filled = fill(rows, wanted, str(part))
        if not verified:
            filled.validate(full=True)
            for column in self.schema.columns:
                if not column.nullable and column.name in wanted.names and filled[column.name].null_count:
                    raise damaged(part, None, f"column '{column.name}' has no value in some rows")
        return filled

    def _schema_of(self, part: Path) -> pa.Schema:
        with self._opened(part) as (file, _):
            return file.schema_arrow

    def _read_part(self, part: Path, wanted: pa.Schema) -> pa.Table:
        with self._opened(part) as (file, verified):
            rows = file.read(columns=_both(wanted, file.schema_arrow))
            return self._filled(rows, wanted, part, verified)

    def _row_groups(self, parts: list[Path], wanted: pa.Schema) -> Iterator[pa.Table]:
        for part in parts:
            with self._opened(part) as (file, verified):
                for group in range(file.num_row_groups):
                    yield self._filled(file.read_row_group(group), wanted, part, verified)

    def _write(self, tables: Iterable[pa.Table], first: int, last: int, schema: pa.Schema) -> None:
        final = self.folder / part_name(first, last)
        self._refuse_newer()
        try:
            make_own_folder(self.folder)
            with written_whole(final, follow=False) as file:
                rows = 0
                with pq.ParquetWriter(file, schema, compression="zstd") as writer:
                    for table in tables:
                        writer.write_table(table, row_group_size=_ROW_GROUP)
                        rows += table.num_rows
                file.flush()
                self.checksums.announce(final.name, checksum_of(Path(file.name), rows))
            self.checksums.confirm()
        except FileNotFoundError:
            raise
        except OSError as error:
            raise MachineError(f"cannot write to {self.folder}: {error.strerror or error}") from error

    def _refuse_newer(self) -> None:
        """Write no rows beside a part of a newer assay: they would change their meaning."""
        for part in self.parts() if not self._not_newer else ():
            if is_special(part):
                raise damaged(part, None, "it is no file")
            with suppress(OSError, pa.ArrowException):  # whoever reads it gets the error
                check_version(pq.read_schema(part), str(part))
        self._not_newer = True

    def _remove_superseded(self) -> None:
        parts = _parts_in(self.folder)
        force = in_force(parts)
        if len(force) == len(parts):
            return
        for part in force:  # what a damaged part replaced may be all that is left of it
            self.verify(part)
        for path in parts:
            if path not in force:
                path.unlink(missing_ok=True)


def gathered(tables: Iterable[pa.Table], rows: int) -> Iterator[pa.Table]:
    """Tables joined until each but the last has so many rows."""
    pending: list[pa.Table] = []
    for table in tables:
        pending.append(table)
        if sum(piece.num_rows for piece in pending) >= rows:
            yield pa.concat_tables(pending)
            pending = []
    if pending:
        yield pa.concat_tables(pending)


def _parts_in(folder: Path) -> list[Path]:
    """What has the name of a part, but for links to nothing: a part that is expected there is missing."""
    paths = folder.iterdir() if folder.is_dir() else ()
    return [path for path in paths if is_part(path.name) and (path.exists() or not path.is_symlink())]


@contextmanager
def _blaming(part: Path, rows: int | None = None) -> Iterator[None]:
    """What goes wrong in reading a part is damage of the part, but for what the machine is to blame for."""
    try:
        yield
    except (FileNotFoundError, MemoryError):
        raise
    except OSError as error:
        if error.errno not in (None, errno.EIO):
            raise
        raise damaged(part, rows, _first_words(error)) from error
    except (pa.ArrowException, ValueError, OverflowError) as error:
        raise damaged(part, rows, _first_words(error)) from error


def _first_words(error: Exception) -> str:
    """The message of a library about a file, in one line."""
    words = printable(getattr(error, "strerror", None) or str(error)).split(". ")[0].strip().rstrip(".")
    return words[:_MOST_SHOWN] or type(error).__name__


def _both(wanted: pa.Schema, stored: pa.Schema) -> list[str]:
    return [name for name in wanted.names if name in stored.names]


# A change of several tables at once: in force by one rename, so there whole or not at all.

CHANGING = "changing"


@contextmanager
def changing(workspace: Path) -> Iterator[Path]:
    """A folder for what changes, which is in force as a whole when the block ends, unless by an error.

    With the writer's lock held; `finish` follows.
    """
    staging, changed = workspace / CHANGING, workspace / CHANGED
    if changed.exists():
        raise InputError(f"{changed} is in the way: move it elsewhere")
    _clear(staging)
    make_own_folder(staging)
    try:
        yield staging
    except BaseException:
        _clear(staging)
        raise
    staging.rename(changed)
    sync(workspace)


def finish(workspace: Path, tables: Iterable[PartTable]) -> None:
    """Move what is in force to its place, and clear away what never was. With the writer's lock held."""
    _clear(workspace / CHANGING)
    changed = workspace / CHANGED
    if changed.is_symlink():
        changed.unlink()
    if not changed.is_dir():
        return
    for table in tables:
        table.take_changed_parts()
    for file in [path for path in changed.iterdir() if path.is_file() and not path.is_symlink()]:
        file.replace(workspace / file.name)
    sync(workspace)
    _clear(changed)


def _clear(folder: Path) -> None:
    """Remove a folder with all that is in it; of a link only the link."""
    if folder.is_symlink():
        folder.unlink()
    elif folder.is_dir():
        with suppress(FileNotFoundError):
            shutil.rmtree(folder)
