"""Conformance as rows, against shares counted by hand."""

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.measures import loss
from assay.models.losses.conformance import ConformanceModel
from assay.models.losses.conformance_table import BOUNDS, CURVE, conformance_by, conformance_with_results
from assay.testing import make_decisions
from examples.game_tables import make_games


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    return make_decisions(games=10, plies=80)


def test_rows_add_up(decisions: Decisions) -> None:
    rows = conformance_by(decisions, ["player", "colour"], "raw")
    assert [(row["player"], row["colour"]) for row in rows] == [
        (player, colour) for player in ("Ann", "Bob") for colour in ("black", "white")
    ]
    assert sum(row["moves"] for row in rows) == ConformanceModel("raw").profile(decisions).decisions


def test_shares_are_counted(decisions: Decisions) -> None:
    kept, _ = ConformanceModel("raw").select(decisions)
    for row in conformance_by(decisions, ["player"], "raw"):
        own = loss(kept.select(player=row["player"]))
        for bound in BOUNDS:
            assert row[str(bound)] == pytest.approx(float(np.mean(own <= bound)))


def test_without_columns_all_are_one_row(decisions: Decisions) -> None:
    (row,) = conformance_by(decisions, [], "raw")
    assert row["games"] == 10


def test_the_best_bound_is_marked() -> None:
    rows = conformance_with_results(make_games(games=60), "raw")
    assert [row["bound"] for row in rows] == list(CURVE)
    (best,) = [row for row in rows if row["best"]]
    assert best["correlation"] == max(row["correlation"] for row in rows)
