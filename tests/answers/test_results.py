"""What `assay backtest` answers: errors, differences, and with details slices and calibration."""

import pytest

from assay.answers.results import Backtest, CalibrationBin, ErrorDifference, Reproduction, reproduced_in_words

ROWS = [
    {"forecaster": "elo", "split": split, "games": 10, "log_loss": 0.6, "month_rmse": 0.7, "other": 9.0}
    for split in ("1-20/21-24", "all")
]


@pytest.fixture
def found() -> Backtest:
    return Backtest(
        errors=ROWS,
        slices=[{"slice": "games", "value": "few", "forecaster": "elo", "games": 4, "log_loss": 0.5}],
        differences=[
            ErrorDifference(
                first="elo", second="colour", metric="log_loss", difference=-0.001, low=-0.002, high=0.0
            )
        ],
        calibration={
            "elo": [CalibrationBin(low=0, high=0.1, games=4, forecast=0.05, result=0.25, error=0.1)]
        },
        stamp={"digest": "abc", "seed": 3, "versions": {"numpy": "2.0"}},
        unable={"gain": "no decisions"},
        notes=["elo: K is 24"],
    )


def test_averages_only_unless_details_are_asked_for(found: Backtest) -> None:
    errors, differences = found.words()
    assert list(errors.rows) == [["elo", "all", 10, "0.60000", "0.70000"]]
    assert list(errors.columns) == ["forecaster", "split", "games", "log_loss", "month_rmse"]
    assert errors.note.splitlines() == [
        "elo: K is 24",
        "gain is left out: no decisions",
    ]
    assert errors.grey == "Games abc, seed 3, numpy 2.0."
    assert list(differences.rows) == [("elo", "colour", "log_loss", "-0.00100", "-0.00200", "+0.00000")]


def test_details(found: Backtest) -> None:
    splits, slices, calibration = found.details()
    assert len(list(splits.rows)) == 1
    assert list(slices.rows) == [["games", "few", "elo", 4, "0.50000"]]
    assert list(calibration.rows) == [("elo", "0.0", "0.1", 4, "0.050", "0.250")]


def test_programs_get_everything(found: Backtest) -> None:
    answer = found
    assert answer.rows() == ROWS
    assert answer.to_dict()["stamp"]["seed"] == 3
    assert answer.to_dict()["differences"][0]["difference"] == -0.001
    assert answer.remarks == ["elo: K is 24", "gain is left out: no decisions"]


# `assay reproduce` says how many rows prove what.


def test_the_note_counts_both_kinds_apart() -> None:
    good = Reproduction("p", "a", 1.0, 1.0, 0.0, kind="inference")
    bad = Reproduction("p", "b", 1.0, 2.0, 0.0, kind="arithmetic")
    assert reproduced_in_words([good, good, bad]) == (
        "As published, within their tolerance: 2 of 2 by inference (our methods from printed inputs), "
        "0 of 1 by arithmetic (the papers' own)."
    )
    assert "inference" not in reproduced_in_words([bad])
