"""An answer: one value for the terminal, JSON, CSV, a page and a notebook, and how numbers are written."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from assay.errors import printable

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
    """An empty row is a rule."""
    note: str = ""
    spare: int = 0
    """How many of the last columns may be left out where the page is narrow."""
    beside: str = ""
    """What stands at the right end of the title's line: a scale."""
    grey: str = ""
    """Where the numbers come from, in one line below."""


@dataclass(frozen=True)
class Drawn:
    """A cell that is drawn: a range with its value, and a mark to compare with, on an axis."""

    value: float
    low: float
    high: float
    mark: float = math.nan
    axis: tuple[float, float] = (math.nan, math.nan)
    """Both ends of the axis, which all cells of a column share."""

    def __str__(self) -> str:
        return self.draw(24)

    def draw(self, width: int) -> str:
        """Draw the range in so many characters; an end beyond the axis is open."""
        first, last = (self._place(end, width) for end in (self.low, self.high))
        cells = [" "] * width
        cells[first : last + 1] = "─" * (last + 1 - first)
        cells[first] = "◂" if self.low < self.axis[0] else "├"
        cells[last] = "▸" if self.high > self.axis[1] else "┤"
        if self.axis[0] <= self.mark <= self.axis[1]:
            cells[self._place(self.mark, width)] = "◇"
        cells[self._place(self.value, width)] = "●"
        return "".join(cells).rstrip()

    def _place(self, number: float, width: int) -> int:
        low, high = self.axis
        share = (number - low) / (high - low) if math.isfinite(number) else float(number > 0)
        return round(min(max(share, 0.0), 1.0) * (width - 1))

    def ruler(self, width: int) -> str:
        """The axis in so many characters: a few round numbers where they are."""
        low, high = self.axis
        step = next(
            step for step in (50, 100, 200, 400, 500, 1000, 2000) if (high - low) / step <= max(width // 8, 1)
        )
        text = [" "] * (width + 4)
        for tick in range(math.ceil(low / step) * step, math.floor(high) + 1, step):
            start = self._place(tick, width) - 2
            if start >= 0 and start + 4 <= width + 2:
                text[start : start + 4] = f"{tick:4}"
        return "".join(text).rstrip()


def drawn(values: Iterable[tuple[float, float, float, float]]) -> list[Drawn | str]:
    """Cells of one column for (value, low, high, mark), on an axis that has room for most of each range.

    Of a range whose ends are not known nothing is drawn.
    """
    cells = list(values)
    ends = [end for _, low, high, _ in cells if math.isfinite(high - low) for end in (low, high)]
    ends += [mark for value, low, high, mark in cells if math.isfinite(mark) and math.isfinite(high - low)]
    if not ends:
        return [""] * len(cells)
    axis = math.floor(min(ends) / 100) * 100.0, math.ceil(max(ends) / 100) * 100.0
    return [
        Drawn(value, low, high, mark, axis) if math.isfinite(high - low) else ""
        for value, low, high, mark in cells
    ]


_BLOCKS = "▁▂▃▄▅▆▇█"

IN_ASCII = str.maketrans(
    dict(zip("├┤─●◇◂▸▁▂▃▄▅▆▇█·–…∞", "||-ox<>_.,-~=*#--~", strict=False)) | {"½": ".5", "…": "...", "∞": "inf"}
)
"""What is drawn and written, where a terminal shows no more than ASCII."""


def sparkline(values: Sequence[float]) -> str:
    """Numbers as a row of small bars, the least of them the lowest."""
    finite = [value for value in values if math.isfinite(value)]
    if len(finite) < 2:
        return ""
    low, high = min(finite), max(finite)
    steps = (len(_BLOCKS) - 1) / ((high - low) or 1.0)
    return "".join(_BLOCKS[round((value - low) * steps)] if math.isfinite(value) else " " for value in values)


class Answer:
    """A result: every command prints one, every page shows one, and so does a notebook."""

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        if "__repr__" not in vars(cls):  # a dataclass would write out all of its fields
            cls.__repr__ = Answer.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        """Each table as text, its first rows only."""
        return "\n".join(line for words in self.words() for line in _as_text(words))

    def _repr_html_(self) -> str:
        """Each table as HTML, for a notebook."""
        return "\n".join(_as_html(words) for words in self.words())

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The rows of `--csv` for any library that reads Arrow: `polars.DataFrame(answer)`."""
        return self.table().__arrow_c_stream__(requested_schema)

    @property
    def exit_code(self) -> int:
        """0, or what the command ends with where the answer reports a problem."""
        return 0

    @property
    def remarks(self) -> Sequence[str]:
        """Caveats that a CSV file has no place for."""
        return ()

    @property
    def detailed(self) -> bool:
        """Whether people see the details too, though nobody gave `--details`."""
        return False

    def to_dict(self) -> Any:
        """The whole answer as JSON has it."""
        raise NotImplementedError

    def rows(self) -> Sequence[Row]:
        """The rows of `--csv`."""
        raise NotImplementedError

    def words(self) -> Iterable[Words]:
        """The answer as people read it: what was found, how sure that is, what it rests on."""
        raise NotImplementedError

    def details(self) -> Iterable[Words]:
        """What `--details` adds: single methods, legends, how to read it."""
        return ()

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


_MOST_ROWS_AS_TEXT = 10
_MOST_ROWS_AS_HTML = 200


def _cells(words: Words) -> list[list[str]]:
    """The cells of a table as text; names come from untrusted files."""
    return [
        ["" if cell is None else f"{cell:,}" if type(cell) is int else printable(str(cell)) for cell in row]
        for row in words.rows
        if row  # an empty one is a rule
    ]


def _as_text(words: Words) -> Iterable[str]:
    yield from map(printable, words.title.split("\n"))
    rows = _cells(words)
    shown = [list(words.columns), *rows[:_MOST_ROWS_AS_TEXT]] if words.columns else []
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    for row in shown:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    if len(rows) > _MOST_ROWS_AS_TEXT:
        yield f"... and {len(rows) - _MOST_ROWS_AS_TEXT:,} more rows"


def _as_html(words: Words) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"

    rows = _cells(words)
    parts = [f"<p><b>{escape(printable(line))}</b></p>" for line in words.title.split("\n")]
    if words.columns:
        body = "".join(row(cells, "td") for cells in rows[:_MOST_ROWS_AS_HTML])
        parts.append(f"<table><thead>{row(words.columns, 'th')}</thead><tbody>{body}</tbody></table>")
    if len(rows) > _MOST_ROWS_AS_HTML:
        parts.append(f"<p>... and {len(rows) - _MOST_ROWS_AS_HTML:,} more rows</p>")
    parts += [f"<p>{escape(printable(line))}</p>" for line in words.note.splitlines()]
    return "".join(parts)


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
    """Rows that are the same in JSON, in CSV and in one table."""

    title: str
    records: Sequence[Row]
    columns: Sequence[str] = ()
    """Those of CSV; all of the first row where none are named."""
    note: str = ""
    cell: Callable[[str, Any], object] = _three_places
    """How a value is written in the table."""
    headings: Mapping[str, str] = field(default_factory=dict)
    """Headings of columns that are not printed under their names."""
    spare: int = 0
    shown: Sequence[str] = ()
    """Columns of the table, where they are not those of CSV or in another order."""
    document: Any = None
    """What JSON has, where that is not the rows."""
    people: Sequence[Row] = ()
    """Rows of the table by heading, where they are not those of JSON and CSV."""
    remarks: Sequence[str] = ()
    exit_code: int = 0

    @property
    def _columns(self) -> Sequence[str]:
        return self.columns or list(self.records[0] if self.records else ())

    def to_dict(self) -> Any:
        return [plain(row) for row in self.records] if self.document is None else self.document

    def rows(self) -> list[Row]:
        return [{name: plain(row).get(name) for name in self._columns} for row in self.records]

    def words(self) -> Iterable[Words]:
        """One table; the ends of an interval, `x_low` and `x_high`, are printed in the cell of `x`."""
        if self.people:
            cells = [list(row.values()) for row in self.people]
            yield Words(self.title, list(self.people[0]), cells, self.note, self.spare)
            return
        names = self.shown or self._columns
        whole = [name for name in names if {f"{name}_low", f"{name}_high"} <= set(names)]
        ends = {f"{name}_{end}" for name in whole for end in ("low", "high")}
        names = [name for name in names if name not in ends]
        table = [
            [with_interval(row, name) if name in whole else self.cell(name, row.get(name)) for name in names]
            for row in self.records
        ]
        headings = [self.headings.get(name, name.replace("_", " ")) for name in names]
        yield Words(self.title, headings, table, self.note, self.spare)


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
        return {**self.numbers, **self.more}

    def rows(self) -> list[Row]:
        return [
            {"what": name, "value": len(value) if isinstance(value, list) else value}
            for name, value in self.numbers.items()
        ]

    def words(self) -> Iterable[Words]:
        yield Words(self.title, ("", "value") if self.cells else (), self.cells, self.note)


def plain(row: Row) -> dict[str, Any]:
    """A row as JSON has it, which has no NaN: null for what is not known."""
    return {
        key: None if isinstance(value, float) and math.isnan(value) else value for key, value in row.items()
    }


def pick(value: Any, names: str, digits: int = 4) -> dict[str, Any]:
    """Some attributes of a value for JSON, by name: `pick(rating, "elo low high", 1)`."""
    return {name: jsonable(getattr(value, name), digits) for name in names.split()}


def jsonable(value: Any, digits: int = 4) -> Any:
    """A value as JSON has it: numbers rounded, what has a `to_dict` by that, in lists and mappings too."""
    if isinstance(value, float):
        return number(value, digits)
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(name): jsonable(each, digits) for name, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [jsonable(each, digits) for each in value]
    return value


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


def counted(n: int, noun: str, several: str = "") -> str:
    """A number with its noun: 1 game, 1,200 games."""
    return f"{n:,} {noun if n == 1 else several or noun + 's'}"


def tens(value: float) -> str:
    """A rating rounded to ten points, as people are shown it; nothing where it is not known."""
    return f"{10 * round(value / 10)}" if math.isfinite(value) else ""


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
    """A time as people write it: 12.3 s, 5 min, 2 h 10 min, 3 d 4 h."""
    if seconds < 120:
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    hours, days = minutes // 60, minutes // 1440
    if days > 1:
        return f"{days} d {hours % 24} h"
    return f"{hours} h {minutes % 60} min" if hours else f"{minutes} min"
