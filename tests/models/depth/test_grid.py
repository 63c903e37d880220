import numpy as np
import pytest

from assay.decisions.arrays import Floats
from assay.errors import InputError
from assay.models.depth.grid import AXES, at, resolve

NODES = np.stack([one.ravel() for one in np.meshgrid(*AXES, indexing="ij")], axis=1)


def bell(mean: Floats, deviation: Floats) -> Floats:
    """A log-likelihood on the grid that is quadratic, so that cubic splines are exact."""
    return np.asarray(-0.5 * np.square((NODES - mean) / deviation).sum(axis=1))


def test_interpolation_is_exact_at_the_nodes_and_for_cubics() -> None:
    evidence = bell(np.array([3.0, -2.0, 1.0]), np.array([0.5, 1.0, 1.0]))
    assert at(evidence, NODES[[0, 100, 1699]]) == pytest.approx(evidence[[0, 100, 1699]])
    point = np.array([[3.3, -1.4, 2.2]])
    assert at(evidence, point) == pytest.approx([-0.5 * (0.36 + 0.36 + 1.44)])


@pytest.mark.parametrize("width", [0.4, 0.02, 0.002])
def test_a_posterior_is_resolved_however_narrow(width: float) -> None:
    mean, deviation = np.array([3.3, -1.7, 1.2]), width * np.array([1.0, 1.5, 1.2])
    found = resolve(bell(mean, deviation))
    assert found.mean == pytest.approx(mean, abs=0.02 * width)
    assert found.deviation == pytest.approx(deviation, rel=0.03)
    assert found.region() == pytest.approx(
        np.stack((mean - 1.96 * deviation, mean + 1.96 * deviation), axis=1), abs=0.1 * width
    )


def test_nothing_known_is_flat_over_the_grid() -> None:
    found = resolve(np.zeros(len(NODES)))
    assert found.mean == pytest.approx([(axis[0] + axis[-1]) / 2 for axis in AXES])
    assert found.region()[0] == pytest.approx([0.5 + 0.025 * 8.5, 9.0 - 0.025 * 8.5])


def test_functions_of_the_weights() -> None:
    mean, deviation = np.array([3.0, -1.7, 1.2]), np.array([0.1, 0.1, 0.2])
    found = resolve(bell(mean, deviation)).region_of(lambda logit, rise: logit + rise)
    assert found[:2] == pytest.approx([-0.5, np.hypot(0.1, 0.2)], abs=0.01)
    assert found[2:] == pytest.approx([-0.5 - 1.96 * 0.2236, -0.5 + 1.96 * 0.2236], abs=0.03)


def test_what_is_not_finite_is_refused() -> None:
    with pytest.raises(InputError, match="finite"):
        resolve(np.full(len(NODES), -np.inf))
