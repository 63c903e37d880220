import pytest

from assay.decisions.slices import families, family


@pytest.mark.parametrize(
    ("eco", "name"),
    [
        ("A00", "flank openings"),
        ("A39", "English"),
        ("A58", "Benko"),
        ("B09", "Modern and Pirc"),
        ("B90", "Sicilian"),
        ("C19", "French"),
        ("C67", "Spanish"),
        ("D02", "Queen's pawn, others"),
        ("D45", "Slav"),
        ("D85", "Grünfeld"),
        ("E32", "Nimzo-Indian"),
        ("E99", "King's Indian"),
    ],
)
def test_families(eco: str, name: str) -> None:
    assert family(eco) == name


def test_games_without_a_code_are_as_tagged_games_that_begin_alike() -> None:
    e4 = ["e2e4", "c7c5", "g1f3", "d7d6"]
    tagged = [("one", "B90", [*e4, "d2d4", "c5d4"]), ("two", "B00", [*e4, "b2b3"]), ("three", "B20", e4)]
    asked = [
        ("four", None, [*e4, "d2d4", "e7e5"]),
        ("five", None, [*e4, "b2b3"]),
        ("six", None, ["d2d4"] * 6),
    ]
    found = families([*tagged, *asked])
    assert found["four"] == "Sicilian"
    assert found["five"] == "King's pawn, others"
    assert "six" not in found
    assert found["one"] == "Sicilian"


def test_without_any_code_nothing_is_known() -> None:
    assert families([("one", None, ["e2e4"] * 10)]) == {}
