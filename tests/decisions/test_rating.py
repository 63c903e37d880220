"""What models answer: as text, by title, and what of it is known."""

import math
from dataclasses import replace

import pytest

from assay.answers.ratings import Estimate, Forecast, PlayerRating, Quantity, Rating, Ratings, Record
from assay.testing import make_decisions
from examples.report_examples import make_ratings


def rated(
    player: str, group: str = "", about: str = "", methods: tuple[str, ...] = ("gain",)
) -> PlayerRating:
    rating = Rating("gain", 2400.0, low=2300.0, high=2500.0, decisions=50.0, games=2.0)
    return PlayerRating(
        player=player,
        group=group,
        games=2,
        decisions=50,
        record=Record(1, 1, 0),
        reference=math.nan,
        ratings=dict.fromkeys(methods, rating),
        combined=rating,
        about=about,
    )


def ratings(*players: PlayerRating) -> Ratings:
    return replace(make_ratings(make_decisions(games=2)), players=players)


def test_a_quantity_has_an_interval_where_it_is_known() -> None:
    assert str(Quantity(1.23456)) == "1.23"
    assert str(Quantity(1.23456, 0.1, 1.0, 1.5)) == "1.23 (1 to 1.5)"
    assert Estimate("m", {"c": Quantity(2.0)}, 1.0, 1.0)["c"].value == 2.0


def test_points_of_a_record() -> None:
    assert Record(3, 2, 1).points == 4.0
    assert str(Record(3, 2, 1)) == "+3 =2 -1"


def test_what_a_forecast_does_not_give_is_not_known() -> None:
    assert all(math.isnan(one) for one in (Forecast("m", 0.6).win, Forecast("m", 0.6).low))


def test_players_are_found_by_title_or_by_name() -> None:
    found = ratings(rated("Ann", "2001"), rated("Ann", "2002"), rated("Bob", "g1", "against Ann, 2001"))
    assert len(found) == 3
    assert found["Ann, 2002"].group == "2002"
    assert found["Ann"].group == "2001"
    assert found["Bob, against Ann, 2001"] is found["Bob"]
    with pytest.raises(KeyError):
        found["Cid"]


def test_methods_are_those_that_rated_anyone() -> None:
    found = ratings(rated("Ann", methods=("markov", "gain")), rated("Bob", methods=("bayes",)))
    assert found.methods == ("bayes", "gain", "markov")
    assert ratings().methods == ()
