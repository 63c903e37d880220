"""`assay reproduce` says how many rows prove what."""

from assay.cli.answers.reproduction import summary
from assay.reproduce import Reproduction


def test_the_note_counts_both_kinds_apart() -> None:
    good = Reproduction("p", "a", 1.0, 1.0, 0.0, kind="inference")
    bad = Reproduction("p", "b", 1.0, 2.0, 0.0, kind="arithmetic")
    assert summary([good, good, bad]) == (
        "Within their tolerance: 2 of 2 by inference (our methods from printed inputs), "
        "0 of 1 by arithmetic (the papers' own); 2 of 3 in all."
    )
    assert "inference" not in summary([bad])
