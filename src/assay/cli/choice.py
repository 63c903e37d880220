"""Commands of the method `choice`: fit, mileposts, rate."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.cli.options import CSV, GAMES_OR_SOURCE, JSON, KEPT_IN, RECIPE, SOURCE, decisions_of, source_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.domain.decisions import Decisions
    from assay.models.choice import ChoiceModel
    from assay.models.choice_projections import Projections
    from assay.models.choice_tables import Milepost

CURVE = typer.Option("inverse-exponential", "--curve", help="inverse-exponential, ipa, ipb, secha or sechb.")
CONVERSION = typer.Option("power", "--conversion", help="power: p_i = p_0^(1/y_i); share: y_i / sum y.")
UNLISTED = typer.Option("tail", "--unlisted", help="Legal moves the engine did not list: tail, or left out.")
PERIODS = typer.Option(None, "--period", help="Years as FIRST-LAST; may be given several times.")


class By(StrEnum):
    """What the paper's questions group decisions by."""

    PLAYER = "player"
    PERIOD = "period"
    TIME = "time"


def register(app: typer.Typer) -> None:
    """Add these commands to the application."""
    group = typer.Typer(
        name="choice",
        help="Sensitivity and consistency from the values of all moves (Regan, Haworth 2011).",
        no_args_is_help=True,
    )
    group.command("fit")(fit)
    group.command("mileposts")(mileposts)
    group.command("rate")(rate)
    app.add_typer(group)


def fit(
    games: Path | None = GAMES_OR_SOURCE,
    source: Path | None = SOURCE,
    player: str | None = typer.Option(
        None, "--player", "-p", help="Only this player (a part of the name does)."
    ),
    method: str = typer.Option("percentile", "--method", help="percentile, likelihood or matching."),
    c: float | None = typer.Option(None, "--c", help="Hold consistency at this value and fit s alone."),
    curve: str = CURVE,
    conversion: str = CONVERSION,
    unlisted: str = UNLISTED,
    workspace: Path | None = KEPT_IN,
    recipe: str = RECIPE,
    as_json: bool = JSON,
    as_csv: bool = CSV,
) -> None:
    """Fit s and c, and show what the fitted agent projects beside what was played."""
    from assay.cli.output import print_csv, print_json
    from assay.models.choice_tables import projections_of

    model = _model(curve, conversion, unlisted)
    decisions = _decisions(source_of(source, games), workspace, recipe, player)
    found = model.fit(decisions, method, c=c)
    shown = projections_of(model, decisions, found.s, found.c)
    estimate = model.resampled(model.profiles_by(decisions)) if method == "percentile" and c is None else None
    projections = [_projection(p) for p in (shown.mm, shown.ad, shown.q_fit, *shown.ranks)]
    if as_json:
        interval = {k: [estimate[k].low, estimate[k].high] for k in ("s", "c")} if estimate else None
        print_json(
            {
                "method": method,
                "decisions": found.decisions,
                "s": found.s,
                "c": found.c,
                "interval": interval,
                "projections": projections,
            }
        )
        return
    if as_csv:
        rows = [{"method": method, "s": found.s, "c": found.c, **row} for row in projections]
        print_csv(rows, list(rows[0]))
        return
    between = f"; {estimate.note}: s {estimate['s']}, c {estimate['c']}" if estimate else ""
    title = f"s = {found.s:.3f}, c = {found.c:.3f} ({method}, {found.decisions:,} decisions{between})"
    _print_projections(title, shown)


def mileposts(
    games: Path | None = GAMES_OR_SOURCE,
    source: Path | None = SOURCE,
    period: list[str] | None = PERIODS,
    width: int = typer.Option(20, "--width", help="How far ratings may be from the century."),
    figure: Path | None = typer.Option(None, "--figure", help="Write a page with figures here (HTML)."),
    curve: str = CURVE,
    conversion: str = CONVERSION,
    unlisted: str = UNLISTED,
    workspace: Path | None = KEPT_IN,
    recipe: str = RECIPE,
    as_json: bool = JSON,
    as_csv: bool = CSV,
) -> None:
    """Print the paper's table from games with ratings: s, c, c_fit, s_fit, mm, ad, Q_fit by Elo."""
    from assay.cli.output import check_out, print_csv, print_json, write_text
    from assay.models.choice_tables import milepost_table, milepost_tables

    check_out(figure)
    model = _model(curve, conversion, unlisted)
    decisions = _decisions(source_of(source, games), workspace, recipe)
    if period:
        tables = milepost_tables(model, decisions, [_years(one) for one in period], width=width)
    else:
        tables = {"all games": milepost_table(model, decisions, width=width)}
    if figure is not None:
        from assay.report.choice_figure import milepost_page

        write_text(figure, milepost_page(tables))
    rows = [{"period": name, **row.as_row()} for name, table in tables.items() for row in table]
    if as_json:
        print_json(rows)
    elif as_csv:
        print_csv(rows, list(rows[0]))
    else:
        for name, table in tables.items():
            _print_mileposts(name, table)


