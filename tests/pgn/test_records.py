"""Rows of the table games: what is known, and why a game must not be rated."""

import pytest

from assay.decisions.exclusions import BY_CHOICE
from assay.pgn import reader as records

from .test_pgn import DIRTY, read, summary


def test_what_depends_on_a_choice_is_not_stored() -> None:
    for name in ("blitz", "too_short"):
        assert not {record.exclusion for record in read(DIRTY / f"{name}.pgn").games} & BY_CHOICE


def test_missing_details_stay_unknown() -> None:
    game = read(DIRTY / "question_marks.pgn").games[0]
    assert (game.event, game.site, game.date, game.year, game.round) == (None, None, None, None, None)
    assert read(DIRTY / "odd_tags.pgn").games[0].year == 2001
    assert read(DIRTY / "duplicate_tags.pgn").games[0].event == "Open"


def test_a_game_of_too_many_moves_is_kept_as_its_tags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MAX_PLIES", 39)
    assert summary(read(DIRTY / "bom.pgn").games[0]) == ("Able, Ann", "Baker, Bob", 0, 1.0, "too_large")
