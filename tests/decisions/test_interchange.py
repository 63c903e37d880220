"""Decisions made elsewhere: what is required, and what stands in for the rest."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.measures import loss
from assay.errors import SchemaError
from assay.testing import make_decisions


def table(**columns: list[object]) -> pa.Table:
    rows = len(columns["player"])
    whole = {"moves": [["a", "b"]] * rows, "cp": [[30, 10]] * rows, "played": ["a"] * rows, **columns}
    return pa.table(whole)


def test_required_columns() -> None:
    with pytest.raises(SchemaError, match="moves, cp"):
        Decisions.from_table(pa.table({"player": ["Ann"], "played": ["a"]}))


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


def test_analysed_positions_load_with_one_call(shared_data: Callable[[str], Path]) -> None:
    decisions = Decisions.read(shared_data("analysed/mileposts.parquet"))
    stored = pq.read_table(shared_data("analysed/mileposts.parquet"))
    assert (
        len(decisions) == 14_570 - 211
    )  # one row a game is its last position; five games end in mate or stalemate
    assert len(decisions.games) == 216
    assert np.nanmin(loss(decisions)) == 0
    rows = stored.to_pylist()
    first = next(row for row in rows if row["played"] is not None)
    assert decisions.options(0) == list(zip(first["moves"], first["cp"], strict=True))
    assert decisions.text("player")[0] == first["white"]
    offsets, depth, _, value = decisions.trace()
    assert depth[: offsets[1]].tolist() == first["trace_depth"]
    assert value[: offsets[1]].tolist() == first["trace_cp"]
    # The value after a move is the next position's, seen from the other side.
    index = next(
        i for i, row in enumerate(rows[:-1]) if row["played"] and rows[i + 1]["cp"] and rows[i + 1]["cp"][0]
    )
    assert decisions.numbers("after")[index] == -rows[index + 1]["cp"][0]


def test_analysed_years_keep_their_player_and_year(shared_data: Callable[[str], Path]) -> None:
    decisions = Decisions.read(shared_data("analysed/championship-years.parquet"))
    assert len(decisions) == 51_314
    assert "Alekhine" in decisions.players
    assert len(decisions.select(player="Alekhine", year=1934)) > 1000


def test_a_file_that_names_no_recipe_has_one_of_its_own(tmp_path: Path) -> None:
    """Files of different engines must not pass for one recipe; parts of one file are one recipe."""
    table = make_decisions().to_table()
    bare, other = (
        one.to_table().drop_columns("recipe_id") for one in (make_decisions(), make_decisions(seed=1))
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
        table.column_names.index("recipe_id"), "recipe_id", pa.nulls(len(table), pa.string())
    )
    assert set(Decisions.from_table(unknown).text("recipe_id")) == {recipe}
    assert set(Decisions.from_table(table).text("recipe_id")) == {"made"}
