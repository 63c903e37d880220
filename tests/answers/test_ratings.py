"""Ratings for people and for programs."""

import math
from dataclasses import replace
from typing import Any

import pytest

from assay.answers.answer import Drawn
from assay.answers.ratings import (
    Occasion,
    Percentile,
    PlayerRating,
    Rating,
    Ratings,
    Record,
    Standing,
    Standings,
)
from assay.report.ratings import ratings_figure
from examples.report_examples import chess_decisions, make_ratings


@pytest.fixture(scope="module")
def ratings() -> Ratings:
    return make_ratings(chess_decisions())


def made(*elos: float, games: int = 8, half: float = 150.0, published: float = math.nan) -> Ratings:
    """Players A, B, ... of these ratings, strongest first."""
    players = [
        PlayerRating(
            player=f"Player {chr(ord('A') + n)}" if len(elos) < 26 else f"Player {n}",
            group="",
            games=games,
            decisions=40 * games,
            record=Record(games // 2, games - games // 2, 0),
            reference=published,
            ratings={},
            combined=Rating(
                "combined", elo, low=elo - half, high=elo + half, decisions=40.0 * games, games=games
            ),
        )
        for n, elo in enumerate(elos)
    ]
    return Ratings(
        engine="Fish",
        recipe="standard",
        recipe_id="0123",
        by="player",
        players=tuple(players),
        too_few={},
        scale="FIDE Elo, classical",
        prior="population",
        occasion=Occasion("Event, 2012", 36, "3 to 12 Dec 2012", "games.pgn"),
    )


def said(ratings: Ratings) -> str:
    return " ".join(ratings.sentences())


def test_people_get_one_line_for_each_player() -> None:
    (table,) = made(2684, 2651, published=2670.4).words()
    assert (table.title, table.beside) == ("Event, 2012 · 36 games", "FIDE Elo, classical")
    assert list(table.columns) == ["", "player", "score", "publ.", "moves", "95% range", ""]
    *cells, drawing = next(iter(table.rows))
    assert cells == [1, "Player A", "6 /8", "2670", "2680", "2530-2830"]
    assert isinstance(drawing, Drawn)
    assert drawing.draw(24).count("◇") == drawing.draw(24).count("●") == 1
    assert "8 games each: about ±150.\nMore: --details  --report FILE" in table.note
    assert table.grey == "standard with Fish; prior: population"


@pytest.mark.parametrize(
    ("lead", "words"),
    [
        (5, "Too close to call who played best: Player A is ahead of Player B with 5"),
        (100, "Player A probably played best: ahead of Player B with 8"),
        (400, "Player A clearly played best: ahead of Player B with 99%"),
    ],
)
def test_who_played_best_and_how_sure(lead: float, words: str) -> None:
    assert words in said(made(2600, 2600 - lead))


def test_beyond_the_end_of_the_scale_there_is_no_order() -> None:
    ratings = made(2990, 2990, 2600)
    above = [
        replace(player, combined=replace(player.combined, low=2450, high=3300, bound="above", end=2750))
        for player in ratings.players[:2]
    ]
    answer = replace(ratings, players=(*above, ratings.players[2]))
    assert "Beyond the end of the scale, in no order: Player A; Player B." in said(answer)
    (table,) = answer.words()
    assert list(next(iter(table.rows)))[-3:-1] == ["above 2750", "2450-2750+"]


def test_published_ratings_are_compared_with() -> None:
    assert "Mean by moves 2650, published 2600. All published ratings are inside" in said(
        made(2690, 2610, published=2600)
    )
    assert "Clearly above the published rating: Player A." in said(made(2800, 2610, published=2600))
    assert "Clearly below the published rating: Player A; Player B." in said(made(2400, 2390, published=2600))
    many = said(made(*[2600.0] * 40, published=2200))
    assert "40 of 40 published ratings are outside the ranges; by chance about 2 would be." in many


def test_a_servers_ratings_stand_under_its_name_and_are_not_compared_with_fides() -> None:
    server = Occasion("Event", 4, published_by="lichess")
    answer = replace(made(2000, 1900, published=2200), occasion=server)
    (table,) = answer.words()
    assert "lichess" in table.columns
    assert "publ." not in table.columns
    assert "lichess ratings, which are not on this scale" in said(answer)
    assert all(math.isnan(row[-1].mark) for row in table.rows)
    own = replace(answer, scale="lichess classical")
    assert "published 2200" in said(own)


def test_few_games_come_below_a_rule_and_long_tables_are_short() -> None:
    ratings = made(2600, 2500, 2400)
    first = replace(ratings.players[0], games=3)
    (table,) = replace(ratings, players=(first, *ratings.players[1:])).words()
    assert [row[1] if row else "rule" for row in table.rows] == ["Player B", "Player C", "rule", "Player A"]
    long = made(*range(2700, 2400, -10))
    few = replace(long.players[0], games=1)
    long = replace(long, players=(few, *long.players[1:]))
    (table,) = long.words()
    assert len(list(table.rows)) == 20
    assert "Also rated: 9 more and 1 with fewer than four games (--all-players)." in table.note
    (table,) = replace(long, everyone=True).words()
    assert len(list(table.rows)) == 31  # a rule among them


def test_how_sure_is_of_the_players_who_come_first() -> None:
    """Also of those whom a long table does not print; not of those with fewer than four games."""
    narrow, wide = made(*[2000.0] * 10, half=100), made(*[1500.0] * 30, half=300)
    few = made(*[1400.0] * 60, half=500, games=1)
    players = tuple(
        replace(player, with_more=100 * place)
        for place, group in enumerate((narrow, wide, few), 1)
        for player in group.players
    )
    (table,) = replace(wide, players=players).words()
    assert "8 games each: about ±300. Four times as many: ±200" in table.note


def test_where_nobody_has_four_games_those_with_most_come_first() -> None:
    ratings = made(2600, 2500, 2400, games=3)
    first = replace(ratings.players[0], games=1)
    answer = replace(ratings, players=(first, *ratings.players[1:]))
    (table,) = answer.words()
    assert [row[1] if row else "rule" for row in table.rows] == ["Player B", "Player C", "rule", "Player A"]
    assert said(answer) == "Player B probably played best: ahead of Player C with 82%."


def test_a_method_alone_gives_the_ratings_its_name() -> None:
    ratings = made(2600, 2500)
    players = tuple(
        replace(player, ratings={"bayes": replace(player.combined, method="bayes")})
        for player in ratings.players
    )
    (table,) = replace(ratings, players=players).words()
    assert "bayes" in table.columns
    assert "moves" not in table.columns
    carried = (replace(player, ratings={"traits": player.combined}) for player in ratings.players)
    (table,) = replace(ratings, players=tuple(carried)).words()
    assert "moves" in table.columns
    other = replace(players[0], ratings={"bayes": replace(players[0].combined, elo=1500.0)})
    (table,) = replace(ratings, players=(other, players[1])).words()
    assert "moves" in table.columns


def test_nobody_rated_is_said() -> None:
    (table,) = replace(made(2600), players=(), too_few={"Anna": 7}).words()
    assert "Nobody is rated: too few moves after move 8 (Anna (7))." in table.note


def test_one_player_gets_sentences() -> None:
    ratings = made(1790, published=1847)
    player = replace(ratings.players[0], opponents=1862.0)
    (words,) = replace(ratings, players=(player,)).words()
    assert words.title.splitlines() == [
        "Player A · 8 games, 3 to 12 Dec 2012",
        "   Played like 1790, 95% range 1640-1940.",
        "   Published rating 1847: inside the range, no clear difference.",
        "   Score 6/8 (+4 =4 -0), opponents rated 1862 on average",
        "Next: assay lesson games.pgn -p 'Player A'",
        "      assay progress games.pgn -p 'Player A'",
        "More: --details  --report FILE",
    ]


def test_beyond_the_end_of_the_scale_one_player_played_below_or_above_it() -> None:
    answer = made(2790.0)
    (player,) = answer.players

    def played(**beyond: Any) -> str:
        rating = replace(player.combined, **beyond)
        return said(replace(answer, players=(replace(player, combined=rating),)))

    assert played(bound="above", end=2770) == "Played above 2770, 95% range 2640-2770+."
    assert played(bound="above", end=2500) == "Played above 2500, 95% range 2500+."
    assert played(bound="above", end=2800) == "Played above 2790, 95% range 2640-2800+."
    assert played(bound="below", end=2800) == "Played below 2800, 95% range below 2940."
    assert played(bound="below", end=3000) == "Played below 3000, 95% range below 3000."


def test_the_place_to_start_stands_on_the_line_of_its_measure() -> None:
    standings = [
        Standing(
            measure="x",
            words=words,
            value=1.0,
            shown=shown,
            percentile=Percentile(share, 160, "players", "x"),
            low=0.1,
            high=0.99,
        )
        for words, shown, share in (("a move as good as the first", "48%", 0.61), ("mean loss", "34.3", 0.26))
    ]
    among = Standings(player="A", elo=1900, rating=None, measures=tuple(standings), among="others")
    _, first, second = among.lines()
    assert max(len(first), len(second)) <= 80
    assert second.endswith("34.3  better than 26% (10 to 99) <- start here")
    assert "start here" not in first


def test_a_single_game_has_no_four_digits_that_look_precise() -> None:
    """The range is rounded outwards: what is inside of it stays so."""
    ratings = made(1790, games=1, half=400)
    assert said(ratings) == "One game: somewhere between 1300 and 2200; most likely a club player."
    server = replace(ratings, scale="lichess blitz")
    assert said(server) == "One game: somewhere between 1300 and 2200; most likely about 1800."
    two = replace(ratings, players=ratings.players * 2)
    (table,) = two.words()
    assert next(iter(table.rows))[-3] == "~1800"


def test_what_is_not_known_is_null_and_not_shown(ratings: Ratings) -> None:
    one = ratings.players[0]
    unknown = replace(one, reference=math.nan, combined=replace(one.combined, low=math.nan, high=math.nan))
    answer = replace(ratings, players=(unknown, unknown))
    player = answer.to_dict()["players"][0]
    assert player["reference"] is None
    assert player["combined"]["low"] is None
    (together,) = answer.words()
    assert "publ." not in together.columns
    assert not any("nan" in str(cell) for row in together.rows for cell in row)


def test_details_have_the_methods_the_prior_and_who_is_not_rated(ratings: Ratings) -> None:
    papers = tuple(replace(one, papers=one.ratings["gain"]) for one in ratings.players)
    by_method, reading = replace(ratings, players=papers).details()
    assert list(by_method.columns) == ["player", "decisions", "by the papers' methods", *ratings.methods]
    assert "Dee (3)" in reading.title
    assert f"prior: {ratings.prior}" in reading.title
    results = tuple(
        replace(one, ratings={**one.ratings, "results": one.ratings["gain"]}) for one in ratings.players
    )
    *_, reading = replace(ratings, players=results).details()
    assert "the rating by the moves and the results of these games" in reading.title


def test_the_prior_is_named_for_programs(ratings: Ratings) -> None:
    words = "pool: normal around 1612 with deviation 140, learned from the moves of 24 players"
    answer = replace(ratings, prior=words)
    assert answer.to_dict()["prior"] == words
    assert {row["prior"] for row in answer.rows()} == {"pool"}
    assert {row["prior"] for row in ratings.rows()} == {"flat"}


def test_the_level_of_the_intervals_is_printed(ratings: Ratings) -> None:
    (table,) = replace(ratings, level=0.5).words()
    assert "50% range" in table.columns
    assert "with their 50% intervals" in ratings_figure(replace(ratings, level=0.5)).svg()
