"""A damaged part is named, with what is lost and how to go on."""

from pathlib import Path

import pytest

from assay.decisions.schema import TABLES
from assay.workspace.parts import damaged, how_to_have_again, missing, rows_of

PART = Path("my games.assay/games/00000001-00000001.parquet")


def test_one_sentence_says_which_part_what_is_lost_and_how_to_go_on() -> None:
    assert str(damaged(PART, "it is cut off", 1)) == (
        "my games.assay/games/00000001-00000001.parquet is damaged (it is cut off), and the 1 game in it "
        "cannot be read: put back a copy of it, or run assay doctor 'my games.assay' --repair, which sets it "
        "aside; then assay import brings them back from their PGN files"
    )
    assert "the 1,200 games in it with it" in str(missing(PART, 1200))
    assert "and the games in it cannot" in str(damaged(PART, "why", None))


@pytest.mark.parametrize("table", [one.name for one in TABLES if one.name != "decisions"])
def test_every_table_has_its_words(table: str) -> None:
    assert rows_of(table, 2) not in ("2 rows", rows_of(table, 1))
    assert how_to_have_again(table) != how_to_have_again("another")
