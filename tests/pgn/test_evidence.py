"""Names that the games settle, and names that they leave open."""

from collections import Counter
from itertools import count

import pyarrow as pa
import pytest

from assay.decisions.schema import GAMES
from assay.pgn.players import NEEDED, Evidence, Resolved, Verdict, abbreviates, ambiguous, resolve

_moves = count()
RIVALS = ("Topalov, Veselin", "Shirov, Alexei", "Gelfand, Boris", "Kamsky, Gata", "Short, Nigel D")


def game(white: str, black: str, year: int | None = 1999, **tags: object) -> dict[str, object]:
    """A game with moves of its own, unless some are given."""
    row: dict[str, object] = dict.fromkeys(NEEDED)
    row.update(white_name=white, black_name=black, year=year, moves_key=next(_moves), n_plies=80)
    return {**row, **tags}


def career(name: str, *ratings: int, first: int, rivals: tuple[str, ...] = RIVALS) -> list[dict[str, object]]:
    """Games against all rivals, in as many years as there are ratings."""
    return [
        game(name, rival, first + number, white_elo=elo, event=f"{name} {number}")
        for number, elo in enumerate(ratings)
        for rival in rivals
    ]


def table(rows: list[dict[str, object]]) -> pa.Table:
    return pa.table(
        {name: pa.array([row[name] for row in rows], GAMES.arrow.field(name).type) for name in NEEDED}
    )


def settled(rows: list[dict[str, object]], **aliases: str) -> dict[str, Resolved]:
    counts = Counter(str(row[side]) for row in rows for side in ("white_name", "black_name"))
    return resolve(counts, aliases, {}, table(rows))


def players(rows: list[dict[str, object]]) -> dict[str, str]:
    return {name: one.player for name, one in settled(rows).items() if name not in RIVALS}


GARY = career("Kasparov, Gary", 2812, 2815, first=1998)
GEORGY = career("Kasparov,Georgy", 2250, first=2013)


def test_a_career_that_goes_on_under_a_shorter_name() -> None:
    later = career("Kasparov,G", 2845, 2838, first=2000)
    rows = [*GARY, *GEORGY, *later]
    assert players(rows)["Kasparov,G"] == "Kasparov, Gary"
    assert players(rows) == players(rows[::-1])
    assert players([*GARY, *GEORGY, *career("Kasparov,G", 2845, first=2003)])["Kasparov,G"] == "Kasparov,G"
    strangers = tuple(f"Nobody{letter}, Ann" for letter in "abcde")
    apart = career("Kasparov,G", 2845, first=2000, rivals=strangers)
    assert players([*GARY, *GEORGY, *apart])["Kasparov,G"] == "Kasparov,G"


def test_what_stays_ambiguous_is_listed_with_an_alias() -> None:
    rows = [*GARY, *GEORGY, *career("Kasparov,G", 2845, first=2005)]
    resolved = settled(rows)
    assert resolved["Kasparov,G"] == Resolved("Kasparov,G", "ambiguous")
    (one,) = ambiguous(resolved, Counter(str(row["white_name"]) for row in rows))
    assert (one.name, one.games) == ("Kasparov,G", 5)
    assert one.candidates == ("Kasparov, Gary", "Kasparov,Georgy")  # most games first
    assert one.alias == "Kasparov,G = Kasparov, Gary"
    given = settled(rows, **{"kasparov, g": "Kasparov, Gary"})
    assert ambiguous(given, {}) == []


def test_names_cut_short_in_two_ways() -> None:
    rows = [
        *career("Karpov, Anatoly", 2700, 2699, first=1998),
        *career("Karpov,An", 2697, 2690, first=2000),
        *career("Karpov,Ana", 2688, 2680, first=2001),
    ]
    assert set(players(rows).values()) == {"Karpov, Anatoly"}


def test_one_game_under_two_names() -> None:
    rows = [
        game("Hansen, Curt", "Short, Nigel D", moves_key=-5),
        game("Hansen,Cu", "Short,N", moves_key=-5),
        game("Hansen, Carsten", "Short, Nigel D"),
    ]
    assert players(rows)["Hansen,Cu"] == "Hansen, Curt"
    rows[1]["n_plies"] = rows[0]["n_plies"] = 12  # anybody can play so few moves
    assert players(rows)["Hansen,Cu"] == "Hansen,Cu"


def test_nobody_plays_against_himself() -> None:
    assert players([game("Smyslov,V", "Smyslov, Vassily")]) == {
        "Smyslov,V": "Smyslov,V",
        "Smyslov, Vassily": "Smyslov, Vassily",
    }
    both = [*career("Karpov, Anatoly", 2700, first=1998), *career("Karpov,An", 2700, first=1999)]
    assert players(both)["Karpov,An"] == "Karpov, Anatoly"
    assert players([*both, game("Karpov,An", "Karpov, Anatoly")])["Karpov,An"] == "Karpov,An"


def test_consulting_players_are_nobody_else() -> None:
    rows = [
        game("Kramnik, Vladimir", "B"),
        game("Kramnik,Vladimir:Picot,Russell", "B"),
        game("Kramnik,V", "B"),
    ]
    found = players(rows)
    assert found["Kramnik,V"] == "Kramnik, Vladimir"
    assert found["Kramnik,Vladimir:Picot,Russell"] == "Kramnik,Vladimir:Picot,Russell"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], Verdict.OPEN),
        (
            [game("A", "x", white_elo=2700, event="E"), game("B", "y", white_elo=2720, event="E")],
            Verdict.SAME,
        ),
        ([game("A", "x", white_elo=2700), game("B", "y", white_elo=2720)], Verdict.OPEN),
        ([game("A", "x", white_elo=2700), game("B", "y", white_elo=2400)], Verdict.DIFFERENT),
        (
            [game(name, "x", event="E", round=number) for name in "AB" for number in ("1", "2")],
            Verdict.DIFFERENT,  # in two rounds both had a game
        ),
        ([game("A", "B")], Verdict.DIFFERENT),
        ([game("A", "x", None, white_elo=2700), game("B", "y", None, white_elo=2700)], Verdict.OPEN),
    ],
)
def test_verdicts(rows: list[dict[str, object]], expected: Verdict) -> None:
    evidence = Evidence(table(rows), ["A", "B"])
    assert evidence.judge(["A"], ["B"]) is expected
    assert evidence.judge(["B"], ["A"]) is expected


@pytest.mark.parametrize(
    ("short", "full", "expected"),
    [
        (("an",), ("anatoly",), True),
        (("t",), ("tigran", "v"), True),
        (("tl",), ("tigran", "l"), True),
        (("tl",), ("tigran", "v"), False),
        (("r", "j"), ("robert", "james"), True),
        (("anatoly",), ("anatoly",), False),
        ((), ("anatoly",), False),
        (("al",), ("anatoly",), False),
    ],
)
def test_abbreviations(short: tuple[str, ...], full: tuple[str, ...], expected: bool) -> None:
    assert abbreviates(short, full) is expected
