import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.decisions.schema import DECISIONS, PLAYERS, REFERENCE_RATINGS, TABLES, Column, TableSchema
from assay.errors import DamagedError, InputError, MachineError, SchemaError
from assay.workspace import tables as stored
from assay.workspace.tables import Checksums, PartTable, changing, checksum_of, damaged, finish


def rows(*names: str) -> pa.Table:
    return pa.table({"name": list(names), "player": ["P"] * len(names), "method": ["alias"] * len(names)})


@pytest.fixture
def table(tmp_path: Path) -> PartTable:
    return PartTable(tmp_path / "players", PLAYERS)


def names(table: PartTable) -> list[str]:
    texts: list[str] = table.read(["name"])["name"].to_pylist()
    return texts


def test_rows_come_back_in_order(table: PartTable) -> None:
    assert names(table) == []
    assert table.count() == 0
    table.append(rows("a", "b"))
    table.append(rows("c"))
    table.append(rows())
    assert names(table) == ["a", "b", "c"]
    assert table.count() == 3
    assert len(table.parts()) == 2
    table.compact()
    assert len(table.parts()) == 1
    table.append(rows("d"))
    table.compact()
    assert names(table) == ["a", "b", "c", "d"]


def test_large_parts_are_left_alone(table: PartTable, monkeypatch: pytest.MonkeyPatch) -> None:
    for letter in "abcd":
        table.append(rows(letter))
    size = table.parts()[0].stat().st_size
    monkeypatch.setattr(stored, "_SMALL_BYTES", 2 * size + 1)
    table.compact()
    assert len(table.parts()) == 2
    assert names(table) == list("abcd")


def test_replace_supersedes_everything(table: PartTable) -> None:
    table.append(rows("a"))
    table.append(rows("b"))
    table.replace(rows("c"))
    assert names(table) == ["c"]
    table.append(rows("d"))
    assert names(table) == ["c", "d"]


