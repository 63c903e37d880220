import numpy as np
import pytest

from assay.errors import InputError
from assay.models.depth.agent import DepthAgent, depth_weights


def test_weights_are_shares_that_rise_after_depth_one() -> None:
    weights = DepthAgent(3.0, 0.2, 1.5).weights(8)
    assert weights.sum() == pytest.approx(1)
    assert weights[0] == pytest.approx(0.2)
    assert weights[3] / weights[1] == pytest.approx(2**1.5)


def test_one_special_case_is_the_paper_the_last_depth_alone() -> None:
    weights = depth_weights(0.0, 400.0, 13)
    assert weights[-1] == pytest.approx(1)
    assert weights[:-1].sum() == pytest.approx(0, abs=1e-10)


def test_weights_of_many_agents() -> None:
    many = depth_weights(np.array([0.1, 0.3]), np.array([0.0, 2.0]), 5)
    assert many.shape == (2, 5)
    assert many[1] == pytest.approx(DepthAgent(1.0, 0.3, 2.0).weights(5))
    assert depth_weights(0.3, 1.0, 1).tolist() == [1.0]


def test_more_rise_is_more_depth() -> None:
    assert DepthAgent(3, 0.1, 2).mean_depth() > DepthAgent(3, 0.1, 1).mean_depth()
    assert DepthAgent(3, 0.1, 1).mean_depth() > DepthAgent(3, 0.4, 1).mean_depth()


def test_parameters_and_back() -> None:
    agent = DepthAgent(2.5, 0.25, 0.7)
    back = DepthAgent.of(agent.parameters)
    assert (back.c, back.sight, back.rise) == pytest.approx((2.5, 0.25, 0.7))


@pytest.mark.parametrize("wrong", [(-1.0, 0.2, 1.0), (1.0, 1.2, 1.0), (1.0, 0.2, float("nan"))])
def test_agents_that_cannot_be(wrong: tuple[float, float, float]) -> None:
    with pytest.raises(InputError, match="an agent has"):
        DepthAgent(*wrong)
