"""Training before validation."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.results.games import Rules, Split, splits
from examples.result_games import few, simulated


def test_splits_of_the_three_kinds() -> None:
    games, _ = simulated(games=3000, months=100)
    rules = Rules(least_games=1)
    assert [one.label for one in splits(games, 3, rules=rules)] == ["1-95/96-100", "1-94/95-99", "1-93/94-98"]
    separate = splits(games, 3, apart=5, rules=rules)
    assert [one.label for one in separate] == ["1-95/96-100", "1-90/91-95", "1-85/86-90"]
    limited = splits(games, 2, rules=Rules(least_games=1, history=48))
    assert [one.label for one in limited] == ["48-95/96-100", "47-94/95-99"]


def test_both_players_must_have_enough_recent_games() -> None:
    rows = [(month, "a", "b", 1.0) for month in range(50, 62)]  # 12 games each, in the last 48 months
    rows += [(1, "old", "older", 0.5)] * 20 + [(61, "new", "newer", 0.5)] * 11
    after = [(62, "a", "b", 0.5), (62, "a", "old", 1.0), (63, "new", "b", 0.0), (64, "a", "stranger", 1.0)]
    split = Split.at(few(*rows, *after), 61)
    assert len(split.validation) == 1
    assert len(Split.at(few(*rows, *after), 61, Rules(least_games=11)).validation) == 2
    # Even where no games are asked for, both must have been seen.
    assert len(Split.at(few(*rows, *after), 61, Rules(least_games=0)).validation) == 3


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 8), st.integers(0, 15))
def test_training_is_before_validation(seed: int, months: int, least: int) -> None:
    games, _ = simulated(players=12, games=600, months=40, seed=seed)
    split = Split.at(games, 30, Rules(months=months, least_games=least))
    assert split.training.month.max() <= 30
    assert (split.validation.month > 30).all()
    assert (split.validation.month <= 30 + months).all()


def test_impossible_splits_are_clear_errors() -> None:
    games, _ = simulated(months=10)
    with pytest.raises(InputError, match="too few months"):
        splits(games, 8)
    with pytest.raises(InputError, match="ask for fewer splits"):
        splits(games, 1, rules=Rules(least_games=10_000))
    with pytest.raises(InputError, match="no games with results"):
        splits(games.without_results(), 1)
    with pytest.raises(InputError, match="at least one month"):
        Rules(months=0)


def test_a_billion_splits_are_refused_at_once() -> None:
    games, _ = simulated(players=4, games=60, months=12)
    with pytest.raises(InputError, match="too few months"):
        splits(games, 10**9)
