"""The join against a slow, transparent version of itself."""

import io
import random
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import ANNOTATED, MATE, from_mate
from assay.decisions.schema import ALONE, ANALYSES
from assay.pgn.reader import games_table, read_games
from assay.workspace import Workspace
from assay.workspace.assemble import assemble, assemble_annotated, wrong_clocks
from examples.gain_examples import BYRNE, FISCHER, GAME, annotated_pgn

RECIPE = "abc"


def position_key(board: chess.Board) -> str:
    return " ".join(board.fen().split()[:4])


def made_up_analysis(board: chess.Board, lines: int) -> list[tuple[str, int]]:
    """Values that depend on the position alone, best first; a move that mates is a mate in one."""
    chooser = random.Random(position_key(board))
    values = []
    for move in board.legal_moves:
        board.push(move)
        mates = board.is_checkmate()
        board.pop()
        values.append((board.uci(move), from_mate(1) if mates else chooser.randint(-300, 300)))
    return sorted(values, key=lambda pair: (-pair[1], pair[0]))[:lines]


def as_columns(value: int) -> tuple[int | None, int | None]:
    return (None, MATE - value) if value > 31_000 else (value, None)


def analyses_of(games: list[dict[str, Any]], lines: int, skip: set[str]) -> tuple[pa.Table, pa.Table]:
    rows, alone = {}, {}
    for game in games:
        board = chess.Board()
        for move in [*game["moves"], None]:
            key = position_key(board)
            options = made_up_analysis(board, lines)
            if options and key not in skip:
                cp, mate = zip(*(as_columns(value) for _, value in options), strict=True)
                rows[key] = {
                    "position_key": key,
                    "recipe_id": RECIPE,
                    "n_legal": board.legal_moves.count(),
                    "depth": 9,
                    "nodes": 1,
                    "seconds": 0.1,
                    "moves": [m for m, _ in options],
                    "cp": cp,
                    "mate": mate,
                    "trace_depth": [1],
                    "trace_move": [options[0][0]],
                    "trace_value": [options[0][1]],
                }
                if move is not None and move not in [m for m, _ in options]:
                    value = {"cp": 500, "mate": None, "depth": 9, "nodes": 1, "seconds": 0.1}
                    alone[key, move] = {"position_key": key, "recipe_id": RECIPE, "move": move, **value}
            if move is not None:
                board.push_uci(move)
    return (
        pa.Table.from_pylist(list(rows.values()), schema=ANALYSES.arrow),
        pa.Table.from_pylist(list(alone.values()), schema=ALONE.arrow),
    )


@pytest.fixture
def games(tmp_path: Path, examples: Path) -> pa.Table:
    workspace = Workspace(tmp_path / "w.assay")
    workspace.import_games([examples, Path(__file__).parent.parent / "dirty" / "setup.pgn"])
    games = workspace.games()
    return games.filter(pa.array([fen is None for fen in games["start_fen"].to_pylist()]))


def slow_decisions(games: list[dict[str, Any]], analyses: pa.Table, alone: pa.Table) -> list[dict[str, Any]]:
    known = {row["position_key"]: row for row in analyses.to_pylist()}
    single = {(row["position_key"], row["move"]): row for row in alone.to_pylist()}
    rows = []
    for game in games:
        board, seen = chess.Board(), []
        for ply, move in enumerate(game["moves"]):
            key = position_key(board)
            white = ply % 2 == 0
            row = known.get(key)
            options = list(zip(row["moves"], row["cp"], row["mate"], strict=True)) if row else []
            lines = len(options)
            if row and move not in row["moves"] and (key, move) in single:
                last = options[-1][1] if options[-1][1] is not None else MATE
                options.append((move, min(single[key, move]["cp"], last), None))
            moves = [m for m, _, _ in options]
            board.push_uci(move)
            after = known.get(position_key(board))
            if after is not None:
                after_value = -after["cp"][0] if after["mate"][0] is None else -from_mate(after["mate"][0])
            else:
                after_value = MATE if board.is_checkmate() else 0 if board.is_stalemate() else None
            rows.append(
                {
                    "game_id": game["game_id"],
                    "ply": ply,
                    "player": game["white" if white else "black"],
                    "opponent": game["black" if white else "white"],
                    "colour": "white" if white else "black",
                    "result": game["result"] if white else 1 - game["result"],
                    "played": move,
                    "repetition": seen.count(key),
                    "moves": moves,
                    "cp": [c for _, c, _ in options],
                    "played_index": moves.index(move) if move in moves else None,
                    "n_lines": lines,
                    "mate": [m for _, _, m in options],
                    "position_key": key,
                    "after": after_value,
                    "n_legal": row["n_legal"] if row else None,
                    "depth": row["depth"] if row else None,
                    "exclusion": game["exclusion"] or (None if row else "not_analysed"),
                }
            )
            seen.append(key)
    return rows


