"""`assay results`: strength from results alone."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.cli.game_sources import SOURCE_HELP
from assay.cli.options import CSV, JSON

if TYPE_CHECKING:
    from assay.domain.results import ResultGames
    from assay.models.results import Beta
    from assay.validation.splits import Split
    from assay.validation.tuning import Report

TRAIN = typer.Option(..., "--train", help=f"Games to learn from: {SOURCE_HELP}")
SOURCE = typer.Option(..., "--source", "-s", "--train", "--games", help=f"Games to learn from: {SOURCE_HELP}")
MODEL = typer.Option("ferreira2010", "--model", help="Name of the model; a wrong name lists them.")
BETA = typer.Option(None, "--beta", help="b0,b1,b2,b3,b4 of ferreira2010; without it, the published ones.")
ELO_K = typer.Option(24.0, "--elo-k", help="K of Elo.")
SETS = typer.Option(8, "--sets", min=1, help="Number of validation sets.")
APART = typer.Option(1, "--apart", min=1, help="Months between sets: 1 overlapping, 5 separate.")
HISTORY = typer.Option(None, "--history", min=1, help="Months of training kept; all by default.")
MONTHS = typer.Option(5, "--months", min=1, help="Months in a validation set.")
LEAST_GAMES = typer.Option(12, "--least-games", min=0, help="Games that both players must have ...")
RECENT = typer.Option(48, "--recent", min=1, help="... in so many last months of training.")

_ELO_PER_UNIT = 173.7178  # 400 / ln 10


def register(app: typer.Typer) -> None:
    """Add these commands to the application."""
    group = typer.Typer(help="Strength from results alone.", no_args_is_help=True)
    group.command("fit")(fit)
    group.command("tune")(tune)
    group.command("predict")(predict)
    app.add_typer(group, name="results")


def parse_beta(text: str | None) -> Beta:
    """The five settings from the command line, or the published ones."""
    from assay.errors import InputError
    from assay.models.results import SUBMITTED, Beta

    if text is None:
        return SUBMITTED
    try:
        values = [float(value) for value in text.split(",")]
    except ValueError:
        values = []
    if len(values) != len(SUBMITTED):
        raise InputError(f"--beta takes five numbers with commas between them, not {text!r}")
    return Beta(*values).check()


def fit(
    train: Path = SOURCE,
    model: str = MODEL,
    beta: str | None = BETA,
    limit: int = typer.Option(30, "--limit", min=0, help="Players to print, strongest first; 0 for all."),
    as_json: bool = JSON,
    as_csv: bool = CSV,
) -> None:
    """Strength of every player after the last game (models ferreira2010 and company)."""
    from assay.cli.game_sources import open_games
    from assay.cli.output import print_csv, print_json, print_table

    games = open_games(train).games
    rows, about = _strengths(games, model, parse_beta(beta))
    shown = rows[: limit or len(rows)]
    columns = tuple(rows[0])
    if as_json:
        print_json({**about, "players": shown})
    elif as_csv:
        print_csv(shown, columns)
    else:
        cells = [[f"{v:.4f}" if isinstance(v, float) else v for v in row.values()] for row in shown]
        note = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in about.items())
        print_table(f"The strongest {len(shown)} of {len(rows):,} players", columns, cells, note=note)


def _strengths(games: ResultGames, model: str, beta: Beta) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """One row per player, strongest first, and what the fit learned besides."""
    import numpy as np

    from assay.domain.results import month_text
    from assay.errors import InputError
    from assay.models.company import ALONE, CompanyModel
    from assay.models.results import ResultsModel

    played = games.games_per_player()
    about: dict[str, Any] = {
        "model": model,
        "games": len(games),
        "last_month": month_text(int(games.month.max())),
    }
    if model == "ferreira2010":
        fitted = ResultsModel(beta).fit(games)
        about |= {"white_mean": round(fitted.white_mean_, 6), "iterations": fitted.iterations_}
        values = {"strength": fitted.strength_}
    elif model == "company":
        known = CompanyModel(ALONE).rate(games)
        about |= {"white": known.white}
        values = {"rating": known.rating * _ELO_PER_UNIT}
    else:
        raise InputError(f"fit shows the models ferreira2010 and company, not {model!r}")
    ((column, strength),) = values.items()
    order = np.argsort(-strength, kind="stable")
    rows = [
        {
            "rank": rank,
            "player": games.players[index],
            "games": int(played[index]),
            column: float(strength[index]),
        }
        for rank, index in enumerate((index for index in order.tolist() if played[index]), start=1)
    ]
    return rows, about


def tune(
    train: Path = SOURCE,
    model: str = typer.Option("ferreira2010", "--model", help="ferreira2010, company or company-alone."),
    sets: int = SETS,
    apart: int = APART,
    history: int | None = HISTORY,
    months: int = MONTHS,
    least_games: int = LEAST_GAMES,
    recent: int = RECENT,
    start: str | None = typer.Option(None, "--start", help="b0,...,b4 to begin from; 1,0.5,1,0.5,1."),
    precision: float | None = typer.Option(
        None, "--precision", min=1e-9, max=0.5, help="Smallest step, as a share of a value."
    ),
    plain: bool = typer.Option(False, "--plain", help="Only the circular steps of the paper: much slower."),
    as_json: bool = JSON,
    as_csv: bool = CSV,
) -> None:
    """Find the settings that forecast several validation sets best (Ferreira 2010, Algorithm 2)."""
    from assay.cli.game_sources import open_games
    from assay.cli.output import print_csv, print_json, print_table, say
    from assay.errors import InputError
    from assay.validation.splits import Rules, splits

    if model not in ("ferreira2010", "company", "company-alone"):
        raise InputError(f"tune knows the models ferreira2010, company and company-alone, not {model!r}")
    rules = Rules(months, least_games, recent, history)
    chosen = splits(open_games(train).games, sets, apart=apart, rules=rules)
    if model == "ferreira2010":
        found = _tune_beta(chosen, start, precision, plain)
    else:
        found = _tune_company(chosen, model == "company", precision)
    found = {"model": model, **found, "sets": [split.label for split in chosen]}
    if as_json:
        print_json(found)
        return
    note = (
        f"month-aggregated RMSE {found['month_rmse']:.6f} on average over {sets} sets,"
        f" {found['evaluations']:,} evaluations"
    )
    if as_csv:
        rows = [{"setting": name, "value": value} for name, value in found["settings"].items()]
        print_csv(rows, ("setting", "value"))
        say(note)
        return
    settings = [(name, f"{value:.6f}") for name, value in found["settings"].items()]
    print_table(f"Settings of {model}", ("setting", "value"), settings, note=note)
    if model == "ferreira2010":
        print("--beta " + ",".join(f"{value:.6f}" for value in found["settings"].values()))


def _tune_beta(
    chosen: list[Split], start: str | None, precision: float | None, plain: bool
) -> dict[str, Any]:
    from assay.cli.output import progress
    from assay.models.results import INITIAL
    from assay.validation.tuning import PRECISION, tune_beta

    begin = INITIAL if start is None else parse_beta(start)
    smallest = PRECISION if precision is None else precision
    with progress() as display:
        found = tune_beta(
            chosen, start=begin, precision=smallest, plain=plain, report=_reporter(display, smallest)
        )
    names = [f"beta_{index}" for index in range(len(found.values))]
    settings = dict(zip(names, found.values, strict=True))
    return {"settings": settings, "month_rmse": found.error, "evaluations": found.evaluations}


def _tune_company(chosen: list[Split], schedule: bool, precision: float | None) -> dict[str, Any]:
    from assay.cli.output import progress
    from assay.models.company import EVIDENCE
    from assay.validation.company_tuning import PRECISION, tune_company

    smallest = PRECISION if precision is None else precision
    with progress() as display:
        found = tune_company(
            chosen, schedule=schedule, precision=smallest, report=_reporter(display, smallest)
        )
    settings = asdict(found.settings)
    coefficients = settings.pop("coefficients")
    settings |= {f"coefficient_{name}": c for name, c in zip(EVIDENCE, coefficients, strict=True)}
    return {"settings": settings, "month_rmse": found.error, "evaluations": found.evaluations}


def _reporter(display: Any, precision: float) -> Report:
    """A bar of the halvings of the step: the only thing known beforehand about the length of a search."""
    import math

    task = display.add_task("Tuning", total=max(1, math.floor(math.log2(0.5 / precision)) + 1), detail="")

    def show(step: float, error: float, evaluations: int) -> None:
        halvings = round(math.log2(0.5 / step))
        display.update(task, completed=halvings, detail=f"{error:.6f} after {evaluations:,}")

    return show


def predict(
    train: Path = TRAIN,
    games: Path = typer.Option(..., "--games", help=f"Games to forecast: {SOURCE_HELP}"),
    out: Path = typer.Option(..., "--out", help="CSV to write: the games, White's expected score last."),
    model: str = MODEL,
    beta: str | None = BETA,
    k: float = ELO_K,
    as_json: bool = JSON,
    as_csv: bool = CSV,
) -> None:
    """Forecast games from earlier ones, in the competition's format."""
    from assay.cli.game_sources import open_games
    from assay.cli.output import check_out, print_csv, print_json, print_table, progress, write_text
    from assay.errors import InputError
    from assay.validation.forecasters import forecaster

    if beta is not None and model != "ferreira2010":
        raise InputError(f"--beta belongs to the model ferreira2010, not to {model!r}")
    chosen = forecaster(model, k=k, beta=parse_beta(beta))
    check_out(out)
    learned, wanted = open_games(train), open_games(games, forecast=True)
    _check_times(learned.games, wanted.games)
    with progress() as display:
        display.add_task(f"Forecasting with {model}", total=None, detail="")
        forecast = chosen.fit(learned.games).forecast(wanted.games.without_results())
    write_text(out, wanted.csv.with_forecast(forecast) if wanted.csv else _csv_of(wanted.games, forecast))
    summary = _summary(model, learned.games, wanted.games, forecast)
    if as_json:
        print_json({**summary, "out": str(out)})
    elif as_csv:
        print_csv([{"what": name, "value": value} for name, value in summary.items()], ("what", "value"))
    else:
        cells = [
            (name.replace("_", " "), f"{value:.6f}" if isinstance(value, float) else value)
            for name, value in summary.items()
        ]
        print_table(f"Forecasts written to {out}", ("what", "value"), cells)


