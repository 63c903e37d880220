"""Fits of norms find again what they were made from."""

import json

import numpy as np
import pytest
from scipy.special import expit, logit

from assay.errors import FitError
from assay.screening.norms import Groups, Norms, Shape
from assay.screening.statistics import NAMES, Evidence
from examples.screened_games import PLAIN, made_projection
from research.calibration.screening_norms import (
    document,
    fit_components,
    fit_curves,
    fit_scale,
    fit_shape,
    fit_source_norms,
)

N = len(NAMES)


def test_known_curves_are_found_again() -> None:
    n = 40_000
    generator = np.random.default_rng(1)
    projected, elo = made_projection(n, seed=2), generator.uniform(1500, 2700, n)
    x = (elo - 2100) / 400
    phase = projected.phase @ [0.3, 0.15]
    shares = [expit(0.2 + 0.9 * logit(projected.expected[:, k]) + 0.1 * x + phase) for k in range(2)]
    error = np.exp(-0.3 + 0.8 * np.log(-projected.expected[:, 2]) - 0.1 * x - phase)
    observed = np.column_stack(
        (*(generator.random(n) < share for share in shares), -generator.exponential(error))
    ).astype(float)
    found = fit_curves(projected, observed, elo).numbers
    assert found[:2] == pytest.approx(np.tile([0.2, 0.9, 0.1, 0.3, 0.15], (2, 1)), abs=0.1)
    assert found[2] == pytest.approx([-0.3, 0.8, -0.1, -0.3, -0.15], abs=0.1)


def test_a_scale_that_changes_with_elo_is_found() -> None:
    generator = np.random.default_rng(0)
    elo = generator.uniform(1500, 2700, 20_000)
    z = generator.normal(size=20_000) * np.exp(0.1 + 0.05 * (elo - 2100) / 400)
    assert fit_scale(z, elo) == pytest.approx([0.1, 0.05], abs=0.02)


def test_what_cannot_be_fitted_is_said() -> None:
    projected = made_projection(50)
    observed = np.column_stack(
        (np.ones((50, 2)), np.full(50, -0.1))
    )  # everyone always right: no finite curve
    with pytest.raises((FitError, np.linalg.LinAlgError)):
        fit_curves(projected, observed, np.linspace(1500, 2700, 50))


def test_known_components_are_found_again() -> None:
    generator = np.random.default_rng(0)
    n = 20_000
    variance = generator.uniform(3, 15, (n, 1)) * np.ones((1, N))
    slope = generator.uniform(0.005, 0.05, (n, 1)) * np.ones((1, N))
    apart = np.sqrt(1.3 * variance) * generator.normal(size=(n, N))
    apart += slope * np.hypot(100, 60) * generator.normal(size=(n, N))
    a, f = fit_components(Evidence(apart, variance, slope, apart, np.full(n, 30)), np.full(n, 60.0))
    assert a == pytest.approx(np.full(N, 1.3), rel=0.1)
    assert f == pytest.approx(np.full(N, 100), rel=0.15)


def drawn(n: int, games: int, seed: int) -> tuple[np.ndarray, Groups]:
    """Departures with a middle and a scale by rating, games and their length, and a tail below."""
    generator = np.random.default_rng(seed)
    known = Groups(
        np.full(n, float(games)), games * generator.uniform(20, 60, n), generator.uniform(1500, 2700, n)
    )
    z = generator.normal(size=n)
    skew = np.sinh(np.arcsinh(z) - 0.2)
    middle = known.wide @ [0.2, -0.1, 0.05, -0.1, 0.3]
    scale = np.exp(known.wide @ [0.1, 0.05, 0.0, 0.1, -0.1])
    return middle + scale * skew, known


def both(first: tuple[np.ndarray, Groups], second: tuple[np.ndarray, Groups]) -> tuple[np.ndarray, Groups]:
    parts = ("games", "turns", "reference")
    known = Groups(*(np.concatenate([getattr(one[1], part) for one in (first, second)]) for part in parts))
    return np.concatenate((first[0], second[0])), known


