"""The tag TimeControl."""

import pytest

from assay.decisions.time_control import Period, periods_of


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("180+2", [Period(0, 180, 2)]),
        ("300", [Period(0, 300, 0)]),
        ("40/7200:3600", [Period(40, 7200, 0), Period(0, 3600, 0)]),
        ("40/5400+30 : 1800+30", [Period(40, 5400, 30), Period(0, 1800, 30)]),
        ("1/259200", [Period(1, 259200, 0)]),
        ("60.5+0.1", [Period(0, 60, 0)]),
        ("-", []),
        ("?", []),
        ("", []),
        (None, []),
        ("2 hours", []),
        ("40/7200:sudden", []),
    ],
)
def test_periods(written: str | None, expected: list[Period]) -> None:
    assert list(periods_of(written)) == expected
