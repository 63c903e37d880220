import numpy as np
import pytest

from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.models.depth.agents import AgentsByElo
from assay.testing import with_trace
from assay.workspace import Workspace
from examples.milepost_games import milepost_games
from research.evidence.composites import Composites, main, table

AGENTS = AgentsByElo(np.array([1000.0, 3000.0]), np.array([[0.7, 0.0, 0.0], [1.5, -3.0, 2.0]]))


@pytest.fixture(scope="module")
def composites() -> Composites:
    made = milepost_games(elos=(1700, 1800, 1900), games=16, plies=60, games_each=2)
    return Composites(Appearances.of(with_trace(made, depths=3)), AGENTS)


def test_everything_is_tallied(composites: Composites) -> None:
    # These games have no positions, so no phases: colours alone are compared, and nobody has an endgame.
    found = composites.tally(4, drawings=40)
    assert found.honest > 40
    assert len(found.z["colour"]) > found.honest  # both colours, where a player had both
    assert len(found.z["phase"]) == 0
    assert np.mean(np.abs(found.z["colour"]) > 1.96) < 0.15
    assert found.weak == {200: 0, 400: 0}
    assert found.drawn == 3 * 40  # a player of each level each time
    assert found.any_drawn < 0.2


def test_only_games_that_have_a_calibration(tmp_path: object) -> None:
    with pytest.raises(InputError):
        main([str(Workspace(f"{tmp_path}/none").path)])


def test_the_table_says_how_often(composites: Composites) -> None:
    assert "| 4 |" in table([composites.tally(4, drawings=1)])
