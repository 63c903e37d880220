"""Games by their results."""

import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.results.competition import COLUMNS, games_from_table, read_competition, read_results
from assay.results.games import ResultGames, Rules, Split, month_of, month_of_date, month_text, splits
from assay.source import open_source
from examples.result_games import HEADER, few, simulated


def test_months_from_any_dates() -> None:
    assert month_of(1, 1) == 1
    assert month_of_date("1997.05.11") == month_of(1997, 5)
    assert month_of_date("1997-05-11") == month_of_date("1997/5") == month_of(1997, 5)
    assert month_of_date("1997.??.??") == month_of_date("1997") == month_of(1997, 7)
    assert month_of_date("????.??.??") is None
    assert month_of_date("") is None
    assert month_text(month_of(1997, 5)) == "1997-05"
    assert month_text(100) == "100"


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (([1], [0], [0], [1.0], ("a", "b")), "themselves"),
        (([1], [0], [2], [1.0], ("a", "b")), "not in the list"),
        (([1], [0], [1], [0.7], ("a", "b")), "0, 0.5 or 1"),
        (([1, 2], [0], [1], [1.0], ("a", "b")), "one length"),
        (([1], [0], [1], [1.0], ("a", "a")), "twice"),
    ],
)
def test_games_are_checked(row: tuple[object, ...], words: str) -> None:
    with pytest.raises(InputError, match=words):
        ResultGames(**dict(zip(("month", "white", "black", "result", "players"), row, strict=True)))


# Training before validation.


def test_splits_of_the_three_kinds() -> None:
    games, _ = simulated(games=3000, months=100)
    rules = Rules(least_games=1)
    assert [one.label for one in splits(games, 3, rules=rules)] == ["1-95/96-100", "1-94/95-99", "1-93/94-98"]
    separate = splits(games, 3, apart=5, rules=rules)
    assert [one.label for one in separate] == ["1-95/96-100", "1-90/91-95", "1-85/86-90"]
    limited = splits(games, 2, rules=Rules(least_games=1, history=48))
    assert [one.label for one in limited] == ["48-95/96-100", "47-94/95-99"]


def test_both_players_must_have_enough_recent_games() -> None:
    rows = [(month, "a", "b", 1.0) for month in range(50, 62)]  # 12 games each, in the last 48 months
    rows += [(1, "old", "older", 0.5)] * 20 + [(61, "new", "newer", 0.5)] * 11
    after = [(62, "a", "b", 0.5), (62, "a", "old", 1.0), (63, "new", "b", 0.0), (64, "a", "stranger", 1.0)]
    split = Split.at(few(*rows, *after), 61)
    assert len(split.validation) == 1
    assert len(Split.at(few(*rows, *after), 61, Rules(least_games=11)).validation) == 2
    # Even where no games are asked for, both must have been seen.
    assert len(Split.at(few(*rows, *after), 61, Rules(least_games=0)).validation) == 3


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 8), st.integers(0, 15))
def test_training_is_before_validation(seed: int, months: int, least: int) -> None:
    games, _ = simulated(players=12, games=600, months=40, seed=seed)
    split = Split.at(games, 30, Rules(months=months, least_games=least))
    assert split.training.month.max() <= 30
    assert (split.validation.month > 30).all()
    assert (split.validation.month <= 30 + months).all()


def test_impossible_splits_are_clear_errors() -> None:
    games, _ = simulated(months=10)
    for many in (8, 10**9):
        with pytest.raises(InputError, match="too few months"):
            splits(games, many)
    with pytest.raises(InputError, match="ask for fewer splits"):
        splits(games, 1, rules=Rules(least_games=10_000))
    with pytest.raises(InputError, match="no games with results"):
        splits(games.without_results(), 1)
    with pytest.raises(InputError, match="at least one month"):
        Rules(months=0)


ROWS = ["1,73,1246,0.5", "1,73,5097,1", "002,9,73,0"]


