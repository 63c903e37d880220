"""Games that are cut off: who is rated, by what, and how often the interval holds the published rating."""

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.live.analysis import known_after
from assay.models.appearances import Appearances, Mileposts
from assay.rating.calibration import Calibration, reference_of
from examples.milepost_games import milepost_games
from research.evidence import live
from research.evidence.live import NOBODY, RatedGroups, cut_off, halves, measured, page_table


@pytest.fixture(scope="module")
def dealt() -> Decisions:
    return milepost_games([2000, 2200, 2400], seed=7, games=8, games_each=4, plies=50, options=6)


def test_a_game_that_is_cut_off_is_rated_as_live_rates_it_then(calibration: Calibration) -> None:
    two = milepost_games([2200], seed=31, games=2, games_each=1)
    players, rated = cut_off(two, 25, calibration)
    assert (players, len(rated)) == (4, 4)
    for place, (_, game) in enumerate(two.by("game_id")):
        for known in known_after(game, [48, 49], calibration):
            assert known.combined is not None
            ends = (known.combined.elo, known.combined.low, known.combined.high)
            row = int(np.abs(rated.elo - known.combined.elo).argmin())
            assert row // 2 == place
            assert (rated.elo[row], rated.low[row], rated.high[row]) == pytest.approx(ends, abs=0.01)


def test_games_that_ended_before_do_not_count_and_few_moves_give_no_rating(calibration: Calibration) -> None:
    game = milepost_games([2200], seed=31, games=1, games_each=1)
    counts = {moves: cut_off(game, moves, calibration) for moves in (35, 10, None)}
    assert {moves: (players, len(rated)) for moves, (players, rated) in counts.items()} == {
        35: (0, 0),
        10: (2, 0),
        None: (2, 2),
    }


def test_no_player_of_a_half_is_in_its_calibration(dealt: Decisions, monkeypatch: pytest.MonkeyPatch) -> None:
    appearances, used = Appearances.of(dealt), []

    def remember(appearances: Appearances, stacks: object, among: np.ndarray | None = None) -> Mileposts:
        if among is not None:
            used.append({appearances.players()[row] for row in among})
        return reference_of(appearances, stacks, among)  # type: ignore[arg-type]

    monkeypatch.setattr(live, "reference_of", remember)
    monkeypatch.setattr(live, "fit_calibration", lambda *_: None)
    parts = [games for _, games in halves(appearances)]
    assert sum(len(games) for games in parts) == len(dealt)
    for games, players in zip(parts, used, strict=True):
        assert players
        assert not players & set(games.text("player"))


def test_the_intervals_of_agents_hold(
    dealt: Decisions, calibration: Calibration, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The calibration of the tests was made from other players: either half may be rated through it."""
    monkeypatch.setattr(live, "fit_calibration", lambda *_: calibration)
    monkeypatch.setattr(live, "AFTER", (10, 20))
    cuts = measured(dealt)
    players, rated = cuts[20]
    assert (players, len(rated)) == (48, 48)
    assert len(cuts[10][1]) == 0
    # Three standard deviations of a share of 48.
    assert rated.coverage == pytest.approx(0.95, abs=0.094)
    whole = cuts[None][1]
    assert (whole.high - whole.low).mean() < (rated.high - rated.low).mean()


def test_the_table_says_how_many_are_rated_and_how_often_intervals_hold() -> None:
    published = np.array([2000.0, 2100.0, 2200.0, 2300.0])
    ends = published - 100, published + np.array([10, 20, 30, -1])
    shown = page_table({20: (6, RatedGroups(published, published + 50, *ends)), 10: (6, NOBODY)})
    assert "| 20 moves | 6 | 4 | 75.0% ± 21.7 | 50 | 115 |" in shown
    assert "| 10 moves | 6 | 0 |  |  |  |" in shown
