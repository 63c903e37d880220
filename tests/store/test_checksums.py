"""Damage is noticed, and nothing is called damaged that is whole, wherever a writer is killed."""

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.decisions.schema import PLAYERS
from assay.errors import DamagedError, SchemaError
from assay.workspace import parts as checksums
from assay.workspace.parts import Checksums, Listed, checksum_of
from assay.workspace.tables import PartTable, query

FLIPS = 200


def rows(*names: str) -> pa.Table:
    return pa.table({"name": list(names), "player": ["P"] * len(names), "method": ["alias"] * len(names)})


@pytest.fixture
def table(tmp_path: Path) -> PartTable:
    made = PartTable(tmp_path / "w" / "players", PLAYERS)
    made.append(rows("a", "b"))
    made.append(rows("c"))
    return made


READS: tuple[Callable[[PartTable], Any], ...] = (
    lambda table: table.read().to_pylist(),
    lambda table: table.count(),
    lambda table: [one.to_pylist() for one in table.chunks(2)],
    lambda table: query("SELECT * FROM players", {"players": table}).to_pylist(),
    lambda table: table.compact(),
)
"""Every way in which parts are read."""


def refused(table: PartTable) -> str:
    """The one sentence that every way of reading gives."""
    said = set()
    for read in READS:
        with pytest.raises(DamagedError) as raised:
            read(PartTable(table.folder, table.schema))
        said.add(str(raised.value))
    (sentence,) = said
    return sentence


def test_the_list_names_every_part_with_its_size_and_rows(table: PartTable) -> None:
    listed = table.checksums.read()
    assert listed.coming == {}
    assert {name: one.rows for name, one in listed.parts.items()} == {
        part.name: pq.read_metadata(part).num_rows for part in table.parts()
    }
    for part in table.parts():
        assert listed.parts[part.name] == checksum_of(part, listed.parts[part.name].rows)
        assert table.verify(part)
    table.compact()
    (part,) = table.parts()
    assert list(table.checksums.read().parts) == [part.name]
    table.replace(rows("d"))
    assert [one.rows for one in table.checksums.read().parts.values()] == [1]


def test_every_single_flipped_bit_is_noticed(table: PartTable) -> None:
    part = table.parts()[0]
    whole = part.read_bytes()
    chance = random.Random(15)
    for place in chance.sample(range(8 * len(whole)), FLIPS):
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << (place % 8)
        part.write_bytes(flipped)
        with pytest.raises(DamagedError, match="checksum"):
            table.verify(part)
    assert "2 names" in refused(table)
    part.write_bytes(whole)
    assert table.count() == 3


def test_a_part_cut_off_anywhere_is_noticed(table: PartTable) -> None:
    part = table.parts()[0]
    whole = part.read_bytes()
    for length in (0, 3, len(whole) // 2, len(whole) - 1):
        part.write_bytes(whole[:length])
        assert refused(table).startswith(f"{part} is damaged (")


def test_a_deleted_part_and_a_deleted_folder_are_noticed(table: PartTable) -> None:
    first, last = table.parts()
    last.unlink()
    assert refused(table).startswith(f"{last} is missing, and the 1 name in it")
    first.unlink()
    table.folder.rmdir()
    assert refused(table).startswith(f"{first} is missing")
    table.append(rows("d"))
    assert [part.name for part in table.parts()] == ["00000003-00000003.parquet"]  # no number twice
    assert "is missing" in refused(table)
    table.replace(rows("e"))  # all anew: nothing is missed any more
    assert table.count() == 1


def test_parts_of_an_earlier_assay_are_read_and_not_verified(table: PartTable) -> None:
    table.checksums.path.unlink()
    assert [table.verify(part) for part in table.parts()] == [False, False]
    assert table.count() == 3
    table.append(rows("d"))
    assert [table.verify(part) for part in table.parts()] == [False, False, True]
    table.compact()
    assert [table.verify(part) for part in table.parts()] == [True]


@pytest.mark.parametrize("keep", [0, 3, 40, 200, -1])
def test_an_unverified_part_that_cannot_be_read_is_one_sentence_too(table: PartTable, keep: int) -> None:
    table.checksums.path.unlink()
    part = table.parts()[0]
    part.write_bytes(part.read_bytes()[:keep])
    assert refused(table).startswith(f"{part} is damaged (")


def test_flipped_bits_of_unverified_parts_never_end_in_a_traceback(table: PartTable) -> None:
    table.checksums.path.unlink()
    part = table.parts()[0]
    whole = part.read_bytes()
    chance = random.Random(16)
    outcomes = set()
    for place in chance.sample(range(8 * len(whole)), 60):
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << (place % 8)
        part.write_bytes(flipped)
        try:
            outcomes.add("read" if table.examine(part) else "empty")
        except (DamagedError, SchemaError) as error:  # a column may have lost its name
            outcomes.add("damaged" if str(part) in str(error) else str(error))
    assert outcomes == {"read", "damaged"}


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"parts": {}, "coming": {}, "crc32": 1}', b"\xff"])
def test_a_damaged_list_is_named(table: PartTable, content: bytes) -> None:
    table.checksums.path.write_bytes(content)
    assert refused(table).startswith(f"{table.checksums.path}, the list of the parts of players, is damaged")