def write(folder: Path, *rows: str, header: str = HEADER, end: str = "\n") -> Path:
    path = folder / "games.csv"
    path.write_bytes(end.join([header, *rows, ""]).encode())
    return path


@pytest.mark.parametrize(("header", "end"), [(HEADER, "\n"), ("\ufeff" + HEADER, "\r\n")])
def test_a_file_of_the_competition(tmp_path: Path, header: str, end: str) -> None:
    """Line ends, blank lines and a byte order mark do not matter."""
    games = read_competition(write(tmp_path, *ROWS, "", header=header, end=end)).games
    assert games.month.tolist() == [1, 1, 2]
    assert [games.players[code] for code in games.white] == ["73", "73", "9"]
    assert [games.players[code] for code in games.black] == ["1246", "5097", "73"]
    assert games.result.tolist() == [0.5, 1.0, 0.0]


def test_predictions_look_like_the_file(tmp_path: Path) -> None:
    found = read_competition(write(tmp_path, "101,7,7168,", "101,36,6038,"), forecast=True)
    assert np.isnan(found.games.result).all()
    text = found.with_forecast(np.array([0.25, 1 / 3]))
    assert text == f"{HEADER}\n101,7,7168,0.250000000\n101,36,6038,0.333333333\n"


def test_quoted_names_are_players_too(tmp_path: Path) -> None:
    path = write(tmp_path, '1,"Carlsen, Magnus","Anand, V",1')
    found = read_competition(path)
    assert found.games.players == ("Anand, V", "Carlsen, Magnus")
    assert (
        found.with_forecast(np.array([0.6])).splitlines()[1] == '1,"Carlsen, Magnus","Anand, V",0.600000000'
    )


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (["1,1,2,0.7"], "line 2: the score must be 0, 0.5 or 1, not '0.7'"),
        (["1,1,2,won"], "not 'won'"),
        (["1,1,2,nan"], "not 'nan'"),
        (["1,1,2,2"], "not '2'"),
        (["1,1,2,1", "1,5,5,1"], "line 3: player 5 cannot play against themselves"),
        (["1,1,2,"], "line 2: a game to learn from has no score"),
        (["0,1,2,1"], "whole number from 1, not '0'"),
        (["x,1,2,1"], "not 'x'"),
        (["-1,1,2,1"], "not '-1'"),
        (["1,,2,1"], "a player is missing"),
        (["1,2"], "line 2: 2 columns"),
        (["5,1,2,1", "3,1,2,0"], "not in the order of months"),
        ([], "has no games"),
    ],
)
def test_bad_rows_are_named(tmp_path: Path, rows: list[str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_competition(write(tmp_path, *rows))


@pytest.mark.parametrize("missing", COLUMNS)
def test_missing_columns_are_named(tmp_path: Path, missing: str) -> None:
    header = ",".join(column for column in COLUMNS if column != missing)
    with pytest.raises(InputError, match=f"lacks the column '{missing}'"):
        read_competition(write(tmp_path, "1,2,3", header=header))


def test_other_broken_files_are_clear_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file"):
        read_competition(tmp_path / "nothing.csv")
    with pytest.raises(InputError, match="is a folder"):
        read_competition(tmp_path)
    empty = tmp_path / "empty.csv"
    empty.write_bytes(b"")
    with pytest.raises(InputError, match="is empty"):
        read_competition(empty)
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(InputError, match="UTF-8"):
        read_competition(binary)
    with pytest.raises(InputError, match="the last must be 'Score'"):
        read_competition(write(tmp_path, "1,2,3,1,x", header=HEADER + ",Round"))


def test_the_competitions_own_files(shared_data) -> None:  # type: ignore[no-untyped-def]
    path = shared_data("results-2010/test_data.csv")
    found = read_competition(path, forecast=True)
    assert len(found.games) == 7809
    written = found.with_forecast(np.full(7809, 0.5)).splitlines()
    given = path.read_text().splitlines()
    assert written[0] == given[0]
    assert all(ours == theirs + "0.500000000" for ours, theirs in zip(written[1:], given[1:], strict=True))


# The games table of a workspace


def table(*rows: dict[str, object]) -> pa.Table:
    usual = dict.fromkeys(("black_elo", "exclusion")) | {
        "game_id": "g",
        "date": "1997.05.11",
        "year": 1997,
        "white": "Kasparov",
        "black": "Karpov",
        "white_elo": 2800,
        "result": 1.0,
        "time_class": "classical",
    }
    return pa.Table.from_pylist([usual | row for row in rows])


@pytest.mark.parametrize("absent", [[], ["time_class"]])
def test_games_of_a_workspace_in_order_of_months(absent: list[str]) -> None:
    rows = table(
        {"date": "1998.01.??", "game_id": "later"},
        {"date": "1997.12.31", "game_id": "earlier", "result": 0.5},
    )
    games, left_out = games_from_table(rows.drop_columns(absent))
    assert left_out == {}
    assert games.month.tolist() == [month_of(1997, 12), month_of(1998, 1)]
    assert games.game_id == ("earlier", "later")
    assert games.result.tolist() == [0.5, 1.0]
    assert games.white_elo.tolist() == [2800, 2800]
    assert np.isnan(games.black_elo).all()
    assert games.players == ("Karpov", "Kasparov")


def test_what_is_left_out_is_counted() -> None:
    games, left_out = games_from_table(
        table(
            {"exclusion": "duplicate"},
            {"exclusion": "odds_or_simul"},
            {"exclusion": "odds_or_simul"},
            {"exclusion": "too_short"},  # a short game has a result all the same
            {"exclusion": "too_short", "time_class": "blitz"},
            {"result": None},
            {"date": "????.??.??", "year": None},
            {"date": None, "year": 1990},  # the year is enough
            {"black": "Kasparov"},
        )
    )
    assert len(games) == 2
    assert games.month.tolist() == [month_of(1990, 7), month_of(1997, 5)]
    assert left_out == {
        "duplicate": 1,
        "odds_or_simul": 2,
        "fast_time_control": 1,
        "no_result": 1,
        "no_date": 1,
        "no_two_players": 1,
    }


def test_games_to_forecast_need_no_result() -> None:
    games, left_out = games_from_table(table({"result": None, "exclusion": "no_result"}), forecast=True)
    assert left_out == {}
    assert math.isnan(games.result[0])


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([f'1,1,2,"{"x" * 140_000}"'], "line 2: it cannot be read as CSV"),
        ([f"{'9' * 5000},1,2,1"], "line 2: the month must be a whole number"),
        ([f"{'0' * 5000},1,2,1"], "line 2: the month must be a whole number"),
        (["\u00b2,1,2,1"], "line 2: the month must be a whole number"),
        (["1000000,1,2,1"], "line 2: the month must be a whole number"),
        ([f"1,1,2,{'9' * 5000}"], "the score must be 0, 0.5 or 1"),
        ([f"1,{'x' * 5000},{'x' * 5000},1"], "cannot play against themselves"),
    ],
)
def test_hostile_cells_are_one_short_sentence(tmp_path: Path, rows: list[str], words: str) -> None:
    with pytest.raises(InputError) as raised:
        read_competition(write(tmp_path, *rows))
    assert words in str(raised.value)
    assert len(str(raised.value)) < 500


def test_hostile_headers_are_one_short_sentence(tmp_path: Path) -> None:
    for header in ("x" * 200_000, HEADER + "," + "x" * 100_000, "\x00"):
        with pytest.raises(InputError) as raised:
            read_competition(write(tmp_path, *ROWS, header=header))
        assert len(str(raised.value)) < 500


# Games by their results, from every kind of source.


def test_no_game_that_counts(tmp_path: Path) -> None:
    path = tmp_path / "open.pgn"
    path.write_text('[White "A"]\n[Black "B"]\n[Result "*"]\n\n1. e4 e5 *\n')
    with pytest.raises(InputError, match=r"no game of .* counts"):
        read_results(open_source(path, keep=False))
