"""Strength from results alone, backtests, mileposts, and the papers' numbers computed again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from assay.answers.answer import Answer, Row, Rows, Words

# Results -------------------------------------------------------------------------------------------------


def result_strengths(players: Sequence[Row], about: Mapping[str, Any], limit: int = 0) -> Rows:
    """Strength of the strongest players by results alone, with the facts of the fit."""
    shown = list(players[: limit or None])
    note = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in about.items())
    title = f"The strongest {len(shown)} of {len(players):,} players"
    return Rows(title, shown, note=note, cell=_four_places, document={**about, "players": shown})


def _four_places(_: str, value: Any) -> object:
    return f"{value:.4f}" if isinstance(value, float) else value


def tuned_settings(
    settings: Mapping[str, float], month_rmse: float, evaluations: int, sets: Sequence[str]
) -> Rows:
    """Settings of ferreira2010 that forecast several validation sets best, and the option that uses them."""
    document = {"model": "ferreira2010", "settings": dict(settings), "month_rmse": month_rmse}
    over = f"{len(sets)} sets, {evaluations:,} evaluations"
    remark = f"month-aggregated RMSE {month_rmse:.6f} on average over {over}"
    beta = ",".join(f"{value:.6f}" for value in settings.values())
    return Rows(
        "Settings of ferreira2010",
        [{"setting": name, "value": value} for name, value in settings.items()],
        note=f"{remark}\n--beta {beta}",
        cell=lambda _, value: f"{value:.6f}" if isinstance(value, float) else value,
        document={**document, "evaluations": evaluations, "sets": list(sets)},
        remarks=[remark],
    )


# Backtests -----------------------------------------------------------------------------------------------

_SHOWN = ("log_loss", "brier", "rmse", "month_rmse", "binomial_deviance")


@dataclass(frozen=True, kw_only=True)
class ErrorDifference:
    """The error of the first less that of the second; below zero, the first is better."""

    first: str
    second: str
    metric: str
    difference: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class CalibrationBin:
    """Games with similar forecasts: whether they end as forecast."""

    low: float
    high: float
    games: int
    forecast: float
    result: float
    error: float
    """Standard error of `result`."""


@dataclass(frozen=True, kw_only=True)
class Backtest(Answer):
    """Errors of forecasters on the same later games, side by side."""

    errors: list[dict[str, Any]]
    """One row per forecaster and split, and one per forecaster over all ("all")."""
    slices: list[dict[str, Any]]
    differences: list[ErrorDifference]
    calibration: dict[str, list[CalibrationBin]]
    stamp: dict[str, Any] = field(default_factory=dict)
    unable: dict[str, str] = field(default_factory=dict)
    """Forecasters without forecasts, and why."""
    notes: list[str] = field(default_factory=list)

    @property
    def remarks(self) -> list[str]:
        """Caveats, and who is left out."""
        return [*self.notes, *(f"{name} is left out: {reason}" for name, reason in self.unable.items())]

    def to_dict(self) -> dict[str, Any]:
        document = asdict(self)
        return {"rows": document.pop("errors"), **document}

    def rows(self) -> list[Row]:
        return list(self.errors)

    def words(self) -> Iterable[Words]:
        versions = ", ".join(f"{name} {number}" for name, number in self.stamp["versions"].items())
        stamp = f"Games {self.stamp['digest']}, seed {self.stamp['seed']}, {versions}."
        rows = [row for row in self.errors if row["split"] == "all"]
        title = "Errors, averaged over the splits; less is better"
        table = _metrics(title, ("forecaster", "split", "games"), rows)
        yield replace(table, note="\n".join(self.remarks), grey=stamp)
        if self.differences:
            cells = [
                (d.first, d.second, d.metric, f"{d.difference:+z.5f}", f"{d.low:+z.5f}", f"{d.high:+z.5f}")
                for d in self.differences
            ]
            columns = ("model", "against", "metric", "difference", "low", "high")
            note = "Below zero: the model is better. 95% intervals by resampling players."
            yield Words("Paired differences", columns, cells, note)

    def details(self) -> Iterable[Words]:
        rows = [row for row in self.errors if row["split"] != "all"]
        if rows:
            yield _metrics("By split", ("forecaster", "split", "games"), rows)
        yield _metrics("By slices", ("slice", "value", "forecaster", "games"), self.slices)
        bins = [
            (name, f"{b.low:.1f}", f"{b.high:.1f}", b.games, f"{b.forecast:.3f}", f"{b.result:.3f}")
            for name, several in self.calibration.items()
            for b in several
        ]
        yield Words("Calibration", ("forecaster", "from", "to", "games", "expected", "happened"), bins)


def _metrics(title: str, first: tuple[str, ...], rows: Sequence[Row]) -> Words:
    metrics = [metric for metric in _SHOWN if metric in rows[0]]
    cells = [[*(row[name] for name in first), *(f"{row[metric]:.5f}" for metric in metrics)] for row in rows]
    return Words(title, (*first, *metrics), cells)


# Mileposts (Regan and Haworth 2011) --------------------------------------------------------------------


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


# The papers' numbers -------------------------------------------------------------------------------------

Kind = Literal["inference", "arithmetic"]


@dataclass(frozen=True)
class Reproduction:
    """One number of a paper, the one computed, and how far they may be apart."""

    paper: str
    item: str
    kind: Kind = field(kw_only=True)
    """What the row proves: our inference, or the arithmetic of the print."""
    published: float | None
    """What the paper prints; None where it prints nothing."""
    expected: float | None = field(default=None, kw_only=True)
    """What the paper's own numbers give where its print is wrong; what must hold where it prints nothing."""
    computed: float | None
    """None where it needs games that are not there."""
    tolerance: float
    note: str = ""
    needs: str = field(default="", kw_only=True)
    """The data that it takes to compute the number."""

    @property
    def ok(self) -> bool | None:
        """Whether the computed number is as published, or as expected where that is given; None without it.

        A bound is inclusive, up to rounding of floats.
        """
        if self.computed is None:
            return None
        wanted = self.published if self.expected is None else self.expected
        assert wanted is not None, "a row needs a number to compare with"
        return math.isfinite(self.computed) and abs(wanted - self.computed) <= self.tolerance + 1e-9

    @property
    def print_is_wrong(self) -> bool:
        """Whether the paper prints a number that its own numbers contradict."""
        return self.published is not None and self.expected is not None


