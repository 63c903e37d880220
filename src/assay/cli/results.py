"""`assay results`: strength from results alone."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.cli.options import prints

if TYPE_CHECKING:
    from assay.answers.answer import Answer
    from assay.results.competition import ResultSource
    from assay.results.ferreira import Beta, Report
    from assay.results.games import ResultGames, Split

KINDS = "CSV in the columns of the 2010 competition, PGN (.gz, .bz2, .zst too), or a workspace."
GAMES = typer.Argument(..., metavar="GAMES", help=f"Games with results: {KINDS}", show_default=False)
MODEL = typer.Option(
    "ferreira2010", "--model", help="Name of the model. A name that does not exist lists them all."
)
BETA = typer.Option(
    None, "--beta", help="Settings b0,b1,b2,b3,b4 of ferreira2010. If not given: those of the paper."
)
ELO_K = typer.Option(24.0, "--elo-k", metavar="NUMBER", help="K of the Elo model: how much one game counts.")
SETS = typer.Option(
    8, "--sets", metavar="N", min=1, help="How many validation sets (later games to try settings on)."
)
APART = typer.Option(
    1, "--apart", metavar="N", min=1, help="Months from one set to the next. 1: they overlap; 5: they do not."
)
HISTORY = typer.Option(
    None, "--history", metavar="N", min=1, help="Learn from so many months before a set. If not given: all."
)
MONTHS = typer.Option(5, "--months", metavar="N", min=1, help="Months in a validation set.")
LEAST_GAMES = typer.Option(
    12,
    "--least-games",
    metavar="N",
    min=0,
    help="Forecast only games whose players both have so many earlier games ...",
)
RECENT = typer.Option(48, "--recent", metavar="N", min=1, help="... in so many months before the set.")


def register(app: typer.Typer) -> None:
    """Add `assay results` to the application."""
    group = typer.Typer(help="Strength from results alone.", no_args_is_help=True)
    for command in (fit, tune, predict):
        group.command(command.__name__)(command)
    app.add_typer(group, name="results", rich_help_panel="Research")


def open_results(games: Path, *, forecast: bool = False) -> ResultSource:
    """Games by their results; with `forecast`, those may be missing. What was left out is said."""
    from assay.cli.options import open_games
    from assay.cli.output import say
    from assay.results.competition import read_results

    found = read_results(open_games(games, keep=False), forecast=forecast)
    if found.left_out:
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in sorted(found.left_out.items()))
        say(f"Left out: {reasons}.")
    return found


def parse_beta(text: str | None) -> Beta:
    """The five settings from the command line, or the published ones."""
    from assay.errors import InputError
    from assay.results.ferreira import SUBMITTED, Beta

    if text is None:
        return SUBMITTED
    try:
        values = [float(value) for value in text.split(",")]
    except ValueError:
        values = []
    if len(values) != len(SUBMITTED):
        raise InputError(f"--beta takes five numbers with commas between them, not {text!r}")
    return Beta(*values).check()


@prints
def fit(
    games: Path = GAMES,
    model: str = MODEL,
    beta: str | None = BETA,
    limit: int = typer.Option(
        30, "--limit", metavar="N", min=0, help="How many players to print, strongest first. 0: all."
    ),
) -> Answer:
    """Strength of every player by the results of their games (models ferreira2010 and company)."""
    from assay.results.baselines import strengths

    return strengths(open_results(games).games, model, parse_beta(beta), limit=limit)


@prints
def tune(
    games: Path = GAMES,
    model: str = typer.Option("ferreira2010", "--model", help="ferreira2010, company or company-alone."),
    sets: int = SETS,
    apart: int = APART,
    history: int | None = HISTORY,
    months: int = MONTHS,
    least_games: int = LEAST_GAMES,
    recent: int = RECENT,
    start: str | None = typer.Option(
        None, "--start", help="Begin the search from b0,b1,b2,b3,b4. If not given: 1,0.5,1,0.5,1."
    ),
    precision: float | None = typer.Option(
        None,
        "--precision",
        metavar="NUMBER",
        min=1e-9,
        max=0.5,
        help="Stop when steps are smaller than this share of a value.",
    ),
    plain: bool = typer.Option(False, "--plain", help="Search exactly as the paper does: much slower."),
) -> Answer:
    """Find the settings that forecast several validation sets best (Ferreira 2010, Algorithm 2)."""
    from assay.answers.results import TunedSettings
    from assay.errors import InputError
    from assay.results.games import Rules, splits

    if model not in ("ferreira2010", "company", "company-alone"):
        raise InputError(f"tune knows the models ferreira2010, company and company-alone, not {model!r}")
    rules = Rules(months, least_games, recent, history)
    chosen = splits(open_results(games).games, sets, apart=apart, rules=rules)
    if model == "ferreira2010":
        found = _tune_beta(chosen, start, precision, plain)
    else:
        found = _tune_company(chosen, model == "company", precision)
    return TunedSettings(model=model, sets=[split.label for split in chosen], **found)


def _tune_beta(
    chosen: list[Split], start: str | None, precision: float | None, plain: bool
) -> dict[str, Any]:
    from assay.cli.progress import bar
    from assay.results.ferreira import INITIAL, PRECISION, tune_beta

    begin = INITIAL if start is None else parse_beta(start)
    smallest = PRECISION if precision is None else precision
    with bar("Tuning") as shown:
        found = tune_beta(
            chosen, start=begin, precision=smallest, plain=plain, report=_reporter(shown, smallest)
        )
    names = [f"beta_{index}" for index in range(len(found.values))]
    settings = dict(zip(names, found.values, strict=True))
    return {"settings": settings, "month_rmse": found.error, "evaluations": found.evaluations}


def _tune_company(chosen: list[Split], schedule: bool, precision: float | None) -> dict[str, Any]:
    from assay.cli.progress import bar
    from assay.results.company import EVIDENCE, PRECISION, tune_company

    smallest = PRECISION if precision is None else precision
    with bar("Tuning") as shown:
        found = tune_company(chosen, schedule=schedule, precision=smallest, report=_reporter(shown, smallest))
    settings = asdict(found.settings)
    coefficients = settings.pop("coefficients")
    settings |= {f"coefficient_{name}": c for name, c in zip(EVIDENCE, coefficients, strict=True)}
    return {"settings": settings, "month_rmse": found.error, "evaluations": found.evaluations}


def _reporter(shown: Any, precision: float) -> Report:
    """A bar of the halvings of the step: the only thing known beforehand about the length of a search."""
    import math

    total = max(1, math.floor(math.log2(0.5 / precision)) + 1)

    def show(step: float, error: float, evaluations: int) -> None:
        shown.show(round(math.log2(0.5 / step)), total, f"{error:.6f} after {evaluations:,}")

    return show


@prints
def predict(
    train: Path = typer.Option(..., "--train", metavar="GAMES", help=f"Games to learn from: {KINDS}"),
    games: Path = typer.Option(..., "--games", metavar="GAMES", help=f"Games to forecast: {KINDS}"),
    out: Path = typer.Option(
        ...,
        "--out",
        metavar="FILE",
        help="CSV file to write: the games, with the expected result of White last.",
    ),
    model: str = MODEL,
    beta: str | None = BETA,
    k: float = ELO_K,
) -> Answer:
    """Forecast games from earlier ones, in the competition's format."""
    from assay.answers.answer import Facts
    from assay.cli.output import write_text
    from assay.cli.progress import bar
    from assay.errors import InputError
    from assay.files import check_writable
    from assay.results.baselines import forecaster

    if beta is not None and model != "ferreira2010":
        raise InputError(f"--beta belongs to the model ferreira2010, not to {model!r}")
    chosen = forecaster(model, k=k, beta=parse_beta(beta))
    check_writable(out)
    learned, wanted = open_results(train), open_results(games, forecast=True)
    _check_times(learned.games, wanted.games)
    with bar(f"Forecasting with {model}") as shown:
        shown.show(0, None)
        forecast = chosen.fit(learned.games).forecast(wanted.games.without_results())
    write_text(out, wanted.csv.with_forecast(forecast) if wanted.csv else _csv_of(wanted.games, forecast))
    summary = _summary(model, learned.games, wanted.games, forecast)
    cells = [
        (name.replace("_", " "), f"{value:.6f}" if isinstance(value, float) else value)
        for name, value in summary.items()
    ]
    return Facts(f"Forecasts written to {out}", summary, cells, more={"out": str(out)})


def _check_times(learned: ResultGames, wanted: ResultGames) -> None:
    from assay.errors import InputError
    from assay.results.games import month_text

    first, last = int(wanted.month.min()), int(learned.month.max())
    if first < last:
        raise InputError(
            f"a game to forecast is of month {month_text(first)}, but the games to learn from go on to month"
            f" {month_text(last)}: a forecast must come before its game"
        )


def _csv_of(games: ResultGames, forecast: Any) -> str:
    from assay.answers.answer import to_csv
    from assay.results.competition import COLUMNS

    white, black = ([games.players[code] for code in column] for column in (games.white, games.black))
    values = zip(games.month.tolist(), white, black, (f"{value:.9f}" for value in forecast), strict=True)
    return to_csv((dict(zip(COLUMNS, row, strict=True)) for row in values), COLUMNS)


def _summary(model: str, learned: ResultGames, wanted: ResultGames, forecast: Any) -> dict[str, Any]:
    """What was forecast from what; unknown players are counted and said."""
    import numpy as np

    from assay.cli.output import say
    from assay.results.metrics import month_rmse

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
