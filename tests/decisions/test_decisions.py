from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from assay.decisions.arrays import decode_moves, encode_moves
from assay.decisions.decisions import Decisions
from assay.decisions.measures import agreement, loss
from assay.decisions.rules import (
    after_turn,
    among_lines,
    choice_of_two,
    evaluated,
    has_gain,
    not_forced,
    not_repeated,
    rated,
    within,
)
from assay.errors import InputError, SchemaError
from assay.testing import make_decisions


def table(**columns: list[object]) -> pa.Table:
    rows = len(columns["player"])
    whole = {"moves": [["a", "b"]] * rows, "cp": [[30, 10]] * rows, "played": ["a"] * rows, **columns}
    return pa.table(whole)


def test_columns_and_options() -> None:
    decisions = Decisions.from_table(
        table(
            player=["Ann", "Bob"], moves=[["a", "b"], ["c"]], cp=[[30, None], [None]], mate=[[None, -2], [3]],
            played=["b", "c"], game_id=["g", "g"], ply=[0, 1],
        )
    )  # fmt: skip
    assert len(decisions) == 2
    assert decisions.values.tolist() == [30, -31_998, 31_997]
    assert decisions.offsets.tolist() == [0, 2, 3]
    assert decisions.played_index.tolist() == [1, 0]
    assert decisions.played_value.tolist() == [-31_998, 31_997]
    assert decisions.options(0) == [("a", 30), ("b", -31_998)]
    assert decisions.players == ["Ann", "Bob"]
    assert decisions.numbers("before").tolist() == [30, 31_997]
    assert "2 rows, 3 options" in repr(decisions)


def test_a_played_move_that_was_not_evaluated() -> None:
    decisions = Decisions.from_table(table(player=["Ann"], played=["z"]))
    assert decisions.played_index.tolist() == [-1]
    assert np.isnan(decisions.played_value[0])
    assert np.isnan(loss(decisions)[0])
    assert np.isnan(agreement(decisions)[0])
    assert not len(decisions.filter(evaluated()))


def test_files(tmp_path: Path) -> None:
    decisions = make_decisions()
    decisions.write(tmp_path / "d.parquet")
    assert Decisions.read(tmp_path / "d.parquet") == decisions
    with pytest.raises(InputError, match="does not exist"):
        Decisions.read(tmp_path / "absent.parquet")
    (tmp_path / "noise.parquet").write_bytes(b"noise")
    with pytest.raises(InputError, match="not a Parquet file"):
        Decisions.read(tmp_path / "noise.parquet")
    stored = pq.read_table(tmp_path / "d.parquet")
    pq.write_table(stored.replace_schema_metadata({"assay.schema_version": "99"}), tmp_path / "new.parquet")
    with pytest.raises(SchemaError, match="newer assay"):
        Decisions.read(tmp_path / "new.parquet")


def test_select_and_by() -> None:
    decisions = make_decisions(games=6, plies=10)
    assert len(decisions.select(player="Ann")) == 30
    assert len(decisions.select(player=["Ann", "Bob"], year=2001)) == 20
    assert len(decisions.select(game="game3", colour="black")) == 5
    assert len(decisions.select(player="Nobody")) == 0
    assert [(key, len(group)) for key, group in decisions.by("year")] == [(2000, 20), (2001, 20), (2002, 20)]
    assert [key for key, _ in decisions.by_game()] == decisions.games == [f"game{i}" for i in range(6)]
    assert sum(len(group) for _, group in decisions.by("player")) == len(decisions)
    with pytest.raises(InputError, match="no column 'shoe'"):
        decisions.select(shoe=1)


def test_parts_put_together_again() -> None:
    decisions = make_decisions()
    parts = [group for _, group in decisions.by_game()]
    assert Decisions.concat(parts) == decisions
    cut = decisions.take(np.arange(40, 90))
    assert cut.values.tolist() == decisions.values[decisions.offsets[40] : decisions.offsets[90]].tolist()
    with pytest.raises(InputError):
        Decisions.concat([])


def test_other_moves_with_what_came_after() -> None:
    table = make_decisions(games=1, plies=3)
    index = np.array([1, 0, 2])
    assert np.isnan(table.with_played(index).numbers("after")).all()
    given = table.with_played(index, np.array([5.0, np.nan, -7.0]))
    assert given.played_index.tolist() == [1, 0, 2]
    assert given.numbers("after")[[0, 2]].tolist() == [5.0, -7.0]
    assert np.isnan(given.numbers("after")[1])


