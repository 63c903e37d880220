"""What the names of parts say: which writes a part holds, and which parts make up a table."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

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
    found = sorted(parts, key=lambda path: (writes_of(path.name)[0], -writes_of(path.name)[1]))
    kept: list[Path] = []
    for path in found:
        if not kept or writes_of(path.name)[1] > writes_of(kept[-1].name)[1]:
            kept.append(path)
    return kept


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
