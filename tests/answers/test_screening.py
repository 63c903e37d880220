import math

from assay.answers.screening import Screened
from examples.screenings import ONE, STATISTICS, made


def test_a_document_for_programs() -> None:
    found = made().to_dict()
    assert found["players"][0]["each_game"][0]["z"] == 2.5
    assert found["players"][0]["turns"][0]["played"] == "a4a5"
    assert found["players"][0]["p"] == 0.0004
    assert found["left_out"] == {"Bob": "3 turns, fewer than 20"}
    assert found["full"] is None


def test_rows_are_flat() -> None:
    row = made().rows()[0]
    assert row["z_hard"] == 3.2
    assert row["observed_first"] == 0.8
    assert not {"each_game", "turns"} & set(row)


def test_tables_for_people() -> None:
    everyone, again, games = made(full=made()).words()
    assert everyone.title.startswith("30 players screened. Unusual play: Ann (above the rating; 1 in 2,500")
    assert (
        "Of 200 simulated opens of 120 honest players (9 games each) somebody was named in 7."
        in everyone.title
    )
    assert "Next: more games" in everyone.title
    assert again.title.startswith("Tested again")
    assert next(iter(games.rows))[-1] == "+2.5"
    numbers, _ = made().details()
    assert "Not screened: Bob (3 turns, fewer than 20)" in numbers.note


def test_the_verdict_where_nobody_is_named() -> None:
    quiet = made(players=(Screened(**{**ONE.__dict__, "flag": None, "p": 0.05}),))
    assert "nobody with 5 games: by fewer nobody is named" in quiet.verdict
    quiet = made(players=(Screened(**{**ONE.__dict__, "flag": None, "games": 5}),))
    assert quiet.verdict.startswith("30 players screened. Nobody's play is unusual for the rating. Of 200")
    assert "Ann" not in quiet.verdict


def test_why_nobody_is_named_is_the_verdict() -> None:
    note = "most play is below the ratings: ratings or values have another scale here, and nobody is named."
    shifted = made(players=(Screened(**{**ONE.__dict__, "flag": None}),), notes=(note,))
    assert shifted.verdict == f"30 players screened. M{note[1:]}"
    (table,) = shifted.words()
    assert "honest players" not in table.columns
    assert note not in next(iter(shifted.details())).note


def test_rates_are_those_of_as_many_games() -> None:
    assert "groups of 1 game held out" in made().rates_in_words()
    assert made(rates=()).rates_in_words() == ""


def test_a_rate_of_which_no_group_is_due_is_not_quoted() -> None:
    one = {"games": 1, "band": "all", "above": 0.0, "below": 0.0, "groups": 110}
    rates = tuple({**one, "threshold": z, "nominal": p} for z, p in ((1.645, 0.05), (3.09, 0.001)))
    said = made(rates=rates).rates_in_words()
    assert "1.645" in said
    assert "3.09" not in said
    assert "rarer" in said
    assert "only 110 honest groups" in made(rates=rates[1:]).rates_in_words()


def test_what_is_missing_is_null() -> None:
    lacking = Screened(**{**ONE.__dict__, "z": dict.fromkeys(STATISTICS, math.nan), "observed": {}})
    found = made(players=(lacking,))
    assert found.to_dict()["players"][0]["z"]["first"] is None
    assert len(list(found.details())) == 1


def test_rates_have_their_intervals_for_people_and_programs() -> None:
    one = {"games": 5, "band": "all", "above": 0.05, "below": 0.04, "groups": 100}
    rates = ({**one, "threshold": 1.645, "nominal": 0.05},)
    answer = made(rates=rates)
    assert "5% (1.6 to 11) above and 4% (1.1 to 9.9) below" in answer.rates_in_words()
    (found,) = answer.to_dict()["error_rates"]
    assert found["above_interval"] == [0.016432, 0.112835]
    assert found["nominal"] == 0.05


def test_more_games_than_were_tried_are_said() -> None:
    many = Screened(**{**ONE.__dict__, "games": 40})
    one = {"games": 9, "band": "all", "above": 0.05, "below": 0.04, "groups": 100}
    rates = ({**one, "threshold": 1.645, "nominal": 0.05},)
    assert "more than 9 games were not tried" in made(players=(many,), rates=rates).rates_in_words()
    few = Screened(**{**ONE.__dict__, "games": 9})
    assert "not tried" not in made(players=(few,), rates=rates).rates_in_words()


def test_the_named_are_those_with_a_flag() -> None:
    other = Screened(**{**ONE.__dict__, "player": "Bob", "flag": None, "group": "London"})
    found = made(players=(ONE, other))
    assert (len(found), [who.player for who in found.named]) == (2, [ONE.player])
    assert other.title == "Bob, London"
