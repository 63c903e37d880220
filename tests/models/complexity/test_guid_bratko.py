import numpy as np
import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from assay.models.complexity.guid_bratko import complexity
from assay.testing import make_decisions


def test_changes_of_the_best_move_add_what_they_are_worth() -> None:
    lines = [
        # Depth 1: a before b; 2: b before a by 40; 3: b still; 4: a before b by 15.
        [
            (1, "a", 50),
            (1, "b", 20),
            (2, "b", 60),
            (2, "a", 20),
            (3, "b", 55),
            (3, "a", 0),
            (4, "a", 30),
            (4, "b", 15),
        ],
        [(1, "a", 50), (2, "a", 20)],
        [],
    ]
    table = make_decisions(games=1, plies=3).to_table()
    for place, (name, kind) in enumerate(
        (("trace_depth", pa.int16()), ("trace_move", pa.string()), ("trace_value", pa.int16()))
    ):
        column = pa.array([[line[place] for line in row] for row in lines], pa.list_(kind))
        table = table.append_column(name, column)
    found = complexity(Decisions.from_table(table))
    assert found[:2] == pytest.approx([0.4 + 0.15, 0.0])
    assert np.isnan(found[2])
