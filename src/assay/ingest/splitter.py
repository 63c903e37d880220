"""A stream of bytes cut into the texts of single games.

Between two games stands, in a clean file, a blank line before the tags of the second. In real files the blank
line may be missing, a comment may hold lines that look like tags, a comment may never be closed, there may be
no tags at all. The rules below cut all of these where a reader would.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from assay.ingest.sources import read_block

BLOCK_BYTES = 1 << 20
MAX_GAME_BYTES = 4 << 20
"""A longer game (comments included) is kept as its tags only: sizes are bounded."""

_TAG = rb'\[[ \t]*[A-Za-z]\w*[ \t]*"'
_NEXT_GAME = re.compile(_TAG + rb"|1[ \t]*\.")
_BLANK_RUN = re.compile(rb"[ \t\r\n]*+")
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
    start = looked_at = 0
    for place in _candidates(text):
        if place < looked_at:
            continue  # within blanks that were looked at as a whole
        run = _BLANK_RUN.match(text, place)
        assert run is not None
        looked_at = run.end()
        if looked_at >= len(text) - 64 and not final:
            break  # too near the end to see what follows
        if _NEXT_GAME.match(text, looked_at) and _is_boundary(text, start, place, looked_at):
            pieces.append(text[start:place])
            start = looked_at
    return [*pieces, text[start:]]


def _candidates(text: bytes) -> list[int]:
    """Line ends behind which a game may begin: before a blank line, and before a tag that follows on no tag.

    Found on the whole block at once: a regular expression would stop at every line.
    """
    letters = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(letters[:-1] == ord("\n")) if len(letters) else np.empty(0, np.int64)
    following, last = letters[ends + 1], letters[ends - 1]
    last = np.where(last == ord("\r"), letters[ends - 2], last)
    tag_after_moves = (following == ord("[")) & (last != ord("]"))
    found: list[int] = ends[(following <= ord(" ")) | tag_after_moves].tolist()
    return found


def _is_boundary(text: bytes, start: int, end: int, following: int) -> bool:
    """Whether a new game begins at `following`, the one before it having gone from `start` to `end`."""
    while end > start and text[end - 1] in _BLANKS:
        end -= 1
    blank_line = text.count(b"\n", end, following) > 1
    if text[following : following + 1] != b"[":  # moves without tags
        return blank_line and text[max(start, end - 7) : end].endswith(_RESULTS)
    first_tag = _FIRST_TAG.match(text, following) is not None
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
