"""Appearances: one player in one game; and one rule for which of them belong to a milepost."""

import numpy as np
import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile
from assay.errors import InputError
from assay.models.appearances import (
    FEWEST_APPEARANCES,
    OPENING_TURNS,
    Appearances,
    Mileposts,
    assign_folds,
    mapping_from,
    split_by_milepost,
)
from assay.models.base import recipe_of
from assay.models.bayes import BayesModel
from assay.models.conformance import ConformanceModel
from assay.testing import make_decisions
from examples.milepost_games import milepost_games


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


# Mileposts.


@pytest.fixture(scope="module")
def mileposts() -> Decisions:
    return milepost_games(elos=(1800, 2100, 2400), games=FEWEST_APPEARANCES // 2, plies=60)


def rated(decisions: Decisions, **changes: object) -> Decisions:
    """The same decisions with other ratings of the player."""
    rows = [{**row, **changes} for row in decisions.table().to_pylist()]
    return Decisions.from_table(pa.Table.from_pylist(rows))


def test_the_nearest_century_counts_and_its_elo_is_the_mean(mileposts: Decisions) -> None:
    two = Decisions.concat([mileposts, milepost_games(elos=(2447,), games=4, plies=60, seed=1)])
    found = Mileposts.of(Appearances.of(two))
    assert found.centuries == (1800, 2100, 2400)
    assert found.elos == pytest.approx([1800, 2100, (2400 + 2447) / 2])
    assert found.membership.sum(axis=1) == pytest.approx([8, 8, 16])
    assert Mileposts.of(Appearances.of(two), within=20).elos == pytest.approx([1800, 2100, 2400])


def test_the_opponents_rating_is_not_asked_for(mileposts: Decisions) -> None:
    parts = split_by_milepost(rated(mileposts, opponent_elo=None))
    assert sum(map(len, parts.values())) == len(mileposts)


def test_too_few_appearances_or_decisions_make_no_milepost(mileposts: Decisions) -> None:
    one_side = np.array(mileposts.text("colour")) == "white"
    without = mileposts.take(np.flatnonzero((mileposts.numbers("player_elo") < 2400) | one_side))
    assert Mileposts.of(Appearances.of(without)).centuries == (1800, 2100)
    short = milepost_games(elos=(1800,), games=8, plies=30)  # seven mileposts each after the opening
    assert len(Mileposts.of(Appearances.of(short))) == 0


def test_only_appearances_that_every_method_reads(mileposts: Decisions) -> None:
    appearances = Appearances.of(mileposts)
    stack = appearances.stack(BayesModel(opening_turns=500))
    assert len(Mileposts.of(appearances, {"bayes": stack})) == 0
    some = np.flatnonzero(appearances.elo < 2300)
    assert Mileposts.of(appearances, among=some).centuries == (1800, 2100)


def test_decisions_are_split_by_milepost(mileposts: Decisions) -> None:
    parts = split_by_milepost(mileposts)
    assert list(parts) == [1800, 2100, 2400]
    for century, part in parts.items():
        assert set(part.numbers("player_elo")) == {century}
    assert sum(map(len, parts.values())) == len(mileposts)


def test_a_mapping_goes_through_the_pooled_profiles(mileposts: Decisions) -> None:
    model = BayesModel()
    mapping = mapping_from(model, mileposts)
    assert (mapping.model, mapping.recipe_id) == (model.identity, recipe_of(mileposts))
    for century, part in split_by_milepost(mileposts).items():
        strength = model.strengths([model.profile(part)])
        assert mapping.elo(strength) == pytest.approx([century])
    with pytest.raises(InputError, match="two centuries of rating are needed, 8 appearances at each"):
        mapping_from(model, mileposts.select(player_elo=1800))
