"""Strength through an engine: Algorithms 3 and 4 over sets of games."""

import pytest

from assay.errors import InputError
from assay.models.gain.distribution import rating_difference
from assay.models.gain.model import GainModel
from assay.models.gain.strength import engine_strength_from, of_strength, strengths
from assay.testing import make_decisions


def test_algorithm_four_undoes_algorithm_three() -> None:
    """The mean strength of the players that gave the engine its strength is their mean rating."""
    decisions, model = make_decisions(games=20, plies=60), GainModel()
    found = strengths(decisions, of_strength(model, engine_strength_from(decisions, model)))
    rated = [float(own.numbers("player_elo")[0]) for _, own in decisions.by("player")]
    assert sum(one.value for one in found.values()) == pytest.approx(sum(rated))


def test_strength_is_the_engine_s_and_the_difference_to_it() -> None:
    decisions = make_decisions(games=20, plies=60)
    model = of_strength(GainModel(), 2860)
    for (player, event), one in strengths(decisions, model).items():
        own = GainModel().estimate(GainModel().profile(decisions.select(player=player)))
        assert event == ""
        assert one.value == pytest.approx(2860 + float(rating_difference(own["expectation"].value)))
        assert one.low < one.value < one.high


def test_every_event_by_itself() -> None:
    decisions = make_decisions(games=20, plies=60)
    model = of_strength(GainModel(), 2860)
    apart = strengths(decisions, model, "event")
    assert {event for _, event in apart} == set(decisions.text("event"))
    (player, event), one = next(iter(apart.items()))
    alone = strengths(decisions.select(event=event), model)
    assert one == alone[player, ""]


def test_what_is_missing_is_said() -> None:
    decisions = make_decisions(games=4, plies=40)
    with pytest.raises(InputError, match="need the engine's"):
        strengths(decisions, GainModel())
    with pytest.raises(InputError, match="a rating such as 2800"):
        of_strength(GainModel(), float("nan"))
