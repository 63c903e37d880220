"""The mean result of White that Ferreira 2010 prints is one of whole and half points."""

import pytest

from assay.reproduce import ferreira2010 as published


def test_the_printed_mean_is_a_number_of_half_points() -> None:
    (row,) = published.rows()
    assert row.ok
    assert float(row.note.split()[0]) * 2 == pytest.approx(round(float(row.note.split()[0]) * 2))


def test_another_number_of_games_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(published, "GAMES", published.GAMES - 1)
    (row,) = published.rows()
    assert not row.ok
