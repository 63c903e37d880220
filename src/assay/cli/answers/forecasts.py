"""What `assay forecast` and `assay backtest matches` answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from assay.cli.answers.base import Row, Table, plain
from assay.cli.answers.numbers import forecast, percent, span, two_places

if TYPE_CHECKING:
    from assay.answers.ratings import Forecast
    from assay.rating.forecasts import MatchErrors, MatchForecast

_NAMES = ("method", "expectation", "low", "high", "win", "draw", "loss")


def sentence(what: str, notes: Sequence[str]) -> str:
    """What cannot be done and why: the reason that most methods give."""
    reasons = Counter(note.partition(": ")[2] for note in notes).most_common(1)
    return f"{what}: {reasons[0][0]}" if reasons else what


@dataclass(frozen=True)
class ForecastsAnswer:
    """One match by every method."""

    first: str
    second: str
    answers: Sequence[Forecast]
    unable: Sequence[str]
    exit_code: int = 0

    @property
    def remarks(self) -> list[str]:
        """What must be said with the forecasts, and why some methods have none: equal notes once."""
        said: dict[str, list[str]] = {}
        for one in self.answers:
            for note in one.notes:
                said.setdefault(note, []).append(one.method)
        for note in self.unable:
            method, _, reason = note.partition(": ")
            said.setdefault(reason, []).append(method)
        everyone = len(self.answers) + len(self.unable)
        lines = [note if len(by) == everyone else f"{', '.join(by)}: {note}" for note, by in said.items()]
        return ["; ".join(lines)] if lines else []

    def document(self) -> dict[str, Any]:
        """The whole answer as JSON has it."""
        rows = list(self.rows())
        return {"first": self.first, "second": self.second, "forecasts": rows, "notes": self.remarks}

    def rows(self) -> list[Row]:
        """One row for each method."""
        return [plain({name: getattr(one, name) for name in _NAMES}) for one in self.answers]

    def tables(self) -> Iterable[Table]:
        """One table, in percent for the first player."""
        yield Table(
            f"{self.first} against {self.second}, colours shared: percent for the first",
            ("method", "expectation", "95% interval", "win", "draw", "loss"),
            [
                (
                    one.method,
                    percent(one.expectation),
                    span(one.low, one.high),
                    *map(percent, (one.win, one.draw, one.loss)),
                )
                for one in self.answers
            ],
            "\n".join(self.remarks),
        )


@dataclass(frozen=True)
class MatchesAnswer:
    """Matches forecast from the year before, beside the results."""

    found: Sequence[MatchForecast]
    methods: Sequence[str]
    errors: Sequence[MatchErrors]
    remarks: Sequence[str] = ()
    exit_code: int = 0

    @property
    def _names(self) -> list[str]:
        return [one.method for one in self.errors]

    def document(self) -> dict[str, Any]:
        """Matches and mean errors."""
        return {
            "matches": [plain(row) for row in self._flat()],
            "errors": [plain(asdict(one)) for one in self.errors],
        }

    def rows(self) -> list[Row]:
        """One row for each match."""
        ends = [f"{name}_{end}" for name in self._names for end in ("low", "high")]
        columns = ["first", "second", "year", "actual", *self._names, *ends]
        return [{name: plain(row).get(name) for name in columns} for row in self._flat()]

    def _flat(self) -> list[dict[str, Any]]:
        return [
            {
                **asdict(row.match),
                **{n: row.forecasts[n].expectation for n in self._names if n in row.forecasts},
                **{
                    f"{n}_{end}": getattr(f, end) for n, f in row.forecasts.items() for end in ("low", "high")
                },
            }
            for row in self.found
        ]

    def tables(self) -> Iterable[Table]:
        """Matches, then mean errors."""
        names = self._names
        yield Table(
            "Matches forecast from the year before: percent for the first player",
            ("match", "actual", *names),
            [
                (str(r.match), percent(r.match.actual), *(forecast(r.forecasts.get(name)) for name in names))
                for r in self.found
            ],
            "\n".join(self._grouped()),
        )
        yield Table(
            "Mean errors",
            ("method", "matches", "mean error", "standard error", "correlation"),
            [
                (e.method, e.matches, percent(e.error, 1), percent(e.deviation, 1), two_places(e.correlation))
                for e in self.errors
            ],
        )

    def _grouped(self) -> list[str]:
        """The notes of all matches, equal ones once: by how many methods, and of how many matches."""
        said: dict[str, tuple[set[str], set[str]]] = {}
        for row in self.found:
            for note in row.notes:
                method, _, reason = note.partition(": ")
                by, about = said.setdefault(reason if method in self.methods else note, (set(), set()))
                by |= {method} & set(self.methods)
                about.add(str(row.match))
        return [f"{reason}{self._counts(by, about)}" for reason, (by, about) in said.items()]

    def _counts(self, by: set[str], about: set[str]) -> str:
        some = [name for name in self.methods if name in by]
        parts = [f"{len(about)} matches"] if len(about) > 1 else []
        if some:
            parts.append("all methods" if len(some) == len(self.methods) else ", ".join(some))
        return f" ({'; '.join(parts)})" if parts else ""
