"""The parts of a table: their names, their checksums, and what is said of one that is damaged or missing.

A part is named after the range of writes that it holds (`part_name`).

`WORKSPACE/checksums/TABLE.json` has the size, the number of rows and the CRC-32 of every part. The folder of
the table still says which parts there are; the list says which there should be, and how they should read. A
part is announced in the list (`coming`) before it takes its name, and confirmed (`parts`) when it has it:

    killed before it is announced     neither the part nor its checksum is there
    killed before it takes its name   announced, not there: it never came to be, nothing is missing
    killed before it is confirmed     there, and verified by what was announced

So at no moment is there a part that cannot be verified, nor is one missed that nobody lost. A part that is
not in the list was written by an earlier assay: it is read, and called unverified.

CRC-32 finds every single flipped bit and every burst of up to 32, at several gigabytes a second. It is no
protection against who changes a part and its checksum on purpose.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from shlex import quote
from typing import Any, BinaryIO

from assay.errors import DamagedError
from assay.files import PARTIAL, make_own_folder, write_text

FOLDER = "checksums"
_CHUNK = 1 << 20
_MOST_BYTES = 1 << 26

_verified: set[tuple[str, int, int, int, int]] = set()
"""Files that were read and found whole by this process: path, inode, size, time of change, checksum."""


_PART = re.compile(r"(\d{8})-(\d{8})\.parquet")
_SMALL_BYTES = 64 * 1024 * 1024


def part_name(first: int, last: int) -> str:
    """The name of the part that holds these writes."""
    return f"{first:08d}-{last:08d}.parquet"


def is_part(name: str) -> bool:
    """Whether a file of this name is a part."""
    return _PART.fullmatch(name) is not None


def writes_of(name: str) -> tuple[int, int]:
    """The first and the last write that a part holds."""
    match = _PART.fullmatch(name)
    assert match is not None
    return int(match[1]), int(match[2])


def is_within(name: str, other: str) -> bool:
    """Whether all that a part holds is in another one."""
    (first, last), (from_, to) = writes_of(name), writes_of(other)
    return from_ <= first and last <= to


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


@dataclass(frozen=True)
class Checksum:
    """What a part is to be: its size, its number of rows, and the CRC-32 of its bytes."""

    bytes: int
    rows: int
    crc32: int


@dataclass(frozen=True)
class Listed:
    """The parts that should be there, and those that were about to come."""

    parts: Mapping[str, Checksum] = field(default_factory=dict)
    coming: Mapping[str, Checksum] = field(default_factory=dict)

    def find(self, name: str) -> tuple[Checksum, ...]:
        """What a part of this name may be: one announced anew has two checksums until it is confirmed."""
        return tuple(parts[name] for parts in (self.parts, self.coming) if name in parts)

    def missing(self, present: Iterable[Path]) -> dict[str, Checksum]:
        """The parts that should be there and are neither there nor within one that is."""
        names = [path.name for path in present]
        there = set(names)
        return {
            name: checksum
            for name, checksum in self.parts.items()
            if name not in there and not any(is_within(name, other) for other in names)
        }


class Summed:
    """A file to write to that keeps the checksum of what is written."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._crc32 = 0
        self._bytes = 0

    def write(self, content: Any) -> int:
        """Write, and count it in."""
        self._crc32 = zlib.crc32(content, self._crc32)
        self._bytes += memoryview(content).nbytes
        return self._file.write(content)

    def checksum(self, rows: int) -> Checksum:
        """The checksum of all that was written, which has so many rows."""
        return Checksum(self._bytes, rows, self._crc32)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


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
    """Whether a file is what its checksum says; it is read once in a process, unless it changes."""
    about = path.stat()
    key = (str(path.absolute()), about.st_ino, about.st_size, about.st_mtime_ns, wanted.crc32)
    if key in _verified and about.st_size == wanted.bytes:
        return True
    if about.st_size != wanted.bytes or checksum_of(path, wanted.rows) != wanted:
        return False
    _verified.add(key)
    return True


