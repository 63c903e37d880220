"""What a run that was killed had added up: kept in the user's cache, so that the next one goes on."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from zipfile import BadZipFile

from assay.stream.gather import Asked, Gathered
from assay.stream.parts import models_for
from assay.stream.sums import Layout, Sums, add_parts, read_sums, write_sums

FORMAT = 3
KEPT_EVERY = 120.0
"""Seconds between two times that the sums are kept."""


class State:
    """The sums so far, which blocks they are of, and what was counted."""

    def __init__(self, place: Path | None, every: float = KEPT_EVERY) -> None:
        self._place, self._every = place, every
        self._last = time.monotonic()
        self.sums: dict[str, Sums] = {}
        self.done = Gathered([])
        """What was counted, of the finished blocks."""
        self.finished: set[int] = set()
        self.resumed = 0
        """Blocks that an earlier run had finished."""
        self._changed = False
        if place is not None and place.is_file():
            self._resume(place)

    def _resume(self, place: Path) -> None:
        with suppress(OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile):  # damaged: begin anew
            sums, about = read_sums(place)
            if about["format"] == FORMAT and all(map(_is_of_today, sums, sums.values())):
                self.sums = sums
                self.finished = set(about["finished"])
                self.resumed = len(self.finished)
                for name, number in about["counted"].items():
                    setattr(self.done, name, number)
                self.done.left_out.update(about["left_out"])
                self.done.clocks.update(about["clocks"])
                self.done.doubts.update(about["doubts"])

    def add(self, found: Gathered) -> None:
        """More blocks."""
        add_parts(self.sums, found.parts)
        self.finished.update(found.numbers)
        for name in ("games", "fragments", "without", "partly"):
            setattr(self.done, name, getattr(self.done, name) + getattr(found, name))
        self.done.left_out.update(found.left_out)
        self.done.clocks.update(found.clocks)
        self.done.doubts.update(found.doubts)
        self._changed = True
        if time.monotonic() - self._last >= self._every:
            self.keep()

    def keep(self) -> None:
        """Write what there is; a cache that cannot be written to is done without."""
        if self._place is None or not self._changed:
            return
        counted = {name: getattr(self.done, name) for name in ("games", "fragments", "without", "partly")}
        about = {
            "format": FORMAT,
            "finished": sorted(self.finished),
            "counted": counted,
            "left_out": dict(self.done.left_out),
            "clocks": dict(self.done.clocks),
            "doubts": dict(self.done.doubts),
        }
        with suppress(OSError):
            self._place.parent.mkdir(parents=True, exist_ok=True)
            write_sums(self._place, self.sums, about)
        self._changed = False
        self._last = time.monotonic()

    def forget(self) -> None:
        """Remove the file: the run is complete."""
        if self._place is not None:
            with suppress(OSError):
                self._place.unlink(missing_ok=True)


def _is_of_today(source: str, sums: Sums) -> bool:
    """Whether sums are of the methods that would be asked now: another version may ask others."""
    return sums.layout == Layout.of(models_for(source))


def place_of(files: Sequence[Path], asked: Asked) -> Path | None:
    """Where the state of a run over these files is kept; None where there is no home, or a file is a pipe."""
    if not all(path.is_file() for path in files):
        return None
    named = blake2b(asked.words.encode(), digest_size=12)
    for path in files:
        about = path.stat()
        named.update(f"\n{path.resolve()} {about.st_size} {about.st_mtime_ns}".encode())
    try:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:
        return None
    return Path(base) / "assay" / "streams" / f"{named.hexdigest()}.npz"