def test_a_kill_between_compaction_and_removal_doubles_nothing(
    table: PartTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.append(rows("a"))
    table.append(rows("b"))
    monkeypatch.setattr(PartTable, "_remove_superseded", lambda self: None)
    table.compact()
    assert len(list(table.folder.iterdir())) == 3  # the old parts are still there
    assert names(table) == ["a", "b"]
    monkeypatch.undo()
    table.clean()
    assert len(list(table.folder.iterdir())) == 1


def test_readers_survive_a_compaction_under_their_feet(
    table: PartTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.append(rows("a"))
    table.append(rows("b"))
    real, old = PartTable.expected_parts, table.parts()

    def then_compact(self: PartTable) -> list[Path]:
        monkeypatch.undo()
        parts = real(self)
        self.compact()
        return parts

    monkeypatch.setattr(PartTable, "expected_parts", then_compact)
    assert names(table) == ["a", "b"]
    assert not any(part.exists() for part in old)


def test_parts_that_disagree_on_the_type_of_an_unknown_column_stay_apart(table: PartTable) -> None:
    for name, born in (("a", pa.array([1943])), ("b", pa.array(["Riga"]))):
        later = Column("born", born.type, "Of a later assay.", nullable=True)
        grown = TableSchema("players", "", (*PLAYERS.columns, later))
        PartTable(table.folder, grown).append(rows(name).append_column("born", born))
    table.compact()
    assert len(table.parts()) == 2
    assert names(table) == ["a", "b"]


def test_parts_of_a_newer_assay_are_neither_read_nor_written_to(table: PartTable) -> None:
    table.append(rows("a"))
    part = table.parts()[0]
    stored = pq.read_table(part)
    pq.write_table(stored.replace_schema_metadata({"assay.schema_version": "9"}), part)
    table.checksums.forget(part.name)
    again = PartTable(table.folder, PLAYERS)
    for use in (again.read, lambda: again.append(stored), lambda: again.replace(stored)):
        with pytest.raises(SchemaError, match="newer assay"):
            use()
    assert pq.read_schema(part).metadata[b"assay.schema_version"] == b"9"


def test_tables_are_validated_on_write(table: PartTable) -> None:
    with pytest.raises(SchemaError, match="lacks the columns method"):
        table.append(pa.table({"name": ["a"], "player": ["b"]}))
    with pytest.raises(SchemaError, match="unknown columns extra"):
        table.append(rows("a").append_column("extra", pa.array([1])))
    with pytest.raises(SchemaError, match="must not be null"):
        table.append(pa.table({"name": [None], "player": ["b"], "method": ["c"]}))
    with pytest.raises(SchemaError, match="documented types"):
        table.append(pa.table({"name": [[1]], "player": ["b"], "method": ["c"]}))
    assert table.count() == 0


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(MachineError, match="cannot write"):
        PartTable(tmp_path / "file" / "players", PLAYERS).append(rows("a"))


# Damage is noticed, and nothing is called damaged that is whole, wherever a writer is killed.

FLIPS = 200


def flipped(content: bytes, number: int, seed: int) -> Iterator[bytes]:
    """The content with one flipped bit, so often, each time another."""
    for place in random.Random(seed).sample(range(8 * len(content)), number):
        changed = bytearray(content)
        changed[place // 8] ^= 1 << (place % 8)
        yield bytes(changed)


@pytest.fixture
def two_parts(tmp_path: Path) -> PartTable:
    made = PartTable(tmp_path / "w" / "players", PLAYERS)
    made.append(rows("a", "b"))
    made.append(rows("c"))
    return made


READS: tuple[Callable[[PartTable], Any], ...] = (
    lambda two_parts: two_parts.read().to_pylist(),
    lambda two_parts: two_parts.count(),
    lambda two_parts: [one.to_pylist() for one in two_parts.chunks(2)],
    lambda two_parts: two_parts.select({"name": ["a"]}).to_pylist(),
    lambda two_parts: two_parts.value_counts("name"),
    lambda two_parts: two_parts.compact(),
)
"""Every way in which parts are read."""


def refused(two_parts: PartTable) -> str:
    """The one sentence that every way of reading gives."""
    said = set()
    for read in READS:
        with pytest.raises(DamagedError) as raised:
            read(PartTable(two_parts.folder, two_parts.schema))
        said.add(str(raised.value))
    (sentence,) = said
    return sentence


def test_the_list_names_every_part_with_its_size_and_rows(two_parts: PartTable) -> None:
    listed = two_parts.checksums.read()
    assert listed.coming == {}
    assert {name: one.rows for name, one in listed.parts.items()} == {
        part.name: pq.read_metadata(part).num_rows for part in two_parts.parts()
    }
    for part in two_parts.parts():
        assert listed.parts[part.name] == checksum_of(part, listed.parts[part.name].rows)
        assert two_parts.verify(part)
    two_parts.compact()
    (part,) = two_parts.parts()
    assert list(two_parts.checksums.read().parts) == [part.name]
    two_parts.replace(rows("d"))
    assert [one.rows for one in two_parts.checksums.read().parts.values()] == [1]


def test_every_single_flipped_bit_is_noticed(two_parts: PartTable) -> None:
    part = two_parts.parts()[0]
    whole = part.read_bytes()
    for content in flipped(whole, FLIPS, seed=15):
        part.write_bytes(content)
        with pytest.raises(DamagedError, match="checksum"):
            two_parts.verify(part)
    assert "2 names" in refused(two_parts)
    part.write_bytes(whole)
    assert two_parts.count() == 3


def test_a_deleted_part_and_a_deleted_folder_are_noticed(two_parts: PartTable) -> None:
    first, last = two_parts.parts()
    last.unlink()
    assert refused(two_parts).startswith(f"{last} is missing, and the 1 name in it")
    first.unlink()
    two_parts.folder.rmdir()
    assert refused(two_parts).startswith(f"{first} is missing")
    two_parts.append(rows("d"))
    assert [part.name for part in two_parts.parts()] == ["00000003-00000003.parquet"]  # no number twice
    assert "is missing" in refused(two_parts)
    two_parts.replace(rows("e"))  # all anew: nothing is missed any more
    assert two_parts.count() == 1


def test_parts_of_an_earlier_assay_are_read_and_not_verified(two_parts: PartTable) -> None:
    two_parts.checksums.path.unlink()
    assert [two_parts.verify(part) for part in two_parts.parts()] == [False, False]
    assert two_parts.count() == 3
    two_parts.append(rows("d"))
    assert [two_parts.verify(part) for part in two_parts.parts()] == [False, False, True]
    two_parts.compact()
    assert [two_parts.verify(part) for part in two_parts.parts()] == [True]


@pytest.mark.parametrize("keep", [0, 3, 40, 200, -1])
def test_an_unverified_part_that_cannot_be_read_is_one_sentence_too(two_parts: PartTable, keep: int) -> None:
    two_parts.checksums.path.unlink()
    part = two_parts.parts()[0]
    part.write_bytes(part.read_bytes()[:keep])
    assert refused(two_parts).startswith(f"{part} is damaged (")


def test_flipped_bits_of_unverified_parts_never_end_in_a_traceback(two_parts: PartTable) -> None:
    two_parts.checksums.path.unlink()
    part = two_parts.parts()[0]
    outcomes = set()
    for content in flipped(part.read_bytes(), 60, seed=16):
        part.write_bytes(content)
        try:
            outcomes.add("read" if two_parts.examine(part) else "empty")
        except (DamagedError, SchemaError) as error:  # a column may have lost its name
            outcomes.add("damaged" if str(part) in str(error) else str(error))
    assert outcomes == {"read", "damaged"}


@pytest.mark.parametrize(
    "make",
    [
        *(
            lambda path, content=content: path.write_bytes(content)
            for content in (b"", b"[]", b"{}", b'{"parts": {}, "coming": {}, "crc32": 1}', b"\xff")
        ),
        Path.mkdir,
        os.mkfifo,
    ],
)
def test_a_damaged_list_is_named(two_parts: PartTable, make: Callable[[Path], object]) -> None:
    path = two_parts.checksums.path
    path.unlink()
    make(path)
    assert refused(two_parts).startswith(f"{path}, the list of the parts of players, is damaged")


def test_every_flipped_bit_of_the_list_is_noticed_or_means_nothing(two_parts: PartTable) -> None:
    listed = two_parts.checksums.read()
    noticed = 0
    for content in flipped(two_parts.checksums.path.read_bytes(), FLIPS, seed=17):
        two_parts.checksums.path.write_bytes(content)
        try:
            assert Checksums(two_parts.folder).read() == listed  # a blank more or less
        except DamagedError:
            noticed += 1
    assert noticed > FLIPS / 2


def test_killed_before_a_part_takes_its_name_nothing_is_missed(two_parts: PartTable) -> None:
    two_parts.checksums.announce("00000003-00000003.parquet", checksum_of(two_parts.parts()[0], 2))
    assert two_parts.count() == 3
    two_parts.append(rows("d"))  # the same number again, with what it now holds
    assert two_parts.count() == 4


def test_killed_before_a_part_is_confirmed_it_is_verified_all_the_same(
    two_parts: PartTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Checksums, "put", lambda self, parts: None)
    two_parts.append(rows("d"))
    monkeypatch.undo()
    last = two_parts.parts()[-1]
    assert two_parts.verify(last)
    two_parts.append(rows("e"))  # the next writer confirms it
    assert last.name in two_parts.checksums.read().parts
    last.unlink()
    assert "is missing" in refused(two_parts)


def test_what_a_damaged_part_replaced_is_not_removed(
    two_parts: PartTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PartTable, "_remove_superseded", lambda self: None)
    two_parts.compact()  # killed before the old parts went
    monkeypatch.undo()
    (whole,) = two_parts.parts()
    whole.write_bytes(b"PAR1")
    with pytest.raises(DamagedError):
        two_parts.clean()
    assert len(list(two_parts.folder.iterdir())) == 3


def test_a_part_is_read_once_for_its_checksum_unless_it_changes(
    two_parts: PartTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []

    def noted(path: Path, rows: int) -> stored.Checksum:
        read.append(path)
        return checksum_of(path, rows)

    monkeypatch.setattr(stored, "checksum_of", noted)
    for _ in range(3):
        two_parts.count()
    assert read == two_parts.parts()


# A damaged part is named, with what is lost and how to go on.

PART = Path("my games.assay/games/00000001-00000001.parquet")


def test_one_sentence_names_the_part_what_is_lost_and_how_to_go_on() -> None:
    assert str(damaged(PART, 1, "it is cut off")) == (
        "my games.assay/games/00000001-00000001.parquet is damaged (it is cut off), and the 1 game in it "
        "cannot be read: put back a copy of it, or run assay doctor 'my games.assay' --repair, which sets it "
        "aside; then assay import brings them back from their PGN files"
    )
    assert "is missing, and the 1,200 games in it with it" in str(damaged(PART, 1200, None))
    assert "and the games in it cannot" in str(damaged(PART, None, "why"))
    for schema in TABLES:
        if schema is not DECISIONS:
            assert "assay" in str(damaged(PART.parent.with_name(schema.name) / PART.name, 2, "why"))


# A change of several tables is in force whole or not at all, wherever it is broken off.


def without_a(tables: tuple[PartTable, PartTable], into: Path) -> int:
    a = pa.array(["a"])
    return sum(
        table.rewrite_without(into, {column: a})
        for table, column in zip(tables, ("name", "player"), strict=True)
    )


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


def state(tables: tuple[PartTable, PartTable]) -> tuple[str, str]:
    players, ratings = (PartTable(one.folder, one.schema) for one in tables)
    asked = players.select({"name": ["a", "b", "c", "d"]}, ["name"])["name"].to_pylist()
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


def test_rows_are_selected_by_their_values(table: PartTable, monkeypatch: pytest.MonkeyPatch) -> None:
    assert table.select({"name": ["a"]}).num_rows == 0
    monkeypatch.setattr("assay.workspace.tables._ROW_GROUP", 2)
    table.append(rows(*"abcde"))
    table.append(rows(*"ba"))
    assert table.select({"name": ["a", "e", "x"]}, ["name"])["name"].to_pylist() == ["a", "e", "a"]
    assert table.select({"name": ["a"], "player": ["b"]}).num_rows == 0
    assert table.select({"name": []}).schema == table.read().schema
    assert table.value_counts("name") == {"a": 2, "b": 2, "c": 1, "d": 1, "e": 1}
