"""Ratings for people and for programs."""

import math
from dataclasses import replace

import pytest

from assay.answers.ratings import Ratings
from assay.report.ratings import ratings_figure
from examples.report_examples import chess_decisions, make_ratings


@pytest.fixture(scope="module")
def ratings() -> Ratings:
    return make_ratings(chess_decisions())


def test_programs_get_every_method_of_every_player(ratings: Ratings) -> None:
    answer = ratings
    found = answer.to_dict()
    assert [one["player"] for one in found["players"]] == [one.player for one in ratings.players]
    assert found["too_few_decisions"] == {"Dee": 3}
    first, rated = found["players"][0], ratings.players[0]
    assert first["combined"]["elo"] == round(rated.combined.elo, 1)
    assert (first["wins"], first["draws"], first["losses"]) == (
        rated.record.wins,
        rated.record.draws,
        rated.record.losses,
    )
    rows = answer.rows()
    assert len(rows) == sum(len(one.ratings) + 1 for one in ratings.players)
    own = {row["method"]: row["elo"] for row in rows if row["player"] == rated.player}
    assert own["combined"] == first["combined"]["elo"]
    assert own["gain"] == first["ratings"]["gain"]["elo"]


def test_people_get_all_methods_together_and_each_by_itself(ratings: Ratings) -> None:
    together, by_method = ratings.words()
    assert together.title.endswith("standard with Stockfish 17")
    assert list(by_method.columns) == ["player", *ratings.methods]
    rated = ratings.players[0]
    first = list(next(iter(together.rows)))
    assert first[:4] == [rated.title, rated.games, rated.decisions, str(rated.record)]
    assert first[-1].startswith(f"{rated.combined.elo:.0f} (")
    assert "Dee (3)" in by_method.note


def test_what_is_not_known_is_null_and_not_shown(ratings: Ratings) -> None:
    one = ratings.players[0]
    unknown = replace(one, reference=math.nan, combined=replace(one.combined, low=math.nan, high=math.nan))
    answer = replace(ratings, players=(unknown,))
    (player,) = answer.to_dict()["players"]
    assert player["reference"] is None
    assert player["combined"]["low"] is None
    together, _ = answer.words()
    assert "Elo" not in together.columns
    assert not any("nan" in str(cell) for row in together.rows for cell in row)


def test_one_method_has_one_table(ratings: Ratings) -> None:
    players = tuple(replace(one, ratings={"gain": one.ratings["gain"]}) for one in ratings.players)
    (table,) = replace(ratings, players=players).words()
    assert "rating: by the moves (gain)" in table.note


def test_the_prior_is_named(ratings: Ratings) -> None:
    words = "pool: normal around 1612 with deviation 140, learned from the moves of 24 players"
    answer = replace(ratings, prior=words)
    assert answer.to_dict()["prior"] == words
    assert {row["prior"] for row in answer.rows()} == {"pool"}
    assert {row["prior"] for row in ratings.rows()} == {"flat"}
    assert f"prior: {words}" in list(answer.words())[-1].note


def test_results_that_count_are_named(ratings: Ratings) -> None:
    assert "rating: by the moves (all" in list(ratings.words())[-1].note
    players = tuple(
        replace(one, ratings={**one.ratings, "results": one.ratings["gain"]}) for one in ratings.players
    )
    note = list(replace(ratings, players=players).words())[-1].note
    assert "rating: by the moves and the results (all" in note


def test_a_servers_ratings_are_not_headed_elo(ratings: Ratings) -> None:
    fide, *_ = replace(ratings, scale="FIDE Elo, classical").words()
    server, *_ = replace(ratings, scale="lichess blitz").words()
    assert "Elo" in fide.columns
    assert "published" in server.columns
    assert "Elo" not in server.columns
    assert "lichess blitz" in server.title


def test_the_level_of_the_intervals_is_printed(ratings: Ratings) -> None:
    together, by_method = replace(ratings, level=0.5).words()
    assert together.columns[-1] == "rating (50%)"
    assert "with its 50% interval" in by_method.note


def test_the_rows_as_a_table(ratings: Ratings) -> None:
    table = ratings.table()
    assert table.num_rows == len(ratings.rows())
    assert table.column_names[:3] == ["player", "part", "about"]
    assert table["elo"].type == "double"


def test_the_report_names_the_level(ratings: Ratings) -> None:
    assert "with their 50% intervals" in ratings_figure(replace(ratings, level=0.5)).svg()
