"""Norms of games that bring one value per position along: known ones are found again."""

import json

import numpy as np
import pytest

from assay.domain.evaluators import EVALUATED
from assay.screening.source_norms import READ, SourceNorms, find_source_norms, fit_source_norms


def drawn(n: int, games: int, growth: float, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Departures of groups with middle 0.2 - 0.1 x, scale exp(0.1 + 0.05 x); tails of single games."""
    generator = np.random.default_rng(seed)
    elo = generator.uniform(1500, 2700, n)
    x = (elo - 2100) / 400
    spread = np.exp(0.1 + 0.05 * x) * games**growth
    noise = generator.standard_t(10, (n, len(READ))) * np.sqrt(0.8) if games == 1 else None
    plain = generator.normal(size=(n, len(READ))) if noise is None else noise
    return (0.2 - 0.1 * x)[:, None] + spread[:, None] * plain, elo, np.full(n, float(games))


@pytest.fixture(scope="module")
def honest() -> list[np.ndarray]:
    parts = [drawn(20_000, 1, 0.1, 0), drawn(4_000, 5, 0.1, 1)]
    return [np.concatenate(one) for one in zip(*parts, strict=True)]


def test_known_norms_are_found_again(honest: list[np.ndarray]) -> None:
    found = fit_source_norms("made", *honest)
    assert found.middle == pytest.approx(np.tile([0.2, -0.1], (2, 1)), abs=0.04)
    assert found.scale == pytest.approx(np.tile([0.1, 0.05], (2, 1)), abs=0.03)
    assert found.growth == pytest.approx([0.1, 0.1], abs=0.02)
    assert found.excess == pytest.approx([1.0, 1.0], abs=0.5)  # of Student's t with ten degrees


def test_honest_players_depart_by_a_standard_normal(honest: list[np.ndarray]) -> None:
    departure, elo, games = honest
    z = fit_source_norms("made", *honest).standard(departure, elo, games)
    for n in (1, 5):
        own = z[games == n]
        assert own.std() == pytest.approx(1, abs=0.04)
        for threshold, share in ((1.645, 0.05), (2.326, 0.01)):
            assert (np.abs(own) > threshold).mean() / 2 == pytest.approx(share, rel=0.2)
    assert (np.abs(departure) > 2.326).mean() / 2 > 0.013, "or the test could not fail"


def test_what_is_not_known_stays_unknown() -> None:
    found = fit_source_norms("made", *drawn(500, 1, 0.0, 2))
    z = found.standard(np.array([[np.nan, 1.0]]), np.array([2000.0]), np.array([3.0]))
    assert np.isnan(z[0, 0])
    assert np.isfinite(z[0, 1])


def test_norms_survive_json(honest: list[np.ndarray]) -> None:
    found = fit_source_norms("made", *honest)
    again = SourceNorms.of(json.loads(json.dumps(found.document())))
    assert again.document() == found.document()
    assert find_source_norms("made") is None


@pytest.mark.parametrize("source", [one for one in EVALUATED if find_source_norms(one) is not None])
def test_the_norms_that_ship_err_about_as_often_as_they_say(source: str) -> None:
    """Within a factor of 1.5 where enough groups are there to tell, both tails together."""
    found = find_source_norms(source)
    assert found is not None
    assert {one["games"] for one in found.rates} <= {1, 5, 9}
    for one in found.rates:
        if one["band"] == "all" and one["groups"] * one["nominal"] >= 25:
            assert one["nominal"] / 1.5 < (one["above"] + one["below"]) / 2 < one["nominal"] * 1.5
