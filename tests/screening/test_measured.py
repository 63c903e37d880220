import numpy as np
import pytest

from assay.screening.measured import Measurement, OtherEngine, all_scenarios, covered_by, other_engine
from assay.screening.norms import Norms
from assay.screening.power import replaced, share
from assay.screening.turns import Turns
from examples.screened_games import calibration, positions


@pytest.fixture(scope="package")
def norms(measurement: Measurement) -> Norms:
    return measurement.norms(calibration(), {"games": 30})


def test_norms_carry_their_rates(norms: Norms) -> None:
    assert {one["games"] for one in norms.rates} == {1, 2}
    assert {one["level"] for one in norms.sequence["rates"]} == {0.1, 0.05, 0.01}
    assert Norms.of(norms.document()).document() == norms.document()


def test_honest_agents_seldom_make_the_bettor_rich(measurement: Measurement) -> None:
    assert (measurement.honest[1].evidence >= 20).mean() <= 0.05


def test_power_rises_with_the_share(measurement: Measurement) -> None:
    few, all_of_them = (measurement.powers(share(part)) for part in (0.0, 1.0))
    for less, more in zip(few, all_of_them, strict=True):
        assert more["plain"] >= less["plain"]
        assert more["sequence"] > 0.5
        assert more["groups"] == less["groups"]


def test_a_rating_that_is_too_low_makes_honest_players_unusual(measurement: Measurement) -> None:
    assert measurement.stale(600.0, 60.0, n=2) >= measurement.stale(600.0, 400.0, n=2)


def test_another_engines_choice_is_taken_where_it_is_known() -> None:
    turns = Turns.of(positions(4))
    keys = turns.decisions.text("position_key")
    choices = {str(keys[0]): "m3", str(keys[1]): "unlisted"}
    assert replaced(turns, other_engine(choices, 1.0)).tolist() == [3, 0, 0, 0]
    assert "half, another engine's choice" in all_scenarios(choices)
    assert "half, another engine's choice" not in all_scenarios(None)
    engine = OtherEngine.of("Other 1", turns, choices)
    assert (engine.turns, engine.listed, engine.first) == (2, 0.5, 0.0)


def test_which_appearances_another_engine_covers(measurement: Measurement) -> None:
    trial = measurement.trial
    first = np.flatnonzero(trial.place == 0)
    keys = trial.turns.decisions.text("position_key")
    found = covered_by(trial, {str(keys[row]): "m0" for row in first})
    assert found[0]
    assert found.sum() == 1


def test_beginnings_are_looked_for(measurement: Measurement) -> None:
    found = measurement.beginnings()
    assert found["games"] >= found["named"] > 0
    assert 0 <= found["inside"] <= 1
