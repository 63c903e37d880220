"""The published numbers of Ferreira 2012."""

import pytest

from assay.reproduce import facts, ferreira2012, reproduce


def test_every_published_number_is_reproduced() -> None:
    rows = reproduce("ferreira2012")
    assert [row.item for row in rows if not row.ok] == []
    assert len(rows) == len({row.item for row in rows}) == 79


def test_the_numbers_that_the_paper_is_known_for() -> None:
    computed = {row.item: row.computed for row in reproduce("ferreira2012")}
    assert round(computed["Section 4: expectation of Byrne"], 3) == 0.345
    assert round(computed["Section 4: rating difference"]) == 113
    assert round(computed["Section 7: difference of Byrne to the engine"]) == -185
    assert round(computed["Section 7: difference of Fischer to the engine"]) == -43
    assert round(computed["Table 4: engine strength by elo"]) == 2860


def test_the_running_strength_of_the_printed_game_is_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    game = facts("ferreira2012")["game_of_the_century"]
    gains = ferreira2012.game_gains(game)
    assert [row.ok for row in ferreira2012._running(game, *gains)] == [True] * 4
    original = ferreira2012.running_strength
    monkeypatch.setattr(ferreira2012, "running_strength", lambda gains, model: original(gains + 3, model))
    assert not any(row.ok for row in ferreira2012._running(game, *gains))
