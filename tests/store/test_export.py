"""Tables for other programs: every format reads back, and no name becomes a formula."""

import csv
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.errors import InputError
from assay.workspace.export import csv_cell, export_table, export_texts

TABLE = pa.table({"name": ["Ann", "=1+1", None], "n": [1, 2, 3], "moves": [["e2e4", None], [], None]})


def test_parquet(tmp_path: Path) -> None:
    assert export_table(TABLE, "parquet", tmp_path / "t.parquet") == 3
    assert pq.read_table(tmp_path / "t.parquet").equals(TABLE)
    with pytest.raises(InputError, match="name a file"):
        export_table(TABLE, "parquet", None)


def test_json_lines(tmp_path: Path) -> None:
    assert export_table(TABLE, "jsonl", tmp_path / "t.jsonl") == 3
    lines = (tmp_path / "t.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == TABLE.to_pylist()


def test_csv_to_a_file_and_to_the_screen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export_table(TABLE, "csv", tmp_path / "t.csv")
    export_table(TABLE, "csv", None)
    text = (tmp_path / "t.csv").read_text(encoding="utf-8")
    assert capsys.readouterr().out == text
    rows = list(csv.reader(text.splitlines()))
    assert rows == [["name", "n", "moves"], ["Ann", "1", '["e2e4", null]'], ["'=1+1", "2", ""], ["", "3", ""]]


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@x", "\tx", "\rx"])
def test_no_text_is_a_formula(text: str) -> None:
    assert csv_cell(text) == f"'{text}"


def test_numbers_stay_numbers() -> None:
    assert [csv_cell(value) for value in (-1.5, 0, None, "a-b", ["a", 1])] == [-1.5, 0, "", "a-b", '["a", 1]']


def test_texts_and_unknown_formats(tmp_path: Path) -> None:
    assert export_texts(iter(["one\n", "two\n"]), tmp_path / "t.pgn") == 2
    assert (tmp_path / "t.pgn").read_text() == "one\ntwo\n"
    with pytest.raises(InputError, match="unknown format 'xml': choose one of parquet, csv, jsonl"):
        export_table(TABLE, "xml", tmp_path / "t.xml")


def test_nothing_is_left_of_a_file_that_failed(tmp_path: Path) -> None:
    def texts() -> object:
        yield "one\n"
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        export_texts(texts(), tmp_path / "t.pgn")  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
