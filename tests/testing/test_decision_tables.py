"""Made-up decisions: what they promise to those who test methods with them."""

import numpy as np

from assay.decisions.measures import loss
from assay.testing import make_decisions


def test_there_are_games_of_two_players_who_change_colours() -> None:
    decisions = make_decisions(games=4, plies=10, players=("Cy", "Dee"))
    assert len(decisions) == 40
    assert decisions.players == ["Cy", "Dee"] or set(decisions.players) == {"Cy", "Dee"}
    rows = decisions.to_table().to_pylist()
    white = {row["game_id"]: row["player"] for row in rows if row["colour"] == "white"}
    assert white == {"game0": "Cy", "game1": "Dee", "game2": "Cy", "game3": "Dee"}
    for row in rows:
        assert row["player"] != row["opponent"]
        assert row["player_elo"] == (2400 if row["player"] == "Cy" else 2200)


def test_both_sides_of_a_game_tell_one_result() -> None:
    for _, game in make_decisions(games=3).by("game_id"):
        by_colour = dict(zip(game.text("colour"), game.numbers("result").tolist(), strict=True))
        assert sum(by_colour.values()) == 1


def test_the_first_option_is_the_best_and_mistakes_are_common() -> None:
    decisions = make_decisions(games=10)
    assert (np.diff(decisions.to_table()["cp"].to_pylist()) <= 0).all()
    assert 0.2 < float((loss(decisions) > 0).mean()) < 0.8
    assert np.abs(decisions.numbers("after") - decisions.played_value).max() < 60


def test_the_seed_decides_and_the_recipe_is_named() -> None:
    assert make_decisions(seed=1) == make_decisions(seed=1)
    assert make_decisions(seed=1) != make_decisions(seed=2)
    assert set(make_decisions(recipe="other").text("recipe_id")) == {"other"}
