"""How far ratings can be trusted: games kept out, and outcomes counted."""

from typing import Any

import pytest

from assay.models.appearances import Appearances, Mileposts
from assay.rating import accuracy
from assay.rating.accuracy import BASELINE, Outcome, Summary, held_out, summaries
from examples.milepost_games import milepost_games


@pytest.fixture(scope="module")
def appearances() -> Appearances:
    return Appearances.of(milepost_games(games=10, games_each=5))


def test_held_out_games_are_covered_and_all_methods_beat_none(appearances: Appearances) -> None:
    found = summaries(held_out(appearances, sizes=(1, 3), splits=1))
    one = found[1, True, "combined"]
    assert one.groups == len(appearances)
    # Two halves of a hundred games make provisional calibrations, whose intervals are no narrower than those
    # of the shipped one; three standard deviations of a share of 200.
    assert one.within_95 > 0.95 - 0.046
    assert found[3, False, "combined"].mean_error < one.mean_error
    assert isinstance(found[3, True, "bayes"], Summary)


def outcome(elo: float, *, method: str = "gain", inside: bool = True) -> Outcome:
    return Outcome(
        method=method,
        games=3,
        one_player=False,
        reference=2400.0,
        elo=elo,
        within_95=True,
        within_50=inside,
        width=200.0,
    )


def test_a_summary_is_the_means_of_its_outcomes() -> None:
    found = Summary.of([outcome(2450.0), outcome(2370.0, inside=False), outcome(2380.0)])
    assert (found.groups, found.mean_error, found.bias) == (3, pytest.approx(100 / 3), pytest.approx(0.0))
    assert (found.within_95, found.within_50, found.width) == (1.0, pytest.approx(2 / 3), 200.0)


def test_summaries_are_apart_by_method_and_leave_the_baseline_out() -> None:
    found = summaries([outcome(2400.0, method="markov"), outcome(2500.0), outcome(9.0, method=BASELINE)])
    assert list(found) == [(3, False, "gain"), (3, False, "markov")]
    assert found[3, False, "gain"].bias == 100


def test_both_sides_of_a_game_are_kept_out_together(
    appearances: Appearances, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What rates a group was made without its games, or errors would be flattered."""
    made = []

    def remember(stacks: Any, reference: Mileposts, *_: Any) -> Any:
        made.append(set(reference.game.tolist()))
        return None

    def rated(appearances: Appearances, stacks: Any, calibration: Any, test: Any, *_: Any) -> list[Outcome]:
        assert not made[-1] & set(appearances.game[test].tolist())
        return []

    monkeypatch.setattr(accuracy, "fit_calibration", remember)
    monkeypatch.setattr(accuracy, "rated_groups", rated)
    assert held_out(appearances, splits=2) == []
    assert len(made) == 4
    assert made[0] | made[1] == set(appearances.game.tolist())