def rate(
    games: Path | None = GAMES_OR_SOURCE,
    source: Path | None = SOURCE,
    by: By = typer.Option(By.PLAYER, "--by", help="player, period (inflation) or time (time control)."),
    period: list[str] | None = PERIODS,
    reference: Path | None = typer.Option(
        None, "--mileposts", help="Games with ratings that set the Elo scale; else GAMES themselves."
    ),
    fewest: int = typer.Option(100, "--fewest", help="Leave out groups with fewer decisions."),
    workspace: Path | None = KEPT_IN,
    recipe: str = RECIPE,
    as_json: bool = JSON,
    as_csv: bool = CSV,
) -> None:
    """Rate players, periods or time controls by the moves played, beside the published ratings."""
    from assay.cli.output import print_csv, print_json, print_table
    from assay.models.choice import ChoiceModel
    from assay.models.choice_tables import calibrated, rate_groups

    decisions = _decisions(source_of(source, games), workspace, recipe)
    scale = decisions if reference is None else _decisions(reference, None, recipe)
    model = calibrated(ChoiceModel(), scale)
    found, left_out = rate_groups(model, decisions, _labels(decisions, by, period), fewest)
    rows = [one.as_row() for one in found]
    _say_left_out(left_out, len(rows))
    columns = ("group", "games", "decisions", "s", "c", "elo", "low", "high", "published", "difference")
    if as_json:
        print_json(rows)
    elif as_csv:
        print_csv(rows, columns)
    else:
        cells = [[_cell(name, row[name]) for name in columns] for row in rows]
        print_table(
            f"Intrinsic ratings by {by}",
            (by.value, *columns[1:]),
            cells,
            note="low and high: 95%, games resampled, the mapping's error included; "
            "difference: intrinsic less published.",
        )


def _say_left_out(left_out: dict[str, str], rated: int) -> None:
    """How many groups have no rating for each reason, and which where they are few."""
    from assay.cli.output import say

    for reason in dict.fromkeys(left_out.values()):
        names = [name for name, why in left_out.items() if why == reason]
        which = f" ({'; '.join(names)})" if len(names) <= 5 else ""
        say(f"left out: {len(names)} of {len(left_out) + rated} groups{which}: {reason}")


def _model(curve: str, conversion: str, unlisted: str) -> "ChoiceModel":
    from assay.models.choice import ChoiceModel
    from assay.models.choice_spreads import Scaling

    return ChoiceModel(curve=curve, conversion=conversion, scaling=Scaling(unlisted=unlisted))


def _decisions(source: Path, workspace: Path | None, recipe: str, player: str | None = None) -> "Decisions":
    wanted = None if player is None else [player]
    return decisions_of(source, recipe, workspace=workspace, players=wanted)


def _labels(decisions: "Decisions", by: By, period: list[str] | None) -> "Sequence[str | None]":
    from assay.errors import InputError
    from assay.models.choice_tables import period_labels

    if by is not By.PERIOD:
        return decisions.text("player" if by is By.PLAYER else "time_class")
    if not period:
        raise InputError("give the periods to compare, such as --period 1991-1994 --period 2006-2009")
    return period_labels(decisions, [_years(one) for one in period])


def _years(text: str) -> tuple[int, int]:
    from assay.errors import InputError

    first, _, last = text.partition("-")
    if not (first.isdigit() and (last or first).isdigit()):
        raise InputError(f"'{text}' is not a period: write years as 1991-1994, or one year")
    return int(first), int(last or first)


def _cell(name: str, value: Any) -> object:
    if value is None or name in ("group", "games", "decisions"):
        return value
    return f"{value:.3f}" if name in ("s", "c") else f"{value:z.0f}"


def _projection(one: Any) -> dict[str, Any]:
    from dataclasses import asdict

    known = {"variance_ratio": one.ratio} | asdict(one)
    return {name: None if value != value else value for name, value in known.items()}


def _print_projections(title: str, shown: "Projections") -> None:
    from assay.cli.output import print_table

    rows = [shown.mm, shown.ad, *shown.ranks[1:6], shown.q_fit]
    numbers = [(p.projected, p.actual, p.model_deviation, p.games_deviation, p.ratio) for p in rows]
    cells = [
        (p.name, *("" if x != x else f"{x:.4f}" for x in row)) for p, row in zip(rows, numbers, strict=True)
    ]
    columns = ("", "projected", "actual", "deviation, model", "deviation, games", "variance ratio")
    print_table(
        title,
        columns,
        cells,
        note="Ratio: variance over resampled games by variance with independent turns. "
        "Q_fit: projected is what chance alone would give.",
    )


def _print_mileposts(name: str, table: "list[Milepost]") -> None:
    from assay.cli.output import print_table

    cells = [
        (
            f"{r['elo']}",
            *(f"{r[k]:.3f}".removeprefix("0") for k in ("s", "c", "c_fit", "s_fit")),
            f"{r['mm_projected']:.1f}/{r['mm_actual']:.1f}",
            f"{r['ad_projected']:.3f}/{r['ad_actual']:.3f}".replace("0.", "."),
            f"{r['q_fit']:.3f}".removeprefix("0"),
            r["games"],
            r["decisions"],
        )
        for r in (row.as_row() for row in table)
    ]
    columns = ("Elo", "s", "c", "c_fit", "s_fit", "mm_p/mm_a", "ad_p/ad_a", "Q_fit", "games", "turns")
    print_table(name, columns, cells)
