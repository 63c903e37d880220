from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.decisions.schema import GAMES
from assay.errors import InputError
from assay.pgn.players import NEEDED, Resolved, ambiguous, read_aliases, resolve
from assay.pgn.tags import fide_id_of
from examples.names import ANY_NAME


def players(*names: str, aliases: dict[str, str] | None = None) -> list[str]:
    resolved = resolve(dict.fromkeys(names, 1), aliases or {}, {})
    return [resolved[name].player for name in names]


IVANOVS = ("Ivanov, Alexander", "Ivanov, Alexei", "Ivanov, A", "Ivanov,A.")
POLGARS = ("Polgar, Judit", "Polgar, Sofia", "Polgar, S", "Polgar,S.", "Polgar")
ENGINES = ("Stockfish 1400", "Stockfish 1800", "cantosh", "?", "")


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        *[
            (("Kasparov, Garry", name), ("Kasparov, Garry",) * 2)
            for name in ("Kasparov, G", "Garry Kasparov", "Kasparov,G.", "GM Garry Kasparov", "Kasparov G.")
        ],
        (("KASPAROV, GARRY", "Kasparov, Garry"), ("Kasparov, Garry",) * 2),
        (("Carlsen, Magnus", "Carlsen, Henrik"), ("Carlsen, Magnus", "Carlsen, Henrik")),
        (POLGARS, (*POLGARS[:2], *POLGARS[1:2] * 2, "Polgar")),  # an initial goes where it fits one only
        (IVANOVS, (*IVANOVS[:3], "Ivanov, A")),
        (("Müller, Karsten", "Muller, K", "IM Karsten Müller"), ("Müller, Karsten",) * 3),
        (("Hou, Yifan", "Hou Yifan"), ("Hou, Yifan",) * 2),
        (("van der Wiel, John", "John van der Wiel", "Van der Wiel,J"), ("van der Wiel, John",) * 3),
        (("Cyborowski, Lukasz", "Łukasz Cyborowski"), ("Cyborowski, Lukasz",) * 2),
        (("Fischer, R", "Fischer, Robert James", "Fischer, Robert"), ("Fischer, Robert James",) * 3),
        (ENGINES, ENGINES),
    ],
)
def test_names_by_themselves(names: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert players(*names) == list(expected)


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


@given(st.lists(ANY_NAME, min_size=1, max_size=12, unique=True))
@settings(max_examples=200, deadline=None)
def test_resolving_is_total_stable_and_independent_of_order(names: list[str]) -> None:
    resolved = resolve(dict.fromkeys(names, 1), {}, {})
    assert set(resolved) == set(names)
    assert resolve(dict.fromkeys(sorted(names, key=hash), 1), {}, {}) == resolved
    # The canonical name is one of the names, and is its own canonical name.
    assert all(resolved[each.player].player == each.player for each in resolved.values())


# Names that the games settle, and names that they leave open.

RIVALS = ("Topalov, Veselin", "Shirov, Alexei", "Gelfand, Boris", "Kamsky, Gata", "Short, Nigel D")


def game(white: str, black: str, year: int | None = 1999, **tags: object) -> dict[str, object]:
    return {**dict.fromkeys(NEEDED), "white_name": white, "black_name": black, "year": year, **tags}


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
    return {name: each.player for name, each in settled(rows).items() if name not in RIVALS}


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
    (name,) = ambiguous(resolved, Counter(str(row["white_name"]) for row in rows))
    assert (name.name, name.games) == ("Kasparov,G", 5)
    assert name.candidates == ("Kasparov, Gary", "Kasparov,Georgy")  # most games first
    assert name.alias == "Kasparov,G = Kasparov, Gary"
    given = settled(rows, **{"kasparov, g": "Kasparov, Gary"})
    assert ambiguous(given, {}) == []


def test_names_cut_short_in_two_ways() -> None:
    """`Ana` follows on `An` only, which both it and the full name fit: what is joined settles the next."""
    rows = [
        *career("Karpov, Anatoly", 2700, 2699, first=1998),
        *career("Karpov,An", 2697, 2690, first=2000),
        *career("Karpov,Ana", 2688, 2680, first=2001),
    ]
    assert set(by_games(rows).values()) == {"Karpov, Anatoly"}


@pytest.mark.parametrize(
    ("rows", "same"),
    [
        ((2700, "E"), True),
        ((2650, "other"), False),  # neither events nor opponents in common
        ((2550, "E"), False),  # between near and far: open
        ((2400, "E"), False),
        ((None, "E"), False),
    ],
)
@pytest.mark.parametrize(
    ("short", "full"), [("Petrosian,TL", "Petrosian, Tigran L"), ("Petrosian,Tig", "Petrosian, Tigran V")]
)
def test_ratings_and_events_settle_a_short_name(
    short: str, full: str, rows: tuple[int | None, str], same: bool
) -> None:
    elo, event = rows
    games = [
        game(full, "x", white_elo=2700, event="E"),
        game(short, "y", white_elo=elo, event=event),
    ]
    assert by_games(games)[short] == (full if same else short)
    assert by_games(games[::-1]) == by_games(games)


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
    resolved = by_games(rows)
    assert resolved["Kramnik,V"] == "Kramnik, Vladimir"
    assert resolved["Kramnik,Vladimir:Picot,Russell"] == "Kramnik,Vladimir:Picot,Russell"


# FIDE ids settle whether two spellings are one player.


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *[("4100018", 4100018), (" 14109603 ", 14109603)],
        *[(text, None) for text in ("0", "", None, "n/a", "9" * 10, "9" * 5000)],
    ],
)
def test_ids_as_written(text: str | None, number: int | None) -> None:
    assert fide_id_of(text) == number


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([("Korchnoi, Viktor", 13), ("Kortschnoj, V", 13)], {"Kortschnoj, V": "Korchnoi, Viktor"}),
        ([("Polgar, Judit", None), ("Polgar, J", None)], {"Polgar, J": "Polgar, Judit"}),
        ([("Polgar, Judit", 7), ("Polgar, J", 8)], {"Polgar, J": "Polgar, J"}),
        ([("Wang, Hao", 8), ("Wang, Hui", 9), ("Wang, H", 9)], {"Wang, H": "Wang, Hui"}),
        # The id of a name is that of nine in ten of its games.
        ([("Li, A", 1)] * 19 + [("Li, A", 2), ("Lee, Ann", 1)], {"Li, A": "Lee, Ann"}),
        ([("Li, A", 1)] * 19 + [("Li, A", 2)] * 5 + [("Lee, Ann", 1)], {"Li, A": "Li, A"}),
        # A player of several ids is left alone.
        ([("Ax, Bo", 1), ("Ax, Bo C", 2), ("Ax, Bo D", 2), ("Cy, D", 1)], {"Ax, Bo C": "Ax, Bo D"}),
    ],
)
def test_fide_ids_settle(names: list[tuple[str, int | None]], expected: dict[str, str]) -> None:
    resolved = by_games([game(name, "Rival, X", white_fide=number) for name, number in names])
    assert resolved | expected == resolved
