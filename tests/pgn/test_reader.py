"""Real files are dirty: every game becomes a row, what must not be rated carries a reason."""

import io
import time
from collections.abc import Callable
from pathlib import Path

import chess
import chess.pgn
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.decisions.exclusions import BY_CHOICE, OF_GAMES, Choice
from assay.errors import AssayError
from assay.pgn import reader as records
from assay.pgn import sources as splitter
from assay.pgn.reader import Batch, GameRecord, games_table, read_games
from assay.pgn.sources import decompressed, open_stream
from assay.workspace import Workspace

DIRTY = Path(__file__).parent.parent / "dirty"


def read(path: Path) -> Batch:
    with open_stream(path) as source:
        batches = list(read_games(source.stream, path.name))
    assert len(batches) == 1
    return batches[0]


def summary(record: GameRecord) -> tuple[str, str, int, float | None, str | None]:
    reason = Choice().reason(record.exclusion, record.n_plies, record.time_class)
    return (record.white_name, record.black_name, record.n_plies, record.result, reason)


PLAIN = ("Able, Ann", "Baker, Bob", 40, 1.0, None)


# What each file of the corpus must give: white, black, plies, result, reason.
EXPECTED = {
    "bad_fen": [("Able, Ann", "Baker, Bob", 0, 1.0, "nonstandard_start")],
    "blank_line_in_tags": [PLAIN, PLAIN],
    "blank_lines_in_moves": [PLAIN, PLAIN],
    "blitz": [
        (*PLAIN[:4], "fast_time_control"),
        (*PLAIN[:4], "fast_time_control"),
        PLAIN,
        (*PLAIN[:4], "other_time_control"),
    ],
    "bom": [PLAIN],
    "chess960": [("Able, Ann", "Baker, Bob", 3, 1.0, "variant")],
    "clean": [PLAIN, ("Cole, Cy", "Baker, Bob", 40, 0.5, None)],
    "comment_like_tags": [PLAIN, PLAIN],
    "control_characters": [("Able , Ann [31m", "Baker, Bob", 40, 1.0, None)],
    "crazyhouse": [(*PLAIN[:4], "variant")],
    "crlf": [PLAIN, PLAIN],
    "duplicate_tags": [PLAIN],
    "en_passant_mark": [("Able, Ann", "Baker, Bob", 11, 1.0, "too_short")],
    "formula_names": [("=cmd|' /C calc'!A0", "<script>alert(1)</script>", 40, 1.0, None)],
    "illegal_move": [("Able, Ann", "Baker, Bob", 23, 1.0, "illegal_move")],
    "latin1": [("Müller, Jörg", "Baker, Bob", 40, 1.0, None)],
    "long_algebraic": [("Able, Ann", "Baker, Bob", 8, 1.0, "too_short")],
    "long_tag": [("A" * 255, "Baker, Bob", 40, 1.0, None)],
    "many_comments": [PLAIN],
    "missing_tags": [("?", "?", 40, 1.0, None), ("Able, Ann", "?", 40, 0.0, None)],
    "nags": [PLAIN],
    "nested_variations": [PLAIN],
    "no_blank_lines": [PLAIN, PLAIN, PLAIN],
    "no_moves": [("Able, Ann", "Baker, Bob", 0, 1.0, "no_moves")] * 2 + [PLAIN],
    "no_result": [("Able, Ann", "Baker, Bob", 40, None, "no_result")],
    "no_tags_at_all": [("?", "?", 40, 1.0, None), ("?", "?", 4, 0.0, "too_short")],
    "null_move": [("Able, Ann", "Baker, Bob", 6, 1.0, "illegal_move")],
    "odd_tags": [('Able "The Rook" Ann', 'Baker "Bobby" Bob', 40, 1.0, None)],
    "percent_lines": [PLAIN],
    "preamble": [PLAIN],
    "question_marks": [("?", "Baker, Bob", 40, 1.0, None)],
    "quoted_with_comments": [
        ("Able, Ann", "Baker, Bob", 40, 1.0, "broken_moves"),
        ("Quoted, Quinn", "?", 2, 1.0, "illegal_move"),
        PLAIN,
    ],
    "result_conflict": [("Able, Ann", "Baker, Bob", 40, None, "result_conflict")],
    "result_only_in_moves": [("Able, Ann", "Baker, Bob", 40, 0.0, None)],
    "same_moves_other_players": [PLAIN, ("Dunn, Dee", "East, Ed", 40, 1.0, None), PLAIN],
    "semicolon": [PLAIN],
    "setup": [("Able, Ann", "Baker, Bob", 4, 1.0, "nonstandard_start")],
    "simul": [(*PLAIN[:4], "odds_or_simul")] * 2,
    "too_short": [("Able, Ann", "Baker, Bob", 7, 1.0, "too_short")],
    "truncated": [PLAIN, ("Able, Ann", "Baker, Bob", 19, 1.0, "too_short")],
    "twice": [PLAIN, PLAIN, ("A. Able", "Baker, Bob", 40, 1.0, None)],
    "unclosed_comment": [PLAIN, PLAIN],
    "unclosed_variation": [("Able, Ann", "Baker, Bob", 3, 1.0, "broken_moves"), PLAIN],
    "utf16": [("Müller, Ann", "Baker, Bob", 40, 1.0, None)],
}


