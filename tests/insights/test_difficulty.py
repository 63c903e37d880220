import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.insights.difficulty import BANDS, ELOS, columns_of, difficulty, expected_of, performance, rules
from assay.rating.calibration import Calibration
from assay.rating.references import lost_expectation
from examples.pupil_games import STANDARD, pupil_games


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    return pupil_games(6)


def test_columns_stand_beside_every_decision(decisions: Decisions, calibration: Calibration) -> None:
    found = difficulty(decisions, calibration)
    assert set(found) == {
        *(f"expected_loss_{elo}" for elo in ELOS),
        *(f"as_good_{elo}" for elo in ELOS),
        *("complexity_alliot", "complexity_guid_bratko"),
    }
    assert all(len(column) == len(decisions) for column in found.values())
    means = [np.nanmean(found[f"expected_loss_{elo}"]) for elo in ELOS]
    assert means[0] > means[1] > means[2] > 0
    assert np.nanmin(found["as_good_2000"]) >= 0
    assert np.nanmax(found["as_good_2000"]) <= 1 + 1e-9
    again = columns_of(STANDARD)(decisions)
    assert again["as_good_2000"] == pytest.approx(found["as_good_2000"], nan_ok=True)


def test_a_recipe_without_a_calibration_is_refused() -> None:
    with pytest.raises(InputError, match="recipe moon has none"):
        columns_of("moon")


def test_the_player_against_what_the_positions_asked(decisions: Decisions, calibration: Calibration) -> None:
    found = performance(decisions, "Pupil, Pat", 1800.0, calibration)
    own = decisions.select(player="Pupil, Pat").filter(*rules())
    lost = lost_expectation(own)
    assert found.accuracy == pytest.approx(100 * (1 - lost.mean()))
    assert sum(band.decisions for band in found.bands) == len(own)
    assert found.accuracy_of[1500] < found.accuracy_of[2000] < found.accuracy_of[2500]
    same = expected_of(own, calibration, 1800.0)
    for band in found.bands:
        assert band.name in BANDS
        assert band.difference == pytest.approx(band.lost - band.expected)
    whole = sum(band.expected * band.decisions for band in found.bands) / len(own)
    assert whole == pytest.approx(100 * same.lost.mean())
    assert found.easy_missed == ((lost >= 0.1) & (same.better >= 0.75)).sum()
    assert found.hard_solved == ((lost <= 0.01) & (same.fine <= 0.25)).sum()


def test_nobody_and_nothing(calibration: Calibration) -> None:
    with pytest.raises(InputError, match="no trace"):
        performance(pupil_games(1).select(player="Rival, Ray"), "Pupil, Pat", 1800.0, calibration)
