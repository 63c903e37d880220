"""Tables written for other programs: Parquet, CSV, JSON lines."""

import csv
import io
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from assay.errors import InputError
from assay.files import written_whole

FORMATS = ("parquet", "csv", "jsonl")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def export_table(table: pa.Table, format_: str, out: Path | None) -> int:
    """Write a table to a file, whole or not at all, or to standard output; return the number of rows."""
    if format_ not in FORMATS:
        raise InputError(f"unknown format '{format_}': choose one of {', '.join(FORMATS)}")
    if format_ == "parquet":
        if out is None:
            raise InputError("Parquet is not for reading on a screen: name a file with --out")
        with written_whole(out) as file:
            pq.write_table(table, file, compression="zstd")
        return int(table.num_rows)
    with _text_to(out) as text:
        _write_text(table, format_, text)
    return int(table.num_rows)


def export_texts(texts: Iterable[str], out: Path | None) -> int:
    """Write texts to a file, whole or not at all, or to standard output; return how many."""
    count = 0
    with _text_to(out) as file:
        for text in texts:
            file.write(text)
            count += 1
    return count


@contextmanager
def _text_to(out: Path | None) -> Iterator[IO[str]]:
    """A file to write text to, whole or not at all; standard output where none is named."""
    if out is None:
        if sys.stdout is None:
            raise InputError("standard output is closed: name a file to write to with --out")
        yield sys.stdout
        return
    with written_whole(out) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        yield text
        text.detach()  # flushes, and leaves the file open to be synced and renamed


def _write_text(table: pa.Table, format_: str, file: IO[str]) -> None:
    if format_ == "jsonl":
        for row in _rows(table):
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
        return
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(table.column_names)
    for row in _rows(table):
        writer.writerow([csv_cell(value) for value in row.values()])


def _rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    for batch in table.to_batches(max_chunksize=10_000):
        yield from batch.to_pylist()


def csv_cell(value: Any) -> Any:
    """A value for CSV, with no text that a spreadsheet takes for a formula.

    Lists of moves are joined by blanks; lists of numbers, in which some may be missing, are JSON: [12, null].
    """
    if isinstance(value, list):
        return " ".join(value) if all(isinstance(one, str) for one in value) else json.dumps(value)
    if isinstance(value, str) and value.startswith(_FORMULA):
        return "'" + value
    return "" if value is None else value
