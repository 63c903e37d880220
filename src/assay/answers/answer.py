"""An answer: one value for the terminal, JSON, CSV, a page and a notebook, and how numbers are written."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

Row = Mapping[str, Any]

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class Words:
    """A table as people read it; without columns, a text alone."""

    title: str
    columns: Sequence[str] = ()
    rows: Iterable[Sequence[object]] = ()
    note: str = ""
    spare: int = 0
    """How many of the last columns may be left out where the page is narrow."""


class Answer:
    """A result: every command prints one, every page shows one."""

    @property
    def exit_code(self) -> int:
        """0, or what the command ends with where the answer reports a problem."""
        return 0

    @property
    def remarks(self) -> Sequence[str]:
        """Caveats that a CSV file has no place for."""
        return ()

    def to_dict(self) -> Any:
        """The whole answer as JSON has it."""
        raise NotImplementedError

    def rows(self) -> Sequence[Row]:
        """The rows of `--csv`."""
        raise NotImplementedError

    def words(self) -> Iterable[Words]:
        """The answer as people read it."""
        raise NotImplementedError

    def table(self) -> pa.Table:
        """The rows of `--csv` as an Arrow table; a column of mixed types is text."""
        import pyarrow as pa

        rows = self.rows()
        columns: dict[str, Any] = {}
        for name in columns_of(rows):
            values = [row.get(name) for row in rows]
            try:
                columns[name] = pa.array(values)
            except (pa.ArrowInvalid, pa.ArrowTypeError):
                columns[name] = pa.array([None if value is None else str(value) for value in values])
        return pa.table(columns)


def to_csv(rows: Iterable[Row], columns: Sequence[str]) -> str:
    """Rows as CSV text. Names come from untrusted PGN: a leading `=` must not become a formula."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([csv_cell(row.get(column)) for column in columns] for row in rows)
    return text.getvalue()


def csv_cell(value: Any) -> Any:
    """A value for CSV, with no text that a spreadsheet takes for a formula.

    Lists of moves are joined by blanks; lists of numbers, in which some may be missing, are JSON: [12, null].
    """
    if isinstance(value, list):
        return " ".join(value) if all(isinstance(one, str) for one in value) else json.dumps(value)
    if isinstance(value, str) and value.startswith(_FORMULA):
        return "'" + value
    return "" if value is None else value


def columns_of(rows: Iterable[Row]) -> list[str]:
    """The names of all columns, in the order in which rows first have them."""
    return list(dict.fromkeys(name for row in rows for name in row))


def _three_places(name: str, value: Any) -> object:
    if name == "year":  # not a quantity: no comma in 1975
        return str(value)
    return ("" if math.isnan(value) else f"{value:z.3f}") if isinstance(value, float) else value


@dataclass(frozen=True)
class Rows(Answer):
    """The plainest answer: rows that are the same in JSON, in CSV and in one table."""

    title: str
    records: Sequence[Row]
    columns: Sequence[str] = ()
    """Those to print; all of the first row where none are named."""
    note: str = ""
    cell: Callable[[str, Any], object] = _three_places
    """How a value is written in the table."""
    headings: Mapping[str, str] = field(default_factory=dict)
    """Headings of columns that are not printed under their names."""
    spare: int = 0
    shown: Sequence[str] = ()
    """Columns of the table, where they are not those of CSV or in another order."""
    remarks: Sequence[str] = ()
    exit_code: int = 0

    @property
    def _columns(self) -> Sequence[str]:
        return self.columns or list(self.records[0] if self.records else ())

    def to_dict(self) -> list[dict[str, Any]]:
        """The rows, NaN as null."""
        return [plain(row) for row in self.records]

    def rows(self) -> list[Row]:
        """The rows, NaN as null."""
        return [{name: plain(row).get(name) for name in self._columns} for row in self.records]

    def words(self) -> Iterable[Words]:
        """One table; the ends of an interval, `x_low` and `x_high`, are printed in the cell of `x`."""
        names = self.shown or self._columns
        ends = {name: {f"{name}_low", f"{name}_high"} for name in names}
        with_ends = {name for name in names if ends[name] <= set(names)}
        names = [name for name in names if not any(name in ends[whole] for whole in with_ends)]
        cells = [
            [
                with_interval(row, name) if name in with_ends else self.cell(name, row.get(name))
                for name in names
            ]
            for row in self.records
        ]
        headings = [self.headings.get(name, name.replace("_", " ")) for name in names]
        yield Words(self.title, headings, cells, self.note, self.spare)


