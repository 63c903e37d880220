"""Tables written for other programs: Parquet, CSV, JSON lines."""

import csv
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from assay.errors import InputError

FORMATS = ("parquet", "csv", "jsonl")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def export_table(table: pa.Table, format_: str, out: Path | None) -> int:
    """Write a table to a file, whole or not at all, or to standard output; return the number of rows."""
    if format_ not in FORMATS:
        raise InputError(f"unknown format '{format_}': choose one of {', '.join(FORMATS)}")
    if format_ == "parquet":
        if out is None:
            raise InputError("Parquet is not for reading on a screen: name a file with --out")
        _whole(out, lambda partial: pq.write_table(table, partial, compression="zstd"))
    elif out is None:
        _write_text(table, format_, sys.stdout)
    else:
        _whole(out, lambda partial: _write_file(table, format_, partial))
    return int(table.num_rows)


def export_texts(texts: Iterable[str], out: Path | None) -> int:
    """Write texts to a file, whole or not at all, or to standard output; return how many."""
    count = 0

    def write(file: IO[str]) -> None:
        nonlocal count
        for text in texts:
            file.write(text)
            count += 1

    def write_file(path: Path) -> None:
        with path.open("w", encoding="utf-8", newline="") as file:
            write(file)

    if out is None:
        write(sys.stdout)
    else:
        _whole(out, write_file)
    return count


def _whole(out: Path, write: Any) -> None:
    partial = out.with_name(out.name + ".part")
    try:
        write(partial)
        partial.replace(out)
    except FileNotFoundError:
        raise InputError(f"the folder of {out} does not exist: make it first") from None
    finally:
        partial.unlink(missing_ok=True)


def _write_file(table: pa.Table, format_: str, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        _write_text(table, format_, file)


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
    """A value for CSV: lists joined by blanks, and no text that a spreadsheet takes for a formula."""
    if isinstance(value, list):
        return " ".join("" if one is None else str(one) for one in value)
    if isinstance(value, str) and value.startswith(_FORMULA):
        return "'" + value
    return "" if value is None else value
