from collections import Counter
from itertools import count
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.decisions.schema import GAMES
from assay.errors import InputError
from assay.pgn.players import (
    NEEDED,
    Evidence,
    Resolved,
    Verdict,
    abbreviates,
    ambiguous,
    id_of_all,
    ids_of_names,
    joined_by_id,
    read_aliases,
    resolve,
)
from assay.pgn.tags import fide_id_of
from examples.names import ANY_NAME


def players(*names: str, aliases: dict[str, str] | None = None) -> list[str]:
    found = resolve(dict.fromkeys(names, 1), aliases or {}, {})
    return [found[name].player for name in names]


@pytest.mark.parametrize(
    "name",
    ["Kasparov, G", "Garry Kasparov", "Kasparov,G.", "GM Garry Kasparov", "KASPAROV, GARRY", "Kasparov G."],
)
def test_one_person(name: str) -> None:
    assert set(players("Kasparov, Garry", name)) == {"Kasparov, Garry"}


def test_two_persons_of_one_family() -> None:
    assert players("Carlsen, Magnus", "Carlsen, Henrik") == ["Carlsen, Magnus", "Carlsen, Henrik"]


def test_an_initial_goes_where_it_fits_one_only() -> None:
    names = ("Polgar, Judit", "Polgar, Sofia", "Polgar, S", "Polgar,S.", "Polgar")
    assert players(*names) == ["Polgar, Judit", "Polgar, Sofia", "Polgar, Sofia", "Polgar, Sofia", "Polgar"]
    assert players("Ivanov, Alexander", "Ivanov, Alexei", "Ivanov, A", "Ivanov,A.") == [
        *("Ivanov, Alexander", "Ivanov, Alexei", "Ivanov, A", "Ivanov, A"),
    ]


def test_diacritics_titles_and_order() -> None:
    assert len(set(players("Müller, Karsten", "Muller, K", "IM Karsten Müller"))) == 1
    assert players("Hou, Yifan", "Hou Yifan") == ["Hou, Yifan"] * 2
    assert players("van der Wiel, John", "John van der Wiel", "Van der Wiel,J") == ["van der Wiel, John"] * 3
    assert len(set(players("Łukasz Cyborowski", "Cyborowski, Lukasz"))) == 1


def test_engines_and_user_names_stay_as_they_are() -> None:
    names = ("Stockfish 1400", "Stockfish 1800", "cantosh", "?", "")
    assert players(*names) == list(names)


def test_the_fullest_name_is_the_canonical_one() -> None:
    names = ("Fischer, R", "Fischer, Robert James", "Fischer, Robert")
    assert set(players(*names)) == {"Fischer, Robert James"}


def test_aliases_override(tmp_path: Path) -> None:
    path = tmp_path / "aliases.txt"
    path.write_text(
        "# who is who\nFischer, Bobby = Fischer, Robert James  # the same\n\nDrNykterstein=Carlsen, Magnus\n"
    )
    aliases = read_aliases(path)
    assert players("fischer,  bobby", "DrNykterstein", "Carlsen, H", aliases=aliases) == [
        *("Fischer, Robert James", "Carlsen, Magnus", "Carlsen, H"),
    ]


