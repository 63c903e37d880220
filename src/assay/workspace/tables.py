"""Tables as append-only Parquet parts.

A table is a folder of parts named after the range of writes that they hold: `00000007-00000007.parquet` is
the seventh write, `00000001-00000007.parquet` a part that replaces the first seven. A part is written under a
temporary name, synced and renamed, so it is there whole or not at all; a part whose range lies within
another's is passed over. So compaction and replacement need no list of parts to be right, a kill at any
moment leaves a readable table, and readers never wait.

A list with the checksum of every part is kept besides (`Checksums`): each part is verified when a process
first opens it, and one that is missing is missed. A change of several tables at once lies in a folder of its
own until its parts take their places (`changing`): they come before those of the same name.

Parts of one table may differ in their columns, since schemas grow: every way of reading goes through
`TableSchema.check`, and gives today's columns.
"""

from __future__ import annotations

import errno
import json
import re
import shutil
import time
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from assay.decisions.schema import TableSchema, check_version, fill
from assay.errors import DamagedError, InputError, MachineError, printable
from assay.files import PARTIAL, is_special, make_own_folder, sync, write_text, written_whole

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
                raise damaged(part, rows, "it is not a file")
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
        final = self.folder / f"{first:08d}-{last:08d}.parquet"
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
            self.checksums.put({})
        except FileNotFoundError:
            raise
        except OSError as error:
            raise MachineError(f"cannot write to {self.folder}: {error.strerror or error}") from error

    def _refuse_newer(self) -> None:
        """Write no rows beside a part of a newer assay: they would change their meaning."""
        for part in self.parts() if not self._not_newer else ():
            if is_special(part):
                raise damaged(part, None, "it is not a file")
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


# The parts of a table: names, checksums, and the error where one is damaged or missing.


CHECKSUMS = "checksums"
_CHUNK = 1 << 20
_MOST_BYTES = 1 << 26

_verified: set[tuple[str, int, int, int, int]] = set()
"""Files that this process has read and found whole: path, inode, size, time of change, checksum."""

_PART = re.compile(r"(\d{8})-(\d{8})\.parquet")
_SMALL_BYTES = 64 * 1024 * 1024


def is_part(name: str) -> bool:
    """Whether a file of this name is a part."""
    return _PART.fullmatch(name) is not None


def writes_of(name: str) -> tuple[int, int]:
    """The first and the last write in a part."""
    first, last = name.removesuffix(".parquet").split("-")
    return int(first), int(last)


def _is_within(name: str, others: Iterable[str]) -> bool:
    """Whether all writes of a part are in one of the others."""
    (first, last), ranges = writes_of(name), map(writes_of, others)
    return any(begin <= first and last <= end for begin, end in ranges)


def in_force(parts: Iterable[Path]) -> list[Path]:
    """The parts that make up a table, oldest first: those that are not within another."""
    ordered = sorted(parts, key=lambda path: (writes_of(path.name)[0], -writes_of(path.name)[1]))
    force: list[Path] = []
    for path in ordered:
        if not force or writes_of(path.name)[1] > writes_of(force[-1].name)[1]:
            force.append(path)
    return force


def small_runs(parts: Iterable[Path], least: int) -> Iterator[list[Path]]:
    """Runs of at least so many neighbouring parts that together stay small."""
    runs: list[list[Path]] = [[]]
    size = 0
    for part in parts:
        size += part.stat().st_size
        if runs[-1] and size > _SMALL_BYTES:
            runs.append([])
            size = part.stat().st_size
        runs[-1].append(part)
    return (run for run in runs if len(run) >= least)


class Checksum(NamedTuple):
    """What a part is to be: its size, its number of rows, and the CRC-32 of its bytes."""

    bytes: int
    rows: int
    crc32: int


def checksum_of(path: Path, rows: int) -> Checksum:
    """The checksum of a file as it is."""
    crc32 = size = 0
    buffer = bytearray(_CHUNK)
    with path.open("rb", buffering=0) as file:
        while length := file.readinto(buffer):
            crc32 = zlib.crc32(memoryview(buffer)[:length], crc32)
            size += length
    return Checksum(size, rows, crc32)


def reads_as(path: Path, wanted: Checksum) -> bool:
    """Whether a file has this checksum; it is read once in a process, unless it changes."""
    about = path.stat()
    key = (str(path.absolute()), about.st_ino, about.st_size, about.st_mtime_ns, wanted.crc32)
    if about.st_size != wanted.bytes:
        return False
    if key not in _verified:
        if checksum_of(path, wanted.rows) != wanted:
            return False
        _verified.add(key)
    return True


class Listed(NamedTuple):
    """The parts that should be there, and those that were about to come."""

    parts: Mapping[str, Checksum] = {}
    coming: Mapping[str, Checksum] = {}

    def find(self, name: str) -> list[Checksum]:
        """What a part of this name may be: one announced anew has two checksums until it is confirmed."""
        return [parts[name] for parts in self if name in parts]

    def missing(self, present: Iterable[Path]) -> dict[str, Checksum]:
        """The parts that should be there and are neither there nor within one that is."""
        names = [path.name for path in present]
        return {name: checksum for name, checksum in self.parts.items() if not _is_within(name, names)}