def test_every_flipped_bit_of_the_list_is_noticed_or_means_nothing(table: PartTable) -> None:
    whole = table.checksums.path.read_bytes()
    listed = table.checksums.read()
    chance = random.Random(17)
    noticed = 0
    for place in chance.sample(range(8 * len(whole)), FLIPS):
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << (place % 8)
        table.checksums.path.write_bytes(flipped)
        try:
            assert Checksums(table.folder).read() == listed  # a blank more or less
        except DamagedError:
            noticed += 1
    assert noticed > FLIPS / 2


def test_killed_before_a_part_takes_its_name_nothing_is_missed(table: PartTable) -> None:
    table.checksums.announce("00000003-00000003.parquet", checksum_of(table.parts()[0], 2))
    assert table.count() == 3
    table.append(rows("d"))  # the same number again, with what it now holds
    assert table.count() == 4


def test_killed_before_a_part_is_confirmed_it_is_verified_all_the_same(
    table: PartTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Checksums, "confirm", lambda self, name: None)
    table.append(rows("d"))
    monkeypatch.undo()
    last = table.parts()[-1]
    assert table.verify(last)
    table.append(rows("e"))  # the next writer confirms it
    assert last.name in table.checksums.read().parts
    last.unlink()
    assert "is missing" in refused(table)


def test_a_part_that_replaces_others_and_was_not_confirmed_is_in_force(
    table: PartTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Checksums, "confirm", lambda self, name: None)
    table.compact()
    monkeypatch.undo()
    (part,) = table.parts()
    assert table.verify(part)
    assert table.count() == 3


def test_what_a_damaged_part_replaced_is_not_removed(
    table: PartTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PartTable, "_remove_superseded", lambda self: None)
    table.compact()  # killed before the old parts went
    monkeypatch.undo()
    (whole,) = table.parts()
    whole.write_bytes(b"PAR1")
    with pytest.raises(DamagedError):
        table.clean()
    assert len(list(table.folder.iterdir())) == 3


def test_a_part_is_read_once_for_its_checksum_unless_it_changes(
    table: PartTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []

    def noted(path: Path, rows: int) -> checksums.Checksum:
        read.append(path)
        return checksum_of(path, rows)

    monkeypatch.setattr(checksums, "checksum_of", noted)
    for _ in range(3):
        table.count()
    assert read == table.parts()


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_a_list_that_is_no_file_is_damaged(table: PartTable, kind: str) -> None:
    path = table.checksums.path
    path.unlink()
    path.mkdir() if kind == "folder" else os.mkfifo(path)
    assert refused(table).startswith(f"{path}, the list of the parts of players, is damaged")


def test_a_part_within_one_that_is_there_is_not_missing() -> None:
    listed = Listed({"00000002-00000002.parquet": checksums.Checksum(1, 1, 1)})
    assert not listed.missing([Path("00000001-00000003.parquet")])
    assert listed.missing([Path("00000003-00000003.parquet")])