# Moves as small integers, against the words they stand for.


def test_codes_are_made_of_squares_and_promotion() -> None:
    moves = [chess.Move.from_uci(one) for one in ("a1a2", "e2e4", "h7h8q", "a7b8n", "h8a1")]
    codes = [m.from_square + 64 * m.to_square + 4096 * ((m.promotion or 1) - 1) for m in moves]
    assert decode_moves(np.array(codes)).to_pylist() == [move.uci() for move in moves]
    assert encode_moves(pa.array([move.uci() for move in moves])).tolist() == codes


def test_what_is_no_move() -> None:
    assert encode_moves(pa.array(["e2e4", "castle", "", None, "e2e9"])).tolist()[1:] == [-1] * 4


# Decisions made elsewhere: what is required, and what stands in for the rest.


def test_another_domain_of_decisions() -> None:
    """Nothing in the table is about chess: a doctor who chooses among treatments of known value."""
    decisions = Decisions.from_table(
        pa.table(
            {
                "player": ["Dr. Ruiz", "Dr. Ruiz", "Dr. Chan"],
                "moves": [["surgery", "rest"], ["rest", "drug A", "drug B"], ["drug A", "surgery"]],
                "cp": [[80, 20], [55, 50, 10], [70, 65]],
                "played": ["surgery", "drug B", "surgery"],
            }
        )
    )
    assert loss(decisions).tolist() == [0, 45, 5]
    assert len(decisions.games) == 3  # without a game_id each decision stands alone


# Lists that name a move twice, or that are not best first.


@pytest.mark.parametrize(
    ("moves", "cp"),
    [(["a", "b", "a"], [30, 20, 10]), (["a", "b", "c"], [30, 10, 20])],
    ids=["twice", "order"],
)
def test_few_malformed_lists_are_left_out_and_counted(
    moves: list[str], cp: list[int], tmp_path: Path
) -> None:
    rows = 40
    decisions = Decisions.from_table(
        table(
            player=["Ann"] * rows,
            moves=[["a", "b", "c"]] * (rows - 2) + [moves] * 2,
            cp=[[30, 20, 10]] * (rows - 2) + [cp] * 2,
            exclusion=[None] * (rows - 1) + ["too_short"],
        )
    )
    assert decisions.text("exclusion") == [None] * (rows - 2) + ["malformed", "too_short"]
    assert len(decisions.filter(rated())) == rows - 2
    # A file of the marked rows alone is one whose fault was noticed.
    decisions.take(np.arange(rows - 4, rows)).write(tmp_path / "few.parquet")
    assert Decisions.read(tmp_path / "few.parquet").text("exclusion")[2:] == ["malformed", "too_short"]


def test_many_malformed_lists_are_refused() -> None:
    whole = table(player=["Ann"] * 40, cp=[[30, 10]] * 37 + [[10, 30]] * 3)
    with pytest.raises(SchemaError, match=r"^3 of 40 decisions list a move twice or not the best first: "):
        Decisions.from_table(whole)


def test_a_move_searched_alone_stands_behind_the_lines_whatever_its_value() -> None:
    whole = table(player=["Ann"], moves=[["a", "b", "c"]], cp=[[20, 10, 30]], played=["c"], n_lines=[2])
    assert Decisions.from_table(whole).text("exclusion") == [None]


def test_equal_values_and_lists_of_one_move_are_well_formed() -> None:
    whole = table(player=["Ann"] * 2, moves=[["a", "b"], ["a"]], cp=[[10, 10], [30]])
    assert Decisions.from_table(whole).text("exclusion") == [None, None]
    assert not len(Decisions.from_table(whole[:0]))


def test_the_defective_file_is_refused(shared_data: Callable[[str], Path]) -> None:
    """The last, incomplete iteration of its searches was stored as if it were complete."""
    with pytest.raises(SchemaError, match=r"mileposts.parquet: 3,674 of 14,359 decisions list a move twice"):
        Decisions.read(shared_data("analysed/mileposts.parquet"))


