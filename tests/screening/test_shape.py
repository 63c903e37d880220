"""The sinh-arcsinh distribution: known shapes are found again, and what was skew becomes standard normal."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from assay.errors import FitError
from assay.screening.shape import Shape, _loss, fit_shape

TRUE = Shape(
    np.array([0.3, -0.1]),
    np.array([0.2, 0.1]),
    np.array([-0.3, -0.1]),
    np.array([-0.2, 0.05]),
    np.zeros(2),
    np.zeros(2),
)


def drawn(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Standard normal z, what is known of each, and the departure that has this z."""
    rng = np.random.default_rng(seed)
    z, known = rng.normal(size=n), np.column_stack((np.ones(n), rng.uniform(-1, 1, n)))
    y = np.sinh((np.arcsinh(z) + known @ TRUE.skew) * np.exp(-(known @ TRUE.tail)))
    return z, known, known @ TRUE.middle + np.exp(known @ TRUE.scale) * y


def test_the_departure_of_a_shape_is_standard() -> None:
    z, known, departure = drawn(1000)
    assert TRUE.standard(departure, known, known) == pytest.approx(z)


def test_a_known_shape_is_found_again() -> None:
    _, known, departure = drawn(20_000)
    found = fit_shape(departure, known, known, np.ones(len(known)))
    for part in ("middle", "scale", "skew", "tail"):
        assert getattr(found, part) == pytest.approx(getattr(TRUE, part), abs=0.06), part


def test_tails_become_nominal_that_were_not() -> None:
    """The shape is fitted to half of them; the other half has one in 1,000 beyond one in 1,000."""
    _, known, departure = drawn(100_000)
    half = len(departure) // 2
    found = fit_shape(departure[:half], known[:half], known[:half], np.ones(half))
    plain = (departure - departure.mean()) / departure.std()
    z = found.standard(departure, known, known)[half:]
    for threshold, nominal in ((1.645, 0.05), (2.326, 0.01), (3.09, 0.001)):
        assert (z > threshold).mean() == pytest.approx(nominal, rel=0.35)
        assert (z < -threshold).mean() == pytest.approx(nominal, rel=0.35)
    assert (plain < -3.09).mean() > 0.004, "or the test could not fail"


def test_the_gradient_is_that_of_the_likelihood() -> None:
    _, known, departure = drawn(50)
    numbers = np.random.default_rng(1).normal(0, 0.2, 8)
    given = departure, known, known, np.full(50, 0.02), np.full(8, 0.1)
    numerical = approx_fprime(numbers, lambda some: _loss(some, *given)[0], 1e-6)
    assert _loss(numbers, *given)[1] == pytest.approx(numerical, abs=1e-4)


def test_groups_that_count_twice_are_as_two() -> None:
    _, known, departure = drawn(4000)
    departure[:2000] += 1
    double = [np.concatenate((one, one[:2000])) for one in (departure, known)]
    twice = fit_shape(double[0], double[1], double[1], np.ones(6000))
    weighed = fit_shape(departure, known, known, np.repeat([2.0, 1.0], 2000))
    once = fit_shape(departure, known, known, np.ones(4000))
    assert weighed.middle == pytest.approx(twice.middle, abs=0.02)
    assert abs(once.middle[0] - twice.middle[0]) > 0.05, "or the test could not fail"


def test_what_cannot_be_fitted_is_said() -> None:
    _, known, departure = drawn(8)
    with pytest.raises(FitError, match="8 honest groups do not tell"):
        fit_shape(departure, known, known, np.ones(8))


def test_tails_beyond_two_deviations_have_a_factor_of_their_own() -> None:
    """Departures are normal but for those beyond -2, which go half as far again."""
    rng = np.random.default_rng(0)
    known = np.ones((60_000, 1))
    z = rng.normal(size=len(known))
    departure = np.where(z < -2, -2 + 1.5 * (z + 2), z)
    found = fit_shape(departure, known, known, np.ones(len(known)))
    fresh = rng.normal(size=100_000)
    again = found.standard(
        np.where(fresh < -2, -2 + 1.5 * (fresh + 2), fresh), np.ones((100_000, 1)), np.ones((100_000, 1))
    )
    assert (again < -3.09).mean() == pytest.approx(0.001, rel=0.4)
    assert (departure < -3.09).mean() > 0.0025, "or the test could not fail"
    assert found.below[0] < found.above[0]
