import numpy as np
import pytest

from assay.agent.agents import Explained
from assay.cli.answers.agent import explained

FOUND = Explained(
    fen="8/8/8/8/8/8/8/8 w - - 0 1",
    engine="Scripted 1",
    recipe="standard",
    recipe_id="r",
    caveat="",
    model="depth",
    elos=(1800, 1500),
    depth=9,
    legal=("a1a2", "a1a3", "a1a4", "a1a5", "a1a6"),
    san=("Ra2", "Ra3", "Ra4", "Ra5", "Ra6"),
    values={"a1a2": 31_997, "a1a3": -31_998, "a1a4": 12},
    share=np.array([[0.6, 0.5], [0.297, 0.2], [0.001, 0.002], [0.051, 0.149], [0.051, 0.149]]),
)


def test_listed_moves_have_a_line_and_the_others_one_together() -> None:
    (table,) = explained(FOUND).tables()
    rows = [list(row) for row in table.rows]
    assert rows[0] == ["Ra2", "mate in 3", "60.0", "50.0"]
    assert rows[1] == ["Ra3", "mate in -2", "29.7", "20.0"]
    assert rows[2] == ["3 other moves", "", "10.3", "30.0"]
    assert table.columns == ("move", "value", "1800", "1500")
    assert "Scripted 1, standard, depth 9" in table.note


def test_programs_get_every_legal_move() -> None:
    answer = explained(FOUND)
    document = answer.document()
    assert document["elos"] == [1800, 1500]
    assert document["caveat"] is None
    first, *_, last = document["moves"]
    assert first["mate"] == 3
    assert first["cp"] is None
    assert last == {
        "move": "a1a6",
        "san": "Ra6",
        "cp": None,
        "mate": None,
        "probability": {"1800": pytest.approx(0.051), "1500": pytest.approx(0.149)},
    }
    assert answer.rows()[2] == {
        "move": "a1a4",
        "san": "Ra4",
        "cp": 12,
        "mate": None,
        "probability_1800": 0.001,
        "probability_1500": 0.002,
    }
