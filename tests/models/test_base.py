"""What all methods share; what each of them keeps is in test_contract.py."""

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.models.base import MoveModel, games_in, recipe_of
from assay.testing import make_decisions
from examples.mean_rank import MeanRankModel


def test_six_hooks_are_to_be_filled() -> None:
    assert MoveModel.__abstractmethods__ == {
        "settings",
        "rules",
        "evidence",
        "shape",
        "estimate",
        "expectation",
    }


def test_rules_are_counted_in_their_order() -> None:
    model, decisions = MeanRankModel(), make_decisions(games=2, plies=30)
    kept, left_out = model.select(decisions)
    assert list(left_out) == [rule.name for rule in model.rules()]
    assert list(left_out.values()) == [2 * 4, 0]  # two turns of both players in both games
    assert len(kept) == 60 - 8


def test_a_match_shares_the_colours() -> None:
    model = MeanRankModel()
    a, b = (model.profile(make_decisions().select(player=name)) for name in ("Ann", "Bob"))
    there, back = model.match(a, b), model.match(b, a)
    assert there.expectation == pytest.approx(1 - back.expectation)
    assert there.expectation == pytest.approx(model.forecast(a, b).expectation)


def test_games_of_each_group_are_counted_once() -> None:
    decisions = make_decisions(games=5)
    assert games_in(decisions, np.zeros(len(decisions), np.int64), 2).tolist() == [5, 0]
    assert games_in(decisions, decisions.codes("player"), 2).tolist() == [5, 5]


def test_one_recipe_is_told_and_several_are_refused() -> None:
    first, second = make_decisions(), make_decisions(seed=1, recipe="other")
    assert recipe_of(first) == "made"
    with pytest.raises(InputError, match="these are of made, other: choose one"):
        recipe_of(Decisions.concat([first, second]))
