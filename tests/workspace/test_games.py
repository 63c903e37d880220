"""Which games may be rated, and why the others may not."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.exclusions import BY_CHOICE, Choice, Exclusion
from assay.decisions.time_control import TIME_CLASSES
from assay.errors import InputError
from assay.workspace import Workspace
from assay.workspace.games import MARK_COLUMNS, left_out_by_choice, mark, mark_decisions


def test_reasons_are_counted(workspace: Workspace, examples: Path, dirty: Path) -> None:
    with pytest.raises(InputError, match="no workspace"):
        workspace.reasons()
    workspace.import_games([examples, dirty / "blitz.pgn"])
    assert workspace.reasons() == {None: 29, "duplicate": 3, "fast_time_control": 1}
    assert workspace.none_may_be_rated() is None


def test_where_no_game_may_be_rated_a_sentence_says_why(workspace: Workspace, dirty: Path) -> None:
    workspace.import_games(dirty / "too_short.pgn")
    assert workspace.none_may_be_rated(["too_short"]) is None
    said = workspace.none_may_be_rated()
    assert said == (
        f"no game in {workspace.path} may be rated: left out: 1 under 20 moves; --min-turns 1 includes it"
    )
    with pytest.raises(InputError, match=r"run assay analyse \(no game .*; --min-turns 1 includes it\)"):
        workspace.recipe_id()


def number_to_analyse(workspace: Workspace, **given: Any) -> int:
    return sum(games.num_rows for games in workspace.games_to_analyse(**given))


def test_excluded_games_are_analysed_only_where_asked_for(workspace: Workspace, dirty: Path) -> None:
    workspace.import_games([dirty / "clean.pgn", dirty / "too_short.pgn"])
    assert number_to_analyse(workspace) == 2
    assert number_to_analyse(workspace, include=["too_short"]) == 3
    assert number_to_analyse(workspace, include=["variant"]) == 2
    assert number_to_analyse(workspace, players=["able"]) == 1


def test_dates_as_far_as_they_are_known(workspace: Workspace, tmp_path: Path) -> None:
    dates = ("1956.10.17", "1956.??.??", "????.??.??", "soon")
    (tmp_path / "g.pgn").write_text(
        "".join(f'[White "A"]\n[Black "B"]\n[Date "{date}"]\n\n1. e4 e5 1-0\n\n' for date in dates)
    )
    workspace.import_games(tmp_path / "g.pgn")
    assert sorted(workspace.game_dates().values()) == ["1956-10-17", "1956-??-??"]


# Importing: the same game again, packed and damaged files, a kill at any moment.


# Reasons that depend on a choice, worked out on reading; workspaces of an earlier assay follow.

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


@pytest.mark.parametrize(
    ("date", "inside"),
    [
        *(("2024.05.31", True), ("2024-05-01", True), ("2024.06.01", False), ("2024.04.30", False)),
        *(("2024.05.??", True), ("2024.??.??", True), ("2024.04.??", False), ("2023.??.??", False)),
        *((None, False), ("????.??.??", False), ("soon", False)),
    ],
)
def test_games_are_chosen_by_day_as_far_as_their_date_is_known(date: str | None, inside: bool) -> None:
    games = table(
        exclusion=[None, "duplicate"],
        n_plies=[80, 80],
        time_class=["unknown"] * 2,
        result=[1.0] * 2,
        event=["Open"] * 2,
        date=[date] * 2,
    )
    choice = Choice(since="2024.05.01", until="2024.05.31")
    assert mark(games, choice)["exclusion"].to_pylist() == [None if inside else "other_date", "duplicate"]
    assert choice.reason(None, 80, "unknown", date) == (None if inside else "other_date")


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
    assert left_out_by_choice(mark(games)) == (f"{said}. Also 1 under 20 moves; --min-turns 1 includes it")
    every = Choice.parse("all", 1)
    assert left_out_by_choice(mark(games, every), every) is None


def test_a_workspace_follows_the_choice(workspace: Workspace, dirty: Path) -> None:
    workspace.import_games([dirty / "blitz.pgn", dirty / "too_short.pgn"])
    stored = set(workspace.table_games.read(["exclusion"])["exclusion"].to_pylist())
    assert not stored & {"too_short", "fast_time_control"}
    assert workspace.reasons()["too_short"] == 1
    every = Choice.parse("all", 1)
    assert {"too_short", "fast_time_control"}.isdisjoint(workspace.reasons(every))
    assert number_to_analyse(workspace, choice=every) > number_to_analyse(workspace)
    assert number_to_analyse(workspace, players=["able@1901"], choice=every) == 0


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


# Names become players; published ratings stand in where tags give none.


def test_names_become_players(workspace: Workspace, tmp_path: Path, dirty: Path) -> None:
    workspace.import_games(dirty / "twice.pgn")
    games = workspace.games()
    assert set(games["white"].to_pylist()) == {"Able, Ann"}
    assert set(games["white_name"].to_pylist()) == {"Able, Ann", "A. Able"}
    (tmp_path / "aliases.txt").write_text("Baker, Bob = Smith, Sam\n")
    workspace.import_games(dirty / "twice.pgn", aliases=tmp_path / "aliases.txt")
    assert set(workspace.games()["black"].to_pylist()) == {"Smith, Sam"}
    workspace.import_games(dirty / "twice.pgn")  # aliases are kept
    assert set(workspace.games()["black"].to_pylist()) == {"Smith, Sam"}
    assert workspace.games(players=["Able, Ann"]).num_rows == 3
    with pytest.raises(InputError, match="there is no player 'Nobody'"):
        workspace.games(players=["Nobody"])


def test_published_ratings_stand_in(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dirty: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    spelling = tmp_path / "own.ssp"
    spelling.write_text('@PLAYER ""\nAble, Annabel #\n   = Able, Ann\n   %Elo 2001:2345 2002:2400\n')
    workspace.import_games(dirty / "clean.pgn", spelling=spelling)
    games = workspace.games().to_pylist()
    assert (games[0]["white"], games[0]["white_elo"], games[0]["black_elo"]) == ("Able, Annabel", 2345, None)
