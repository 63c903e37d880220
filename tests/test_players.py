from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.domain.names import fold_name, same_person
from assay.errors import InputError
from assay.ingest.players import read_aliases, resolve
from assay.ingest.spelling import Spelling, find_spelling_file


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


FAMILIES = st.sampled_from(["Kasparov", "Müller", "de la Cruz", "Li", "Ng", "O'Kelly", "Stockfish 15"])
GIVEN = st.sampled_from(["", "Garry", "G", "G.", "Anna Maria", "A. M.", "Bo", "B", "Éva"])
WRITTEN = st.builds(
    lambda family, given, style: {
        "comma": f"{family}, {given}",
        "tight": f"{family},{given}",
        "turned": f"{given} {family}",
        "titled": f"GM {family}, {given}",
        "plain": family,
    }[style],
    FAMILIES,
    GIVEN,
    st.sampled_from(["comma", "tight", "turned", "titled", "plain"]),
)
ANY_NAME = st.one_of(WRITTEN, st.text(max_size=30))


@given(st.lists(ANY_NAME, min_size=1, max_size=12, unique=True), st.randoms())
@settings(max_examples=200, deadline=None)
def test_resolving_is_total_stable_and_independent_of_order(names: list[str], chance: object) -> None:
    found = resolve(dict.fromkeys(names, 1), {}, {})
    assert set(found) == set(names)
    shuffled = sorted(names, key=hash)
    assert resolve(dict.fromkeys(shuffled, 1), {}, {}) == found
    # The canonical name is one of the names, and is its own canonical name.
    assert all(one.player in names and found[one.player].player == one.player for one in found.values())


@given(ANY_NAME, ANY_NAME)
@settings(max_examples=200, deadline=None)
def test_being_one_person_is_symmetric_and_reflexive(one: str, other: str) -> None:
    assert same_person(one, one)
    assert same_person(one, other) == same_person(other, one)


@given(ANY_NAME)
def test_any_name_can_be_taken_apart(name: str) -> None:
    assert fold_name(name).family


SPELLING = """# a spelling file
@PLAYER "., -_*"
Kasparov, Garry #GM RUS [2812] 1963.04.13 i
   %Bio Title GM:1980 IM:1979
   = Kasparov, Gary
   = Weinstein, G
   %Elo 1979:2545 1980:2595,2600 1999:?,2851
Hou, Yifan #GM CHN
   %Elo 2015:2673
Weinstein, Norman #IM USA
   = Weinstein, G
@SITE "., -_()"
London, England
   = Londres
"""


@pytest.fixture
def spelling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Spelling:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "spelling.ssp"
    path.write_text(SPELLING)
    return Spelling(path)


def test_spellings_give_canonical_names(spelling: Spelling) -> None:
    names = [
        "Kasparov, Gary",
        "kasparov,garry",
        "Garry Kasparov",
        "Hou Yifan",
        "Nobody, N",
        "London, England",
    ]
    assert spelling.players(names) == {
        "Kasparov, Gary": "Kasparov, Garry",
        "kasparov,garry": "Kasparov, Garry",
        "Garry Kasparov": "Kasparov, Garry",
        "Hou Yifan": "Hou, Yifan",
    }


def test_a_spelling_of_two_players_is_of_none(spelling: Spelling) -> None:
    assert spelling.players(["Weinstein, G", "Weinstein, Norman"]) == {
        "Weinstein, Norman": "Weinstein, Norman"
    }


def test_published_ratings_by_year(spelling: Spelling) -> None:
    rows = spelling.ratings(["Kasparov, Garry", "Nobody, N"]).to_pylist()
    assert {row["year"]: row["elo"] for row in rows} == {1979: 2545, 1980: 2598, 1999: 2851}


def test_the_index_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "spelling.ssp"
    path.write_text(SPELLING)
    said: list[str] = []
    for _ in range(3):
        Spelling(path, said.append)
    assert len(said) == 1
    path.write_text(SPELLING + "# changed\n")
    Spelling(path, said.append)
    assert len(said) == 2


def test_which_spelling_file_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "own.ssp"
    path.write_text(SPELLING)
    assert find_spelling_file() is None  # switched off for the tests
    monkeypatch.setenv("ASSAY_SPELLING", str(path))
    assert find_spelling_file() == path
    with pytest.raises(InputError, match="does not exist"):
        find_spelling_file(tmp_path / "absent.ssp")


def test_what_is_not_a_spelling_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "prose.txt"
    path.write_text("no players here\n")
    with pytest.raises(InputError, match="not a Scid spelling file"):
        Spelling(path)
