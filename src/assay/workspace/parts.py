"""The parts of a table: their names, their checksums, and the error where one is damaged or missing.

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
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from assay.errors import DamagedError
from assay.files import PARTIAL, make_own_folder, write_text

FOLDER = "checksums"
_CHUNK = 1 << 20
_MOST_BYTES = 1 << 26

_verified: set[tuple[str, int, int, int, int]] = set()
"""Files that this process has read and found whole: path, inode, size, time of change, checksum."""

_PART = re.compile(r"(\d{8})-(\d{8})\.parquet")
_SMALL_BYTES = 64 * 1024 * 1024


def part_name(first: int, last: int) -> str:
    """The name of the part with these writes."""
    return f"{first:08d}-{last:08d}.parquet"


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
    """The list of one table. It is written with the writer's lock held; reading needs no lock."""

    def __init__(self, table: Path) -> None:
        self.path = table.parent / FOLDER / f"{table.name}.json"
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

    def confirm(self) -> None:
        """Expect the announced part, which has its name; what is within it need not be there any more."""
        self._write(self._settled())

    def put(self, parts: Mapping[str, Checksum]) -> None:
        """Expect parts that are there; what is within them need not be."""
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
