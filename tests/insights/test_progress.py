from pathlib import Path

import numpy as np
import pytest

from assay.answers.insights import Progress
from assay.errors import InputError
from assay.insights.progress import in_years, progress_of, trend_of
from assay.rating.calibration import find_calibration
from examples.pupil_games import STANDARD, pupil_games


def test_intervals_of_trends_hold_the_truth() -> None:
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(400):
        time = np.sort(rng.uniform(2010, 2014, 8))
        deviation = rng.uniform(40, 150, 8)
        found = trend_of(time, 1700 + 40 * (time - 2010) + deviation * rng.normal(size=8), deviation)
        assert found is not None
        held += found.low <= 40 <= found.high
    assert 0.93 <= held / 400 <= 0.99  # a little more than said: it is only ever widened


def test_a_line_is_found_exactly_and_short_times_have_none() -> None:
    time = np.array([2010.0, 2011.0, 2013.0])
    found = trend_of(time, 1500 + 25 * time, np.array([10.0, 20.0, 30.0]))
    assert found is not None
    assert found.a_year == pytest.approx(25)
    assert str(found).startswith("+25 points a year (")
    assert trend_of(time[:2], time[:2], time[:2]) is None
    assert trend_of(np.array([2010.0, 2010.1, 2010.2]), time, time) is None


def test_dates_in_years() -> None:
    assert in_years("2011-01-01") == 2011
    assert in_years("2011-07-02") == pytest.approx(2011.5, abs=0.01)
    assert 2011.1 < in_years("2011-02") < 2011.15
    assert 2011.1 < in_years("2011-02-31") < 2011.15


def progress(window: int | None = None, dates: dict[str, str] | None = None) -> Progress:
    calibration = find_calibration(STANDARD)
    assert calibration is not None
    known = {f"game{n}": f"2020-{1 + n:02}-05" for n in range(5)} if dates is None else dates
    return progress_of(pupil_games(6), "Pupil, Pat", calibration, known, window=window)


def test_months_and_windows() -> None:
    found = progress()
    assert [one.name for one in found.periods] == [f"2020-0{1 + n}" for n in range(5)]
    assert all(one.few for one in found.periods)
    assert found.left_out == 1
    assert found.trend is not None
    assert found.sentence == f"no clear trend: {found.trend}"
    two = progress(window=2)
    assert [one.rating.games for one in two.periods] == [2, 2, 1]
    assert two.by == "2 games"


def test_what_cannot_be_shown(tmp_path: Path) -> None:
    assert progress(dates={"game0": "2020-01-05"}).sentence.startswith("no trend")
    with pytest.raises(InputError, match="date with its month"):
        progress(dates={"game0": "2020"})
    with pytest.raises(InputError, match="one game or more"):
        progress(window=0)
