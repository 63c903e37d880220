import numpy as np

from assay.screening.turns import Turns
from examples.screened_games import positions
from research.evidence.screening.measured import Measurement
from research.evidence.screening.other_engine import OtherEngine, all_scenarios, covered_by, other_engine
from research.evidence.screening.power import replaced


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