def test_analysed_positions_load_with_one_call(shared_data: Callable[[str], Path]) -> None:
    """The file has one more row a game, its last position, which has no decision."""
    path = shared_data("analysed/championship-years.parquet")
    decisions, rows = Decisions.read(path), pq.read_table(path)
    rows = rows.filter(pc.is_valid(rows["played"])).to_pylist()
    assert len(decisions) == len(rows) == 51_314
    assert decisions.text("exclusion").count("malformed") == 879
    assert np.nanmin(loss(decisions)) == 0
    assert len(decisions.select(player="Alekhine", year=1934)) > 1000
    assert decisions.options(0) == list(zip(rows[0]["moves"], rows[0]["cp"], strict=True))
    offsets, depth, _, value = decisions.trace()
    assert depth[: offsets[1]].tolist() == rows[0]["trace_depth"]
    assert value[: offsets[1]].tolist() == rows[0]["trace_cp"]


def test_a_file_that_names_no_recipe_has_one_of_its_own(tmp_path: Path) -> None:
    """Files of different engines must not pass for one recipe; parts of one file are one recipe."""
    table = make_decisions().table()
    bare, other = (
        one.table().drop_columns("recipe_id") for one in (make_decisions(), make_decisions(seed=1))
    )
    pq.write_table(bare, tmp_path / "bare.parquet", row_group_size=7)
    found, again = Decisions.from_table(bare), Decisions.read(tmp_path / "bare.parquet")
    (recipe,) = set(found.text("recipe_id"))
    assert recipe is not None
    assert recipe.startswith("elsewhere-")
    assert set(again.text("recipe_id")) == {recipe}
    assert set(found.select(player="Ann").text("recipe_id")) == {recipe}
    assert set(Decisions.from_table(other).text("recipe_id")) != {recipe}
    unknown = table.set_column(
        table.column_names.index("recipe_id"),
        "recipe_id",
        pa.nulls(len(table), pa.string()),
    )
    assert set(Decisions.from_table(unknown).text("recipe_id")) == {recipe}
    assert set(Decisions.from_table(table).text("recipe_id")) == {"made"}


# Named rules against a slow reading of the rows.


def slow_rule(decisions: Decisions, keep: Callable[[dict[str, object]], bool]) -> list[bool]:
    return [keep(row) for row in decisions.table().to_pylist()]


def test_rules_keep_what_they_say() -> None:
    decisions = Decisions.from_table(
        pa.Table.from_pylist(
            [
                {
                    "player": "Ann",
                    "moves": ["a", "b"][: 1 + i % 2],
                    "cp": [50 * i, 0][: 1 + i % 2],
                    "game_id": "g",
                    "played": "a" if i % 3 else "b",
                    "ply": i,
                    "n_legal": 1 + i % 4,
                    "repetition": i % 5 // 4,
                    "after": None if i % 7 == 0 else 10,
                    "n_lines": 1,
                    "exclusion": "too_short" if i % 6 == 5 else None,
                }
                for i in range(40)
            ]
        )
    )
    for rule, keep in (
        (after_turn(8), lambda r: r["ply"] >= 16),
        (not_forced(), lambda r: r["n_legal"] > 1),
        (not_repeated(), lambda r: r["repetition"] == 0),
        (within(300), lambda r: abs(r["before"]) <= 300),
        (evaluated(), lambda r: r["played"] in r["moves"]),
        (among_lines(), lambda r: r["played"] in r["moves"][: r["n_lines"]]),
        (has_gain(), lambda r: r["after"] is not None),
        (choice_of_two(), lambda r: len(r["moves"]) > 1),
        (rated(), lambda r: r["exclusion"] is None),
        (rated(include=["too_short"]), lambda r: True),
        (after_turn(5) & ~within(300), lambda r: r["ply"] >= 10 and abs(r["before"]) > 300),
        (after_turn(15) | within(100), lambda r: r["ply"] >= 30 or abs(r["before"]) <= 100),
    ):
        assert rule(decisions).tolist() == slow_rule(decisions, keep), rule.name
    assert str(after_turn(8) & ~within(300)) == "after turn 8 and not (within 300 cp)"
    both = decisions.filter(after_turn(8), within(1000))
    assert len(both) == len(decisions.filter(after_turn(8) & within(1000)))


# Decisions from elsewhere: whatever a file contains, decisions or one sentence.


