import numpy as np
import pytest

from assay.decisions.profile import Profile
from assay.errors import InputError
from assay.models.depth.by_elo import AgentsByElo, fit_agents
from assay.models.depth.grid import AXES

NODES = np.stack([one.ravel() for one in np.meshgrid(*AXES, indexing="ij")], axis=1)
LINES = AgentsByElo(np.array([1600.0, 2600.0]), np.array([[0.9, -1.1, 0.7], [1.3, -2.2, 1.5]]))


def test_straight_lines_between_and_beyond() -> None:
    assert LINES.parameters_at(2100.0) == pytest.approx([np.exp(1.1), -1.65, 1.1])
    assert LINES.parameters_at(2700.0) == pytest.approx([np.exp(1.34), -2.31, 1.58])
    assert LINES.parameters_at(1500.0)[2] < 0.7
    assert LINES.parameters_at(9000.0) == pytest.approx(LINES.parameters_at(3200.0))


def test_agents_of_elos() -> None:
    one, other = LINES.agents([1600, 2600])
    assert (one.c, other.rise) == pytest.approx((np.exp(0.9), 1.5))
    assert LINES.at(1600.0).sight == pytest.approx(1 / (1 + np.exp(1.1)))


def test_lines_are_found_again_from_mileposts() -> None:
    elos = np.arange(1600.0, 2700.0, 100)
    profiles = []
    for point in LINES.parameters_at(elos):
        evidence = -500 * np.square((NODES - point) / [1.0, 1.5, 2.0]).sum(axis=1)
        profiles.append(Profile("depth()", evidence, 1000.0, 10.0, recipe_id="made"))
    found = fit_agents(elos, profiles)
    assert found.parameters_at(elos) == pytest.approx(LINES.parameters_at(elos), abs=0.02)


def test_two_mileposts_at_least() -> None:
    with pytest.raises(InputError, match="two or more"):
        fit_agents([1600.0], [Profile("depth()", np.zeros(len(NODES)), 1.0, 1.0, recipe_id="made")])
    with pytest.raises(InputError, match="rising"):
        AgentsByElo(np.array([1700.0, 1600.0]), np.zeros((2, 3)))
