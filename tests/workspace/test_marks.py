"""Reasons that depend on a choice, worked out on reading; workspaces of an earlier assay follow."""

from pathlib import Path

import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.exclusions import BY_CHOICE, Choice, Exclusion
from assay.decisions.time_control import TIME_CLASSES
from assay.workspace import Workspace
from assay.workspace.games import MARK_COLUMNS, left_out_by_choice, mark, mark_decisions

CHOICES = (Choice(), Choice.parse("blitz,rapid", 5), Choice.parse("all", 0))


def table(**columns: list[object]) -> pa.Table:
    types = {"n_plies": pa.int16(), "result": pa.float32()}
    return pa.table(
        {
            name: pa.array(columns[name], types.get(name, pa.string()))
            for name in MARK_COLUMNS
            if name in columns
        }
    )


@pytest.mark.parametrize("choice", CHOICES)
def test_columns_are_marked_as_single_games_are(choice: Choice) -> None:
    plain = [None, *(one.value for one in Exclusion if one not in BY_CHOICE), "of a later assay"]
    cases = [(reason, plies, time) for reason in plain for plies in (9, 10, 39, 40) for time in TIME_CLASSES]
    games = table(
        exclusion=[case[0] for case in cases],
        n_plies=[case[1] for case in cases],
        time_class=[case[2] for case in cases],
        result=[1.0] * len(cases),
        event=["Open"] * len(cases),
    )
    assert mark(games, choice)["exclusion"].to_pylist() == [choice.reason(*case) for case in cases]


def test_reasons_that_an_earlier_assay_stored_are_worked_out_anew() -> None:
    games = table(
        exclusion=["too_short", "too_short", "fast_time_control", "too_short", "duplicate"],
        n_plies=[38, 38, 80, 38, 38],
        time_class=["classical", "blitz", "blitz", "unknown", "blitz"],
        result=[1.0, 1.0, None, 0.5, 1.0],
        event=["Open", None, "Open", "Clock simul", "Open"],
    )
    assert mark(games)["exclusion"].to_pylist() == games["exclusion"].to_pylist()
    chosen = mark(games, Choice.parse("all", 1))["exclusion"].to_pylist()
    assert chosen == [None, None, "no_result", "odds_or_simul", "duplicate"]
    slow = mark(games, Choice.parse(None, 1))["exclusion"].to_pylist()
    assert slow == [None, "fast_time_control", "fast_time_control", "odds_or_simul", "duplicate"]


def test_what_is_left_out_is_said_with_the_option_that_includes_it() -> None:
    games = table(
        exclusion=[None] * 5,
        n_plies=[80, 80, 80, 80, 10],
        time_class=["blitz", "blitz", "rapid", "classical", "classical"],
        result=[1.0] * 5,
        event=["Open"] * 5,
    )
    said = "left out: 1 rapid, 2 blitz; --time classical,unknown,rapid,blitz includes them"
    assert left_out_by_choice(mark(games.slice(0, 4))) == said
    assert left_out_by_choice(mark(games)) == (f"{said}. Also 1 under 20 turns; --min-turns 1 includes it")
    every = Choice.parse("all", 1)
    assert left_out_by_choice(mark(games, every), every) is None


def test_a_workspace_follows_the_choice(workspace: Workspace, dirty: Path) -> None:
    workspace.import_games([dirty / "blitz.pgn", dirty / "too_short.pgn"])
    stored = set(workspace.table_games.read(["exclusion"])["exclusion"].to_pylist())
    assert not stored & {"too_short", "fast_time_control"}
    assert workspace.reasons()["too_short"] == 1
    every = Choice.parse("all", 1)
    assert {"too_short", "fast_time_control"}.isdisjoint(workspace.reasons(every))
    more = workspace.games_to_analyse(choice=every).num_rows
    assert more > workspace.games_to_analyse().num_rows
    with_years = workspace.games_to_analyse(["able@1901"], choice=every)
    assert with_years.num_rows == 0


def test_a_file_of_decisions_follows_a_choice_that_was_made() -> None:
    rows = [
        {
            "game_id": game,
            "ply": ply,
            "player": "A",
            "played": "e2e4",
            "moves": ["e2e4"],
            "cp": [0],
            "mate": [None],
            "time_class": time,
            "result": 1.0,
        }
        for game, time in (("one", "blitz"), ("two", None))
        for ply in (0, 2)
    ]
    decisions = Decisions.from_table(pa.Table.from_pylist(rows))
    assert set(mark_decisions(decisions, Choice.parse(None, 2)).text("exclusion")) == {"too_short"}
    marked = mark_decisions(decisions, Choice.parse(None, 1))
    assert marked.text("exclusion") == ["fast_time_control"] * 2 + [None] * 2
    again = mark_decisions(marked, Choice.parse("blitz", 1))
    assert again.text("exclusion") == [None] * 2 + ["other_time_control"] * 2
