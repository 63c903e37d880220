"""The list of a table's parts with their checksums: what tells a damaged or a deleted part from a whole one.

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

import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from shlex import quote
from typing import Any, BinaryIO

from assay.errors import DamagedError
from assay.files import PARTIAL, make_own_folder, write_text
from assay.store.parts import is_part, is_within

FOLDER = "checksums"
_CHUNK = 1 << 20
_MOST_BYTES = 1 << 26

_verified: set[tuple[str, int, int, int, int]] = set()
"""Files that were read and found whole by this process: path, inode, size, time of change, checksum."""


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
        return tuple(one[name] for one in (self.parts, self.coming) if name in one)

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
        self._write(Listed({one: known for one, known in self._settled().items() if one != name}))

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
    kept = {name: known for name, known in old.items() if not any(is_within(name, other) for other in new)}
    return {**kept, **new}


def _checked(parts: Mapping[str, Mapping[str, int]]) -> dict[str, Checksum]:
    found = {name: Checksum(**numbers) for name, numbers in parts.items()}
    if not all(is_part(name) for name in found):
        raise ValueError("not a part")
    if not all(type(number) is int for one in found.values() for number in asdict(one).values()):
        raise ValueError("not a number")
    return found


def crc32_of(content: Mapping[str, Any]) -> int:
    """The CRC-32 of what a JSON file says, however it is laid out."""
    return zlib.crc32(json.dumps(content, sort_keys=True).encode())
