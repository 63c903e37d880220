import numpy as np

from assay.screening.situations import UNSURE, not_screened, rating_error, situation_notes


def test_who_cannot_be_screened_is_told_why() -> None:
    assert not_screened(np.array([2000.0]), 50, 20) is None
    assert not_screened(np.array([np.nan, np.nan]), 50, 20) == "no rating in these games"
    assert "plainly wrong" in (not_screened(np.array([20.0]), 50, 20) or "")
    assert "plainly wrong" in (not_screened(np.array([2000.0, 20000.0]), 50, 20) or "")
    assert not_screened(np.array([2000.0]), 3, 20) == "3 turns, fewer than 20"


def test_a_moving_or_doubted_rating_has_a_larger_error() -> None:
    assert rating_error(np.array([2000.0, 2050.0]), unsure=False) == 60
    assert rating_error(np.array([2000.0, 2150.0]), unsure=False) == UNSURE
    assert rating_error(np.array([2000.0]), unsure=True) == UNSURE
    assert rating_error(np.array([2000.0]), unsure=True, usual=200.0) == 200


def test_what_must_be_said() -> None:
    mileposts = np.array([1500.0, 2700.0])
    assert situation_notes([2000.0], mileposts, ["unknown", "classical"], []) == ()
    said = situation_notes([1200.0, 2000.0], mileposts, ["blitz"], ["Ann"])
    assert "beyond 1500 to 2700" in said[0]
    assert "blitz" in said[1]
    assert "Ann" in said[2]