@pytest.mark.parametrize("lines", [1, 3, 40])
def test_the_join_is_what_one_would_do_by_hand(games: pa.Table, lines: int) -> None:
    rows = games.to_pylist()
    skip = {position_key(chess.Board()), *([position_key(_after(rows[1]["moves"][:9]))])}
    analyses, alone = analyses_of(rows, lines, skip)
    decisions = assemble(games, analyses, alone, RECIPE)
    found = decisions.table().to_pylist()
    expected = slow_decisions(rows, analyses, alone)
    assert [{name: row[name] for name in want} for row, want in zip(found, expected, strict=True)] == expected
    known = ~np.isnan(decisions.best_value)
    assert np.array_equal(decisions.numbers("before")[known], decisions.best_value[known])


def _after(moves: list[str]) -> chess.Board:
    board = chess.Board()
    for move in moves:
        board.push_uci(move)
    return board


def test_games_of_which_nothing_is_analysed_are_left_out(games: pa.Table) -> None:
    some = games.to_pylist()[:1]
    keys = {position_key(chess.Board())}
    analyses, alone = analyses_of(some, 5, keys)
    decisions = assemble(games, analyses, alone, RECIPE)
    assert some[0]["game_id"] in decisions.games
    nothing = assemble(games, analyses.slice(0, 0), alone, RECIPE)
    assert len(nothing) == 0


def test_trace(games: pa.Table) -> None:
    analyses, alone = analyses_of(games.to_pylist(), 5, set())
    decisions = assemble(games, analyses, alone, RECIPE, trace=True)
    offsets, depth, _, value = decisions.trace()
    assert len(offsets) == len(decisions) + 1
    assert set(depth.tolist()) == {1}
    assert value.tolist() == decisions.best_value.astype(int).tolist()
    # Tables of before there were such columns.
    assert not np.diff(decisions.trace_costs("nodes")[0]).any()


def test_costs_of_depths(games: pa.Table) -> None:
    analyses, alone = analyses_of(games.to_pylist(), 5, set())
    nodes = pa.array([[7]] * analyses.num_rows, pa.list_(pa.int64()))
    analyses = analyses.set_column(analyses.column_names.index("trace_nodes"), "trace_nodes", nodes)
    decisions = assemble(games, analyses, alone, RECIPE, trace=True)
    offsets, costs, whole = decisions.trace_costs("nodes")
    assert offsets.tolist() == list(range(len(decisions) + 1))
    assert (set(costs.tolist()), set(whole.tolist())) == ({7.0}, {1.0})


# Decisions from evaluations in comments, against a slow reading of the comments.


def decisions(text: str) -> Decisions:
    (batch,) = read_games(io.BytesIO(text.encode()), "x")
    return assemble_annotated(with_players(games_table(batch.games)), batch.annotations_table())


def with_players(games: pa.Table) -> pa.Table:
    """Who they are is settled by an import."""
    for name in ("white", "black"):
        games = games.append_column(name, games[f"{name}_name"])
    return games


def test_every_move_has_the_values_before_and_after() -> None:
    """White's view in the file: the mover's here."""
    found = decisions(annotated_pgn())
    values = [13, *GAME["evaluations"]]
    for row in found.table().to_pylist():
        ply = row["ply"]
        sign = 1 if ply % 2 == 0 else -1
        assert row["player"] == (BYRNE if ply % 2 == 0 else FISCHER)
        assert (row["before"], row["after"]) == (sign * values[ply], sign * values[ply + 1])
        assert (row["moves"], row["cp"]) == ([row["played"]], [row["after"]])
        assert (row["recipe_id"], row["n_legal"], row["n_lines"]) == (ANNOTATED, None, 0)
    assert len(found) == len(GAME["moves"])


