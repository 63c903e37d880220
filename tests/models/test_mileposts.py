"""One rule for who belongs to a milepost."""

import numpy as np
import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.models.base import recipe_of
from assay.models.bayes import BayesModel
from assay.models.mileposts import (
    FEWEST_APPEARANCES,
    Mileposts,
    mapping_from,
    split_by_milepost,
)
from examples.milepost_games import milepost_games


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    return milepost_games(elos=(1800, 2100, 2400), games=FEWEST_APPEARANCES // 2, plies=60)


def rated(decisions: Decisions, **changes: object) -> Decisions:
    """The same decisions with other ratings of the player."""
    rows = [{**row, **changes} for row in decisions.to_table().to_pylist()]
    return Decisions.from_table(pa.Table.from_pylist(rows))


def test_the_nearest_century_counts_and_its_elo_is_the_mean(decisions: Decisions) -> None:
    two = Decisions.concat([decisions, milepost_games(elos=(2447,), games=4, plies=60, seed=1)])
    found = Mileposts.of(Appearances.of(two))
    assert found.centuries == (1800, 2100, 2400)
    assert found.elos == pytest.approx([1800, 2100, (2400 + 2447) / 2])
    assert found.membership.sum(axis=1) == pytest.approx([8, 8, 16])
    assert Mileposts.of(Appearances.of(two), within=20).elos == pytest.approx([1800, 2100, 2400])


def test_the_opponents_rating_is_not_asked_for(decisions: Decisions) -> None:
    parts = split_by_milepost(rated(decisions, opponent_elo=None))
    assert sum(map(len, parts.values())) == len(decisions)


def test_too_few_appearances_or_decisions_make_no_milepost(decisions: Decisions) -> None:
    one_side = np.array(decisions.text("colour")) == "white"
    without = decisions.take(np.flatnonzero((decisions.numbers("player_elo") < 2400) | one_side))
    assert Mileposts.of(Appearances.of(without)).centuries == (1800, 2100)
    short = milepost_games(elos=(1800,), games=8, plies=30)  # seven decisions each after the opening
    assert len(Mileposts.of(Appearances.of(short))) == 0


def test_only_appearances_that_every_method_reads(decisions: Decisions) -> None:
    appearances = Appearances.of(decisions)
    stack = appearances.stack(BayesModel(opening_turns=500))
    assert len(Mileposts.of(appearances, {"bayes": stack})) == 0
    some = np.flatnonzero(appearances.elo < 2300)
    assert Mileposts.of(appearances, among=some).centuries == (1800, 2100)


def test_decisions_are_split_by_milepost(decisions: Decisions) -> None:
    parts = split_by_milepost(decisions)
    assert list(parts) == [1800, 2100, 2400]
    for century, part in parts.items():
        assert set(part.numbers("player_elo")) == {century}
    assert sum(map(len, parts.values())) == len(decisions)


def test_a_mapping_goes_through_the_pooled_profiles(decisions: Decisions) -> None:
    model = BayesModel()
    mapping = mapping_from(model, decisions)
    assert (mapping.model, mapping.recipe_id) == (model.identity, recipe_of(decisions))
    for century, part in split_by_milepost(decisions).items():
        strength = model.strengths([model.profile(part)])
        assert mapping.elo(strength) == pytest.approx([century])
    with pytest.raises(InputError, match="two centuries of rating are needed, 8 appearances at each"):
        mapping_from(model, decisions.select(player_elo=1800))
