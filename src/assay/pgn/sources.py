"""Where games come from: files, folders and standard input, plain or compressed, always as a stream."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import re
import struct
import sys
import zipfile
import zlib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from assay.errors import PgnError, printable
from assay.pgn.ndjson import BEGINNING, as_pgn

SUFFIXES = tuple(f".{kind}{packed}" for kind in ("pgn", "ndjson") for packed in ("", ".gz", ".bz2", ".zst"))
"""What is taken from a folder, besides .zip; a file that is named itself may be called anything."""

_BROKEN = (EOFError, OSError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)
_FOREIGN = {
    **dict.fromkeys(
        (".si4", ".sg4", ".sn4", ".si5", ".sg5", ".sn5", ".si3"), "Scid: Tools, Export all games, PGN"
    ),
    **dict.fromkeys((".cbh", ".cbv", ".cbz", ".cbf", ".2cbh"), "ChessBase: File, Save as, type PGN"),
}
"""Files of databases of other programs, and where those write PGN."""
_DATABASES = (".si3", ".si4", ".si5", ".cbh", ".cbv", ".cbf", ".2cbh")
"""The one file by which each of them is opened."""
_MOST_MEMBERS = 10_000
_MOST_SAID = 120
"""Characters of what a library says about a file, which may quote from it."""
_MOST_UNZIPPED = 64 << 30
_PIECE_BYTES = 1 << 13
"""Unpacked at once: the most that is lost before a damaged place."""


def find_files(source: str | Path) -> list[Path]:
    """The files that `source` stands for: itself, or the PGN files below it. `-` is standard input."""
    path = Path(source)
    _refuse_database(path)
    if str(source) == "-" or path.is_file():
        return [path]
    if path.is_dir():
        endings = (*SUFFIXES, ".zip")
        taken = (*endings, *_DATABASES)  # a database among PGN files is named with those that failed
        files = sorted(p for p in path.rglob("*") if p.is_file() and p.name.lower().endswith(taken))
        if not files:
            raise PgnError(f"{path} contains no PGN files: their names must end in {', '.join(endings)}")
        return files
    if path.exists():  # a pipe or a device
        return [path]
    raise PgnError(f"{path} does not exist: give a PGN file, a folder of them, or - for standard input")


def _refuse_database(path: Path) -> None:
    if (program := _FOREIGN.get(path.suffix.lower())) is not None:
        raise PgnError(f"{path} is a database of another program: write its games as PGN ({program})")


def source_name(path: Path) -> str:
    """How a source is called in the table games: its file's name without the suffix of a compression."""
    if str(path) == "-":
        return "standard input"
    return path.stem if path.suffix.lower() in (".gz", ".bz2", ".zst", ".zip") else path.name


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
    _refuse_database(path)
    try:
        file = path.open("rb")
    except OSError as error:
        raise PgnError(f"cannot read {path}: {error.strerror}") from error
    with file:
        regular = path.is_file()
        is_zip = regular and file.peek(4)[:4] in _ZIP
        stream = (
            cast("BinaryIO", _Packed(Blocks(_unzipped(file, path.name)))) if is_zip else decompressed(file)
        )
        yield Stream(stream, path.stat().st_size if regular else 0, file.tell if regular else lambda: 0)


def read_block(stream: BinaryIO, size: int, name: str) -> bytes:
    """Up to `size` bytes; a compressed stream that is cut off or broken is a PgnError."""
    try:
        return stream.read(size)
    except _BROKEN as error:
        cut_off = isinstance(error, EOFError) or "Truncated" in str(error)
        what = "it is cut off before its end" if cut_off else printable(str(error))[:_MOST_SAID]
        raise PgnError(f"{name} is damaged: {what}; what came before was read") from error


class Blocks:
    """A stream made of blocks as they come: it gives fewer bytes than asked for, none at the end only."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks = iter(blocks)
        self._ahead = b""

    def read(self, size: int = -1) -> bytes:
        """Some bytes, `size` at most."""
        while not self._ahead:
            block = next(self._blocks, None)
            if block is None:
                return b""
            self._ahead = block
        size = len(self._ahead) if size < 0 else size
        piece, self._ahead = self._ahead[:size], self._ahead[size:]
        return piece


class _Packed:
    """A compressed stream that gives all that it holds before it tells of damage, and tells of it ever after.

    Libraries drop what they have of a piece when they find the damage in it, and some go on behind it.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._ahead = b""
        self._failure: Exception | None = None

    def peek(self, size: int) -> bytes:
        """The first bytes, which stay to be read; fewer where the stream ends or is damaged behind them."""
        with suppress(*_BROKEN, PgnError):
            self._ahead = self.read(size)
        return self._ahead

    def read(self, size: int = -1) -> bytes:
        """Up to `size` bytes, all without one; fewer where the stream ends or is damaged behind them."""
        left = sys.maxsize if size < 0 else size
        pieces = [self._ahead[:left]] if self._ahead else []
        self._ahead = self._ahead[left:]
        left -= sum(map(len, pieces))
        while left and self._failure is None:
            try:
                piece = self._stream.read(min(left, _PIECE_BYTES))
            except (*_BROKEN, PgnError) as error:
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