def test_moves_without_an_evaluation_are_marked() -> None:
    text = annotated_pgn().replace("{ [%eval 0.13] }", "", 1)
    found = decisions(text).table().to_pylist()
    assert found[0]["exclusion"] == "not_analysed"
    assert found[1]["exclusion"] is None


def test_options_that_comments_name_come_with_their_values() -> None:
    text = (
        '[White "A"]\n[Black "B"]\n\n1. e4 {+0.31/22 2.0s} ( 1. d4 {+0.50/21 1.0s} ) e5 {+0.10/20 1.0s} 1-0\n'
    )
    first = decisions(text).table().to_pylist()[0]
    assert (first["moves"], first["cp"], first["played"]) == (["d2d4", "e2e4"], [50, 31], "e2e4")
    assert (first["played_index"], first["before"], first["depth"]) == (1, 50, 22)


def test_games_without_evaluations_are_left_out() -> None:
    assert len(decisions('[White "A"]\n\n1. e4 { fine } e5 1-0\n')) == 0


def test_the_source_of_values_is_found_where_it_is_one() -> None:
    lichess = annotated_pgn().replace(
        "\n\n", '\n[Site "https://lichess.org/abc"]\n[TimeControl "180+2"]\n\n', 1
    )
    assert set(decisions(lichess).text("recipe_id")) == {"evaluated-lichess-blitz"}
    # Bullet beside it is of another scale: marked, and not rated with the others.
    mixed = "\n".join((lichess, lichess.replace("Byrne", "Somebody"), lichess.replace("180+2", "60+0")))
    found = decisions(mixed)
    assert set(found.text("recipe_id")) == {"evaluated-lichess-blitz"}
    assert found.text("exclusion").count("other_scale") == len(GAME["moves"])


# What comments say, found by game and position; clocks reach decisions.

TEXT = (
    '[Event "One"]\n[White "A"]\n[Black "B"]\n[TimeControl "300+3"]\n[Result "1-0"]\n\n'
    "1. e4 { [%eval 0.2] [%clk 0:05:00] } e5 { [%eval 0.3] [%clk 0:05:00] } "
    "2. Nf3 { [%eval 0.2] [%clk 0:04:50.5] } Nc6 { [%eval 0.1] } "
    "3. Bb5 { [%eval 0.3] [%clk 0:04:40] } 1-0\n\n"
    '[Event "Two"]\n[White "C"]\n[Black "D"]\n[Result "0-1"]\n\n1. d4 { [%eval 0.1] [%emt 0:00:07] } d5 0-1\n'
)


@pytest.fixture
def read() -> tuple[pa.Table, pa.Table]:
    (batch,) = read_games(io.BytesIO(TEXT.encode()), "x")
    return with_players(games_table(batch.games)), batch.annotations_table()


def test_clocks_reach_decisions(read: tuple[pa.Table, pa.Table]) -> None:
    rows = assemble_annotated(*read).table().to_pylist()
    assert [row["seconds_left"] for row in rows] == [300, 300, 290.5, None, 280, None, None]
    assert [row["seconds_spent"] for row in rows] == [None, None, 12.5, None, 13.5, 7, None]
    assert [row["seconds_before"] for row in rows] == [300, 300, 300, 300, 290.5, None, None]


def test_clocks_that_tell_nothing_are_counted(read: tuple[pa.Table, pa.Table]) -> None:
    games, annotations = read
    assert not wrong_clocks(games, annotations)
    absurd = annotations.set_column(
        annotations.schema.get_field_index("clock"),
        "clock",
        pa.array([300, 300, 500, None, 9e9, None], pa.float32()),
    )
    assert wrong_clocks(games, absurd) == {"backwards": 1, "absurd": 1}
    assert not wrong_clocks(games, annotations.slice(0, 0))
