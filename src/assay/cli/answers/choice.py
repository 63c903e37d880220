"""What `assay method choice` answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.answers.base import Made, Rows, Table, plain
from assay.decisions.grouping import COLUMNS, By
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.decisions.decisions import Decisions
    from assay.models.choice.model import ChoiceModel
    from assay.models.choice.tables import Milepost, Projections

_FITTED = ("group", "games", "decisions", "s", "s_low", "s_high", "c", "c_low", "c_high", "published")
_RATED = ("group", "games", "decisions", "s", "c", "elo", "low", "high", "published", "difference")


def fitted(model: ChoiceModel, decisions: Decisions, method: str, c: float | None) -> Made:
    """Fitted s and c, and what the fitted agent projects beside what was played."""
    from assay.models.choice.tables import projections_of

    found = model.fit(decisions, method, c=c)
    shown = projections_of(model, decisions, found.s, found.c)
    estimate = model.resampled(model.profiles_by(decisions)) if method == "percentile" and c is None else None
    interval = {k: [estimate[k].low, estimate[k].high] for k in ("s", "c")} if estimate else None
    projections = [_projection(p) for p in (shown.mm, shown.ad, shown.q_fit, *shown.ranks)]
    document = {
        "method": method,
        "decisions": found.decisions,
        "s": found.s,
        "c": found.c,
        "interval": interval,
        "projections": projections,
    }
    between = f"; {estimate.note}: s {estimate['s']}, c {estimate['c']}" if estimate else ""
    title = f"s = {found.s:.3f}, c = {found.c:.3f} ({method}, {found.decisions:,} decisions{between})"
    return Made(
        lambda: document,
        lambda: [{"method": method, "s": found.s, "c": found.c, **row} for row in projections],
        lambda: [_projections(title, shown)],
    )


def mileposts(
    model: ChoiceModel, decisions: Decisions, period: list[str] | None, width: int, plot: Path | None
) -> Made:
    """The paper's table from games with ratings: s, c, c_fit, s_fit, mm, ad, Q_fit by Elo."""
    from assay.models.choice.tables import milepost_table, milepost_tables

    if period:
        tables = milepost_tables(model, decisions, [_years(one) for one in period], within=width)
    else:
        tables = {"all games": milepost_table(model, decisions, within=width)}
    if plot is not None:
        from assay.cli.output import write_figure
        from assay.report.methods import milepost_figure

        write_figure(plot, milepost_figure(tables))
    rows = [{"period": name, **row.as_row()} for name, table in tables.items() for row in table]
    return Made(lambda: rows, lambda: rows, lambda: [_mileposts(*one) for one in tables.items()])


def rated(
    model: ChoiceModel,
    decisions: Decisions,
    scale: Decisions | None,
    by: str,
    period: list[str] | None,
    least: int,
) -> Rows:
    """Players, periods or time controls rated by the moves played, beside the published ratings.

    On the scale of these games with ratings where they are given, else of the recipe's calibration, else of
    the decisions themselves. Where there is no scale, s and c of each with their intervals, and why.
    """
    from assay.cli.output import say
    from assay.models.base import recipe_of
    from assay.models.choice.tables import rate_groups
    from assay.rating.rate import ratings_of
    from assay.rating.scale import needed_scale, notes_on, scale_of_mileposts

    recipe_id = recipe_of(decisions)
    calibration, why = None, ""
    if scale is not None:
        calibration = scale_of_mileposts(model, recipe_id, scale)
    else:
        try:
            calibration = needed_scale(model, recipe_id, decisions)
        except InputError as error:
            why = str(error)
    found, left_out = rate_groups(
        model,
        decisions,
        _labels(decisions, by, period),
        lambda parts: (
            [None] * len(parts)
            if calibration is None
            else ratings_of(parts, decisions, calibration, model.name)
        ),
        least,
    )
    for reason in dict.fromkeys(left_out.values()):
        names = [name for name, because in left_out.items() if because == reason]
        which = f" ({'; '.join(names)})" if len(names) <= 5 else ""
        say(f"left out: {len(names)} of {len(left_out) + len(found)} groups{which}: {reason}")
    if not found:
        raise InputError(f"there is no {by} to rate: give more games, or lower --min-decisions")
    if calibration is None:
        notes = [
            "s and c with their 95% intervals, from games drawn anew: smaller s, larger c are better.",
            why + ".",
        ]
        meaning: list[str] = []
    else:
        notes, meaning = notes_on(calibration), ["difference: intrinsic less published."]
    return Rows(
        f"{'Intrinsic ratings' if calibration else 'Sensitivity and consistency'} by {by}",
        [one.as_row() for one in found],
        _RATED if calibration else _FITTED,
        "\n".join([*notes, *meaning]),
        _cell,
        {"group": by},
        remarks=notes,
    )


def _labels(decisions: Decisions, by: str, period: list[str] | None) -> Sequence[str | None]:
    from assay.models.choice.tables import period_labels

    if by != By.PERIOD:
        return decisions.text(COLUMNS[By(by)])
    if not period:
        raise InputError("give the periods to compare, such as --period 1991-1994 --period 2006-2009")
    return period_labels(decisions, [_years(one) for one in period])


def _years(text: str) -> tuple[int, int]:
    from assay.decisions.names import parse_years

    years = parse_years(text)
    assert years is not None
    return years[0], years[-1]


def _cell(name: str, value: Any) -> object:
    if value is None or name in ("group", "games", "decisions"):
        return value
    return f"{value:.3f}" if name[0] in "sc" else f"{value:z.0f}"


def _projection(one: Any) -> dict[str, Any]:
    return plain({"variance_ratio": one.ratio} | asdict(one))


def _projections(title: str, shown: Projections) -> Table:
    rows = [shown.mm, shown.ad, *shown.ranks[1:6], shown.q_fit]
    numbers = [(p.projected, p.actual, p.model_deviation, p.games_deviation, p.ratio) for p in rows]
    cells = [
        (p.name, *("" if math.isnan(x) else f"{x:.4f}" for x in row))
        for p, row in zip(rows, numbers, strict=True)
    ]
    return Table(
        title,
        ("", "projected", "actual", "deviation, model", "deviation, games", "variance ratio"),
        cells,
        "Ratio: variance over resampled games by variance with independent turns. "
        "Q_fit: projected is what chance alone would give.",
    )


def _with_ends(row: dict[str, Any], name: str) -> str:
    """S or c with its interval."""
    value, low, high = (row[key] for key in (name, f"{name}_low", f"{name}_high"))
    value, *ends = ("" if one is None else f"{one:.3f}".removeprefix("0") for one in (value, low, high))
    return f"{value} ({ends[0]}-{ends[1]})" if ends[0] else value


def _mileposts(name: str, table: list[Milepost]) -> Table:
    cells = [
        (
            f"{r['elo']}",
            *(_with_ends(r, k) for k in ("s", "c")),
            *(f"{r[k]:.3f}".removeprefix("0") for k in ("c_fit", "s_fit")),
            f"{r['mm_projected']:.1f}/{r['mm_actual']:.1f}",
            f"{r['ad_projected']:.3f}/{r['ad_actual']:.3f}".replace("0.", "."),
            f"{r['q_fit']:.3f}".removeprefix("0"),
            r["games"],
            r["decisions"],
        )
        for r in (row.as_row() for row in table)
    ]
    columns = ("Elo", "s", "c", "c_fit", "s_fit", "mm_p/mm_a", "ad_p/ad_a", "Q_fit", "games", "turns")
    return Table(
        name, columns, cells, "In brackets: 95% intervals of s and c, from games drawn anew.", spare=2
    )
