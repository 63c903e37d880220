"""Answers of single methods in their papers' own numbers: skills by bayes, fits and mileposts by choice."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.answers.answer import Answer, Row, Rows, Words


def skill_rows(
    title: str,
    rows: Sequence[Row],
    *,
    settings: Any,
    outside: str,
    outside_counted: int,
    left_out: Mapping[str, float],
    warning: str = "",
    intervals: str = "",
) -> Rows:
    """Numbers by the method bayes, with its rules, and what became of played moves outside the lines.

    `warning` says what a likelihood ratio does not prove, `intervals` the caveats of the Elo scale.
    """
    notes = {name: text for name, text in (("not", warning), ("intervals", intervals)) if text}
    omitted = ", ".join(f"{count:,.0f} not '{rule}'" for rule, count in left_out.items() if count)
    note = f"{outside.capitalize()} ({outside_counted:,} here). Left out: {omitted or 'none'}."
    about = {"method": "bayes", "settings": settings, "outside": outside, "outside_counted": outside_counted}
    return Rows(
        title,
        rows,
        note="\n".join(text for text in (note, intervals, warning) if text),
        document={**about, "left_out": dict(left_out), **notes, "rows": list(rows)},
        people=[_with_intervals(row) for row in rows],
    )


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


def choice_rows(
    fit: Mapping[str, Any], projections: Sequence[Mapping[str, Any]], shown: Sequence[str], in_words: str = ""
) -> Rows:
    """Fitted s and c, and what the fitted agent projects beside what was played.

    `fit` has method, decisions, s, c and interval; `shown` names the projections that people see; `in_words`
    says how the interval came about.
    """
    by_name = {row["name"]: row for row in projections}
    columns = {
        "projected": "projected",
        "actual": "actual",
        "deviation, model": "model_deviation",
        "deviation, games": "games_deviation",
        "variance ratio": "variance_ratio",
    }
    between = f"; {in_words}" if in_words else ""
    how = f"{fit['method']}, {fit['decisions']:,} decisions{between}"
    return Rows(
        f"s = {fit['s']:.3f}, c = {fit['c']:.3f} ({how})",
        [{"method": fit["method"], "s": fit["s"], "c": fit["c"], **row} for row in projections],
        note="Ratio: variance over resampled games by variance with independent turns. "
        "Q_fit: projected is what chance alone would give.",
        document={**fit, "projections": list(projections)},
        people=[
            {"": name, **{head: _four_places(by_name[name][key]) for head, key in columns.items()}}
            for name in shown
        ],
    )


def _four_places(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else f"{value:.4f}"


@dataclass(frozen=True)
class Mileposts(Answer):
    """The paper's table from games with ratings: s, c, c_fit, s_fit, mm, ad, Q_fit by Elo."""

    periods: Mapping[str, Sequence[Row]]

    def to_dict(self) -> list[Row]:
        return self.rows()

    def rows(self) -> list[Row]:
        return [{"period": name, **row} for name, table in self.periods.items() for row in table]

    def words(self) -> Iterable[Words]:
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


def pair_rows(title: str, pairs: Sequence[Row], note: str = "") -> Rows:
    """Everyone against everyone by gain: rows in JSON and CSV, a matrix of differences for people."""
    cells = {(row["player"], row["opponent"]): row for row in pairs}
    names = list(dict.fromkeys(row["player"] for row in pairs))
    people = [
        {"": name, **{other: _difference(cells.get((name, other))) for other in names}} for name in names
    ]
    return Rows(title, pairs, note=note, people=people)


def _difference(row: Row | None) -> str:
    if row is None:
        return ""
    value, low, high = (row[f"difference{end}"] for end in ("", "_low", "_high"))
    return f"{value:+z.0f}\n{low:+z.0f} to {high:+z.0f}"
