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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

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
            with self._opened(run) as opened:
                try:
                    joined = self.schema.joined([part.file.schema_arrow for part in opened])
                except pa.ArrowTypeError:
                    continue
                self._write((rows for part in opened for rows in part.groups(joined)), first, last, joined)
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
        with self._opened() as parts:
            return sum(part.n_rows for part in parts)

    def read(self, columns: Sequence[str] | None = None) -> pa.Table:
        """All rows, in the order in which they were written; null where a part is older than a column."""
        wanted = self.schema.select(columns)
        with self._opened() as parts:
            return pa.concat_tables([wanted.empty_table(), *(part.read(wanted) for part in parts)])

    def chunks(self, rows: int, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """The same, some `rows` at a time: for what does not fit into memory."""
        wanted = self.schema.select(columns)
        with self._opened() as parts:
            yield from gathered((chunk for part in parts for chunk in part.batches(rows, wanted)), rows)

    def select(
        self, where: Mapping[str, Iterable[str] | pa.Array], columns: Sequence[str] | None = None
    ) -> pa.Table:
        """The rows that have one of these values in each of the named columns.

        Of each part those columns are read first, and then only the row groups that contain such rows.
        """
        wanted = self.schema.select(columns)
        values = {name: pa.array(of_column, pa.string()) for name, of_column in where.items()}
        selected = [wanted.empty_table()]
        with self._opened() as parts:
            for part in parts:
                keys = part.read(self.schema.select(list(where)))
                mask = reduce(pc.and_, (pc.is_in(keys[name], value_set=of) for name, of in values.items()))
                begin = 0
                for group in range(part.file.num_row_groups):
                    in_group = mask.slice(begin, part.file.metadata.row_group(group).num_rows)
                    begin += len(in_group)
                    if pc.any(in_group).as_py():
                        selected.append(part.read(wanted, group).filter(in_group))
        return pa.concat_tables(selected)

    def value_counts(self, column: str) -> Counter[str]:
        """How many rows have each value of a column."""
        counts: Counter[str] = Counter()
        for rows in self.chunks(_ROW_GROUP, [column]):
            for counted in pc.value_counts(rows[column]):
                counts[counted["values"].as_py()] += counted["counts"].as_py()
        return counts

    @contextmanager
    def _opened(self, paths: Sequence[Path] | None = None) -> Iterator[list[_Part]]:
        """These parts, or all, opened: a writer that joins them in between takes nothing from a reader.

        All are opened again where a writer put others in their place before.
        """
        with ExitStack() as stack:
            for remaining in reversed(range(_READ_TRIES)):
                try:
                    opened = [self._open(path, stack) for path in paths or self.expected_parts()]
                    break
                except (FileNotFoundError, DamagedError):
                    if not remaining:
                        raise
                    time.sleep(_PAUSE)
            yield opened

    def _open(self, path: Path, stack: ExitStack) -> _Part:
        verified = self.verify(path)
        with _blaming(path):
            file = stack.enter_context(pq.ParquetFile(path))
            self.schema.check(file.schema_arrow, str(path))
        return _Part(path, file, verified, self.schema)

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
        with self._opened() as parts:
            for part in parts:
                n = pc.sum(goes(part.read(self.schema.select(list(gone))))).as_py()
                if n:
                    joined = self.schema.joined([part.file.schema_arrow])
                    remaining = (rows.filter(pc.invert(goes(rows))) for rows in part.groups(joined))
                    other._write(remaining, *writes_of(part.path.name), joined)
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

    def examine(self, path: Path) -> int:
        """Read a whole part, unless its checksum verifies it; return its number of rows."""
        with ExitStack() as stack:
            part = self._open(path, stack)
            for _ in () if part.verified else part.groups(self.schema.select()):
                pass
            return part.n_rows

    def _changed_parts(self) -> list[Path]:
        is_link = self._changed.is_symlink() or self._changed.parent.is_symlink()
        return [] if is_link else _parts_in(self._changed)

    def _last_number(self) -> int:
        names = [*(part.name for part in self.parts()), *self.checksums.read().parts]
        return max((writes_of(name)[1] for name in names), default=0)

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


@dataclass(frozen=True)
class _Part:
    """A part that is open for reading: what goes wrong in reading it is its damage."""

    path: Path
    file: pq.ParquetFile
    verified: bool
    """Whether it has the checksum that it was written with; else its rows are checked."""
    schema: TableSchema

    @property
    def n_rows(self) -> int:
        """Number of rows, from its footer."""
        return int(self.file.metadata.num_rows)

    def read(self, wanted: pa.Schema, group: int | None = None) -> pa.Table:
        """All rows, or those of one row group, with the wanted columns."""
        with _blaming(self.path):
            columns = self._columns(wanted)
            rows = self.file.read(columns) if group is None else self.file.read_row_group(group, columns)
            return self._filled(rows, wanted)

    def groups(self, wanted: pa.Schema) -> Iterator[pa.Table]:
        """The same, a row group at a time."""
        return (self.read(wanted, group) for group in range(self.file.num_row_groups))

    def batches(self, rows: int, wanted: pa.Schema) -> Iterator[pa.Table]:
        """The same, at most so many rows at a time."""
        with _blaming(self.path):
            for batch in self.file.iter_batches(rows, columns=self._columns(wanted)):
                yield self._filled(pa.Table.from_batches([batch]), wanted)

    def _columns(self, wanted: pa.Schema) -> list[str]:
        return [name for name in wanted.names if name in self.file.schema_arrow.names]

    def _filled(self, rows: pa.Table, wanted: pa.Schema) -> pa.Table:
        filled = fill(rows, wanted, str(self.path))
        if not self.verified:
            filled.validate(full=True)
            for column in self.schema.columns:
                if not column.nullable and column.name in wanted.names and filled[column.name].null_count:
                    raise damaged(self.path, None, f"column '{column.name}' has no value in some rows")
        return filled


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
