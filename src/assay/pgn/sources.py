"""Where games come from: files, folders and standard input, plain or compressed, always as a stream."""

import bz2
import codecs
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa

from assay.errors import PgnError

SUFFIXES = (".pgn", ".pgn.gz", ".pgn.bz2", ".pgn.zst")
"""What is taken from a folder; a file that is named itself may be called anything."""

_BROKEN = (EOFError, OSError, zlib.error, lzma.LZMAError)
_PIECE_BYTES = 1 << 13
"""Unpacked at once: the most that is lost before a damaged place."""


def find_files(source: str | Path) -> list[Path]:
    """The files that `source` stands for: itself, or the PGN files below it. `-` is standard input."""
    path = Path(source)
    if str(source) == "-" or path.is_file():
        return [path]
    if path.is_dir():
        found = sorted(p for p in path.rglob("*") if p.is_file() and p.name.lower().endswith(SUFFIXES))
        if not found:
            raise PgnError(f"{path} holds no PGN files: their names must end in {', '.join(SUFFIXES)}")
        return found
    if path.exists():  # a pipe or a device
        return [path]
    raise PgnError(f"{path} does not exist: give a PGN file, a folder of them, or - for standard input")


def source_name(path: Path) -> str:
    """How a source is called in the table games: its file's name without the suffix of a compression."""
    if str(path) == "-":
        return "standard input"
    return path.stem if path.suffix.lower() in (".gz", ".bz2", ".zst") else path.name


@dataclass(frozen=True)
class Stream:
    """An open source: its bytes decompressed, its size on disk (0 if unknown), and how much of it is read."""

    stream: BinaryIO
    size: int
    position: Callable[[], int]


@contextmanager
def open_stream(path: Path) -> Iterator[Stream]:
    """The bytes of a file as UTF-8 or an 8-bit encoding, decompressed by what it holds, not by its name."""
    if str(path) == "-":
        yield Stream(decompressed(sys.stdin.buffer), 0, lambda: 0)
        return
    try:
        file = path.open("rb")
    except OSError as error:
        raise PgnError(f"cannot read {path}: {error.strerror}") from error
    with file:
        regular = path.is_file()
        yield Stream(
            decompressed(file), path.stat().st_size if regular else 0, file.tell if regular else lambda: 0
        )


def read_block(stream: BinaryIO, size: int, name: str) -> bytes:
    """Up to `size` bytes; a compressed stream that is cut off or broken is a PgnError."""
    try:
        return stream.read(size)
    except _BROKEN as error:
        cut_off = isinstance(error, EOFError) or "Truncated" in str(error)
        what = "it is cut off before its end" if cut_off else error
        raise PgnError(f"{name} is damaged: {what}; what came before was read") from error


class _Packed:
    """A compressed stream that gives all that it holds before it tells of damage, and tells of it ever after.

    Libraries drop what they have of a piece when they find the damage in it, and some go on behind it.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._failure: Exception | None = None

    def read(self, size: int = -1) -> bytes:
        """Up to `size` bytes, all without one; fewer where the stream ends or is damaged behind them."""
        pieces: list[bytes] = []
        left = sys.maxsize if size < 0 else size
        while left and self._failure is None:
            try:
                piece = self._stream.read(min(left, _PIECE_BYTES))
            except _BROKEN as error:
                self._failure = error
                break
            if not piece:
                break
            pieces.append(piece)
            left -= len(piece)
        if self._failure is not None and not pieces:
            raise self._failure
        return b"".join(pieces)


class _KeptOpen:
    """A stream that Arrow reads and does not close: it may be standard input."""

    closed = False

    def __init__(self, stream: io.BufferedReader | BinaryIO) -> None:
        self.read = stream.read

    def close(self) -> None:
        """Leave it open."""


def decompressed(stream: io.BufferedReader | BinaryIO) -> BinaryIO:
    """The stream's bytes as UTF-8 or an 8-bit encoding, whatever it is packed in."""
    head = cast("io.BufferedReader", stream).peek(4)[:4]
    if head.startswith(b"\x1f\x8b"):
        return cast("BinaryIO", _Packed(cast("BinaryIO", gzip.GzipFile(fileobj=stream))))
    if head.startswith(b"BZh"):
        return cast("BinaryIO", _Packed(cast("BinaryIO", bz2.BZ2File(stream))))
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        # Arrow's reader, because that of zstandard ends a stream that is cut off as if it were whole.
        return cast(
            "BinaryIO", _Packed(pa.CompressedInputStream(pa.PythonFile(_KeptOpen(stream), "r"), "zstd"))
        )
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        # EncodedFile translates as it reads; what is no UTF-16 becomes replacement characters.
        return cast("BinaryIO", codecs.EncodedFile(stream, "utf-8", "utf-16", "replace"))
    return stream
