import numpy as np

from assay.models.depth.agents import DepthAgent
from examples.depth_games import milepost_games
from research.papers.regan2011.depth_page import on_weights, recovered
from research.papers.regan2011.depth_predictions import MilepostDecisions, resampled_games
from research.papers.regan2011.depth_simulation import Recovery


def test_a_row_for_each_milepost_and_each_kind_of_move() -> None:
    made = MilepostDecisions(milepost_games())
    found = on_weights(made, resampled_games(made.n_games, 3))
    lines = str(found["mileposts"]).splitlines()
    assert [line.split("|")[1].strip() for line in lines[2:]] == ["1600", "2600"]
    assert str(found["late"]).count("late") == 3
    assert "(" in str(found["slope_depth"])


def test_a_recovery_becomes_a_row() -> None:
    one = Recovery(
        agent=DepthAgent(3.0, 0.5, 1.0),
        players=10,
        decisions=300,
        mean=np.array([3.01, -0.1, 1.2]),
        spread=np.array([0.1, 0.2, 0.3]),
        covered=np.array([0.95, 0.9, 1.0]),
    )
    row = "| 300 | 3.00 | 3.01 ± 0.10 | 95.0% | 0.00 | -0.10 ± 0.20 | 90.0% | 1.00 | 1.20 ± 0.30 | 100.0% |"
    assert recovered([one]).splitlines()[-1] == row
