import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.decisions.schema import PLAYERS, Column, TableSchema, check_version
from assay.errors import MachineError, SchemaError
from assay.workspace import parts
from assay.workspace.tables import PartTable, query


def rows(*names: str) -> pa.Table:
    return pa.table({"name": list(names), "player": ["P"] * len(names), "method": ["alias"] * len(names)})


@pytest.fixture
def table(tmp_path: Path) -> PartTable:
    return PartTable(tmp_path / "players", PLAYERS)


def names(table: PartTable) -> list[str]:
    found: list[str] = table.read(["name"])["name"].to_pylist()
    return found


def test_rows_come_back_in_order(table: PartTable) -> None:
    assert names(table) == []
    assert table.count() == 0
    table.append(rows("a", "b"))
    table.append(rows("c"))
    table.append(rows())
    assert names(table) == ["a", "b", "c"]
    assert table.count() == 3
    assert len(table.parts()) == 2


def test_compaction_keeps_rows_and_order(table: PartTable) -> None:
    for letter in "abcdef":
        table.append(rows(letter))
    table.compact()
    assert len(table.parts()) == 1
    assert names(table) == list("abcdef")
    table.append(rows("g"))
    table.compact()
    assert names(table) == list("abcdefg")


def test_large_parts_are_left_alone(table: PartTable, monkeypatch: pytest.MonkeyPatch) -> None:
    for letter in "abcd":
        table.append(rows(letter))
    size = table.parts()[0].stat().st_size
    monkeypatch.setattr(parts, "_SMALL_BYTES", 2 * size + 1)
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


def test_readers_survive_a_compaction_under_their_feet(table: PartTable) -> None:
    table.append(rows("a"))
    table.append(rows("b"))
    calls = []

    def read(parts: list[Path]) -> int:
        calls.append(len(parts))
        if len(calls) == 1:
            table.compact()
        return sum(pq.read_metadata(part).num_rows for part in parts)

    assert table.attempt(read) == 2
    assert calls == [2, 1]


def test_queries(table: PartTable, tmp_path: Path) -> None:
    table.append(rows("a", "b"))
    found = query("SELECT count(*) AS n FROM players WHERE name = ?", {"players": table}, ["a"])
    assert found.to_pylist() == [{"n": 1}]
    empty = PartTable(tmp_path / "empty", PLAYERS)
    assert query("SELECT * FROM players", {"players": empty}).num_rows == 0


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


def test_newer_tables_are_refused(table: PartTable) -> None:
    table.append(rows("a"))
    part = table.parts()[0]
    stored = pq.read_table(part)
    pq.write_table(stored.replace_schema_metadata({"assay.schema_version": "999"}), part)
    table.checksums.forget(part.name)
    with pytest.raises(SchemaError, match="newer assay"):
        table.read()
    check_version(pa.schema([]), "a table without a stamp")


OLD = PLAYERS


TODAY = TableSchema(
    "players", "", (*PLAYERS.columns, Column("titles", pa.list_(pa.string()), "Titles.", nullable=True))
)


LATER = TableSchema("players", "", (*TODAY.columns, Column("born", pa.int16(), "Year.", nullable=True)))


@pytest.fixture
def grown(tmp_path: Path) -> PartTable:
    """A table of three parts: of an assay without the column titles, of this one, and of a later one."""
    folder = tmp_path / "players"
    PartTable(folder, OLD).append(rows("old"))
    today = rows("new").append_column("titles", pa.array([["GM"]]))
    PartTable(folder, TODAY).append(today)
    PartTable(folder, LATER).append(
        today.set_column(0, "name", [["later"]]).append_column("born", pa.array([1943], pa.int16()))
    )
    return PartTable(folder, TODAY)


GROWN = {"old": None, "new": ["GM"], "later": ["GM"]}


def titles(found: pa.Table) -> dict[str, list[str] | None]:
    return dict(zip(found["name"].to_pylist(), found["titles"].to_pylist(), strict=True))


