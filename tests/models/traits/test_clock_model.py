"""Strength by the clocks: the contract of every method, and what is summed."""

import numpy as np
import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from assay.models.base import MoveModel
from assay.models.traits.clock_model import PHASES, ClocksModel
from assay.models.traits.clock_signs import CLOCK_SIGNS
from assay.testing import MoveModelContract, make_decisions


def timed_decisions(recipe: str = "made") -> Decisions:
    """Decisions with a clock that runs down from three minutes, unknown in every seventh row."""
    table = make_decisions(recipe=recipe).to_table()
    rng = np.random.default_rng(4)
    spent = np.round(rng.exponential(3.0, len(table)), 1)
    before = np.maximum(180 - 2.0 * np.asarray(table["ply"]), 1.0)
    spent[::7] = np.nan
    for name, column in (("seconds_spent", spent), ("seconds_before", before)):
        values = pa.array(column, pa.float32(), from_pandas=True)
        if name in table.column_names:
            table = table.drop_columns(name)
        table = table.append_column(name, values)
    return Decisions.from_table(table)


def taught() -> ClocksModel:
    model = ClocksModel()
    size = model.shape[0] - len(model.blocks)
    return model.recall({"centre": np.zeros(size), "weight": np.random.default_rng(0).normal(0, 0.02, size)})


class TestClocks(MoveModelContract):
    def make(self) -> MoveModel:
        return taught()

    @pytest.fixture
    def decisions(self) -> Decisions:
        return timed_decisions()

    @pytest.fixture
    def another(self) -> Decisions:
        return timed_decisions("other")


def test_moves_without_a_clock_do_not_count_and_phases_are_apart() -> None:
    decisions = timed_decisions()
    model = ClocksModel()
    profile = model.profile(decisions)
    kept, _ = model.select(decisions)
    assert not np.isnan(kept.numbers("seconds_spent")).any()
    assert 0 < len(kept) < len(decisions)
    turn = kept.numbers("ply") // 2
    width = 1 + len(CLOCK_SIGNS)
    counts = [((turn >= first) & (turn < (end or 1000))).sum() for first, end in PHASES]
    assert profile.evidence[width::width].tolist() == counts
    assert profile.evidence[0] == sum(counts[1:])


def test_what_moves_were_worth_is_not_read() -> None:
    decisions = timed_decisions()
    table = decisions.to_table()
    place = table.schema.get_field_index("after")
    other = Decisions.from_table(
        table.set_column(
            place, table.schema.field(place), pa.nulls(len(table), table.schema.field(place).type)
        )
    )
    model = ClocksModel()
    assert np.array_equal(model.profile(decisions).evidence, model.profile(other).evidence)
