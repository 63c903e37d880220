"""Games that bring their evaluations along: losses and the Elo are screened, agreement is not known."""

import math

import pyarrow as pa
import pytest

from assay.domain.decisions import Decisions
from assay.rating.files import shipped
from assay.screening.losses import NO_AGREEMENT, NOT_MEASURED, screen_losses
from assay.testing.decision_tables import make_decisions

SOURCE = "evaluated-lichess-classical"


@pytest.fixture(scope="module")
def evaluated() -> Decisions:
    """Two players, rated 2400 and 2200, who err as beginners do; one value per position."""
    table = make_decisions(games=8, plies=80, recipe=SOURCE).to_table()
    rows = table.to_pylist()
    for row in rows:
        index = row["played_index"]
        for name in ("moves", "cp", "mate"):
            row[name] = row[name][index : index + 1]
        row["played_index"], row["n_lines"] = 0, 0
    return Decisions.from_table(pa.Table.from_pylist(rows, schema=table.schema))


def test_losses_and_elo_are_screened_and_agreement_is_not_known(evaluated: Decisions) -> None:
    calibration = shipped(SOURCE)
    assert calibration is not None
    found = screen_losses(evaluated, calibration, None)
    assert {one.player for one in found.players} == {"Ann", "Bob"}
    for one in found.players:
        assert math.isnan(one.z["first"])
        assert math.isnan(one.z["hard"])
        assert one.z["error"] < 0
        assert one.z["all"] == pytest.approx(one.z["elo"])
        assert one.flag == "below"
    assert found.notes == (NO_AGREEMENT, NOT_MEASURED)
