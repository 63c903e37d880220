from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.pgn.players import read_aliases, resolve
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
