"""Bridges: the scale of one source of values serves another."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.errors import InputError, MappingError
from assay.models.appearances import Appearances
from assay.rating.bridge import FEWEST_GAMES, SAME_SIDES, Bridge, native_for
from assay.rating.calibration import Calibration
from assay.rating.posterior import RawRatings, covariance
from assay.rating.rate import rate_decisions
from assay.rating.scale import bridge_note
from examples.bridge_games import OTHER, few_methods, revalued
from examples.milepost_games import milepost_games

ELOS = tuple(range(1700, 2700, 100))


@pytest.fixture(scope="module")
def calibration(appearances: Appearances) -> Calibration:
    return few_methods(appearances)


@pytest.fixture(scope="module")
def few() -> Decisions:
    return milepost_games(ELOS, games=6, games_each=2, seed=41)


@pytest.fixture(scope="module")
def bridge(few: Decisions, calibration: Calibration) -> Bridge:
    return Bridge.of(calibration, Appearances.of(few), Appearances.of(revalued(few)))


@pytest.fixture(scope="module")
def made(bridge: Bridge) -> Calibration:
    return bridge.calibration({"engine": "others", "recipe": OTHER})


def test_ratings_by_a_bridge_are_near_native_ones(calibration: Calibration, made: Calibration) -> None:
    new = milepost_games([1800, 2100, 2400], games=8, games_each=8, seed=43)
    native, _ = rate_decisions(new, calibration)
    bridged, _ = rate_decisions(revalued(new), made)
    by_name = {one.player: one.combined for one in bridged}
    for one in native:
        other = by_name[one.player]
        assert one.combined is not None
        assert other is not None
        assert other.elo == pytest.approx(one.combined.elo, abs=140)
        assert other.low < other.elo < other.high


def test_without_the_bridge_the_native_scale_would_be_wrong(calibration: Calibration) -> None:
    """The other source is far enough from the native one for a bridge to have something to do."""
    new = milepost_games([2400], games=8, games_each=8, seed=43)
    there, _ = rate_decisions(new, calibration)
    mistaken, _ = rate_decisions(revalued(new, recipe="made"), calibration)
    pairs = [(one.combined, other.combined) for one, other in zip(there, mistaken, strict=True)]
    assert np.mean([a.elo - b.elo for a, b in pairs if a is not None and b is not None]) > 100


def test_without_ratings_it_says_nearly_the_same(bridge: Bridge, made: Calibration) -> None:
    blind = bridge.without_ratings()
    assert not blind.rated
    other = blind.calibration({"engine": "others", "recipe": OTHER})
    assert made.bridged_from is not None
    assert made.bridged_from["by_ratings"]
    assert other.bridged_from is not None
    assert not other.bridged_from["by_ratings"]
    new = revalued(milepost_games([1900, 2300], games=8, games_each=8, seed=47))
    with_ratings = {one.player: one.combined for one in rate_decisions(new, made)[0]}
    for one in rate_decisions(new, other)[0]:
        same = with_ratings[one.player]
        assert one.combined is not None
        assert same is not None
        assert one.combined.elo == pytest.approx(same.elo, abs=150)


def test_its_error_is_in_every_interval(made: Calibration) -> None:
    raw = RawRatings(np.full(len(made.spread.methods), 2100.0), 3000.0)
    places = list(range(len(made.spread.methods)))
    surely = replace(made.spread, bridge=None)
    for elo in (1700.0, 2100.0, 2600.0):
        added = covariance(raw, made.spread, elo, places) - covariance(raw, surely, elo, places)
        assert np.diag(added).min() > 0
        assert np.linalg.eigvalsh(added).min() > -1e-6 * np.diag(added).max()


def test_written_and_read_it_rates_the_same(made: Calibration, few: Decisions, tmp_path: Path) -> None:
    made.write(tmp_path / "made.npz")
    again = Calibration.read(tmp_path / "made.npz")
    new = revalued(milepost_games([2000], games=3, seed=51))
    assert rate_decisions(new, again) == rate_decisions(new, made)
    assert again.bridged_from == made.bridged_from
    assert "bridge of 60 games" in bridge_note(again)


def test_what_makes_no_bridge(few: Decisions, calibration: Calibration, made: Calibration) -> None:
    own = Appearances.of(few)
    with pytest.raises(InputError, match="same recipe with the same engine"):
        Bridge.of(calibration, own, own)
    assert "calls itself" in SAME_SIDES
    other = revalued(few)
    some = Appearances.of(other.select(game=Appearances.of(other).games()[:30]))
    with pytest.raises(InputError, match="only 30 were analysed by both sides"):
        Bridge.of(calibration, own, some)
    small = milepost_games([2000, 2200], games=4, seed=53)
    with pytest.raises(InputError, match=f"needs {FEWEST_GAMES} games"):
        Bridge.of(calibration, Appearances.of(small), Appearances.of(revalued(small)))
    with pytest.raises(InputError, match="is a bridge itself"):
        Bridge.of(made, Appearances.of(other), own)


def test_a_bridge_starts_from_a_native_scale(calibration: Calibration, made: Calibration) -> None:
    assert native_for(calibration, "made") is calibration
    with pytest.raises(MappingError, match="--like"):
        native_for(None, "tiny")
    with pytest.raises(MappingError, match="not from another bridge"):
        native_for(made, OTHER)
