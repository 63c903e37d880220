"""Where games come from: files, folders, packed or not, in any encoding."""

import bz2
import gc
import gzip
import io
import json
import zipfile
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
    path, half = tmp_path / "games", len(TEXT) // 2
    frames = (TEXT[:half], TEXT[half:]) if pack in PACKERS else (TEXT,)  # several in one file
    path.write_bytes(b"".join(pack(frame.encode()) for frame in frames))
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


def zipped(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def test_every_pgn_in_a_zip_file_is_read_and_nothing_is_written(tmp_path: Path) -> None:
    """As The Week in Chess and PGN Mentor pack their files; paths in it lead nowhere."""
    path = tmp_path / "in" / "twic.zip"
    path.parent.mkdir()
    packed = {"../../evil.pgn": TEXT.encode(), "b/c.PGN.gz": gzip.compress(TEXT.encode()), "d.pgn": b""}
    path.write_bytes(zipped({**packed, "readme.txt": b"no", "/etc/e.pgn": TEXT.encode("utf-16")}))
    with open_stream(path) as source:
        games = list(splitter.split_games(source.stream, "x"))
        assert 0 < source.position() <= source.size
    assert len(games) == 1500
    assert {game.text.rstrip() for game in games} == {TEXT[: len(TEXT) // 500].rstrip()}
    assert list(tmp_path.rglob("*")) == [path.parent, path]


def test_zip_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.zip"

    def refused(content: bytes, match: str) -> int:
        path.write_bytes(content)
        found = bytearray()
        with open_stream(path) as source, pytest.raises(PgnError, match=match):
            read_all(source.stream, found)
        return len(found)

    assert refused(zipped({"a.txt": b"x"}), "contains no PGN files") == 0
    whole = zipped({"a.pgn": LONG, "b.pgn": LONG})
    assert refused(whole[:-30], "is damaged") == 0
    # A flag bit of the second member, in both of its headers: a password is wanted.
    second = [whole.rindex(mark) + at for mark, at in ((b"PK\3\4", 6), (b"PK\1\2", 8))]
    locked = bytearray(whole)
    for place in second:
        locked[place] |= 1
    assert refused(bytes(locked), "is packed with a password: unpack it") >= len(LONG)
    broken = bytearray(whole)
    broken[second[0] + 2000] ^= 0xFF
    assert refused(bytes(broken), "is damaged") >= len(LONG)
    monkeypatch.setattr(splitter, "_MOST_UNZIPPED", len(LONG))
    assert refused(whole, "too large unpacked") == 0


def test_databases_of_other_programs_are_one_sentence(tmp_path: Path) -> None:
    for name, program in (
        ("a.si4", "Scid"),
        ("a.sg5", "Scid"),
        ("a.CBH", "ChessBase"),
        ("a.cbv", "ChessBase"),
    ):
        (tmp_path / name).write_bytes(b"\0" * 100)
        with pytest.raises(PgnError, match=rf"write its games as PGN \({program}"):
            find_files(tmp_path / name)
    # In a folder they are listed, and refused when it is their turn.
    (tmp_path / "games.pgn").write_text("")
    assert [path.name for path in find_files(tmp_path)] == ["a.CBH", "a.cbv", "a.si4", "games.pgn"]
    with pytest.raises(PgnError, match="write its games as PGN"), open_stream(tmp_path / "a.si4"):
        pass


GAME = {
    "id": "q7ZvsdUF",
    "rated": True,
    "variant": "standard",
    "speed": "blitz",
    "createdAt": 1514505150384,
    "status": "resign",
    "players": {
        "white": {"user": {"name": "Lance5500", "title": "LM", "id": "lance5500"}, "rating": 2389},
        "black": {"user": {"name": "TryingHard87", "id": "tryinghard87"}, "rating": 2498},
    },
    "winner": "white",
    "opening": {"eco": "C20", "name": "King's Pawn", "ply": 2},
    "moves": "e4 e5 Qh5 Nc6 Bc4 Nf6 Qxf7#",
    "clocks": [30000, 30000, 29950, 29800, 29700, 29600, 29500],
    "analysis": [{"eval": 30}, {"eval": 35}, {"eval": -10}, {"eval": 0}, {"eval": -4}, {"mate": 1}],
    "clock": {"initial": 300, "increment": 3, "totalTime": 420},
}
"""As in lichess's documentation of its API, shortened."""

AS_PGN = """[Event "Rated blitz game"]
[Site "https://lichess.org/q7ZvsdUF"]
[Date "2017.12.28"]
[White "Lance5500"]
[Black "TryingHard87"]
[Result "1-0"]
[UTCDate "2017.12.28"]
[UTCTime "23:52:30"]
[WhiteElo "2389"]
[BlackElo "2498"]
[WhiteTitle "LM"]
[Variant "Standard"]
[TimeControl "300+3"]
[ECO "C20"]

1. e4 { [%eval 0.30] [%clk 0:05:00] } 1... e5 { [%eval 0.35] [%clk 0:05:00] } 2. Qh5 { [%eval -0.10] \
[%clk 0:04:59] } 2... Nc6 { [%eval 0.00] [%clk 0:04:58] } 3. Bc4 { [%eval -0.04] [%clk 0:04:57] } 3... Nf6 \
{ [%eval #1] [%clk 0:04:56] } 4. Qxf7# { [%clk 0:04:55] } 1-0
"""


@pytest.mark.parametrize("pack", [bytes, zstandard.compress, gzip.compress])
def test_games_of_lichess_as_json_lines(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    drawn = {
        **GAME,
        "winner": None,
        "status": "draw",
        "initialFen": "4k3/8/8/8/8/8/8/4K2R b K - 0 1",
        "moves": "Kd7",
    }
    path = tmp_path / "games"
    path.write_bytes(pack("\n".join(map(json.dumps, [GAME, drawn, {"id": "x", "pgn": "1. e4 *"}])).encode()))
    with open_stream(path) as source:
        first, second, third = splitter.split_games(source.stream, "x")
    assert first.text.rstrip() == AS_PGN.rstrip()
    assert "1... Kd7" in second.text
    assert '[Result "1/2-1/2"]' in second.text
    assert third.text.strip() == "1. e4 *"


def test_json_lines_are_untrusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not a game is passed over; a name cannot end its tag."""
    hostile = {**GAME, "players": {**GAME["players"], "black": {"user": {"name": 'a"]\n[Event "b'}}}}  # type: ignore[dict-item]
    bad = [
        *(
            {**GAME, **change}
            for change in ({"moves": "e4 } *"}, {"moves": 5}, {"players": []}, {"winner": "x"})
        ),
        *(
            {**GAME, **change}
            for change in ({"createdAt": 10**30}, {"clock": {"initial": "x"}}, {"analysis": [5]})
        ),
        *(5, [], None, {"id": 1}),
    ]
    lines = [json.dumps(line) for line in [hostile, *bad, GAME]] + ["[" * 100_000, "{", "\0"]
    path = tmp_path / "games.ndjson"
    path.write_text("\n".join(lines))
    with open_stream(path) as source:
        first, second = splitter.split_games(source.stream, "x")
    assert second.text.rstrip() == AS_PGN.rstrip()
    assert first.text.count("\n[Black ") == 1
    assert '[Black "a\\"] [Event \\"b"]' in first.text
    monkeypatch.setattr("assay.pgn.ndjson._MOST_WITHOUT_GAME", 1 << 20)
    path.write_bytes(json.dumps(GAME).encode() + b"\n" + b"x" * (6 << 20))
    with open_stream(path) as source, pytest.raises(PgnError, match="are not games of lichess"):
        read_all(source.stream)


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
    with pytest.raises(PgnError, match="contains no PGN files"):
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
