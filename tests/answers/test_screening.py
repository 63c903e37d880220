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


def test_the_verdict_says_how_often_help_would_be_found() -> None:
    power = {"games": 5, "engine": "Stockfish 19", "half": 0.04, "all": 0.58}
    quiet = Screened(**{**ONE.__dict__, "flag": None, "games": 5, "honest": 4200})
    words = "Stockfish 19, 4% of players with 5 games would be named here; with all, 58%."
    assert words in made(players=(quiet,), power=power).verdict
    assert made(power=power).to_dict()["power"] == power


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


def test_what_is_missing_is_null() -> None:
    lacking = Screened(**{**ONE.__dict__, "z": dict.fromkeys(STATISTICS, math.nan), "observed": {}})
    found = made(players=(lacking,))
    assert found.to_dict()["players"][0]["z"]["first"] is None
    assert len(list(found.details())) == 1


def test_rates_have_their_intervals() -> None:
    one = {"games": 5, "band": "all", "above": 0.05, "below": 0.04, "groups": 100}
    rates = ({**one, "threshold": 1.645, "nominal": 0.05},)
    answer = made(rates=rates)
    (found,) = answer.to_dict()["error_rates"]
    assert found["above_interval"] == [0.016432, 0.112835]
    assert found["nominal"] == 0.05
