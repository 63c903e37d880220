"""Whose rating is not to be trusted, by a FIDE list."""

from pathlib import Path

import pyarrow as pa
import pytest
import zstandard

from assay.errors import InputError
from assay.screening.fide_list import unsure_players

GAMES = pa.table(
    {
        "white": ["Young", "Old", "Usual", "Guest"],
        "black": ["New", "Away", "Usual", "Young"],
        "white_fide": pa.array([1, 2, 3, None], pa.int32()),
        "black_fide": pa.array([4, 5, 3, 1], pa.int32()),
        "white_elo": pa.array([1500, 1600, 1700, None], pa.int16()),
        "black_elo": pa.array([1800, 1900, 1700, 1500], pa.int16()),
        "year": pa.array([2020, 2020, 2020, 2021], pa.int16()),
    }
)
CSV = "fideid,birth,stdK,inactive\n1,2004,20,\n2,1950,20,\n3,1985,10,\n4,1985,40,\n5,1985,20,1\n9,2010,40,\n"
UNSURE = {"Young", "Old", "New", "Away"}


def test_juniors_seniors_inactive_and_new_players_of_a_csv_file(tmp_path: Path) -> None:
    plain, packed = tmp_path / "list.csv", tmp_path / "list.csv.zst"
    plain.write_text(CSV)
    packed.write_bytes(zstandard.compress(CSV.encode()))
    for path in (plain, packed):
        unsure, note = unsure_players(path, GAMES)
        assert set(unsure) == UNSURE
        assert note == (
            "5 of 6 players are in the rating list; 4 of them are juniors, seniors, inactive or new."
        )


def test_of_a_list_of_another_time_only_years_of_birth_are_read(tmp_path: Path) -> None:
    """In ten years players retire and others come up: that does not show whose rating was doubtful then."""
    ratings = {1: 1500, 2: 1600, 3: 1700, 4: 1800, 5: 1900, 9: 2000}
    path = tmp_path / "list.csv"
    for more, unsure in ((0, UNSURE), (20, UNSURE), (100, {"Young", "Old"})):
        head, *rows = CSV.splitlines()
        rated = [f"{row},{ratings[int(row.split(',')[0])] + more}" for row in rows]
        path.write_text("\n".join([f"{head},std", *rated]))
        names, note = unsure_players(path, GAMES)
        assert set(names) == unsure, more
        assert ("The list is of another time" in note) == (more == 100)


def test_the_list_as_fide_has_it(tmp_path: Path) -> None:
    rows = (
        (1, 2004, 20, ""),
        (2, 1950, 20, ""),
        (3, 1985, 10, ""),
        (4, 1985, 40, ""),
        (5, 1985, 20, "i"),
    )
    players = "".join(
        f"<player><fideid>{number}</fideid><birthday>{born}</birthday><k>{k}</k><flag>{flag}</flag></player>"
        for number, born, k, flag in rows
    )
    path = tmp_path / "players_list_xml.xml"
    path.write_text(f"<playerslist>{players}</playerslist>")
    assert set(unsure_players(path, GAMES)[0]) == UNSURE


def test_a_list_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    broken = tmp_path / "list.xml"
    broken.write_text("<playerslist><player>")
    for path in (broken, tmp_path / "none.csv"):
        with pytest.raises(InputError, match="cannot be read"):
            unsure_players(path, GAMES)