@pytest.fixture(scope="module")
def honest() -> tuple[np.ndarray, Groups]:
    return both(drawn(12_000, 1, 0), drawn(3_000, 5, 1))


def standard(norms: Norms, z: np.ndarray, known: Groups) -> np.ndarray:
    assert norms.shape is not None
    return norms.shape.standard(z, known.wide, known.narrow)


@pytest.fixture(scope="module")
def fitted(honest: tuple[np.ndarray, Groups]) -> Norms:
    return fit_source_norms("made", *honest)


def test_honest_players_depart_by_a_standard_normal(honest: tuple[np.ndarray, Groups], fitted: Norms) -> None:
    for games, kept_out in ((1, drawn(20_000, 1, 2)), (5, drawn(20_000, 5, 3))):
        z = standard(fitted, *kept_out)
        assert z.std() == pytest.approx(1, abs=0.03), games
        for threshold, share, within in ((1.645, 0.05, 0.15), (2.326, 0.01, 0.3), (3.09, 0.001, 0.8)):
            assert (z > threshold).mean() == pytest.approx(share, rel=within), games
            assert (z < -threshold).mean() == pytest.approx(share, rel=within), games
    plain = (honest[0] - honest[0].mean()) / honest[0].std()
    assert (plain < -2.326).mean() > 0.015, "or the test could not fail"


def test_long_games_are_no_better_for_being_long(honest: tuple[np.ndarray, Groups], fitted: Norms) -> None:
    z_raw, known = honest
    z = standard(fitted, z_raw, known)
    long = known.turns / known.games > 50
    assert z[long].mean() == pytest.approx(0, abs=0.04)
    assert z_raw[long].mean() - z_raw[~long].mean() > 0.1, "or the test could not fail"


@pytest.mark.parametrize("kind", ["turns", "shape"])
def test_norms_survive_json(kind: str, fitted: Norms) -> None:
    norms = PLAIN if kind == "turns" else fitted
    assert document(Norms.of(json.loads(json.dumps(document(norms))))) == document(norms)


TRUE = Shape(
    np.array([0.3, -0.1]),
    np.array([0.2, 0.1]),
    np.array([-0.3, -0.1]),
    np.array([-0.2, 0.05]),
    np.zeros(2),
    np.zeros(2),
)


def of_shape(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Standard normal z, what is known of each, and the z_raw that has this z."""
    rng = np.random.default_rng(seed)
    z, known = rng.normal(size=n), np.column_stack((np.ones(n), rng.uniform(-1, 1, n)))
    y = np.sinh((np.arcsinh(z) + known @ TRUE.skew) * np.exp(-(known @ TRUE.tail)))
    return z, known, known @ TRUE.middle + np.exp(known @ TRUE.scale) * y


def test_a_known_shape_is_found_again() -> None:
    _, known, z_raw = of_shape(20_000)
    found = fit_shape(z_raw, known, known, np.ones(len(known)))
    for part in ("middle", "scale", "skew", "tail"):
        assert getattr(found, part) == pytest.approx(getattr(TRUE, part), abs=0.06), part


def test_too_few_groups_are_refused() -> None:
    _, known, z_raw = of_shape(8)
    with pytest.raises(FitError, match="8 honest groups do not tell"):
        fit_shape(z_raw, known, known, np.ones(8))


def test_tails_beyond_two_deviations_have_a_factor_of_their_own() -> None:
    """Departures are normal but for those beyond -2, which go half as far again."""
    rng = np.random.default_rng(0)
    known = np.ones((60_000, 1))
    z = rng.normal(size=len(known))
    z_raw = np.where(z < -2, -2 + 1.5 * (z + 2), z)
    found = fit_shape(z_raw, known, known, np.ones(len(known)))
    fresh = rng.normal(size=100_000)
    again = found.standard(
        np.where(fresh < -2, -2 + 1.5 * (fresh + 2), fresh), np.ones((100_000, 1)), np.ones((100_000, 1))
    )
    assert (again < -3.09).mean() == pytest.approx(0.001, rel=0.4)
    assert (z_raw < -3.09).mean() > 0.0025, "or the test could not fail"
    assert found.below[0] < found.above[0]
