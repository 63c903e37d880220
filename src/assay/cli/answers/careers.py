"""What `assay career` and `assay versus` answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.cli.answers.base import Row, Table, plain, said_once
from assay.cli.answers.numbers import with_interval

if TYPE_CHECKING:
    from assay.rating.careers import HeadToHeads


@dataclass(frozen=True)
class CareersAnswer:
    """Every year of one player or of several."""

    found: Mapping[str, Sequence[dict[str, Any]]]
    """By player, one row for each year."""
    remarks: Sequence[str] = ()
    exit_code: int = 0

    @property
    def _years(self) -> list[dict[str, Any]]:
        return [row for table in self.found.values() for row in table]

    def document(self) -> list[dict[str, Any]]:
        """One object for each year."""
        return [plain(row) for row in self._years]

    def rows(self) -> list[Row]:
        """One row for each year, its ratings as columns."""
        flat = [{**row, **_flat_ratings(row["ratings"])} for row in self._years]
        return [
            {name: value for name, value in plain(row).items() if name not in ("ratings", "notes")}
            for row in flat
        ]

    def tables(self) -> Iterable[Table]:
        """The rating, and as many numbers of the methods as there is room for."""
        rows = self._years
        numbers = _headlines({name: None for row in rows for name in row})
        rated = any(row["ratings"] for row in rows)
        several = len(self.found) > 1
        few = sum(not row["active"] for row in rows)
        notes = [
            *([f"* too few moves (--min-moves): {few} of {len(rows)} years."] if few else []),
            *said_once(note for row in rows for note in row["notes"]),
        ]
        yield Table(
            "Careers: " + ", ".join(self.found),
            (
                *(["player"] if several else []),
                "year",
                "games",
                "moves",
                *(["rating"] if rated else []),
                *(name.replace("_", " ") for name in numbers),
            ),
            [
                (
                    *([row["player"]] if several else []),
                    f"{row['year']}{'' if row['active'] else ' *'}",
                    int(row["games"]),
                    int(row["decisions"]),
                    *([_rating(row["ratings"])] if rated else []),
                    *(with_interval(row, name) for name in numbers),
                )
                for row in rows
            ],
            "\n".join(notes),
            len(numbers) - (not rated),
        )


def _flat_ratings(ratings: dict[str, dict[str, float]]) -> dict[str, float]:
    return {f"{end}_{name}": one[end] for name, one in ratings.items() for end in ("elo", "low", "high")}


def _rating(ratings: dict[str, dict[str, float]]) -> str:
    """The rating by all methods together, with its interval."""
    if "combined" not in ratings:
        return ""
    return "{elo:.0f} ({low:.0f} to {high:.0f})".format(**ratings["combined"])


def _headlines(row: dict[str, Any]) -> list[str]:
    """Conformance, and the first number of every other method: all of them are in the JSON and the CSV."""
    from assay.models.registry import methods

    first = [next((key for key in row if key.startswith(f"{name}_")), None) for name in methods()]
    others = [key for key in first if key is not None and not key.startswith("conformance")]
    return ["conformance_0", "conformance", *others]


@dataclass(frozen=True)
class VersusAnswer:
    """Everyone against everyone: expectation of the row in percent."""

    table: HeadToHeads
    method: str
    white: bool
    note: str
    remarks: Sequence[str] = ()
    exit_code: int = 0

    @property
    def _cells(self) -> list[list[float | None]]:
        values = 100 * (self.table.as_white if self.white else self.table.match)
        return [
            [None if i == j else round(float(value), 2) for j, value in enumerate(row)]
            for i, row in enumerate(values)
        ]

    @property
    def _names(self) -> list[str]:
        return [str(key) for key in self.table.keys]

    def document(self) -> dict[str, Any]:
        """Names, and a row for each."""
        expectation = list(self.rows())
        return {"method": self.method, "white": self.white, "names": self._names, "expectation": expectation}

    def rows(self) -> list[Row]:
        """One row for each player and year."""
        names = self._names
        return [
            {"player": name, **dict(zip(names, row, strict=True))}
            for name, row in zip(names, self._cells, strict=True)
        ]

    def tables(self) -> Iterable[Table]:
        """One square table, columns by number."""
        how = "with White" if self.white else "colours shared"
        shown = [["" if cell is None else f"{cell:.0f}" for cell in row] for row in self._cells]
        yield Table(
            f"Expectation of the row in percent, {how}, by {self.method}",
            ("", "", *(str(index + 1) for index in range(len(shown)))),
            [(i + 1, name, *row) for i, (name, row) in enumerate(zip(self._names, shown, strict=True))],
            self.note,
        )
