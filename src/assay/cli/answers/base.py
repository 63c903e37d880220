"""What commands answer, and the three ways of printing it: tables for people, JSON and CSV for programs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from assay.cli.answers.numbers import with_interval
from assay.cli.output import print_csv, print_json, print_table, print_text, say
from assay.cli.progress import close

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Table:
    """A table for people."""

    title: str
    columns: Sequence[str]
    rows: Iterable[Sequence[object]]
    note: str = ""
    spare: int = 0
    """How many of the last columns may be left out where the page is narrow."""


class Answer(Protocol):
    """What a command answers. It is printed in one of three ways, by `print_answer` alone."""

    def document(self) -> Any:
        """The whole answer as JSON has it."""

    def rows(self) -> Sequence[Row]:
        """The answer as rows of a CSV file."""

    def tables(self) -> Iterable[Table]:
        """The answer as people read it."""

    @property
    def remarks(self) -> Sequence[str]:
        """What must be said beside the rows of a CSV file, where there is no place for it."""

    @property
    def exit_code(self) -> int:
        """0, or what the command ends with where the answer tells of a problem."""


def said_once(notes: Iterable[str]) -> list[str]:
    """Notes, equal ones once: what several methods say for the same reason is one note that names them."""
    from assay.models.registry import methods

    known = methods()
    said: dict[str, list[str]] = {}
    for note in notes:
        before, _, reason = note.partition(": ")
        by = said.setdefault(reason if before in known else note, [])
        if before in known and before not in by:
            by.append(before)
    return [f"{', '.join(by)}: {note}" if by else note for note, by in said.items()]


def _three_places(name: str, value: Any) -> object:
    if name == "year":  # no number: 1,975 is no year
        return str(value)
    return ("" if math.isnan(value) else f"{value:z.3f}") if isinstance(value, float) else value


@dataclass(frozen=True)
class Rows:
    """The plainest answer: rows that are the same in JSON, in CSV and in one table."""

    title: str
    found: Sequence[Row]
    columns: Sequence[str] = ()
    """Those to print; all of the first row where none are named."""
    note: str = ""
    cell: Callable[[str, Any], object] = _three_places
    """How a value stands in the table."""
    headings: Mapping[str, str] = field(default_factory=dict)
    """What columns are called in the table, where not by their names."""
    spare: int = 0
    shown: Sequence[str] = ()
    """Columns of the table, where they are not those of CSV or in another order."""
    remarks: Sequence[str] = ()
    exit_code: int = 0

    @property
    def _columns(self) -> Sequence[str]:
        return self.columns or list(self.found[0] if self.found else ())

    def document(self) -> Any:
        """The rows, NaN as null."""
        return [plain(row) for row in self.found]

    def rows(self) -> Sequence[Row]:
        """The rows, NaN as null."""
        return [{name: plain(row).get(name) for name in self._columns} for row in self.found]

    def tables(self) -> Iterable[Table]:
        """One table; a number whose ends are beside it, as `x_low` and `x_high`, has them in its cell."""
        names = self.shown or self._columns
        ends = {name: {f"{name}_low", f"{name}_high"} for name in names}
        with_ends = {name for name in names if ends[name] <= set(names)}
        names = [name for name in names if not any(name in ends[one] for one in with_ends)]
        cells = [
            [
                with_interval(row, name) if name in with_ends else self.cell(name, row.get(name))
                for name in names
            ]
            for row in self.found
        ]
        headings = [self.headings.get(name, name.replace("_", " ")) for name in names]
        yield Table(self.title, headings, cells, self.note, self.spare)


@dataclass(frozen=True)
class Made:
    """An answer whose three forms are made by functions of what was found."""

    of_document: Callable[[], Any]
    of_rows: Callable[[], Sequence[Row]]
    of_tables: Callable[[], Iterable[Table]]
    remarks: Sequence[str] = ()
    exit_code: int = 0

    def document(self) -> Any:
        """The whole answer as JSON has it."""
        return self.of_document()

    def rows(self) -> Sequence[Row]:
        """The answer as rows of a CSV file."""
        return self.of_rows()

    def tables(self) -> Iterable[Table]:
        """The answer as people read it."""
        return self.of_tables()


def facts(
    title: str, numbers: Mapping[str, Any], cells: Sequence[tuple[str, object]], note: str = ""
) -> Made:
    """An answer of single numbers: a JSON object, CSV of `what` and `value` (of a list, how many it has)."""
    counted = {name: len(value) if isinstance(value, list) else value for name, value in numbers.items()}
    return Made(
        lambda: dict(numbers),
        lambda: [{"what": name, "value": value} for name, value in counted.items()],
        lambda: [Table(title, ("", "value"), cells, note)],
    )


def sentence(text: str, numbers: Mapping[str, Any]) -> Made:
    """An answer of one sentence, and the numbers in it for programs."""
    return replace(facts(text, numbers, ()), of_tables=lambda: [Table(text, (), ())])


def plain(row: Row) -> dict[str, Any]:
    """JSON has no NaN: what is not known is null."""
    return {
        key: None if isinstance(value, float) and math.isnan(value) else value for key, value in row.items()
    }


def print_answer(answer: Answer, *, as_json: bool = False, as_csv: bool = False) -> None:
    """Print an answer in the way that was asked for."""
    close()
    if as_json:
        print_json(answer.document())
    elif as_csv:
        rows = answer.rows()
        columns = dict.fromkeys(name for row in rows for name in row)
        print_csv(rows, list(columns))
        for remark in answer.remarks:
            say(remark)
    else:
        for table in answer.tables():
            if not table.columns:
                print_text(table.title)
                continue
            print_table(table.title, table.columns, table.rows, table.note, spare=table.spare)
