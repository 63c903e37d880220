"""Answers of single methods in their papers' own numbers: skills by bayes, fits and mileposts by choice."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.answers.answer import Answer, Row, Rows, Words


@dataclass(frozen=True, kw_only=True)
class Skills(Answer):
    """Numbers by the method bayes, with the rules and the treatment of moves outside the lines."""

    title: str
    records: Sequence[Row]
    settings: Any
    outside: str
    """What became of played moves outside the lines."""
    outside_counted: int
    left_out: Mapping[str, float]
    """Decisions that each rule left out."""
    warning: str = ""
    """What a likelihood ratio does not prove."""
    intervals: str = ""
    """Caveats of the Elo scale."""

    def to_dict(self) -> dict[str, Any]:
        """What `assay method bayes --json` prints."""
        notes = (("not", self.warning), ("intervals", self.intervals))
        return {
            "method": "bayes",
            "settings": self.settings,
            "outside": self.outside,
            "outside_counted": self.outside_counted,
            "left_out": dict(self.left_out),
            **{name: text for name, text in notes if text},
            "rows": self.rows(),
        }

    def rows(self) -> list[Row]:
        """The rows."""
        return list(self.records)

    def words(self) -> Iterable[Words]:
        """One table."""
        omitted = ", ".join(f"{count:,.0f} not '{rule}'" for rule, count in self.left_out.items() if count)
        note = f"{self.outside.capitalize()} ({self.outside_counted:,} here). Left out: {omitted or 'none'}."
        shown = [_with_intervals(row) for row in self.records]
        notes = "\n".join(text for text in (note, self.intervals, self.warning) if text)
        yield Words(self.title, list(shown[0]), [list(row.values()) for row in shown], notes)


_ENDS = {"low": ("high", "95% of c"), "elo_low": ("elo_high", "95% of Elo")}
"""The lower end of an interval: where its upper end is, and the heading of both in one column."""


def _with_intervals(row: Row) -> dict[str, Any]:
    """A row for people: both ends of an interval in one cell."""
    shown = {}
    upper = {high for high, _ in _ENDS.values()}
    for name, value in row.items():
        if name == "game_id":
            continue
        if name in _ENDS:
            high, heading = _ENDS[name]
            shown[heading] = f"{_cell(name, value)} to {_cell(high, row[high])}"
        elif name not in upper:
            shown["Elo" if name == "elo" else name] = _cell(name, value)
    return shown


def _cell(name: str, value: Any) -> Any:
    if not isinstance(value, float):
        return "" if value is None else value
    return (
        f"{value:z.0f}" if name.startswith("elo") else f"{value:z.4f}" if abs(value) < 10 else f"{value:.1f}"
    )


@dataclass(frozen=True, kw_only=True)
class ChoiceFit(Answer):
    """Fitted s and c, and what the fitted agent projects beside what was played."""

    method: str
    decisions: int
    s: float
    c: float
    interval: Mapping[str, Sequence[float]] | None
    projections: Sequence[dict[str, Any]]
    """One for each projected quantity: name, projected, actual, both deviations, their variance ratio."""
    in_words: str = ""
    """How the interval came about."""
    shown: Sequence[str] = field(default=())
    """Names of the projections that are printed for people."""

    def to_dict(self) -> dict[str, Any]:
        """What `assay method choice --json` prints."""
        fields = ("method", "decisions", "s", "c", "interval")
        return {**{name: getattr(self, name) for name in fields}, "projections": list(self.projections)}

    def rows(self) -> list[Row]:
        """One row for each projected quantity."""
        return [{"method": self.method, "s": self.s, "c": self.c, **row} for row in self.projections]

    def words(self) -> Iterable[Words]:
        """One table under the fit."""
        between = f"; {self.in_words}" if self.in_words else ""
        names = ("projected", "actual", "model_deviation", "games_deviation", "variance_ratio")
        by_name = {row["name"]: row for row in self.projections}
        yield Words(
            f"s = {self.s:.3f}, c = {self.c:.3f} ({self.method}, {self.decisions:,} decisions{between})",
            ("", "projected", "actual", "deviation, model", "deviation, games", "variance ratio"),
            [(name, *(_four_places(by_name[name][column]) for column in names)) for name in self.shown],
            "Ratio: variance over resampled games by variance with independent turns. "
            "Q_fit: projected is what chance alone would give.",
        )


def _four_places(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else f"{value:.4f}"


@dataclass(frozen=True)
class Mileposts(Answer):
    """The paper's table from games with ratings: s, c, c_fit, s_fit, mm, ad, Q_fit by Elo."""

    periods: Mapping[str, Sequence[Row]]

    def to_dict(self) -> list[Row]:
        """One object for each period and milepost."""
        return self.rows()

    def rows(self) -> list[Row]:
        """One row for each period and milepost."""
        return [{"period": name, **row} for name, table in self.periods.items() for row in table]

    def words(self) -> Iterable[Words]:
        """One table for each period."""
        columns = ("Elo", "s", "c", "c_fit", "s_fit", "mm_p/mm_a", "ad_p/ad_a", "Q_fit", "games", "turns")
        note = "In brackets: 95% intervals of s and c, from a bootstrap over games."
        for name, table in self.periods.items():
            cells = [
                (
                    f"{row['elo']}",
                    *(_with_ends(row, quantity) for quantity in ("s", "c")),
                    *(f"{row[quantity]:.3f}".removeprefix("0") for quantity in ("c_fit", "s_fit")),
                    f"{row['mm_projected']:.1f}/{row['mm_actual']:.1f}",
                    f"{row['ad_projected']:.3f}/{row['ad_actual']:.3f}".replace("0.", "."),
                    f"{row['q_fit']:.3f}".removeprefix("0"),
                    *(row["games"], row["decisions"]),
                )
                for row in table
            ]
            yield Words(name, columns, cells, note, spare=2)


def _with_ends(row: Row, name: str) -> str:
    """S or c with its interval."""
    value, low, high = (
        "" if row[key] is None else f"{row[key]:.3f}".removeprefix("0")
        for key in (name, f"{name}_low", f"{name}_high")
    )
    return f"{value} ({low}-{high})" if low else value


@dataclass(frozen=True)
class Pairs(Rows):
    """Everyone against everyone by gain: rows in JSON and CSV, a matrix of differences for people."""

    def words(self) -> Iterable[Words]:
        """One table: the player of the row over that of the column."""
        cells = {(row["player"], row["opponent"]): row for row in self.records}
        names = list(dict.fromkeys(row["player"] for row in self.records))
        rows = [[name, *(_difference(cells.get((name, other))) for other in names)] for name in names]
        yield Words(self.title, ["", *names], rows, self.note)


def _difference(row: Row | None) -> str:
    if row is None:
        return ""
    value, low, high = (row[f"difference{end}"] for end in ("", "_low", "_high"))
    return f"{value:+z.0f}\n{low:+z.0f} to {high:+z.0f}"
