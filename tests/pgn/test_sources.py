"""Where games come from: files, folders, packed or not, in any encoding."""

import bz2
import gc
import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest
import zstandard

from assay.errors import PgnError
from assay.pgn import sources as splitter
from assay.pgn.sources import find_files, open_stream, read_block, source_name

TEXT = '[White "Müller"]\n\n1. e4 *\n' * 500
LONG = b"".join(b"%d squared is %d\n" % (n, n * n) for n in range(200_000))
PACKERS = [gzip.compress, bz2.compress, zstandard.compress]


def read_all(stream: BinaryIO, found: bytearray | None = None) -> None:
    while block := read_block(stream, 1 << 20, "games"):
        if found is not None:
            found += block


@pytest.mark.parametrize(
    "pack",
    [bytes, gzip.compress, bz2.compress, zstandard.compress, lambda text: text.decode().encode("utf-16")],
    ids=["plain", "gzip", "bzip2", "zstandard", "utf-16"],
)
def test_a_stream_is_known_by_what_it_holds(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "games"
    path.write_bytes(pack(TEXT.encode()))
    with open_stream(path) as source:
        assert source.size == path.stat().st_size
        assert source.position() <= source.size
        assert source.stream.read().decode("utf-8-sig") == TEXT
        assert source.position() == source.size


@pytest.mark.parametrize("pack", PACKERS)
def test_of_a_file_that_is_cut_off_all_before_is_read(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    """Also where its whole end is missing: a `.zst` was read to there as if it were whole."""
    packed = pack(LONG)
    path = tmp_path / "games"
    for missing in (1, 1000, len(packed) - 6):
        path.write_bytes(packed[:-missing])
        found = bytearray()
        with open_stream(path) as source, pytest.raises(PgnError, match="games is damaged: it is cut off"):
            read_all(source.stream, found)
        assert LONG.startswith(found)
        if missing <= 1000:
            assert len(LONG) - len(found) < 1 << 20  # bzip2 packs 900 kB at once


@pytest.mark.parametrize("pack", PACKERS)
def test_behind_damage_nothing_is_believed(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    """Arrow gives memory that was never written when it is asked again; here the damage is told again."""
    packed = pack(LONG)
    half = len(packed) // 2
    path = tmp_path / "games"
    path.write_bytes(packed[:half] + b"\xff" * 50 + packed[half + 50 :])
    with open_stream(path) as source:
        with pytest.raises(PgnError, match="games is damaged"):
            read_all(source.stream)
        for _ in range(3):
            with pytest.raises(PgnError, match="games is damaged"):
                read_block(source.stream, 1 << 20, "games")


def test_standard_input_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = io.BufferedReader(io.BytesIO(zstandard.compress(TEXT.encode())))  # type: ignore[arg-type]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(buffer))
    with open_stream(Path("-")) as source:
        assert source.stream.read().decode() == TEXT
    del source
    gc.collect()
    assert not buffer.closed


def test_folders_give_their_pgn_files_in_order(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    for name in ("b.pgn", "a.PGN.gz", "below/c.pgn.zst", "notes.txt"):
        (tmp_path / name).touch()
    found = [path.relative_to(tmp_path).as_posix() for path in find_files(tmp_path)]
    assert found == ["a.PGN.gz", "b.pgn", "below/c.pgn.zst"]
    assert find_files(tmp_path / "notes.txt") == [tmp_path / "notes.txt"]
    assert find_files("-") == [Path("-")]


def test_what_is_no_source(tmp_path: Path) -> None:
    with pytest.raises(PgnError, match="holds no PGN files"):
        find_files(tmp_path)
    with pytest.raises(PgnError, match="does not exist"):
        find_files(tmp_path / "absent.pgn")
    with pytest.raises(PgnError, match="cannot read"), open_stream(tmp_path):
        pass


def test_a_packed_file_and_its_content_have_one_name() -> None:
    names = [source_name(Path(name)) for name in ("x/games.pgn", "games.pgn.gz", "games.pgn.zst", "-")]
    assert names == ["games.pgn", "games.pgn", "games.pgn", "standard input"]


# A stream cut into games.

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