class Checksums:
    """The list of one table: size, number of rows and CRC-32 of every part (`checksums/TABLE.json`).

    The folder of the table shows which parts there are, the list which there should be. A part is announced
    (`coming`) before it takes its name, and confirmed (`parts`) when it has it, so that wherever a writer is
    killed there is neither a part that cannot be verified nor one missed that nobody lost. A part that is not
    in the list was written by an earlier assay: it is read, and called unverified. CRC-32 finds every flipped
    bit, and is no protection against who changes a part and its checksum on purpose.

    It is written with the writer's lock held; reading needs no lock.
    """

    def __init__(self, table: Path) -> None:
        self.path = table.parent / CHECKSUMS / f"{table.name}.json"
        self._folder = table
        self._cache: tuple[tuple[int, int, int], Listed] | None = None

    def read(self) -> Listed:
        """The list as it is now; an empty one where there is none."""
        try:
            about = self.path.stat()
            key = (about.st_ino, about.st_size, about.st_mtime_ns)
            if self._cache is None or self._cache[0] != key:
                self._cache = key, self._parsed(about.st_size)
        except (FileNotFoundError, NotADirectoryError):
            return Listed()
        return self._cache[1]

    def announce(self, name: str, checksum: Checksum) -> None:
        """Note what a part will be, before it takes its name."""
        self._write(self._settled(), {name: checksum})

    def put(self, parts: Mapping[str, Checksum]) -> None:
        """Expect parts that are there, and the announced one that has its name; not what is within them."""
        self._write(_joined(self._settled(), parts))

    def forget(self, name: str) -> None:
        """Expect a part no more."""
        self._write({part: checksum for part, checksum in self._settled().items() if part != name})

    def clean(self) -> None:
        """Clear away a list that a killed writer left half written. With the writer's lock held."""
        partial = self.path.with_name(self.path.name + PARTIAL)
        if not self.path.parent.is_symlink() and partial.exists():
            partial.unlink(missing_ok=True)

    def _settled(self) -> dict[str, Checksum]:
        """The parts that should be there, with an announced one that took its name."""
        parts, coming = self.read()
        return _joined(parts, {name: new for name, new in coming.items() if (self._folder / name).is_file()})

    def _write(self, *listed: Mapping[str, Checksum]) -> None:
        make_own_folder(self.path.parent)
        content = {
            field: {name: checksum._asdict() for name, checksum in sorted(parts.items())}
            for field, parts in Listed(*listed)._asdict().items()
        }
        text = json.dumps({**content, "crc32": crc32_of(content)}, indent=1)
        write_text(self.path, text + "\n", follow=False)

    def _parsed(self, size: int) -> Listed:
        try:
            if size > _MOST_BYTES or not self.path.is_file():  # a folder, or a pipe that would never end
                raise ValueError("not a list")
            content = json.loads(self.path.read_text(encoding="utf-8"))
            if content.pop("crc32") != crc32_of(content):
                raise ValueError("not what was written")
            listed = Listed(
                *(
                    {name: Checksum(**sums) for name, sums in content[field].items()}
                    for field in Listed._fields
                )
            )
            for name, checksum in (item for parts in listed for item in parts.items()):
                if not is_part(name) or not all(type(number) is int for number in checksum):
                    raise ValueError("not a part with its numbers")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise DamagedError(
                f"{self.path}, the list of the parts of {self._folder.name}, is damaged: run assay doctor "
                f"{quote(str(self._folder.parent))} --repair, which makes it anew from what is there"
            ) from None
        return listed


def _joined(old: Mapping[str, Checksum], new: Mapping[str, Checksum]) -> dict[str, Checksum]:
    return {name: checksum for name, checksum in old.items() if not _is_within(name, new)} | dict(new)


def crc32_of(content: Mapping[str, Any]) -> int:
    """The CRC-32 of the content of a JSON file, however it is laid out."""
    return zlib.crc32(json.dumps(content, sort_keys=True).encode())


# A part that is damaged or missing: which one, what is lost with it, and how to go on.

_LOST = {
    "games": ("game", "games", "assay import brings them back from their PGN files"),
    "players": ("name", "names", "the names are settled anew"),
    "reference_ratings": ("published rating", "published ratings", "the next assay import finds them again"),
    "annotations": (
        "position with a comment",
        "positions with comments",
        "their games, imported into a new workspace, bring them back",
    ),
    "analyses": ("analysed position", "analysed positions", "assay analyse analyses them again"),
    "alone": ("move searched alone", "moves searched alone", "assay analyse searches them again"),
    "ratings": ("rating", "ratings", "assay rate makes them again"),
}
"""What the rows of each table are, and how to have them again."""


def rows_of(table: str, rows: int | None) -> str:
    """So many games, positions or whatever the rows of a table are."""
    singular, plural, _ = _LOST[table]
    return plural if rows is None else f"{rows:,} {singular if rows == 1 else plural}"


def how_to_have_again(table: str) -> str:
    """How to have again what is lost from a table, once the part is out of the way."""
    return _LOST[table][2]


def damaged(part: Path, rows: int | None, why: str | None) -> DamagedError:
    """The error of a part that cannot be read as it was written, or (without a reason) is missing."""
    table = part.parent.name
    lost = f"the {rows_of(table, rows)} in it"
    what = (
        f"is missing, and {lost} with it" if why is None else f"is damaged ({why}), and {lost} cannot be read"
    )
    then = " to go on without it" if why is None else ", which sets it aside"
    return DamagedError(
        f"{part} {what}: put back a copy of it, or run assay doctor {quote(str(part.parent.parent))} "
        f"--repair{then}; then {how_to_have_again(table)}"
    )
