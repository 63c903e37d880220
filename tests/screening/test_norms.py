import json

import numpy as np
import pytest

from assay.screening.evidence import Evidence
from assay.screening.norms import ALL, Norms, any_norms, find_norms, fit_components
from assay.screening.turns import STATISTICS
from examples.screened_games import PLAIN, STANDARD

N = len(STATISTICS)
WIDE = (1, N)


def evidence(apart: np.ndarray, variance: np.ndarray, slope: np.ndarray) -> Evidence:
    return Evidence(apart, variance, np.zeros_like(apart), slope, apart, np.full(len(apart), 30))


def test_the_norms_that_ship_are_there_and_sound() -> None:
    found = find_norms(STANDARD)
    assert found is not None
    assert any_norms() is found
    assert found.curves.numbers.shape == (4, 5)
    assert found.scale.shape == (len(ALL), 2)
    assert (found.dispersion > 1).all()
    assert (found.dispersion < 2).all(), "Regan and Haworth bound deviations by 1.15 and 1.4"
    assert {one["games"] for one in found.rates} == {1, 5, 9}
    assert found.about["players"] > 700
    assert find_norms("another") is None


def test_honest_games_kept_out_were_named_about_as_often_as_they_should() -> None:
    """What ships says so itself: within a factor of 1.5 where a hundred games or so would be beyond."""
    found = find_norms(STANDARD)
    assert found is not None
    for one in found.rates:
        if one["band"] == "all" and one["games"] == 1 and one["nominal"] >= 0.01:
            both = (one["above"] + one["below"]) / 2
            assert one["nominal"] / 1.5 < both < one["nominal"] * 1.5
    for one in found.sequence["rates"]:
        assert one["share"] <= one["level"]


def test_norms_survive_json() -> None:
    again = Norms.of(json.loads(json.dumps(PLAIN.document())))
    assert again.document() == PLAIN.document()


def test_variance_of_games_of_one_player_and_of_many() -> None:
    wide = (4, N)
    own = evidence(np.zeros(wide), np.full(wide, 2.0), np.full(wide, 0.01))
    assert PLAIN.variance(own, error=0.0) == pytest.approx(np.full(N, 8.0))
    assert PLAIN.variance(own, error=100.0) == pytest.approx(np.full(N, 8.0 + 16.0))
    assert PLAIN.variance(own, error=100.0, alone=False) == pytest.approx(np.full(N, 8.0 + 4.0))


def test_known_components_are_found_again() -> None:
    generator = np.random.default_rng(0)
    n = 20_000
    variance = generator.uniform(3, 15, (n, 1)) * np.ones(WIDE)
    slope = generator.uniform(0.005, 0.05, (n, 1)) * np.ones(WIDE)
    apart = np.sqrt(1.3 * variance) * generator.normal(size=(n, N))
    apart += slope * np.hypot(100, 60) * generator.normal(size=(n, N))
    a, f = fit_components(evidence(apart, variance, slope), error=60.0)
    assert a == pytest.approx(np.full(N, 1.3), rel=0.1)
    assert f == pytest.approx(np.full(N, 100), rel=0.15)
