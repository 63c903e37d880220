"""A stream cut into games."""

import io
from pathlib import Path

import pytest

from assay.pgn import sources as splitter

DIRTY = Path(__file__).parent.parent / "dirty"


def test_games_across_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a block of the stream ends makes no difference."""
    text = b"".join((DIRTY / f"{n}.pgn").read_bytes() + b"\n\n" for n in ("clean", "no_blank_lines", "crlf"))
    whole = [game.text for game in splitter.split_games(io.BytesIO(text), "x")]
    assert len(whole) == 7
    for size in (97, 256, 1000):
        monkeypatch.setattr(splitter, "BLOCK_BYTES", size)
        assert [game.text for game in splitter.split_games(io.BytesIO(text), "x")] == whole


@pytest.mark.parametrize(
    ("text", "games"),
    [
        ('[Event "a"]\n\n1. e4 *\n\n[Event "b"]\n\n1. d4 *\n', 2),
        ('[Event "a"]\n\n1. e4 *\n[Event "b"]\n\n1. d4 *\n', 2),
        ('[Event "a"]\n\n1. e4 {\n\n[White "no tag"]\n\n} e5 *\n', 1),
        ('[Event "a"]\n\n1. e4 {never closed\n\n[Event "b"]\n\n1. d4 *\n', 2),
        ("1. e4 1-0\n\n1. d4 0-1\n", 2),
        ("1. e4\n\n1. d4\n", 1),
        ('[Event "a"]\n\n[Event "b"]\n\n1. d4 *\n', 2),
        ("", 0),
        (" \n\n", 0),
    ],
)
def test_where_a_reader_would_cut(text: str, games: int) -> None:
    assert len(list(splitter.split_games(io.BytesIO(text.encode()), "x"))) == games


def test_bytes_become_text_by_what_they_can_be() -> None:
    assert splitter.decode("Müller".encode()) == "Müller"
    assert splitter.decode("Müller €".encode("cp1252")) == "Müller €"
    assert splitter.decode(b"M\xfcller \x81") == "Müller \x81"
