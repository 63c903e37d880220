"""Percentiles: shares of a population from its quantiles, with the population named."""

import math
from pathlib import Path

import numpy as np
import pytest

from assay.decisions.evaluation import LICHESS
from assay.errors import InputError
from assay.executors import Serial
from assay.rating import measures as percentiles
from assay.rating.measures import (
    FEWEST_PLAYERS,
    RATING,
    SHARES,
    Population,
    fide_percentile,
    measured,
    population_of,
    populations,
    quantiles_of,
    share_below,
    shipped_populations,
)
from assay.rating.stream import METHODS, ratings_of, stream
from examples.server_games import evaluated_games


def test_shares_are_those_of_the_values_themselves() -> None:
    values = np.random.default_rng(1).normal(1600, 300, 20_001)
    quantiles = np.array(quantiles_of(values))
    for value in np.quantile(values, np.linspace(0.02, 0.98, 25)):
        # Between two quantiles a line stands in for the distribution.
        assert share_below(quantiles, value) == pytest.approx((values < value).mean(), abs=0.012)


def test_ties_count_as_half_and_the_ends_are_no_further_than_known() -> None:
    quantiles = np.array(quantiles_of([0.0] * 60 + [1.0] * 40))
    assert share_below(quantiles, 0.0) == pytest.approx(0.3, abs=0.06)
    assert share_below(quantiles, -5.0) == SHARES[0]
    assert share_below(quantiles, 5.0) == SHARES[-1]


def test_less_is_better_where_it_is() -> None:
    quantiles = {"loss": quantiles_of(np.arange(1001.0)) or []}
    one = Population("x", "players", 1001, quantiles, rises={"loss": False})
    found = one.percentile("loss", 250.0)
    assert found is not None
    assert found.share == pytest.approx(0.75)
    best, worst = one.percentile("loss", -9), one.percentile("loss", 9e9)
    assert best is not None
    assert worst is not None
    assert (found.players, best.share, worst.share) == (1001, 0.99, 0.01)
    assert one.percentile("conformance", 0.5) is None
    assert one.percentile("loss", math.nan) is None


@pytest.fixture
def bands(monkeypatch: pytest.MonkeyPatch) -> None:
    known = (
        Population("x", "all", 100, {}),
        Population("x", "low", 50, {}, band=(1600, 1799)),
        Population("x", "high", 50, {}, band=(1800, 1999)),
    )
    monkeypatch.setattr(percentiles, "shipped_populations", lambda: known)


@pytest.mark.usefixtures("bands")
@pytest.mark.parametrize(
    ("elo", "words"), [(None, "all"), (math.nan, "all"), (1600, "low"), (1799.5, "low"), (1800, "high")]
)
def test_players_of_like_rating(elo: float | None, words: str) -> None:
    found = population_of("x", elo)
    assert found is not None
    assert found.words == words


@pytest.mark.usefixtures("bands")
def test_nobody_of_like_rating() -> None:
    assert population_of("x", 2500) is None
    assert population_of("y") is None


def test_fides_list() -> None:
    assert fide_percentile(1800).players > 100_000
    assert fide_percentile(2830).share == SHARES[-1]
    assert fide_percentile(1400).share < fide_percentile(1800).share < fide_percentile(2200).share
    with pytest.raises(InputError, match="not a rating"):
        fide_percentile(math.nan)


def test_shipped_quantiles_rise_and_are_small() -> None:
    for one in shipped_populations():
        assert one.players >= percentiles.FEWEST_PLAYERS
        for many in one.quantiles.values():
            assert len(many) == len(SHARES)
            assert list(many) == sorted(many)
    folder = Path(percentiles.__file__).parents[1] / "data" / "calibrations"
    assert sum(path.stat().st_size for path in folder.glob("*.json")) < 300_000


# Population tables of streamed games.


def test_tables_hold_the_quantiles_of_what_is_measured(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(evaluated_games(150, n_players=45))
    sums = stream(path, executor=Serial(), keep=False).evidence
    found = populations(sums, least=10)
    whole = next(one for one in found if one.source == LICHESS["blitz"] and one.band is None)
    values, elo = measured(LICHESS["blitz"], sums[LICHESS["blitz"]], 10)
    assert whole.players == len(elo) >= FEWEST_PLAYERS
    assert set(whole.quantiles) == set(values) >= {"conformance", RATING}
    for name, many in whole.quantiles.items():
        np.testing.assert_allclose(many, np.quantile(values[name], SHARES))
    assert "lichess blitz" in whole.words
    best = whole.percentile("conformance", float(values["conformance"].max()))
    assert best is not None
    assert best.share == SHARES[-1]
    for one in found:
        assert one.players >= FEWEST_PLAYERS
        assert one.band is None or one.band[1] - one.band[0] == 199
    assert not populations(sums, least=100_000)


def test_values_are_those_of_the_ratings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.rating.stream.find_calibration", lambda source: None)
    path = tmp_path / "games.pgn"
    path.write_text(evaluated_games(12))
    found = stream(path, executor=Serial(), keep=False)
    (first, *_) = ratings_of(found)
    values, _ = measured(first.recipe_id, found.evidence[first.recipe_id], 1)
    for name in METHODS:
        own = sorted(player.measures[name].value for player in first.players)
        np.testing.assert_allclose(sorted(values[name]), own)
