import numpy as np
import pytest
from scipy.special import expit, logit

from assay.errors import FitError
from assay.screening.curves import Curves, fit_curves, fit_scale
from assay.screening.turns import TAKEN, Projected

NOTHING = np.tile([0.0, 1.0, 0.0, 0.0, 0.0], (4, 1))


def made(n: int, seed: int = 0) -> Projected:
    generator = np.random.default_rng(seed)
    shares = np.sort(generator.uniform(0.1, 0.95, (n, 3)), axis=1)
    error = generator.uniform(0.02, 0.3, n)
    phase = (generator.random((n, 2)) < 0.2).astype(float)
    stake = np.sqrt(generator.uniform(0, 1, n))
    return Projected(np.column_stack((shares, -error)), error**2, -(error**3), phase, stake)


def test_without_curves_nothing_is_bent() -> None:
    projected = made(20)
    found = Curves(NOTHING).bend(projected, np.full(20, 1900.0))
    assert found.expected[:, [0, 1, 2, 5]] == pytest.approx(projected.expected)
    p = projected.expected[:, 0]
    assert found.weight == pytest.approx(np.log1p(TAKEN / (1 - TAKEN) / p))
    for place, weight in ((3, found.weight), (4, projected.stake)):
        assert found.expected[:, place] == pytest.approx(weight * p)
        assert found.variance[:, place] == pytest.approx(weight**2 * p * (1 - p))
        assert found.third[:, place] == pytest.approx(weight**3 * p * (1 - p) * (1 - 2 * p))
    assert found.third[:, 0] == pytest.approx(p * (1 - p) * (1 - 2 * p))
    assert found.variance[:, 5] == pytest.approx(projected.error_variance)


def test_apart_is_observed_less_expected() -> None:
    found = Curves(NOTHING).bend(made(3), np.full(3, 2100.0))
    observed = np.array([[1.0, 1, 1, 0], [0, 1, 1, -0.1], [0, 0, 0, -0.4]])
    apart = found.apart(observed)
    assert apart[:, 0] + found.expected[:, 0] == pytest.approx([1, 0, 0])
    assert apart[:, 3] + found.expected[:, 3] == pytest.approx([found.weight[0], 0, 0])
    assert apart[:, 4] + found.expected[:, 4] == pytest.approx([found.stake[0], 0, 0])


def test_known_curves_are_found_again() -> None:
    n = 40_000
    generator = np.random.default_rng(1)
    projected, elo = made(n, seed=2), generator.uniform(1500, 2700, n)
    x = (elo - 2100) / 400
    phase = projected.phase @ [0.3, 0.15]
    shares = [expit(0.2 + 0.9 * logit(projected.expected[:, k]) + 0.1 * x + phase) for k in range(3)]
    error = np.exp(-0.3 + 0.8 * np.log(-projected.expected[:, 3]) - 0.1 * x - phase)
    observed = np.column_stack(
        (*(generator.random(n) < share for share in shares), -generator.exponential(error))
    ).astype(float)
    found = fit_curves(projected, observed, elo).numbers
    assert found[:3] == pytest.approx(np.tile([0.2, 0.9, 0.1, 0.3, 0.15], (3, 1)), abs=0.1)
    assert found[3] == pytest.approx([-0.3, 0.8, -0.1, -0.3, -0.15], abs=0.1)


def test_a_scale_that_changes_with_elo_is_found() -> None:
    generator = np.random.default_rng(0)
    elo = generator.uniform(1500, 2700, 20_000)
    z = generator.normal(size=20_000) * np.exp(0.1 + 0.05 * (elo - 2100) / 400)
    assert fit_scale(z, elo) == pytest.approx([0.1, 0.05], abs=0.02)


def test_what_cannot_be_fitted_is_said() -> None:
    projected = made(50)
    observed = np.column_stack(
        (np.ones((50, 3)), np.full(50, -0.1))
    )  # everyone always right: no finite curve
    with pytest.raises((FitError, np.linalg.LinAlgError)):
        fit_curves(projected, observed, np.linspace(1500, 2700, 50))