def test_parts_of_other_versions_are_read_with_todays_columns(grown: PartTable) -> None:
    whole = grown.read()
    assert whole.schema == TODAY.select()
    assert titles(whole) == GROWN
    assert grown.read(["titles"]).to_pylist() == [{"titles": one} for one in GROWN.values()]
    assert grown.read(["name"]).to_pylist() == [{"name": one} for one in GROWN]
    assert grown.count() == 3
    for size in (1, 2, 5):
        chunks = list(grown.chunks(size))
        assert [len(one) for one in chunks] == [size] * (3 // size) + [3 % size] * (3 % size > 0)
        assert pa.concat_tables(chunks).equals(whole)


def test_parts_of_other_versions_are_queried_with_todays_columns(grown: PartTable) -> None:
    found = query("SELECT * FROM players", {"players": grown})
    assert found.column_names == TODAY.arrow.names
    assert titles(found) == GROWN
    asked = "SELECT name FROM players WHERE titles IS NULL AND method = ?"
    assert query(asked, {"players": grown}, ["alias"]).to_pylist() == [{"name": "old"}]


def test_a_column_that_no_part_has_yet_can_be_queried(table: PartTable) -> None:
    table.append(rows("a"))
    today = PartTable(table.folder, TODAY)
    asked = "SELECT name, list_contains(titles, 'GM') AS is_gm FROM players"
    assert query(asked, {"players": today}).to_pylist() == [{"name": "a", "is_gm": None}]
    assert titles(today.read()) == {"a": None}


def test_compaction_joins_old_and_new_parts_and_loses_no_column(grown: PartTable) -> None:
    grown.compact()
    (part,) = grown.parts()
    assert titles(grown.read()) == GROWN
    stored = pq.read_table(part)
    assert stored["born"].to_pylist() == [None, None, 1943]
    assert stored.schema.field("born").metadata[b"meaning"] == b"Year."
    assert titles(query("SELECT * FROM players", {"players": grown})) == GROWN
    grown.append(rows("again").append_column("titles", pa.array([[]], pa.list_(pa.string()))))
    grown.compact()
    assert PartTable(grown.folder, LATER).read(["born"])["born"].to_pylist() == [None, None, 1943, None]


def test_parts_that_disagree_on_an_unknown_column_stay_apart(grown: PartTable) -> None:
    other = (*TODAY.columns, Column("born", pa.string(), "Place.", nullable=True))
    born = rows("other").append_column("titles", pa.array([["GM"]])).append_column("born", pa.array(["Riga"]))
    PartTable(grown.folder, TableSchema("players", "", other)).append(born)
    grown.compact()
    assert len(grown.parts()) == 4
    assert titles(grown.read()) == {**GROWN, "other": ["GM"]}
    assert grown.count() == 4
    assert query("SELECT count(*) AS n FROM players", {"players": grown}).to_pylist() == [{"n": 4}]


def test_a_part_without_what_must_not_be_null_is_one_sentence_wherever_it_is_read(table: PartTable) -> None:
    table.append(rows("a"))
    table.append(rows("b"))
    part = table.parts()[1]
    pq.write_table(pq.read_table(part).drop_columns(["player"]), part)
    table.checksums.forget(part.name)
    for read in (
        table.read,
        lambda: table.read(["name"]),
        table.count,
        table.compact,
        lambda: list(table.chunks(1)),
        lambda: query("SELECT name FROM players", {"players": table}),
    ):
        with pytest.raises(SchemaError, match=rf"^{re.escape(str(part))} lacks the columns player of"):
            read()
    assert len(table.parts()) == 2


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(MachineError, match="cannot write"):
        PartTable(tmp_path / "file" / "players", PLAYERS).append(rows("a"))


WRITER = """
    import sys
    from pathlib import Path
    import pyarrow as pa
    from assay.decisions.schema import PLAYERS
    from assay.workspace.tables import PartTable

    table = PartTable(Path(sys.argv[1]), PLAYERS)
    number = 0
    while True:
        names = [f"{number}-{i}" for i in range(500)]
        table.append(pa.table({"name": names, "player": names, "method": ["alias"] * 500}))
        number += 1
        if number % 5 == 0:
            table.compact()
        print(number, flush=True)
"""


@pytest.mark.parametrize("pause", [0.0, 0.005, 0.013])
def test_kill_9_during_writes_leaves_a_readable_table(table: PartTable, pause: float) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WRITER), str(table.folder)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    for _ in range(7):
        process.stdout.readline()
    time.sleep(pause)
    os.kill(process.pid, signal.SIGKILL)
    finished = 7 + len(process.stdout.read().splitlines())
    process.wait()
    process.stdout.close()
    found = names(table)
    whole = len(found) // 500
    assert whole >= finished
    assert found == [f"{n}-{i}" for n in range(whole) for i in range(500)]
    table.clean()
    table.append(rows("after"))
    assert names(table) == [*found, "after"]
