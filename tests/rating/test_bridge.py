"""Bridges: the scale of one source of values serves another."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.errors import InputError, MappingError
from assay.models.appearances import Appearances
from assay.rating.bridge import (
    FEWEST_GAMES,
    FEWEST_GROUPS,
    NEAR_ONE,
    SAME_SIDES,
    Bridge,
    Halves,
    Paired,
    bridge_spread,
    native_for,
)
from assay.rating.calibration import Calibration
from assay.rating.pipeline import rate_decisions
from assay.rating.posterior import RawRatings, covariance
from assay.rating.scale import bridge_note
from assay.rating.spread import Spread
from examples.bridge_games import OTHER, few_methods, revalued
from examples.milepost_games import milepost_games
from examples.spreads import TRUE_UNIT, known

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


# Lines of another source of values: they are found, and err by as much as is said, by simulation.

SHIFT, SLOPE = np.array([-120.0, 60.0]), np.array([0.8, 1.1])
WIDER = np.array([1.1, 1.4])
ROOT = np.linalg.cholesky(TRUE_UNIT)


def native() -> Spread:
    return replace(known(), milepost_games=90.0)


def simulated(
    rng: np.random.Generator,
    together: float = 0.7,
    n: int = 140,
    rated: bool = True,
    slope: np.ndarray = SLOPE,
) -> Paired:
    """Appearances by two sources whose errors have a share in common; halves of decisions err apart."""
    elo = np.repeat(np.arange(1500.0, 2900, 100), n // 14)

    def errors() -> np.ndarray:
        return rng.normal(size=(2, n, 2)) @ ROOT.T * np.sqrt(2)  # of two halves: their mean has TRUE_UNIT

    common, own, others = errors(), errors(), errors()
    share, rest = np.sqrt(together), np.sqrt(1 - together)
    x = elo[:, None] + share * common + rest * own
    # The other source errs wider, by errors of its own beyond the native ones.
    noise = np.sqrt(WIDER**2 - together)
    y = SHIFT + slope * (elo[:, None] + share * common + noise * others)
    middle = slope * native().centre - native().centre
    y -= middle  # so that a shift is one in the middle of the scale

    def mean(raw: np.ndarray):
        whole = raw.mean(axis=0)
        return lambda weights: weights @ whole / weights.sum(axis=1, keepdims=True)

    return Paired(
        native=mean(x),
        other=mean(y),
        elo=elo if rated else None,
        pool=(np.arange(n) // 10).astype(np.int64),
        cluster=(np.arange(n) // 2).astype(np.int64),
        halves=None if rated else Halves(x, y),
    )


@pytest.mark.parametrize("rated", [True, False])
def test_lines_are_found_and_err_by_as_much_as_is_said(rated: bool) -> None:
    rng = np.random.default_rng(3)
    off, said, tilted, said_tilted = [], [], [], []
    for _ in range(60):
        # Without ratings what is taken for likely beforehand counts: truth is drawn from it.
        slope = SLOPE if rated else np.maximum(rng.normal(1, NEAR_ONE, 2), 0.2)
        spread = bridge_spread(native(), simulated(rng, rated=rated, slope=slope))
        assert spread.bridge is not None
        deviation = np.sqrt(np.diag(spread.unit[0]))
        centre = spread.bridge.centre
        line = spread.offset[0] + spread.slope[0] * centre
        truth = SHIFT + slope * centre - (slope - 1) * native().centre
        off.append(line - truth)
        said.append(np.diag(spread.bridge.shift) * deviation**2)
        tilted.append(spread.slope[0] - slope)
        said_tilted.append(np.diag(spread.bridge.slope) * deviation**2)
    errors, expected = np.square(off).mean(axis=0), np.mean(said, axis=0)
    # The ratio of variances from 60 trials is known to a deviation of 18 per cent.
    assert errors / expected == pytest.approx(1.0, abs=0.45)
    assert (np.abs(np.mean(off, axis=0)) < 3 * np.sqrt(errors / 60)).all()
    slopes, expected_slopes = np.square(tilted).mean(axis=0), np.mean(said_tilted, axis=0)
    assert slopes / expected_slopes == pytest.approx(1.0, abs=0.5)
    assert (np.abs(np.mean(tilted, axis=0)) < 3 * np.sqrt(slopes / 60)).all()


def test_deviations_are_those_of_the_other_source() -> None:
    rng = np.random.default_rng(5)
    for rated in (True, False):
        found = [bridge_spread(native(), simulated(rng, rated=rated)) for _ in range(30)]
        wider = np.mean([np.sqrt(np.diag(one.unit[0]) / np.diag(TRUE_UNIT)) for one in found], axis=0)
        assert wider == pytest.approx(SLOPE * WIDER, rel=0.08)


def test_a_bridge_is_better_than_its_games_alone() -> None:
    """What native values are known to err by in these games is taken off."""
    rng = np.random.default_rng(7)
    bridged, alone = [], []
    for _ in range(60):
        paired = simulated(rng, together=0.8)
        assert paired.elo is not None
        spread = bridge_spread(native(), paired)
        assert spread.bridge is not None
        centre = spread.bridge.centre
        truth = SHIFT + SLOPE * centre - (SLOPE - 1) * native().centre
        bridged.append(spread.offset[0] + spread.slope[0] * centre - truth)
        alone.append(paired.other(np.eye(140)).mean(axis=0) - truth)
    assert (np.std(bridged, axis=0) < 0.9 * np.std(alone, axis=0)).all()


def test_the_error_of_a_bridge_grows_away_from_its_games() -> None:
    error = bridge_spread(native(), simulated(np.random.default_rng(1))).bridge
    assert error is not None
    assert np.diag(error.at(error.centre)) == pytest.approx(np.diag(error.shift))
    assert (np.diag(error.at(error.centre + 800)) > 2 * np.diag(error.shift)).all()


def test_more_games_than_were_measured_follow_the_native_lines() -> None:
    start = native()
    drawn = replace(start, slope=np.linspace(0.8, 1.0, 6)[:, None] * np.ones(2))
    spread = bridge_spread(drawn, simulated(np.random.default_rng(2)))
    ratio = spread.slope / drawn.slope
    assert ratio[3:] == pytest.approx(ratio[2:3].repeat(3, axis=0))


def test_a_half_of_which_a_method_says_nothing_is_left_out_of_the_slope() -> None:
    """Short games have halves without a decision that a method reads; one made all lines not a number."""
    whole = simulated(np.random.default_rng(4), rated=False)
    assert whole.halves is not None
    native_halves, other_halves = whole.halves.native.copy(), whole.halves.other.copy()
    native_halves[0, 3, 1], other_halves[1, 77, 0] = np.nan, np.nan
    found = bridge_spread(native(), replace(whole, halves=Halves(native_halves, other_halves)))
    assert found.bridge is not None
    for one in (found.offset, found.slope, found.unit, found.bridge.shift, found.bridge.slope):
        assert np.isfinite(one).all()
    without = bridge_spread(native(), whole)
    assert found.slope == pytest.approx(without.slope, rel=0.1)


def test_too_few_halves_are_one_sentence() -> None:
    whole = simulated(np.random.default_rng(4), rated=False)
    assert whole.halves is not None
    broken = whole.halves.native.copy()
    broken[0, FEWEST_GROUPS - 1 :] = np.nan
    with pytest.raises(InputError, match=f"only {FEWEST_GROUPS - 1} players in games"):
        bridge_spread(native(), replace(whole, halves=Halves(broken, whole.halves.other)))
