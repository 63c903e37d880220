"""A stream of bytes cut into the texts of single games.

Between two games stands, in a clean file, a blank line before the tags of the second. In real files the blank
line may be missing, a comment may hold lines that look like tags, a comment may never be closed, there may be
no tags at all. The rules below cut all of these where a reader would.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from assay.ingest.sources import read_block

BLOCK_BYTES = 1 << 20
MAX_GAME_BYTES = 4 << 20
"""A longer game (comments included) is kept as its tags only: sizes are bounded."""

_TAG = rb'\[[ \t]*[A-Za-z]\w*[ \t]*"'
# Beginning with a plain line feed, the search is as fast as the C library finds one. Tag lines that follow
# directly on a closing bracket, most lines of a header, are no candidates.
_CANDIDATE = re.compile(rb"(?<!\])(?<!\]\r)\n[ \t\r\n]*(?=" + _TAG + rb"|1[ \t]*\.)")
_TAG_LINE = re.compile(rb"[ \t]*" + _TAG)
_FIRST_TAG = re.compile(rb'\[[ \t]*Event[ \t]*"')
_BLANKS = b" \t\r\n"
_RESULTS = (b"1-0", b"0-1", b"1/2-1/2", b"*")


@dataclass(frozen=True)
class GameText:
    """One game as text; `truncated` when it was longer than the limit and only its beginning is here."""

    text: str
    truncated: bool = False


def split_games(stream: BinaryIO, name: str) -> Iterator[GameText]:
    """The games of a stream, one after another, in memory one block at a time."""
    carry = b""
    skipping = False
    first = True
    while True:
        block = read_block(stream, BLOCK_BYTES, name)
        if first:
            block = block.removeprefix(b"\xef\xbb\xbf")
            first = False
        carry += block
        pieces = _cut(carry, final=not block)
        for piece in pieces[:-1]:
            if not skipping:
                yield _game(piece)
            skipping = False
        carry = pieces[-1]
        if not block:
            break
        if len(carry) > MAX_GAME_BYTES:
            if not skipping:
                yield _game(carry)
            # Keep the tail: the boundary may lie across two blocks.
            carry, skipping = carry[-4096:], True
    if carry.strip() and not skipping:
        yield _game(carry)


def _cut(text: bytes, *, final: bool) -> list[bytes]:
    """`text` cut at its boundaries; the last piece may go on in the next block."""
    pieces: list[bytes] = []
    start = 0
    for match in _CANDIDATE.finditer(text):
        if match.end() >= len(text) - 64 and not final:
            break  # too near the end to see what follows
        if not _is_boundary(text, start, match):
            continue
        pieces.append(text[start : match.start()])
        start = match.end()
    return [*pieces, text[start:]]


def _is_boundary(text: bytes, start: int, match: re.Match[bytes]) -> bool:
    """Whether a new game begins behind `match`, the game before it having begun at `start`."""
    end = match.start()
    while end > start and text[end - 1] in _BLANKS:
        end -= 1
    blank_line = text.count(b"\n", end, match.end()) > 1
    if text[match.end() : match.end() + 1] != b"[":  # moves without tags
        return blank_line and text[max(start, end - 7) : end].endswith(_RESULTS)
    first_tag = _FIRST_TAG.match(text, match.end()) is not None
    if _TAG_LINE.match(text, max(text.rfind(b"\n", start, end) + 1, start)):
        return blank_line and first_tag  # tags after tags: the game before has no moves
    in_comment = text.rfind(b"{", start, end) > text.rfind(b"}", start, end)
    # A comment that was never closed must not swallow the next game.
    return not in_comment or first_tag


def _game(piece: bytes) -> GameText:
    truncated = len(piece) > MAX_GAME_BYTES
    return GameText(decode(piece[:65536] if truncated else piece), truncated)


def decode(piece: bytes) -> str:
    """Text from UTF-8; where it is not, from Windows-1252, whose gaps fall back on Latin-1."""
    try:
        return piece.decode("utf-8")
    except UnicodeDecodeError:
        try:
            return piece.decode("cp1252")
        except UnicodeDecodeError:
            return piece.decode("latin-1")