_UNPACKERS: dict[bytes, Callable[[Any], Any]] = {
    b"\x1f\x8b": lambda stream: gzip.GzipFile(fileobj=stream),
    b"BZh": bz2.BZ2File,
    # Arrow's reader, because that of zstandard ends a stream that is cut off as if it were whole.
    b"\x28\xb5\x2f\xfd": lambda stream: pa.CompressedInputStream(
        pa.PythonFile(_KeptOpen(stream), "r"), "zstd"
    ),
}
"""By the first bytes of what they unpack."""


_ZIP = (b"PK\x03\x04", b"PK\x05\x06")


def decompressed(stream: io.BufferedReader | BinaryIO) -> BinaryIO:
    """The stream's bytes as UTF-8 or an 8-bit encoding, whatever it is packed in; JSON lines as PGN."""
    opened: Any = stream
    for first_bytes, unpack in _UNPACKERS.items():
        if opened.peek(4)[:4].startswith(first_bytes):
            opened = _Packed(unpack(stream))
            break
    head = opened.peek(64)[:64]
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        # EncodedFile translates as it reads; what is not UTF-16 becomes replacement characters.
        return cast("BinaryIO", codecs.EncodedFile(opened, "utf-8", "utf-16", "replace"))
    return cast("BinaryIO", Blocks(as_pgn(opened)) if BEGINNING.match(head) else opened)


def _unzipped(file: BinaryIO, name: str) -> Iterator[bytes]:
    """The PGN files in a zip file, one after another. Nothing is written, so their paths do not matter.

    No member gives more than the size that the file states for it, and those together are bounded.
    """
    try:
        archive = zipfile.ZipFile(file)
        members = [member for member in archive.infolist() if member.filename.lower().endswith(SUFFIXES)]
        if not members:
            raise PgnError(f"{name} contains no PGN files: their names must end in {', '.join(SUFFIXES)}")
        if len(members) > _MOST_MEMBERS or sum(member.file_size for member in members) > _MOST_UNZIPPED:
            raise PgnError(f"{name} is too large unpacked: unpack it, and give the folder")
        for member in members:
            with archive.open(member) as packed:
                stream = decompressed(packed)  # type: ignore[arg-type]
                while piece := stream.read(_PIECE_BYTES):
                    yield piece
                yield b"\n\n"
    except RuntimeError as error:
        how = (
            "in a way that is not known here" if isinstance(error, NotImplementedError) else "with a password"
        )
        raise PgnError(f"{name} is packed {how}: unpack it, and give the folder") from error
    except (ValueError, OverflowError, struct.error) as error:  # names and sizes that cannot be
        raise zipfile.BadZipFile(str(error)) from error


# A stream of bytes cut into the texts of single games.

BLOCK_BYTES = 1 << 20
MAX_GAME_BYTES = 4 << 20
"""A longer game (comments included) is kept as its tags only: sizes are bounded."""

MOST_WITHOUT_GAME = 16 << 20
"""Bytes in a row that belong to no game, or to one that is too long: what has more is no PGN. A compressed
file of a few kilobytes can hold gigabytes of them."""

_MOST_COMMENT = 1 << 16
"""Bytes in which the end of a comment is looked for, behind a line in it that looks like a first tag."""

_TAG = rb'\[[ \t]*[A-Za-z]\w*[ \t]*"'
_NEXT_GAME = re.compile(_TAG + rb"|1[ \t]*\.")
_BLANK_RUN = re.compile(rb"[ \t\r\n]*+")
_TAG_LINE = re.compile(rb"[ \t]*" + _TAG)
_FIRST_TAG = re.compile(rb'\[[ \t]*Event[ \t]*"')
_BLANKS = b" \t\r\n"
_RESULTS = (b"1-0", b"0-1", b"1/2-1/2", b"*")


@dataclass(frozen=True)
class GameText:
    """One game as text."""

    text: str
    truncated: bool = False
    """Whether it was longer than the limit, and only its beginning is here."""
    halved: bool = False
    """Whether it was cut in a comment that ends further on: its moves behind that are elsewhere."""


def split_games(stream: BinaryIO, name: str) -> Iterator[GameText]:
    """The games of a stream, one after another, in memory one block at a time."""
    carry = b""
    skipping = False
    first = True
    lost = 0
    while True:
        block = read_block(stream, BLOCK_BYTES, name)
        if first:
            block = block.removeprefix(b"\xef\xbb\xbf")
            first = False
        # Blanks before a game mean nothing; kept, they would be looked at again with every block.
        carry = carry + block if carry else block.lstrip(_BLANKS)
        pieces, carry = _cut(carry, final=not block)
        for piece, halved in pieces:
            if not skipping:
                yield _game(piece, halved)
            skipping = False
        lost = 0 if carry and not skipping else lost + len(block)
        if lost > MOST_WITHOUT_GAME:
            raise PgnError(
                f"{name} holds {lost >> 20} MB in which no game begins: it is not PGN from there on"
            )
        if not block:
            break
        if len(carry) > MAX_GAME_BYTES:
            if not skipping:
                yield _game(carry)
            # Keep the tail: the boundary may lie across two blocks.
            carry, skipping = carry[-4096:], True
    if carry.strip() and not skipping:
        yield _game(carry)