@dataclass(frozen=True)
class Facts(Answer):
    """Single numbers: a JSON object, CSV of `what` and `value` (of a list, its length)."""

    title: str
    numbers: Mapping[str, Any]
    cells: Sequence[tuple[str, object]] = ()
    """Labels and values for people; without any, the title says it all."""
    note: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)
    """What only JSON has."""
    exit_code: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The numbers by name."""
        return {**self.numbers, **self.more}

    def rows(self) -> list[Row]:
        """One row for each number."""
        counted = {name: len(x) if isinstance(x, list) else x for name, x in self.numbers.items()}
        return [{"what": name, "value": value} for name, value in counted.items()]

    def words(self) -> Iterable[Words]:
        """One table of two columns, or a sentence."""
        yield Words(self.title, ("", "value") if self.cells else (), self.cells, self.note)


def plain(row: Row) -> dict[str, Any]:
    """A row as JSON has it, which has no NaN: null for what is not known."""
    return {
        key: None if isinstance(value, float) and math.isnan(value) else value for key, value in row.items()
    }


# Numbers -----------------------------------------------------------------------------------------------


def number(value: float, digits: int = 4) -> float | None:
    """A number for JSON, which has no infinities: null for them, as for what is unknown."""
    return round(float(value), digits) + 0.0 if math.isfinite(value) else None


def points(total: float) -> str:
    """Points as chess players write them: 5½; a dash where they are unknown."""
    if math.isnan(total):
        return "–"
    whole, half = divmod(round(2 * total), 2)
    return ("½" if whole == 0 else f"{whole}½") if half else str(whole)


def elo(value: float, *, signed: bool = False) -> str:
    """A rating or a rating difference in whole points; infinities and unknown ones too."""
    if math.isnan(value):
        return ""
    if math.isinf(value):
        return "-∞" if value < 0 else "+∞" if signed else "∞"
    return f"{value:+z.0f}" if signed else f"{value:z.0f}"


def percent(share: float, digits: int = 0) -> str:
    """A share in percent; nothing where it is not known."""
    return "" if math.isnan(share) else f"{100 * share:.{digits}f}"


def level_in_words(level: float) -> str:
    """The level of an interval: 95%."""
    return f"{100 * level:.6g}%"


def span(low: float, high: float) -> str:
    """The ends of an interval in percent; nothing where it is not known."""
    return "" if math.isnan(low) else f"{100 * low:.0f} to {100 * high:.0f}"


def with_interval(row: Row, name: str) -> str:
    """A quantity of a row with its interval, which stands beside it as `name_low` and `name_high`."""
    value, low, high = (row.get(key, math.nan) for key in (name, f"{name}_low", f"{name}_high"))
    ends = "" if math.isnan(low) else f" ({low:.3g} to {high:.3g})"
    return ("" if math.isnan(value) else f"{value:.3g}") + ends


def duration(seconds: float) -> str:
    """A time as people say it: 12.3 s, 5 min, 2 h 10 min, 3 d 4 h."""
    if seconds < 120:
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    hours, days = minutes // 60, minutes // 1440
    if days > 1:
        return f"{days} d {hours % 24} h"
    return f"{hours} h {minutes % 60} min" if hours else f"{minutes} min"