@pytest.mark.parametrize("version", [b"abc", b"", b"-1", b"1.5", b"\xff", b"9" * 5000, "²".encode()])
def test_a_version_that_is_no_number(tmp_path: Path, version: bytes) -> None:
    stamped = make_decisions(games=1).table().replace_schema_metadata({b"assay.schema_version": version})
    pq.write_table(stamped, tmp_path / "a.parquet")
    with pytest.raises(SchemaError, match="its version is not a number"):
        Decisions.read(tmp_path / "a.parquet")


POSITIONS: dict[str, Any] = {
    "game_id": ["g", "g"],
    "ply": [0, 1],
    "white": ["A", "A"],
    "black": ["B", "B"],
    "white_elo": [2000, 2000],
    "black_elo": [None, 1900],
    "result": [1.0, 1.0],
    "date": ["1990.01.01", "1990.01.01"],
    "fen": ["x w - - 0 1", "y b - - 0 1"],
    "moves": [["a", "b"], ["c"]],
    "cp": [[30, 10], [5]],
    "mate": pa.array([[None, None], [None]], pa.list_(pa.int16())),
    "played": ["a", None],
    "played_index": [0, None],
    "played_source": ["line", None],
}


@pytest.mark.parametrize("name", sorted(POSITIONS.keys() - {"white", "fen"}))
def test_a_column_that_positions_lack_is_named(name: str) -> None:
    with pytest.raises(SchemaError, match=rf"positions of games need the columns {name}"):
        Decisions.from_table(pa.table(POSITIONS).drop_columns([name]))


@pytest.mark.parametrize("name", sorted(POSITIONS))
@pytest.mark.parametrize("content", [[b"\xff", b"\0"], [[1], [2]], [{"a": 1}, {"a": 2}], [True, False]])
def test_columns_of_other_types_are_one_sentence(name: str, content: list[Any]) -> None:
    with suppress(SchemaError):  # nothing else may come of it
        assert len(Decisions.from_table(pa.table({**POSITIONS, name: pa.array(content)}))) <= 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"moves": [["a"]]}, "of one length"),
        ({"cp": [[30, None]]}, "every option needs a value"),
        ({"cp": [["x", "y"]]}, "documented types"),
        ({"cp": [30]}, "documented types"),
        ({"cp": [None]}, "documented types"),
        ({"moves": [None]}, "documented types"),
        ({"moves": ["ab"]}, "documented types"),
        ({"player": [None]}, "must not be null"),
        ({"played": [None]}, "must not be null"),
        ({"played_index": [7]}, "played_index must be an index"),
        ({"played_index": [-2]}, "played_index must be an index"),
        ({"mate": [[40_000, None]], "cp": [[None, 10]]}, "documented types"),
        ({"mate": [[2_000, None]], "cp": [[None, 10]]}, "a mate in 2000 moves"),
        ({"mate": [[-32_768, None]], "cp": [[None, 10]]}, "a mate in 32768 moves"),
        ({"cp": [[10**12, 10]]}, "documented types"),
        ({"ply": [99_999]}, "documented types"),
        ({"year": ["soon"]}, "documented types"),
    ],
)
def test_what_is_no_decision_is_one_sentence(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SchemaError, match=message) as raised:
        Decisions.from_table(table(**{"player": ["A"], **changes}))
    assert len(str(raised.value)) < 500


def test_a_column_that_is_there_twice() -> None:
    usual = table(player=["A"])
    twice = pa.Table.from_arrays([*usual.columns, usual["cp"]], [*usual.column_names, "cp"])
    with pytest.raises(SchemaError, match="cp more than once"):
        Decisions.from_table(twice)


def test_mates_as_far_as_they_go_are_read() -> None:
    read = Decisions.from_table(table(player=["A"], mate=[[1000, None]], cp=[[None, 10]]))
    assert read.values.tolist() == [31_000, 10]


def test_a_notebook_shows_the_size_and_the_first_rows_as_text() -> None:
    table = make_decisions(games=2, plies=12).table()
    names = pa.array(["<b>Ann</b>"] * table.num_rows, table.schema.field("player").type)
    place = table.column_names.index("player")
    page = Decisions.from_table(table.set_column(place, "player", names))._repr_html_()
    assert page.count("<tr>") == 11
    assert "&lt;b&gt;Ann" in page
    assert "<b>" not in page
