import math

from assay.answers.screening import Screened
from examples.screenings import ONE, STATISTICS, made


def test_the_verdict_where_nobody_is_named() -> None:
    quiet = made(players=(Screened(**{**ONE.__dict__, "flag": None, "p": 0.05}),))
    assert "nobody with 5 games: by fewer nobody is named" in quiet.verdict
    large = made(players=(Screened(**{**ONE.__dict__, "flag": None, "games": 9, "honest": 112}),))
    assert large.verdict.startswith("30 players screened: too many at once to name anybody. The play of 112")
    assert "enough for fields of 5." in large.verdict
    quiet = made(players=(Screened(**{**ONE.__dict__, "flag": None, "games": 5, "honest": 4200}),))
    assert quiet.verdict.startswith("30 players screened. Nobody's play is unusual for the rating. Of 200")
    assert "Ann" not in quiet.verdict
    nine = Screened(**{**quiet.players[0].__dict__, "games": 9, "honest": 112})
    mixed = made(players=(*quiet.players, nine)).verdict
    assert "1 player could not be named: too few honest players with as many games" in mixed


def test_why_nobody_is_named_is_the_verdict() -> None:
    note = "most play is below the ratings: ratings or values have another scale here, and nobody is named."
    shifted = made(players=(Screened(**{**ONE.__dict__, "flag": None}),), unnamed=note)
    assert shifted.verdict == f"30 players screened. M{note[1:]}"
    (table,) = shifted.words()
    assert table.columns[-1] == "z"
    assert shifted.to_dict()["notes"] == [note]
    (table,) = made(players=(Screened(**{**ONE.__dict__, "flag": None}),), unnamed=note, rates=()).words()
    assert table.columns[-3:] == ["first", "sound", "lost"], "no z where nothing was measured"
    assert next(iter(table.rows))[-3:] == ["80 (50)", "85 (55)", "1.0 (6.0)"]


def test_rates_are_those_of_as_many_games() -> None:
    assert "groups of 1 game held out" in made().rates_in_words()
    assert made(rates=()).rates_in_words() == ""


def test_a_rate_of_which_no_group_is_due_is_not_quoted() -> None:
    one = {"games": 1, "band": "all", "above": 0.0, "below": 0.0, "groups": 110}
    rates = tuple({**one, "threshold": z, "nominal": p} for z, p in ((1.645, 0.05), (3.09, 0.001)))
    said = made(rates=rates).rates_in_words()
    assert "1.645" in said
    assert "3.09" not in said
    assert "only 110 honest groups were held out, too few" in made(rates=rates[1:]).rates_in_words()


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
