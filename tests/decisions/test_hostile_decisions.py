"""Decisions from elsewhere: whatever a file holds, decisions or one sentence."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.schema import check_version
from assay.errors import InputError, SchemaError
from assay.testing import make_decisions


def usual(**changes: Any) -> pa.Table:
    columns = {"player": ["A"], "moves": [["a", "b"]], "cp": [[30, 10]], "played": ["a"], **changes}
    return pa.table({name: column for name, column in columns.items() if column is not None})


@pytest.mark.parametrize("version", [b"abc", b"", b"-1", b"1.5", b"\xff", b"9" * 5000, "²".encode()])
def test_a_version_that_is_no_number(tmp_path: Path, version: bytes) -> None:
    table = make_decisions(games=1).to_table().replace_schema_metadata({b"assay.schema_version": version})
    with pytest.raises(SchemaError, match="its version is not a number"):
        check_version(table.schema, "it")
    pq.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(InputError, match="version"):
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


def test_positions_of_games_are_decisions() -> None:
    assert len(Decisions.from_table(pa.table(POSITIONS))) == 1


@pytest.mark.parametrize("name", sorted(POSITIONS.keys() - {"white", "fen"}))
def test_a_column_that_positions_lack_is_named(name: str) -> None:
    table = pa.table(POSITIONS).drop_columns([name])
    with pytest.raises(SchemaError, match=rf"positions of games need the columns {name}"):
        Decisions.from_table(table)


@pytest.mark.parametrize("name", sorted(POSITIONS))
@pytest.mark.parametrize("content", [[b"\xff", b"\0"], [[1], [2]], [{"a": 1}, {"a": 2}], [True, False]])
def test_columns_of_other_types_are_one_sentence(name: str, content: list[Any]) -> None:
    table = pa.table({**POSITIONS, name: pa.array(content)})
    with suppress(SchemaError):  # nothing else may come of it
        assert len(Decisions.from_table(table)) <= 2


@pytest.mark.parametrize(
    "changes",
    [
        {"moves": [["a"]]},
        {"cp": [[30, None]]},
        {"cp": [["x", "y"]]},
        {"cp": [30]},
        {"cp": [None]},
        {"moves": [None]},
        {"moves": ["ab"]},
        {"player": [None]},
        {"player": None},
        {"played": [None]},
        {"played_index": [7]},
        {"played_index": [-2]},
        {"mate": [[40_000, None]], "cp": [[None, 10]]},
        {"mate": [[2_000, None]], "cp": [[None, 10]]},
        {"mate": [[-32_768, None]], "cp": [[None, 10]]},
        {"cp": [[10**12, 10]]},
        {"ply": [99_999]},
        {"year": ["soon"]},
    ],
)
def test_what_is_no_decision_is_one_sentence(changes: dict[str, Any]) -> None:
    with pytest.raises(SchemaError) as raised:
        Decisions.from_table(usual(**changes))
    assert len(str(raised.value)) < 500


def test_a_column_that_is_there_twice() -> None:
    table = usual()
    twice = pa.Table.from_arrays([*table.columns, table["cp"]], [*table.column_names, "cp"])
    with pytest.raises(SchemaError, match="cp more than once"):
        Decisions.from_table(twice)


def test_mates_as_far_as_they_go_are_read() -> None:
    read = Decisions.from_table(usual(mate=[[1000, None]], cp=[[None, 10]]))
    assert read.values.tolist() == [31_000, 10]