class Checksums:
    """The list of one table. It is written with the writer's lock held; reading needs nothing."""

    def __init__(self, table: Path) -> None:
        self.path = table.parent / FOLDER / f"{table.name}.json"
        self._folder = table
        self._known: tuple[tuple[int, int, int], Listed] | None = None

    def read(self) -> Listed:
        """The list as it is now; an empty one where there is none."""
        try:
            about = self.path.stat()
            key = (about.st_ino, about.st_size, about.st_mtime_ns)
            if self._known is None or self._known[0] != key:
                self._known = key, self._parsed(about.st_size)
        except (FileNotFoundError, NotADirectoryError):
            return Listed()
        return self._known[1]

    def announce(self, name: str, checksum: Checksum) -> None:
        """Say what a part will be, before it takes its name."""
        self._write(Listed(self._settled(), {name: checksum}))

    def confirm(self, name: str) -> None:
        """A part that was announced has its name: what is within it need not be there any more."""
        self.put({name: self.read().coming[name]})

    def put(self, parts: Mapping[str, Checksum]) -> None:
        """Parts that are there, with what they are; what is within them need not be."""
        self._write(Listed(_joined(self._settled(), parts)))

    def forget(self, name: str) -> None:
        """A part is not expected any more."""
        self._write(Listed({part: checksum for part, checksum in self._settled().items() if part != name}))

    def clean(self) -> None:
        """Clear away a list that a killed writer left half written. With the writer's lock held."""
        partial = self.path.with_name(self.path.name + PARTIAL)
        if not self.path.parent.is_symlink() and partial.exists():
            partial.unlink(missing_ok=True)

    def _settled(self) -> dict[str, Checksum]:
        """The parts that should be there; one that a killed writer announced, if it took its name."""
        now = self.read()
        came = {name: known for name, known in now.coming.items() if (self._folder / name).is_file()}
        return _joined(now.parts, came)

    def _write(self, listed: Listed) -> None:
        make_own_folder(self.path.parent)
        content = {
            "parts": {name: asdict(one) for name, one in sorted(listed.parts.items())},
            "coming": {name: asdict(one) for name, one in sorted(listed.coming.items())},
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
            return Listed(_checked(content["parts"]), _checked(content["coming"]))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise DamagedError(
                f"{self.path}, the list of the parts of {self._folder.name}, is damaged: run assay doctor "
                f"{quote(str(self._folder.parent))} --repair, which makes it anew from what is there"
            ) from None


def _joined(old: Mapping[str, Checksum], new: Mapping[str, Checksum]) -> dict[str, Checksum]:
    others = {
        name: checksum for name, checksum in old.items() if not any(is_within(name, other) for other in new)
    }
    return {**others, **new}


def _checked(parts: Mapping[str, Mapping[str, int]]) -> dict[str, Checksum]:
    checksums = {name: Checksum(**numbers) for name, numbers in parts.items()}
    if not all(is_part(name) for name in checksums):
        raise ValueError("not a part")
    if not all(
        type(number) is int for checksum in checksums.values() for number in asdict(checksum).values()
    ):
        raise ValueError("not a number")
    return checksums


def crc32_of(content: Mapping[str, Any]) -> int:
    """The CRC-32 of what a JSON file says, however it is laid out."""
    return zlib.crc32(json.dumps(content, sort_keys=True).encode())


# What is said of a part that is damaged or missing: which one, what is lost with it, and how to go on.

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
"""What the rows of each table are, and how they are had again."""


def rows_of(table: str, rows: int) -> str:
    """So many games, positions or whatever a table holds."""
    one, many, _ = _LOST.get(table, ("row", "rows", ""))
    return f"{rows:,} {one if rows == 1 else many}"


def how_to_have_again(table: str) -> str:
    """How what is lost from a table is had again, once the part is out of the way."""
    return _LOST.get(table, ("", "", "make its rows anew"))[2]


def damaged(part: Path, why: str, rows: int | None) -> DamagedError:
    """A part cannot be read as it was written."""
    lost = _lost(part.parent.name, rows)
    return DamagedError(
        f"{part} is damaged ({why}), and {lost} in it cannot be read: put back a copy of it, or run "
        f"{_repair(part)}, which sets it aside; then {how_to_have_again(part.parent.name)}"
    )


def missing(part: Path, rows: int) -> DamagedError:
    """A part that should be there is not."""
    lost = _lost(part.parent.name, rows)
    return DamagedError(
        f"{part} is missing, and {lost} in it with it: put back a copy of it, or run {_repair(part)} to go "
        f"on without it; then {how_to_have_again(part.parent.name)}"
    )


def _lost(table: str, rows: int | None) -> str:
    if rows is None:
        return f"the {_LOST.get(table, ('', 'rows', ''))[1]}"
    return f"the {rows_of(table, rows)}"


def _repair(part: Path) -> str:
    return f"assay doctor {quote(str(part.parent.parent))} --repair"
