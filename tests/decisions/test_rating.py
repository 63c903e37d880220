"""What models answer: as text, by title, and what of it is known."""

import math
from dataclasses import replace

import pytest

from assay.answers.ratings import Estimate, PlayerRating, Quantity, Rating, Ratings, Record
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


def test_players_are_found_by_title_or_by_name() -> None:
    result = ratings(rated("Ann", "2001"), rated("Ann", "2002"), rated("Bob", "g1", "against Ann, 2001"))
    assert len(result) == 3
    assert result["Ann, 2002"].group == "2002"
    assert result["Ann"].group == "2001"
    assert result["Bob, against Ann, 2001"] is result["Bob"]
    with pytest.raises(KeyError):
        result["Cid"]


def test_methods_are_those_that_rated_anyone() -> None:
    result = ratings(rated("Ann", methods=("markov", "gain")), rated("Bob", methods=("bayes",)))
    assert result.methods == ("bayes", "gain", "markov")
    assert ratings().methods == ()