def reproduced(numbers: Sequence[Reproduction]) -> Rows:
    """Every number with its tolerance; exit code 1 if any is off."""
    columns = ("paper", "item", "kind", "published", "expected", "computed", "tolerance", "note", "needs")
    return Rows(
        "Published and recomputed",
        [{**{name: getattr(row, name) for name in columns}, "ok": row.ok} for row in numbers],
        ("paper", "item", "kind", "published", "expected", "computed", "tolerance", "ok"),
        note=reproduced_in_words(numbers),
        shown=("paper", "item", "published", "expected", "computed", "ok", "tolerance", "kind"),
        spare=2,
        cell=_cell,
        exit_code=1 if any(row.ok is False for row in numbers) else 0,
    )


def _cell(name: str, value: Any) -> object:
    if name == "ok":
        return {True: "yes", False: "NO", None: "needs games"}[value]
    if value is None:
        return ""
    return (f"{value:.6g}" if name == "computed" else f"{value:g}") if isinstance(value, float) else value


def reproduced_in_words(numbers: Sequence[Reproduction]) -> str:
    """How many numbers agree with the print, of either kind; and what the other rows are compared with."""
    counts = []
    printed = [row for row in numbers if row.expected is None and row.ok is not None]
    for kind, what in (("inference", "our methods from printed inputs"), ("arithmetic", "the papers' own")):
        agree = [row.ok for row in printed if row.kind == kind]
        if agree:
            counts.append(f"{sum(map(bool, agree))} of {len(agree)} by {kind} ({what})")
    words = [f"As published, within their tolerance: {', '.join(counts)}."] if counts else []
    wrong = [row.ok for row in numbers if row.print_is_wrong]
    if wrong:
        words.append(
            f"Where the print contradicts its own numbers, {sum(map(bool, wrong))} of {len(wrong)} are as "
            "these give (expected), not as published."
        )
    held = [row.ok for row in numbers if row.published is None]
    if held:
        words.append(f"Not printed, but must hold: {sum(map(bool, held))} of {len(held)}.")
    if missing := sum(row.ok is None for row in numbers):
        words.append(f"{missing} need games: python -m research reproduce --data FOLDER.")
    return " ".join(words)
