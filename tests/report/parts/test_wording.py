"""Numbers and words as people read them."""

from assay.report.parts.wording import counted, pawns, points, value


def test_numbers_as_people_read_them() -> None:
    assert [points(number) for number in (0, 0.5, 1, 2.5)] == ["0", "½", "1", "2½"]
    assert [value(number) for number in (31997, -31995, 12, -250)] == [
        "mate in 3",
        "mated in 5",
        "+0.12",
        "−2.50",
    ]
    assert pawns(0.2) == "0.00"
    assert counted(1, "game") == "1 game"
    assert counted(1200, "game") == "1,200 games"
