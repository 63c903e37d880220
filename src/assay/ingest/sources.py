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

from assay.errors import PgnError

SUFFIXES = (".pgn", ".pgn.gz", ".pgn.bz2", ".pgn.zst")
"""What is taken from a folder; a file that is named itself may be called anything."""

_BROKEN = (EOFError, OSError, zlib.error, lzma.LZMAError)


def find_files(source: str | Path) -> list[Path]:
    """The files that `source` stands for: itself, or the PGN files below it. `-` is standard input."""
    path = Path(source)
    if str(source) == "-" or path.is_file():
        return [path]
    if path.is_dir():
        found = sorted(p for p in path.rglob("*") if p.is_file() and p.name.lower().endswith(SUFFIXES))
        if not found:
            raise PgnError(f"{path} holds no PGN files ({', '.join(SUFFIXES)})")
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
class Source:
    """An open source: its bytes decompressed, its size on disk (0 if unknown), and how much of it is read."""

    stream: BinaryIO
    size: int
    position: Callable[[], int]


@contextmanager
def open_source(path: Path) -> Iterator[Source]:
    """The bytes of a file as UTF-8 or an 8-bit encoding, decompressed by what it holds, not by its name."""
    if str(path) == "-":
        yield Source(decompressed(sys.stdin.buffer), 0, lambda: 0)
        return
    try:
        file = path.open("rb")
    except OSError as error:
        raise PgnError(f"cannot read {path}: {error.strerror}") from error
    with file:
        regular = path.is_file()
        yield Source(
            decompressed(file), path.stat().st_size if regular else 0, file.tell if regular else lambda: 0
        )


def read_block(stream: BinaryIO, size: int, name: str) -> bytes:
    """Up to `size` bytes; a compressed stream that is broken is a PgnError."""
    try:
        return stream.read(size)
    except _BROKEN as error:
        raise PgnError(f"{name} is damaged: {error}; what came before was read") from error
    except Exception as error:
        if type(error).__name__ == "ZstdError":  # imported only where it is needed
            raise PgnError(f"{name} is damaged: {error}; what came before was read") from error
        raise


def decompressed(stream: io.BufferedReader | BinaryIO) -> BinaryIO:
    """The stream's bytes as UTF-8 or an 8-bit encoding, whatever it is packed in."""
    head = cast("io.BufferedReader", stream).peek(4)[:4]
    if head.startswith(b"\x1f\x8b"):
        return cast("BinaryIO", gzip.GzipFile(fileobj=stream))
    if head.startswith(b"BZh"):
        return cast("BinaryIO", bz2.BZ2File(stream))
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        import zstandard

        return cast("BinaryIO", zstandard.ZstdDecompressor().stream_reader(stream, read_across_frames=True))
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        # EncodedFile translates as it reads; what is no UTF-16 becomes replacement characters.
        return cast("BinaryIO", codecs.EncodedFile(stream, "utf-8", "utf-16", "replace"))
    return stream
