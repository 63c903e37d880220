"""Decisions from evaluations in comments, against a slow reading of the comments."""

import io

import pyarrow as pa

from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import ANNOTATED
from assay.pgn.reader import annotations_table, games_table, read_games
from assay.workspace.comments import assemble_annotated
from examples.gain_examples import BYRNE, FISCHER, GAME, annotated_pgn


def decisions(text: str) -> Decisions:
    (batch,) = read_games(io.BytesIO(text.encode()), "x")
    return assemble_annotated(with_players(games_table(batch.games)), annotations_table(batch.annotations))


def with_players(games: pa.Table) -> pa.Table:
    """Who they are is settled by an import."""
    for name in ("white", "black"):
        games = games.append_column(name, games[f"{name}_name"])
    return games


def test_every_move_has_the_values_before_and_after() -> None:
    """White's view in the file: the mover's here."""
    found = decisions(annotated_pgn())
    values = [13, *GAME["evaluations"]]
    for row in found.to_table().to_pylist():
        ply = row["ply"]
        sign = 1 if ply % 2 == 0 else -1
        assert row["player"] == (BYRNE if ply % 2 == 0 else FISCHER)
        assert (row["before"], row["after"]) == (sign * values[ply], sign * values[ply + 1])
        assert (row["moves"], row["cp"]) == ([row["played"]], [row["after"]])
        assert (row["recipe_id"], row["n_legal"], row["n_lines"]) == (ANNOTATED, None, 0)
    assert len(found) == len(GAME["moves"])


def test_moves_without_an_evaluation_are_marked() -> None:
    text = annotated_pgn().replace("{ [%eval 0.13] }", "", 1)
    found = decisions(text).to_table().to_pylist()
    assert found[0]["exclusion"] == "not_analysed"
    assert found[1]["exclusion"] is None


def test_options_that_comments_name_come_with_their_values() -> None:
    text = (
        '[White "A"]\n[Black "B"]\n\n1. e4 {+0.31/22 2.0s} ( 1. d4 {+0.50/21 1.0s} ) e5 {+0.10/20 1.0s} 1-0\n'
    )
    first = decisions(text).to_table().to_pylist()[0]
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
