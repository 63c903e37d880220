"""Files that are made to mislead or to take for ever: read as a reader would, or one sentence."""

import io
import json
from pathlib import Path

import pytest
import zstandard

from assay.decisions.schema import GAMES
from assay.errors import InputError, PgnError
from assay.pgn.importer import SeenGames, import_files
from assay.pgn.lichess_evaluations import read_evaluations
from assay.pgn.reader import GameRecord, read_games
from assay.pgn.sources import split_games

LINE = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6"
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"


def game(white: str, moves: str) -> str:
    return f'[Event "E"]\n[White "{white}"]\n[Black "B"]\n[Result "1-0"]\n\n{moves} 1-0\n\n'


def read(text: str) -> list[GameRecord]:
    return [one for batch in read_games(io.BytesIO(text.encode()), "a.pgn") for one in batch.games]


QUOTED = [
    '[Event "x"]',
    '[Event "x"]\n[White "Nobody"]\n\n1. d4 d5 *',
    '\n\n[Event "x"]\n[White "Nobody"]\n\n1. d4 d5 *\n\n[Event "y"]\n',
]


@pytest.mark.parametrize("quoted", QUOTED)
def test_a_line_in_a_closed_comment_begins_no_game(quoted: str) -> None:
    text = game("A", f"1. e4 e5 {{ see\n{quoted}\nthere }} 2. Nf3 Nc6 3. Bb5 a6") + game("C", LINE)
    assert [(one.white_name, one.n_plies) for one in read(text)] == [("A", 6), ("C", 6)]


@pytest.mark.parametrize("following", [LINE, "1. e4 {best} e5 2. Nf3 Nc6 {so} 3. Bb5 a6"])
def test_a_comment_that_is_never_closed_swallows_no_game(following: str) -> None:
    text = game("A", f"{LINE} {{ never closed") + game("C", following) + game("D", LINE)
    assert [(one.white_name, one.n_plies) for one in read(text)] == [("A", 6), ("C", 6), ("D", 6)]


def test_a_comment_is_closed_in_the_next_block(monkeypatch: pytest.MonkeyPatch) -> None:
    text = game("A", f'1. e4 e5 {{ see\n[Event "x"]\n{"so " * 300} }} 2. Nf3 Nc6 3. Bb5 a6') + game("C", LINE)
    for size in (100, 256, 777):
        monkeypatch.setattr("assay.pgn.sources.BLOCK_BYTES", size)
        assert [(one.white_name, one.n_plies) for one in read(text)] == [("A", 6), ("C", 6)]


QUOTED_WITH_COMMENTS = [
    '[Event "x"]\n[White "Q"]\n\n1. d4 {!} d5',
    '[Event "x"]\n[White "Q"]\n\n1. d4 {!} d5 *\n\n[Event "y"]\n[White "R"]\n\n1. c4 {?} c5 *',
]


