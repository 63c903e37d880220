"""What decisions are grouped by: one word for each group, one way to tell the parts apart."""

import pytest

from assay.decisions.grouping import COLUMNS, MEANINGS, By, check_by, parts
from assay.errors import InputError
from assay.testing import make_decisions


def test_every_word_has_a_meaning() -> None:
    assert set(MEANINGS) == set(By)


@pytest.mark.parametrize("by", list(COLUMNS))
def test_every_row_has_a_part_with_a_name(by: By) -> None:
    decisions = make_decisions(games=4, plies=30)
    numbers, names = parts(decisions, by)
    assert len(numbers) == len(decisions)
    assert {names[int(one)] for one in numbers}


def test_parts_are_what_the_column_says() -> None:
    decisions = make_decisions(games=4, plies=30)
    numbers, names = parts(decisions, By.COLOUR)
    assert [names[int(one)] for one in numbers] == decisions.text("colour")
    numbers, names = parts(decisions, By.RESULT)
    expected = {1.0: "won", 0.5: "drawn", 0.0: "lost"}
    assert [names[int(one)] for one in numbers] == [expected[one] for one in decisions.numbers("result")]


def test_words_that_are_none_or_not_here() -> None:
    assert check_by("year", (By.PLAYER, By.YEAR)) is By.YEAR
    for word in ("moon", "game"):
        with pytest.raises(InputError, match=f"group by player, year, not by '{word}'"):
            check_by(word, (By.PLAYER, By.YEAR))
    with pytest.raises(InputError, match="cannot be grouped by"):
        parts(make_decisions(games=2, plies=20), By.MILEPOST)
