from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.measures import agreement, loss
from assay.decisions.rules import (
    evaluated,
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


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"cp": [[30]]}, "of one length"),
        ({"cp": [[30, None]]}, "every option needs a value"),
        ({"played_index": [7]}, "played_index"),
        ({"player": [None]}, "must not be null"),
        ({"ply": ["first"]}, "documented types"),
    ],
)
def test_tables_that_make_no_sense(columns: dict[str, list[object]], message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        Decisions.from_table(table(**{"player": ["Ann"], **columns}))


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
