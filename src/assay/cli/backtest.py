"""`assay backtest`: models against baselines on the same games."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import typer

from assay.cli.game_sources import SOURCE_HELP
from assay.cli.options import JSON
from assay.cli.results import APART, BETA, ELO_K, HISTORY, LEAST_GAMES, MONTHS, RECENT

_SHOWN = ("log_loss", "brier", "rmse", "month_rmse", "binomial_deviance")


def register(app: typer.Typer) -> None:
    """Add this command to the application."""
    app.command("backtest")(backtest)


def backtest(
    games: Path = typer.Option(..., "--source", "-s", "--games", help=f"Games with results: {SOURCE_HELP}"),
    models: str | None = typer.Option(
        None, "--models", help="Names with commas between; the first is compared with the others."
    ),
    sets: int = typer.Option(5, "--sets", min=1, help="Number of splits in time."),
    apart: int = APART,
    history: int | None = HISTORY,
    months: int = MONTHS,
    least_games: int = LEAST_GAMES,
    recent: int = RECENT,
    beta: str | None = BETA,
    k: float = ELO_K,
    recipe: str = typer.Option(
        "standard", "--recipe", help="Analyses that models of moves read, where the source is a workspace."
    ),
    seed: int = typer.Option(0, "--seed", min=0, help="Of the resampling of players."),
    figure: Path | None = typer.Option(None, "--figure", help="HTML file for the calibration figure."),
    every: bool = typer.Option(False, "--details", help="Print every split and slice too."),
    as_json: bool = JSON,
    as_csv: bool = typer.Option(False, "--csv", help="Print CSV, one row per model and split."),
) -> None:
    """Forecast games after each split from those before it, by several models; compare the errors."""
    from assay.cli.game_sources import open_games
    from assay.cli.output import check_out, print_csv, print_json, progress, say, write_text
    from assay.cli.results import parse_beta
    from assay.validation.backtest import backtest as run
    from assay.validation.forecasters import USUAL, caveats, forecasters
    from assay.validation.splits import Rules, splits

    if figure is not None:
        check_out(figure)
    names = USUAL if models is None else tuple(name.strip() for name in models.split(","))
    values = parse_beta(beta)
    chosen = forecasters(names, k=k, beta=values, decisions=_decisions(names, games, recipe))
    rules = Rules(months, least_games, recent, history)
    over = splits(open_games(games).games, sets, apart=apart, rules=rules)
    with progress() as display:
        task = display.add_task("Forecasting", total=len(chosen) * len(over), detail="")

        def show(name: str, label: str) -> None:
            display.update(task, advance=1, detail=f"{name}, {label}")

        found = run(chosen, over, seed=seed, report=show)
    said = [line for line in caveats(names, beta=values) if line.split(":")[0] not in found.unable]
    found = replace(found, notes=[*said, *found.notes])
    if figure is not None:
        from assay.report.calibration import calibration_page

        write_text(figure, calibration_page(found))
    if as_json:
        print_json(asdict(found))
    elif as_csv:
        print_csv(found.rows, tuple(found.rows[0]))
        for line in _remarks(found):
            say(line)
    else:
        _print(found, every)


def _decisions(names: Sequence[str], games: Path, recipe: str) -> Any:
    """What models of moves read; None where there is none among the names, or nothing analysed to read."""
    from assay.models.registry import methods
    from assay.workspace import Workspace

    wanted = set(names) & set(methods())
    return Workspace(games).decisions(recipe) if wanted and games.is_dir() else None


def _remarks(found: Any) -> list[str]:
    """What must be said under the table."""
    return [*found.notes, *(f"{name} is left out: {reason}" for name, reason in found.unable.items())]


def _print(found: Any, every: bool) -> None:
    from assay.cli.output import print_table

    rows = found.rows if every else [row for row in found.rows if row["split"] == "all"]
    title = "Errors, averaged over the splits; less is better"
    _print_metrics(title, ("forecaster", "split", "games"), rows, "\n".join(_remarks(found)))
    if found.differences:
        cells = [
            (d.first, d.second, d.metric, f"{d.difference:+z.5f}", f"{d.low:+z.5f}", f"{d.high:+z.5f}")
            for d in found.differences
        ]
        columns = ("model", "against", "metric", "difference", "low", "high")
        note = "Below zero: the model is better. 95% intervals by resampling players."
        print_table("Paired differences", columns, cells, note=note)
    if every:
        _print_metrics("By slices", ("slice", "value", "forecaster", "games"), found.slices)
        columns = ("forecaster", "from", "to", "games", "expected", "happened")
        cells = [
            (name, f"{b.low:.1f}", f"{b.high:.1f}", b.games, f"{b.forecast:.3f}", f"{b.result:.3f}")
            for name, bins in found.calibration.items()
            for b in bins
        ]
        print_table("Calibration", columns, cells)
    stamp = found.stamp
    versions = ", ".join(f"{name} {number}" for name, number in stamp["versions"].items())
    print(f"Games {stamp['digest']}, seed {stamp['seed']}, {versions}.")


def _print_metrics(title: str, first: tuple[str, ...], rows: list[dict[str, Any]], note: str = "") -> None:
    from assay.cli.output import print_table

    metrics = [metric for metric in _SHOWN if metric in rows[0]]
    cells = [[*(row[name] for name in first), *(f"{row[metric]:.5f}" for metric in metrics)] for row in rows]
    print_table(title, (*first, *metrics), cells, note=note)
