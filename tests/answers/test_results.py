"""What `assay backtest` answers: errors, differences, and with details slices and calibration."""

from assay.answers.results import Reproduction, reproduced_in_words

# `assay reproduce` says how many rows prove what.


def test_the_note_counts_both_kinds_apart() -> None:
    good = Reproduction("p", "a", 1.0, 1.0, 0.0, kind="inference")
    bad = Reproduction("p", "b", 1.0, 2.0, 0.0, kind="arithmetic")
    assert reproduced_in_words([good, good, bad]) == (
        "As published, within their tolerance: 2 of 2 by inference (our methods from printed inputs), "
        "0 of 1 by arithmetic (the papers' own)."
    )
    assert "inference" not in reproduced_in_words([bad])
