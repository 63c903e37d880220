import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.domain.schema import PLAYERS, TABLES, check_version
from assay.errors import LockedError, MachineError, SchemaError
from assay.store import tables
from assay.store.lock import writer_lock
from assay.store.tables import PartTable, query


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
    monkeypatch.setattr(tables, "_SMALL_BYTES", 2 * size + 1)
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
    with pytest.raises(SchemaError, match="newer assay"):
        table.read()
    check_version(pa.schema([]), "a table without a stamp")


def test_every_column_has_a_sentence() -> None:
    for schema in TABLES:
        for column in schema.columns:
            assert column.meaning.endswith("."), (schema.name, column.name)


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(MachineError, match="cannot write"):
        PartTable(tmp_path / "file" / "players", PLAYERS).append(rows("a"))


WRITER = """
    import sys
    from pathlib import Path
    import pyarrow as pa
    from assay.domain.schema import PLAYERS
    from assay.store.tables import PartTable

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


def test_a_second_writer_is_told_who_the_first_is(tmp_path: Path) -> None:
    code = f"""
        import sys
        from pathlib import Path
        from assay.store.lock import writer_lock
        with writer_lock(Path({str(tmp_path / ".lock")!r})):
            print("held", flush=True)
            sys.stdin.readline()
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    with pytest.raises(LockedError, match=f"process {process.pid}"), writer_lock(tmp_path / ".lock"):
        pass
    process.kill()
    process.communicate()
    with writer_lock(tmp_path / ".lock"):  # let go of by the system, however the holder ended
        pass
