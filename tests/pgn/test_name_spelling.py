"""Scid's spelling file: canonical names, published ratings, its index."""

from pathlib import Path

import pytest

from assay.errors import InputError
from assay.pgn.players import Spelling, find_spelling_file

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


@pytest.mark.parametrize("home", ["none", "no folder"])
def test_a_spelling_file_is_read_where_there_is_no_home_to_keep_its_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if home == "none":

        def no_home() -> Path:
            raise RuntimeError("Could not determine home directory.")

        monkeypatch.setattr(Path, "home", no_home)
    else:
        (tmp_path / "file").touch()
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    path = tmp_path / "spelling.ssp"
    path.write_text(SPELLING, encoding="utf-8")
    assert Spelling(path).players(["Kasparov, Garry"]) == {"Kasparov, Garry": "Kasparov, Garry"}
