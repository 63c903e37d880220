"""Appearances: one player in one game."""

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile
from assay.models.appearances import OPENING_TURNS, Appearances, assign_folds
from assay.models.conformance import ConformanceModel
from assay.testing import make_decisions


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    return make_decisions(games=4, plies=40)


def test_both_players_of_every_game_appear_once(decisions: Decisions) -> None:
    found = Appearances.of(decisions)
    pairs = list(zip(found.games(), found.players(), strict=True))
    assert sorted(pairs) == [(f"game{game}", name) for game in range(4) for name in ("Ann", "Bob")]
    assert set(found.size) == {20.0 - OPENING_TURNS}
    assert found.recipe_id == "made"
    assert dict(zip(found.players(), found.elo.tolist(), strict=True)) == {"Ann": 2400.0, "Bob": 2200.0}


def test_the_columns_of_an_appearance_are_those_of_its_game(decisions: Decisions) -> None:
    found = Appearances.of(decisions)
    for row, (game, player) in enumerate(zip(found.games(), found.players(), strict=True)):
        own = decisions.select(game=game, player=player)
        assert found.numbers("result")[row] == own.numbers("result")[0]
        assert decisions.names("event")[found.codes("event")[row]] == own.text("event")[0]


def test_a_stack_has_the_profile_of_each_appearance(decisions: Decisions) -> None:
    model, found = ConformanceModel(), Appearances.of(decisions)
    stack = found.stack(model)
    assert len(stack) == len(found)
    for row, (game, player) in enumerate(zip(found.games(), found.players(), strict=True)):
        alone = model.profile(decisions.select(game=game, player=player))
        assert stack.only([row]).total().equals(Profile(**{**vars(alone), "left_out": {}}))


def test_both_sides_of_a_game_and_all_games_of_its_busiest_player_are_in_one_fold() -> None:
    rng = np.random.default_rng(0)
    busy = rng.integers(0, 12, 200)  # one of twelve who play all the time, against someone new each time
    game = np.repeat(np.arange(200), 2)
    player = np.stack((busy, 12 + np.arange(200)), axis=1).ravel()
    milepost = np.repeat(busy % 3, 2)
    fold = assign_folds(game, player, milepost, 4, rng)
    for codes in (game, player):
        assert all(len(np.unique(fold[codes == one])) == 1 for one in np.unique(codes))
    assert set(fold.tolist()) == {0, 1, 2, 3}
    for one in range(3):
        counts = np.bincount(fold[milepost == one], minlength=4)
        assert counts.max() - counts.min() <= 2 * np.bincount(player)[:12].max(), "every fold has its share"


def test_where_each_milepost_is_of_one_player_folds_are_even_all_the_same() -> None:
    """No fold has any of a player's milepost yet, and all of them went to the first."""
    player = np.repeat(np.arange(14), 10)
    game = np.repeat(np.arange(70), 2)
    fold = assign_folds(game, player, player, 5, np.random.default_rng(0))
    counts = np.bincount(fold, minlength=5)
    assert counts.max() - counts.min() <= 10