def test_every_file_of_the_corpus_is_expected() -> None:
    assert {path.stem for path in DIRTY.iterdir()} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_dirty_files(name: str) -> None:
    batch = read(DIRTY / f"{name}.pgn")
    assert [summary(record) for record in batch.games] == EXPECTED[name]
    assert batch.fragments == (1 if name == "preamble" else 0)


def test_comments_are_read_from_all_of_them() -> None:
    batch = read(DIRTY / "many_comments.pgn")
    names = ("cp", "mate", "depth", "clock", "elapsed")
    rows = batch.annotations_table().to_pylist()
    # Evaluations are White's view in the file and the mover's here; the one in a variation does not count.
    assert {row["position"]: tuple(row[name] for name in names) for row in rows} == {
        0: (18, None, None, None, None),
        1: (-25, None, 20, 5405.0, None),
        2: (-10, None, None, None, None),
        7: (None, 3, None, None, 12.5),
    }


def test_a_huge_game_is_kept_as_its_tags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splitter, "MAX_GAME_BYTES", 5_000)
    monkeypatch.setattr(splitter, "BLOCK_BYTES", 1_000)
    clean = (DIRTY / "clean.pgn").read_text()
    head = clean.split("\n\n")[0].replace("Able, Ann", "Huge, Hal")
    huge = f"{head}\n\n1. e4 {{{'x' * 20_000}}} e5 1-0\n\n"
    (batch,) = read_games(io.BytesIO((huge + clean).encode()), "x")
    assert [summary(game) for game in batch.games] == [
        ("Huge, Hal", "Baker, Bob", 0, 1.0, "too_large"),
        *EXPECTED["clean"],
    ]


PIECES = st.sampled_from(
    [
        *('[Event "x"]\n', '[White "A, B"]\n', '[FEN "8/8/8/4k3/8/4K3/4P3/8 w - - 0 1"]\n'),
        *(
            '[Variant "x"]',
            "1. e4 ",
            "e5 ",
            "Nf3 ",
            "Ke9 ",
            "-- ",
            "O-O",
            "e8=Q",
            "$3",
            "9999. ",
            "0-1 ",
            "1-0",
        ),
        *("[%eval 0.3]", "[%eval #-2]", "; x\n", "% y\n", "\ufeff", "\n\n", "\r\n", *'[{}()*\n"\\é\0'),
    ]
)


@given(st.one_of(st.binary(max_size=400), st.lists(PIECES, max_size=40).map(lambda p: "".join(p).encode())))
@settings(max_examples=200, deadline=None)
@example(b'[Event "x"]')
@example(b"\xff\xfe[\x00E\x00")
@example(b"\x1f\x8b\x08broken")
@example(b"BZh9broken")
@example(b"\x28\xb5\x2f\xfdbroken")
@example(b'[Event "x"]\n\n1. e4 e5 ' + b"(" * 300)
def test_any_bytes_give_games_or_one_clear_error(content: bytes) -> None:
    """Any bytes give games, reasons or one clear error, never a traceback."""
    stream = io.BufferedReader(io.BytesIO(content))  # type: ignore[arg-type]
    try:
        batches = list(read_games(decompressed(stream), "any"))
    except AssayError:
        return
    for batch in batches:
        table = games_table(batch.games)
        for game, moves in zip(batch.games, table["moves"].to_pylist(), strict=True):
            assert game.exclusion is None or game.exclusion in OF_GAMES
            assert len(moves) == game.n_plies
            if game.start_fen is None and game.exclusion != "variant":
                board = chess.Board()
                for move in moves:
                    board.push_uci(move)


