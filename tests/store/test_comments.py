"""What comments say, found by game and position; clocks reach decisions."""

import io

import pyarrow as pa
import pytest

from assay.engine.replay import replay
from assay.pgn.reader import annotations_table, games_table, read_games
from assay.workspace.assemble import clock_columns, rows_of_positions, with_clocks, wrong_clocks
from assay.workspace.comments import assemble_annotated

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
    games = games_table(batch.games)
    for name in ("white", "black"):
        games = games.append_column(name, games[f"{name}_name"])
    return games, annotations_table(batch.annotations)


def test_clocks_reach_decisions(read: tuple[pa.Table, pa.Table]) -> None:
    rows = assemble_annotated(*read).to_table().to_pylist()
    assert [row["seconds_left"] for row in rows] == [300, 300, 290.5, None, 280, None, None]
    assert [row["seconds_spent"] for row in rows] == [None, None, 12.5, None, 13.5, 7, None]
    assert [row["seconds_before"] for row in rows] == [300, 300, 300, 300, 290.5, None, None]


def test_rows_are_those_of_game_and_position(read: tuple[pa.Table, pa.Table]) -> None:
    games, annotations = read
    offsets = replay(games["moves"]).offsets
    found = rows_of_positions(games, offsets, annotations)
    expected = [-1] * int(offsets[-1])
    ids = games["game_id"].to_pylist()
    for row, (game, position) in enumerate(
        zip(annotations["game_id"].to_pylist(), annotations["position"].to_pylist(), strict=True)
    ):
        expected[int(offsets[ids.index(game)]) + position] = row
    assert found.tolist() == expected
    assert (rows_of_positions(games, offsets, annotations.slice(0, 0)) == -1).all()


def test_only_what_tells_of_clocks_is_kept(read: tuple[pa.Table, pa.Table]) -> None:
    _, annotations = read
    assert with_clocks(annotations).num_rows == 5


def test_without_clocks_there_is_nothing(read: tuple[pa.Table, pa.Table]) -> None:
    games, _ = read
    columns = clock_columns(games, replay(games["moves"]).offsets, None)
    assert all(column.null_count == len(column) == 7 for column in columns.values())


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
