"""Norms of games that bring one value per position along: known ones are found again."""

import json

import numpy as np
import pytest

from assay.decisions.evaluation import EVALUATED
from assay.screening.source_norms import READ, Known, SourceNorms, find_source_norms, fit_source_norms


def drawn(n: int, games: int, seed: int) -> tuple[np.ndarray, Known]:
    """Departures with a middle and a scale by rating, games and their length, and a tail below."""
    generator = np.random.default_rng(seed)
    known = Known(
        np.full(n, float(games)), games * generator.uniform(20, 60, n), generator.uniform(1500, 2700, n)
    )
    z = generator.normal(size=(n, len(READ)))
    skew = np.sinh(np.arcsinh(z) - 0.2)
    middle = known.wide @ [0.2, -0.1, 0.05, -0.1, 0.3]
    scale = np.exp(known.wide @ [0.1, 0.05, 0.0, 0.1, -0.1])
    return middle[:, None] + scale[:, None] * skew, known


def both(first: tuple[np.ndarray, Known], second: tuple[np.ndarray, Known]) -> tuple[np.ndarray, Known]:
    parts = ("games", "turns", "reference")
    known = Known(*(np.concatenate([getattr(one[1], part) for one in (first, second)]) for part in parts))
    return np.concatenate((first[0], second[0])), known


@pytest.fixture(scope="module")
def honest() -> tuple[np.ndarray, Known]:
    return both(drawn(12_000, 1, 0), drawn(3_000, 5, 1))


@pytest.fixture(scope="module")
def fitted(honest: tuple[np.ndarray, Known]) -> SourceNorms:
    return fit_source_norms("made", *honest)


def test_honest_players_depart_by_a_standard_normal(
    honest: tuple[np.ndarray, Known], fitted: SourceNorms
) -> None:
    for games, kept_out in ((1, drawn(20_000, 1, 2)), (5, drawn(20_000, 5, 3))):
        z = fitted.standard(*kept_out)
        assert z.std() == pytest.approx(1, abs=0.03), games
        for threshold, share, within in ((1.645, 0.05, 0.15), (2.326, 0.01, 0.3), (3.09, 0.001, 0.8)):
            assert (z > threshold).mean() == pytest.approx(share, rel=within), games
            assert (z < -threshold).mean() == pytest.approx(share, rel=within), games
    plain = (honest[0] - honest[0].mean()) / honest[0].std()
    assert (plain < -2.326).mean() > 0.015, "or the test could not fail"


def test_long_games_are_no_better_for_being_long(
    honest: tuple[np.ndarray, Known], fitted: SourceNorms
) -> None:
    departure, known = honest
    z = fitted.standard(departure, known)
    long = known.turns / known.games > 50
    assert z[long].mean() == pytest.approx(0, abs=0.04)
    assert departure[long].mean() - departure[~long].mean() > 0.1, "or the test could not fail"


def test_many_games_are_of_the_shape_of_nine() -> None:
    nine, many = (Known(np.array([n]), np.array([35 * n]), np.array([2100.0])) for n in (9.0, 90.0))
    assert many.narrow.tolist() == nine.narrow.tolist()
    assert many.wide[0, 3] > nine.wide[0, 3]


def test_what_is_not_known_stays_unknown(fitted: SourceNorms) -> None:
    known = Known(np.array([3.0]), np.array([90.0]), np.array([2000.0]))
    z = fitted.standard(np.array([[np.nan, 1.0]]), known)
    assert np.isnan(z[0, 0])
    assert np.isfinite(z[0, 1])


def test_norms_survive_json(fitted: SourceNorms) -> None:
    again = SourceNorms.of(json.loads(json.dumps(fitted.document())))
    assert again.document() == fitted.document()
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