@pytest.mark.parametrize(
    ("content", "message"), [(b"no equals sign\n", "line 1"), (b"\xff\xfe\x00", "UTF-8")]
)
def test_bad_aliases_are_clear_errors(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "aliases.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_aliases(path)
    with pytest.raises(InputError, match="cannot read"):
        read_aliases(tmp_path / "absent.txt")


@given(st.lists(ANY_NAME, min_size=1, max_size=12, unique=True), st.randoms())
@settings(max_examples=200, deadline=None)
def test_resolving_is_total_stable_and_independent_of_order(names: list[str], chance: object) -> None:
    found = resolve(dict.fromkeys(names, 1), {}, {})
    assert set(found) == set(names)
    shuffled = sorted(names, key=hash)
    assert resolve(dict.fromkeys(shuffled, 1), {}, {}) == found
    # The canonical name is one of the names, and is its own canonical name.
    assert all(one.player in names and found[one.player].player == one.player for one in found.values())


# Names that the games settle, and names that they leave open.

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


def by_games(rows: list[dict[str, object]]) -> dict[str, str]:
    """The players of the names but the rivals, as the games settle them."""
    return {name: one.player for name, one in settled(rows).items() if name not in RIVALS}


GARY = career("Kasparov, Gary", 2812, 2815, first=1998)
GEORGY = career("Kasparov,Georgy", 2250, first=2013)


def test_a_career_that_goes_on_under_a_shorter_name() -> None:
    later = career("Kasparov,G", 2845, 2838, first=2000)
    rows = [*GARY, *GEORGY, *later]
    assert by_games(rows)["Kasparov,G"] == "Kasparov, Gary"
    assert by_games(rows) == by_games(rows[::-1])
    assert by_games([*GARY, *GEORGY, *career("Kasparov,G", 2845, first=2003)])["Kasparov,G"] == "Kasparov,G"
    strangers = tuple(f"Nobody{letter}, Ann" for letter in "abcde")
    apart = career("Kasparov,G", 2845, first=2000, rivals=strangers)
    assert by_games([*GARY, *GEORGY, *apart])["Kasparov,G"] == "Kasparov,G"


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
    assert set(by_games(rows).values()) == {"Karpov, Anatoly"}


def test_one_game_under_two_names() -> None:
    rows = [
        game("Hansen, Curt", "Short, Nigel D", moves_key=-5),
        game("Hansen,Cu", "Short,N", moves_key=-5),
        game("Hansen, Carsten", "Short, Nigel D"),
    ]
    assert by_games(rows)["Hansen,Cu"] == "Hansen, Curt"
    rows[1]["n_plies"] = rows[0]["n_plies"] = 12  # anybody can play so few moves
    assert by_games(rows)["Hansen,Cu"] == "Hansen,Cu"


def test_nobody_plays_against_himself() -> None:
    assert by_games([game("Smyslov,V", "Smyslov, Vassily")]) == {
        "Smyslov,V": "Smyslov,V",
        "Smyslov, Vassily": "Smyslov, Vassily",
    }
    both = [*career("Karpov, Anatoly", 2700, first=1998), *career("Karpov,An", 2700, first=1999)]
    assert by_games(both)["Karpov,An"] == "Karpov, Anatoly"
    assert by_games([*both, game("Karpov,An", "Karpov, Anatoly")])["Karpov,An"] == "Karpov,An"


def test_consulting_players_are_nobody_else() -> None:
    rows = [
        game("Kramnik, Vladimir", "B"),
        game("Kramnik,Vladimir:Picot,Russell", "B"),
        game("Kramnik,V", "B"),
    ]
    found = by_games(rows)
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


# FIDE ids settle whether two spellings are one player.


@pytest.mark.parametrize(
    ("text", "number"),
    [("4100018", 4100018), (" 14109603 ", 14109603), ("0", None), ("", None), (None, None), ("n/a", None)],
)
def test_ids_as_written(text: str | None, number: int | None) -> None:
    assert fide_id_of(text) == number


def test_a_number_that_no_column_holds_is_none() -> None:
    assert fide_id_of("9" * 10) is None
    assert fide_id_of("9" * 5000) is None


def games(*rows: tuple[str, int | None]) -> list[dict[str, object]]:
    """Games of White with this name and id."""
    return [game(name, "Rival, X", white_fide=number) for name, number in rows]


def test_the_id_of_a_name_is_that_of_nearly_all_its_games() -> None:
    often = [("Li, A", 1)] * 19
    assert ids_of_names(table(games(*often, ("Li, A", 2)))) == {"Li, A": 1}
    assert ids_of_names(table(games(*often, *[("Li, A", 2)] * 5))) == {}
    assert id_of_all(["a", "b"], {"a": 1, "b": 1}) == 1
    assert id_of_all(["a", "b"], {"a": 1, "b": 2}) is None
    assert id_of_all(["a"], {}) is None


def test_two_spellings_with_one_id_are_one_player() -> None:
    found = by_games(games(("Korchnoi, Viktor", 1300016), ("Kortschnoj, V", 1300016)))
    assert found["Kortschnoj, V"] == found["Korchnoi, Viktor"] == "Korchnoi, Viktor"


def test_a_short_name_with_another_id_is_another_player() -> None:
    alone = games(("Polgar, Judit", None), ("Polgar, J", None))
    assert by_games(alone)["Polgar, J"] == "Polgar, Judit"
    apart = games(("Polgar, Judit", 700070), ("Polgar, J", 799999))
    assert by_games(apart)["Polgar, J"] == "Polgar, J"


def test_an_initial_goes_where_its_id_is() -> None:
    found = by_games(
        games(
            ("Wang, Hao", 8602883),
            ("Wang, Hui", 8600001),
            ("Wang, H", 8600001),
        )
    )
    assert found["Wang, H"] == "Wang, Hui"


def test_a_player_of_several_ids_is_left_alone() -> None:
    joined = {"A, B": "A, B", "A, Bob": "A, B", "C, D": "C, D"}
    rank = {"A, B": (False, 1, 5), "C, D": (False, 1, 1)}
    assert joined_by_id(joined, {"A, B": 1, "A, Bob": 2, "C, D": 1}, rank) == joined
    assert joined_by_id(joined, {"A, B": 1, "C, D": 1}, rank)["C, D"] == "A, B"