def _check_times(learned: ResultGames, wanted: ResultGames) -> None:
    from assay.domain.results import month_text
    from assay.errors import InputError

    first, last = int(wanted.month.min()), int(learned.month.max())
    if first < last:
        raise InputError(
            f"a game to forecast is of month {month_text(first)}, but the games to learn from go on to month"
            f" {month_text(last)}: a forecast must come before its game"
        )


def _csv_of(games: ResultGames, forecast: Any) -> str:
    from assay.cli.output import to_csv
    from assay.ingest.results import COLUMNS

    white, black = ([games.players[code] for code in column] for column in (games.white, games.black))
    values = zip(games.month.tolist(), white, black, (f"{value:.9f}" for value in forecast), strict=True)
    return to_csv((dict(zip(COLUMNS, row, strict=True)) for row in values), COLUMNS)


def _summary(model: str, learned: ResultGames, wanted: ResultGames, forecast: Any) -> dict[str, Any]:
    """What was forecast from what; unknown players are counted and said."""
    import numpy as np

    from assay.cli.output import say
    from assay.validation.metrics import month_rmse

    seen = {learned.players[code] for code in np.union1d(learned.white, learned.black)}
    playing = {wanted.players[code] for code in np.union1d(wanted.white, wanted.black)}
    unknown = sorted(playing - seen)
    if unknown:
        some = ", ".join(unknown[:5]) + (", ..." if len(unknown) > 5 else "")
        say(f"{len(unknown):,} players have no earlier games and are forecast from the prior: {some}.")
    summary: dict[str, Any] = {
        "model": model,
        "games_learned_from": len(learned),
        "games_forecast": len(wanted),
        "unknown_players": len(unknown),
        "mean_expectation_of_white": float(forecast.mean()),
    }
    if not np.isnan(wanted.result).any():
        summary["month_rmse"] = month_rmse(wanted, forecast)
    return summary