def _cut(text: bytes, *, final: bool) -> tuple[list[tuple[bytes, bool]], bytes]:
    """`text` cut at its boundaries, each piece with whether it is half a game; and the rest.

    The rest, which may be all of it, may go on in the next block.
    """
    pieces: list[tuple[bytes, bool]] = []
    unopened: NDArray[np.int64] | None = None
    start = looked_at = 0
    places = _candidates(text)
    index = 0
    while index < len(places):
        place = places[index]
        run = _BLANK_RUN.match(text, place)
        assert run is not None
        looked_at = run.end()
        if looked_at >= len(text) - 64 and not final:
            break  # too near the end to see what follows
        if _NEXT_GAME.match(text, looked_at):
            boundary = _is_boundary(text, start, place, looked_at, final)
            if boundary is None:
                break
            if boundary:
                halved = False
                if _in_comment(text, start, place):
                    unopened = _unopened(text) if unopened is None else unopened
                    later = int(np.searchsorted(unopened, looked_at))
                    most = looked_at + _MOST_COMMENT
                    halved = later < len(unopened) and int(unopened[later]) < most
                    if not halved and not final and len(text) < most:
                        break
                pieces.append((text[start:place], halved))
                start = looked_at
        index += 1
        if index < len(places) and places[index] < looked_at:  # within blanks that were looked at as a whole
            index = bisect_left(places, looked_at, index)
    return pieces, text[start:]


def _candidates(text: bytes) -> list[int]:
    """Line ends behind which a game may begin: before a blank line, and before a tag that follows on no tag.

    Found on the whole block at once: a regular expression would stop at every line.
    """
    letters = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(letters[:-1] == ord("\n")) if len(letters) else np.empty(0, np.int64)
    following, last = letters[ends + 1], letters[ends - 1]
    last = np.where(last == ord("\r"), letters[ends - 2], last)
    tag_after_moves = (following == ord("[")) & (last != ord("]"))
    # Of blank lines in a row, the first will do: without the others a file of them takes no longer than any.
    before_blank = (following <= ord(" ")) & ((last != ord("\n")) | (ends <= 1))
    places: list[int] = ends[before_blank | tag_after_moves].tolist()
    return places


def _is_boundary(text: bytes, start: int, end: int, following: int, final: bool) -> bool | None:
    """Whether a new game begins at `following`, the one before it having gone from `start` to `end`.

    None where that cannot be told before there is more of the text.
    """
    while end > start and text[end - 1] in _BLANKS:
        end -= 1
    blank_line = text.count(b"\n", end, following) > 1
    if text[following : following + 1] != b"[":  # moves without tags
        return blank_line and text[max(start, end - 7) : end].endswith(_RESULTS)
    first_tag = _FIRST_TAG.match(text, following) is not None
    if _TAG_LINE.match(text, max(text.rfind(b"\n", start, end) + 1, start)):
        return blank_line and first_tag  # tags after tags: the game before has no moves
    if not _in_comment(text, start, end):
        return True
    # In a comment. One that was never closed must not swallow the next game; but a line in one that is closed
    # begins no game, whatever it looks like.
    return first_tag and _stays_open(text, following, final)


def _in_comment(text: bytes, start: int, end: int) -> bool:
    """Whether a comment that began behind `start` is open at `end`."""
    return text.rfind(b"{", start, end) > text.rfind(b"}", start, end)


def _unopened(text: bytes) -> NDArray[np.int64]:
    """Where a brace closes a comment that another closed before.

    Behind a cut in a comment it is the end of that one: it quotes a game with comments of its own. A comment
    that was simply never closed has none behind it.
    """
    letters = np.frombuffer(text, np.uint8)
    braces = np.flatnonzero((letters == ord("{")) | (letters == ord("}")))
    closing = letters[braces] == ord("}")
    return np.asarray(braces[1:][closing[1:] & closing[:-1]])


def _stays_open(text: bytes, place: int, final: bool) -> bool | None:
    """Whether a comment is not closed before another begins; None where there is too little text to tell."""
    most = place + _MOST_COMMENT
    closing, opening = text.find(b"}", place, most), text.find(b"{", place, most)
    if closing < 0 and opening < 0 and not final and len(text) < most:
        return None
    return closing < 0 or 0 <= opening < closing


def _game(piece: bytes, halved: bool = False) -> GameText:
    truncated = len(piece) > MAX_GAME_BYTES
    return GameText(decode(piece[:65536] if truncated else piece), truncated, halved)


def decode(piece: bytes) -> str:
    """Text from UTF-8; where it is not, from Windows-1252, whose gaps fall back on Latin-1."""
    try:
        return piece.decode("utf-8")
    except UnicodeDecodeError:
        try:
            return piece.decode("cp1252")
        except UnicodeDecodeError:
            return piece.decode("latin-1")
