"""A change of several tables is in force whole or not at all, wherever it is broken off."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from assay.decisions.schema import PLAYERS, REFERENCE_RATINGS
from assay.errors import InputError, SchemaError
from assay.workspace.parts import Checksums
from assay.workspace.tables import PartTable, changing, finish, query


class Killed(BaseException):
    """Stands for a kill."""


@pytest.fixture
def tables(tmp_path: Path) -> tuple[PartTable, PartTable]:
    place = tmp_path / "w"
    players, ratings = PartTable(place / "players", PLAYERS), PartTable(place / "ratings", REFERENCE_RATINGS)
    for letters in ("ab", "c", "da"):
        players.append(
            pa.table({"name": list(letters), "player": list(letters), "method": ["x"] * len(letters)})
        )
    ratings.append(pa.table({"player": ["a", "b"], "year": [1990, 1990], "elo": [2500, 2600]}))
    return players, ratings


def goes(column: str) -> Callable[[pa.Table], pa.Array]:
    return lambda rows: pc.equal(rows[column], "a")


def without_a(tables: tuple[PartTable, PartTable], into: Path) -> int:
    players, ratings = tables
    gone = players.rewrite_without(into, ["name"], goes("name"))
    return gone + ratings.rewrite_without(into, ["player"], goes("player"))


def state(tables: tuple[PartTable, PartTable]) -> tuple[str, str]:
    players, ratings = (PartTable(one.folder, one.schema) for one in tables)
    asked = query("SELECT name FROM players", {"players": players})["name"].to_pylist()
    assert asked == players.read()["name"].to_pylist()
    return "".join(asked), "".join(ratings.read()["player"].to_pylist())


BEFORE, AFTER = ("abcda", "ab"), ("bcd", "b")


def test_parts_that_lose_nothing_stay_as_they_are(tables: tuple[PartTable, PartTable]) -> None:
    place = tables[0].folder.parent
    with changing(place) as into:
        assert without_a(tables, into) == 3
        assert [path.name for path in sorted((into / "players").iterdir())] == [
            "00000001-00000001.parquet",
            "00000003-00000003.parquet",
        ]
        assert state(tables) == BEFORE
    assert state(tables) == AFTER  # in force, though nothing has moved yet
    finish(place, tables)
    assert state(tables) == AFTER
    assert sorted(path.name for path in place.iterdir()) == ["checksums", "players", "ratings"]
    assert all(table.verify(part) for table in tables for part in table.parts())


@pytest.mark.parametrize("step", range(17))
def test_killed_at_any_step_it_is_before_or_after(
    tables: tuple[PartTable, PartTable], monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """Every rename is a step: the one that is killed and all after it do not happen."""
    place = tables[0].folder.parent
    left = [step]
    for name in ("replace", "rename"):
        plain = getattr(Path, name)

        def counted(self: Path, target: Path, plain: Callable[..., Path] = plain) -> Path:
            left[0] -= 1
            if left[0] < 0:
                raise Killed
            return plain(self, target)

        monkeypatch.setattr(Path, name, counted)
    try:
        with changing(place) as into:
            without_a(tables, into)
        finish(place, tables)
        killed = False
    except Killed:
        killed = True
    monkeypatch.undo()
    found = state(tables)
    assert found == AFTER if (place / "changed").exists() or not killed else found in (BEFORE, AFTER)
    finish(place, tables)
    assert state(tables) == found
    assert not (place / "changed").exists()
    assert not (place / "changing").exists()
    assert killed == (step < 16), "the steps of this change are as many as are tried"


def test_an_error_changes_nothing(tables: tuple[PartTable, PartTable]) -> None:
    place = tables[0].folder.parent

    def break_off() -> None:
        with changing(place) as into:
            without_a(tables, into)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        break_off()
    assert state(tables) == BEFORE
    assert not (place / "changing").exists()


def test_links_in_the_place_of_a_change_are_not_followed(
    tables: tuple[PartTable, PartTable], tmp_path: Path
) -> None:
    place = tables[0].folder.parent
    other = tmp_path / "other"
    part = tables[0].parts()[0]
    (other / "players").mkdir(parents=True)
    (other / "players" / part.name).write_bytes(part.read_bytes())
    for name in ("changed", "changing"):
        (place / name).symlink_to(other)
    assert state(tables) == BEFORE
    finish(place, tables)
    assert not (place / "changed").is_symlink()
    assert [path.name for path in (other / "players").iterdir()] == [part.name]
    (place / "changed").mkdir()
    with pytest.raises(InputError, match="in the way"), changing(place):
        pass


def test_a_list_that_newer_parts_are_in_is_not_written_to(tables: tuple[PartTable, PartTable]) -> None:
    import pyarrow.parquet as pq

    players = tables[0]
    part = players.parts()[0]
    stored = pq.read_table(part)
    pq.write_table(stored.replace_schema_metadata({"assay.schema_version": "9"}), part)
    Checksums(players.folder).forget(part.name)
    again = PartTable(players.folder, PLAYERS)
    for write in (again.append, again.replace):
        with pytest.raises(SchemaError, match="newer assay"):
            write(stored)
    assert pq.read_schema(part).metadata[b"assay.schema_version"] == b"9"