STRANGE_FENS = (
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1_w_Qkq_-_0_1",  # the Rust reader takes it for a position
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1[] w Qkq - 0 1",
    "8/8/8/8/1p6/8/P7/K7 w - - 0 1",  # no black king
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "x" * 200,
)


@pytest.mark.parametrize("fen", STRANGE_FENS)
def test_a_strange_first_position_harms_nobody(fen: str, tmp_path: Path) -> None:
    clean = (DIRTY / "bom.pgn").read_text(encoding="utf-8-sig")
    strange = (
        f'[White "A"]\n[SetUp "1"]\n[FEN "{fen}"]\n\n1. a4 {{+0.31/22 2.0s}} a5 {{+0.10/20 1.0s}} 1-0\n\n'
    )
    (tmp_path / "games.pgn").write_text(strange + clean, encoding="utf-8")
    workspace = Workspace(tmp_path / "w.assay")
    assert workspace.import_games(tmp_path / "games.pgn").added == 2
    games = workspace.games().to_pylist()
    assert (games[0]["n_plies"], games[0]["exclusion"]) == (0, "nonstandard_start")
    assert len(workspace.decisions("annotations")) == 0


@pytest.mark.parametrize(
    "make",
    [
        lambda n: '[Event "' + " " * n + "x\n\n1. e4 *",
        lambda n: "\n" * n + "x",
        lambda n: '[Event "x"]\n\n1. e4 (' + "{" * n,
        lambda n: '[Event "x"]\n\n1. e4 ' + "(" * n,
        lambda n: '[Event "x"]\n\n' + "[%eval " * n,
        lambda n: "[" * n,
        lambda n: '[a "' * n,
        lambda n: '[Event "x"]\n\n1. e4' + " \n" * n + "*",
    ],
)
def test_no_text_takes_long(make: Callable[[int], str]) -> None:
    """Eight times the text takes no more than about eight times as long; a quadratic search would take 64."""

    def seconds(n: int) -> float:
        content = make(n).encode()
        runs = []
        for _ in range(3):
            start = time.process_time()
            list(read_games(io.BytesIO(content), "x"))
            runs.append(time.process_time() - start)
        return min(runs)

    seconds(100)
    assert seconds(40_000) < 24 * seconds(5_000) + 0.05


def test_what_is_not_pgn_is_one_clear_error(tmp_path: Path) -> None:
    for name, content in {
        "noise": bytes(range(256)) * 50,
        "prose": b"Dear diary,\n\nno chess today.\n",
        "empty": b"",
    }.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(AssayError, match="is not PGN"):
            Workspace(tmp_path / f"{name}.assay").import_games(tmp_path / name)


# Rows of the table games: what is known, and why a game must not be rated.


def test_what_depends_on_a_choice_is_not_stored() -> None:
    for name in ("blitz", "too_short"):
        assert not {record.exclusion for record in read(DIRTY / f"{name}.pgn").games} & BY_CHOICE


def test_missing_details_stay_unknown() -> None:
    game = read(DIRTY / "question_marks.pgn").games[0]
    assert (game.event, game.site, game.date, game.year, game.round) == (None, None, None, None, None)
    assert read(DIRTY / "odd_tags.pgn").games[0].year == 2001
    assert read(DIRTY / "duplicate_tags.pgn").games[0].event == "Open"


def test_a_game_of_too_many_moves_is_kept_as_its_tags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MAX_PLIES", 39)
    assert summary(read(DIRTY / "bom.pgn").games[0]) == ("Able, Ann", "Baker, Bob", 0, 1.0, "too_large")
