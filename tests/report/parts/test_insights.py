"""What a report says of single players."""

from dataclasses import replace
from pathlib import Path

import pytest

from assay.answers.ratings import Ratings
from assay.rating.calibration import Calibration, find_calibration
from assay.report.parts.insights import PlayerInsights, apart, insights_of
from assay.study import Study
from examples.pupil_games import STANDARD, pupil_games


@pytest.fixture(scope="module")
def calibration() -> Calibration:
    found = find_calibration(STANDARD)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def ratings(tmp_path_factory: pytest.TempPathFactory) -> Ratings:
    path: Path = tmp_path_factory.mktemp("insights") / "pupil.parquet"
    pupil_games(6).write(path)
    return Study(path).rate(players=["pupil"])


def made(ratings: Ratings, calibration: Calibration | None) -> tuple[PlayerInsights, ...]:
    decisions = ratings.decisions
    assert decisions is not None
    return insights_of(ratings, decisions, calibration, {}, {})


def test_slices_positions_and_a_lesson(ratings: Ratings, calibration: Calibration) -> None:
    [found] = made(ratings, calibration)
    assert found.player == "Pupil, Pat"
    assert {"phase", "colour"} <= set(found.slices) <= {"phase", "colour", "opponent"}
    assert found.sentence
    assert found.moments
    assert all(one.diagram.startswith("data:image/svg") for one in found.moments)
    for cut in found.slices.values():
        assert len(cut.slices) > 1
        assert all("(" in apart(part) for part in cut.slices)


def test_nothing_is_said_where_it_cannot_be(ratings: Ratings, calibration: Calibration) -> None:
    assert made(ratings, None) == ()
    assert made(ratings, replace(calibration, slices={})) == ()
    assert made(replace(ratings, players=ratings.players * 4), calibration) == ()
    assert made(replace(ratings, by="year"), calibration) == ()