@pytest.mark.parametrize("quoted", QUOTED_WITH_COMMENTS)
def test_the_halves_of_a_game_that_was_cut_are_not_rated(
    quoted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A game quoted with its own comments: braces do not nest, so where the comment ends cannot be told."""
    text = game("A", f"{LINE} {{ see\n\n{quoted} }} 4. Ba4 Nf6") + game("C", LINE)
    for size in (1 << 20, 64, 100, 256):
        monkeypatch.setattr("assay.pgn.sources.BLOCK_BYTES", size)
        first, *_, second, whole = read(text)
        assert (first.white_name, first.n_plies, first.exclusion) == ("A", 6, "broken_moves")
        assert second.exclusion is not None
        assert (whole.white_name, whole.exclusion) == ("C", None)


@pytest.mark.timeout(200)
def test_comments_that_are_never_closed_take_no_longer_than_others() -> None:
    """Each is a cut in a comment, behind which the end of that comment is looked for."""
    text = '[Event "x"]\n\n1. e4 {\n\n' * 50_000
    games = list(split_games(io.BytesIO(text.encode()), "a"))
    assert len(games) == 50_000
    assert not any(one.halved for one in games)


def test_a_comment_that_was_not_opened_is_a_reason() -> None:
    """The second half of a game that was cut in a comment."""
    shuffle = " ".join(f"{turn}. Nf3 Nf6 {turn + 1}. Ng1 Ng8" for turn in range(1, 61, 2))
    [whole] = read(game("A", shuffle))
    [half] = read(game("A", f"so he said }} {shuffle}"))
    assert whole.exclusion is None
    assert half.exclusion is not None


@pytest.mark.timeout(200)
@pytest.mark.parametrize("filler", [b"\n", b" \n", b"\r\n", b"\t", b"x\n\n", b"{", b"[", b'"'])
def test_nothing_without_end_takes_no_time_without_end(
    tmp_path: Path, filler: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was minutes for 512 MB of line ends in 16 kB."""
    monkeypatch.setattr("assay.pgn.sources.MOST_WITHOUT_GAME", 1 << 20)  # to take less time
    path = tmp_path / "bomb.pgn.zst"
    block = filler * ((6 << 20) // len(filler))
    packer = zstandard.ZstdCompressor().compressobj()
    with path.open("wb") as file:
        file.write(packer.compress(game("A", LINE).encode()))
        file.write(packer.compress(block))
        file.write(packer.flush())
    rows: list[int] = []
    with pytest.raises(PgnError, match="MB in which no game begins"):
        import_files([path], SeenGames(GAMES.arrow.empty_table()), lambda games, _: rows.append(len(games)))
    assert sum(rows) >= 1  # what came before was read


def test_games_before_the_damage_are_read(tmp_path: Path) -> None:
    path = tmp_path / "broken.pgn.zst"
    frame = zstandard.ZstdCompressor().compress("".join(game(f"W{i}", LINE) for i in range(20_000)).encode())
    path.write_bytes(frame + b"\x28\xb5\x2f\xfd" + b"\xff" * 50)
    rows: list[int] = []
    with pytest.raises(PgnError, match="damaged"):
        import_files([path], SeenGames(GAMES.arrow.empty_table()), lambda games, _: rows.append(len(games)))
    assert sum(rows) > 5000


def test_many_blank_lines_between_games_change_nothing() -> None:
    plain = game("A", LINE) + game("C", LINE)
    for blanks in ("\n" * 3000, "\r\n" * 3000, " \n" * 3000, "\n \r\n\t" * 1000):
        text = blanks + plain.replace("1-0\n\n", f"1-0\n{blanks}")
        assert [one.text.rstrip() for one in split_games(io.BytesIO(text.encode()), "a")] == [
            one.text.rstrip() for one in split_games(io.BytesIO(plain.encode()), "a")
        ]


def evaluated(**changes: object) -> bytes:
    variation = {"cp": 20, "line": "e2e4 e7e5"}
    one = {"pvs": [variation], "knodes": 5, "depth": 20}
    return json.dumps({"fen": START, "evals": [one | changes]}).encode()


@pytest.mark.parametrize(
    "changes",
    [
        {"depth": 10**30},
        {"depth": -1},
        {"depth": "x"},
        {"depth": 1e400},
        {"knodes": 10**30},
        {"knodes": None},
        {"pvs": [{"cp": 10**30, "line": "e2e4"}]},
        {"pvs": [{"mate": 99999, "line": "e2e4"}]},
        {"pvs": [{"cp": 1, "mate": 1, "line": "e2e4"}]},
        {"pvs": [{"cp": 1, "line": 5}]},
        {"pvs": [{"cp": 1, "line": "e2e5"}]},
        {"pvs": [5]},
        {"pvs": 5},
    ],
)
def test_evaluations_that_cannot_be_are_passed_over(changes: dict[str, object]) -> None:
    text = evaluated(**changes) + b"\n" + evaluated()
    [table] = read_evaluations(io.BytesIO(text), {START})
    assert table["cp"].to_pylist() == [[20]]


@pytest.mark.parametrize("text", [b"[" * 100_000, b'{"fen": ' + b"9" * 5000 + b"}", b"\xff", b"[1]"])
def test_what_is_no_evaluation_is_one_sentence(text: bytes) -> None:
    with pytest.raises(InputError, match="line 1 is not JSON"):
        list(read_evaluations(io.BytesIO(text), {START}))


def test_evaluations_among_blanks_without_end() -> None:
    blanks = b"\n" * (3 << 20)
    [table] = read_evaluations(io.BytesIO(blanks + evaluated() + blanks), {START})
    assert len(table) == 1
    with pytest.raises(InputError, match="MB of nothing"):
        list(read_evaluations(io.BytesIO(evaluated() + b"\n" * (70 << 20)), {START}))


def test_a_name_holds_no_line_end() -> None:
    """A carriage return alone is no line end to the reader of tags, but commands a terminal."""
    text = game("A", LINE).replace('"A"', '"Hidden\rAnna"').replace('"E"', '"x\r"')
    assert [(one.white_name, one.event) for one in read(text)] == [("Hidden Anna", "x")]
