"""The contract notices methods that break it; made-up decisions are what those who test with them rely on."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from assay.answers.ratings import Forecast
from assay.decisions.decisions import Decisions
from assay.decisions.measures import loss
from assay.decisions.profile import Profile
from assay.errors import InputError
from assay.models.base import MoveModel
from assay.models.registry import make_model
from assay.testing import MoveModelContract, make_decisions, prepared, simulate
from examples.mean_rank import MeanRankModel

CONTRACT = MoveModelContract()


class TestMeanRank(MoveModelContract):
    """The smallest method keeps all of it."""

    def make(self) -> MoveModel:
        return MeanRankModel()


class NotAdditive(MeanRankModel):
    """Counts the first decision of each call twice: parts do not add up to the whole."""

    def evidence(self, decisions: Decisions, group: np.ndarray, n_groups: int) -> object:
        counts = np.asarray(super().evidence(decisions, group, n_groups))
        counts[0] += 1
        return counts


class Unfair(MeanRankModel):
    """Gives White a tenth more, and does not say that it knows colours."""

    def expectation(self, white: Profile, black: Profile) -> Forecast:
        return Forecast(self.name, 0.9 * super().expectation(white, black).expectation + 0.1)


class OfNothing(MeanRankModel):
    """Says something where there is nothing to say."""

    def estimate(self, profile: Profile):  # type: ignore[no-untyped-def]
        return replace(super().estimate(profile), decisions=0.0)


@pytest.mark.parametrize(
    ("model", "test"),
    [
        (NotAdditive(), CONTRACT.test_profiles_add),
        (NotAdditive(), CONTRACT.test_profiles_by_game_sum_to_the_whole),
        (Unfair(), CONTRACT.test_a_forecast_and_its_mirror_sum_to_one),
        (OfNothing(), CONTRACT.test_the_estimate_says_what_it_rests_on),
    ],
    ids=lambda given: type(given).__name__ if isinstance(given, MoveModel) else given.__name__,
)
def test_a_method_that_breaks_the_contract_is_noticed(model: MoveModel, test: Callable[..., None]) -> None:
    decisions = make_decisions()
    test(MeanRankModel(), decisions)
    with pytest.raises(AssertionError):
        test(model, decisions)


def test_the_contract_asks_for_a_method() -> None:
    with pytest.raises(NotImplementedError, match="say which method is tested"):
        CONTRACT.make()


def test_a_method_that_forecasts_by_ratings_is_given_a_scale() -> None:
    decisions = make_decisions()
    model = make_model("bayes")
    assert model.mapping is None
    assert prepared(model, decisions) is model
    assert prepared(MeanRankModel(), decisions).mapping is None  # it has forecasts of its own
    assert model.mapping is not None
    profile = model.profile(decisions)
    assert model.forecast(profile, profile).expectation == pytest.approx(0.5, abs=0.1)


def test_made_up_games_are_of_two_players_who_change_colours() -> None:
    decisions = make_decisions(games=4, plies=10, players=("Cy", "Dee"))
    rows = decisions.table().to_pylist()
    assert len(rows) == 40
    white = {row["game_id"]: row["player"] for row in rows if row["colour"] == "white"}
    assert white == {"game0": "Cy", "game1": "Dee", "game2": "Cy", "game3": "Dee"}
    for row in rows:
        assert row["player"] != row["opponent"]
        assert row["player_elo"] == (2400 if row["player"] == "Cy" else 2200)
    for _, game in decisions.by("game_id"):
        assert sum(dict(zip(game.text("colour"), game.numbers("result").tolist(), strict=True)).values()) == 1


def test_made_up_values_have_the_best_option_first_and_common_mistakes() -> None:
    decisions = make_decisions(games=10)
    assert (np.diff(decisions.table()["cp"].to_pylist()) <= 0).all()
    assert 0.2 < float((loss(decisions) > 0).mean()) < 0.8
    assert np.abs(decisions.numbers("after") - decisions.played_value).max() < 60
    assert decisions == make_decisions(games=10) != make_decisions(games=10, seed=1)


# Agents on real decisions: what is drawn follows the probabilities, and nothing else changes.


def test_moves_are_drawn_in_proportion() -> None:
    decisions = make_decisions(games=200, options=4)
    probabilities = np.tile([0.5, 0.3, 0.2, 0.0], len(decisions))
    found = simulate(decisions, probabilities, seed=7)
    shares = np.bincount(found.played_index, minlength=4) / len(found)
    assert shares == pytest.approx([0.5, 0.3, 0.2, 0.0], abs=4 * np.sqrt(0.25 / len(found)))
    assert shares[3] == 0


def test_only_the_played_move_and_what_follows_change() -> None:
    decisions = make_decisions()
    even = np.ones(len(decisions.values))
    found = simulate(decisions, even, seed=1)
    assert found == simulate(decisions, even, seed=1) != simulate(decisions, even, seed=2)
    for row in (0, 17, len(found) - 1):
        assert found.text("played")[row] == found.options(row)[found.played_index[row]][0]
    assert np.isnan(found.numbers("after")).all()
    assert np.array_equal(found.values, decisions.values)
    assert found.text("player") == decisions.text("player")
    assert Decisions.from_table(found.table()) == found


def test_wrong_probabilities_are_refused() -> None:
    decisions = make_decisions()
    with pytest.raises(InputError, match="every option"):
        simulate(decisions, np.ones(3), seed=0)
    with pytest.raises(InputError, match="not all zero"):
        simulate(decisions, np.zeros(len(decisions.values)), seed=0)
    empty = Decisions.from_table(
        pa.table(
            {
                "player": ["Ann"],
                "moves": pa.array([[]], pa.list_(pa.string())),
                "cp": pa.array([[]], pa.list_(pa.int32())),
                "played": ["a"],
            }
        )
    )
    with pytest.raises(InputError, match="without options"):
        simulate(empty, np.zeros(0), seed=0)


def test_an_option_that_is_not_there_cannot_have_been_played() -> None:
    decisions = make_decisions()
    with pytest.raises(InputError, match="one of the options"):
        decisions.with_played(np.full(len(decisions), 99))
