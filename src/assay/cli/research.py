"""Panel Research: strength from results alone, backtests, the papers' numbers, and the agent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from assay.cli.compare import FORGETTING, MIN_MOVES
from assay.cli.options import (
    CLASSES,
    COLOURS,
    ENGINE,
    MARKOV_PRIOR,
    METHOD,
    N0,
    PLOT,
    RECIPE,
    RESAMPLES,
    HelpfulCommand,
    HelpfulGroup,
    as_in_the_papers,
    decisions_of,
    open_games,
    prints,
    prints_with_details,
    with_study,
    writable,
)
from assay.cli.output import bar, say, write_figure, write_text
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.answers.answer import Answer
    from assay.results.competition import ResultSource
    from assay.results.ferreira import Beta, Report
    from assay.results.games import ResultGames, Split
    from assay.study import Study


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


def open_results(games: Path, *, forecast: bool = False) -> ResultSource:
    """Games by their results; with `forecast`, those may be missing. What was left out is said."""
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
        callback=writable,
        help="CSV file to write: the games, with the expected result of White last.",
    ),
    model: str = MODEL,
    beta: str | None = BETA,
    k: float = ELO_K,
) -> Answer:
    """Forecast games from earlier ones, in the competition's format."""
    from assay.answers.answer import Facts
    from assay.errors import InputError
    from assay.results.baselines import forecaster

    if beta is not None and model != "ferreira2010":
        raise InputError(f"--beta belongs to the model ferreira2010, not to {model!r}")
    chosen = forecaster(model, k=k, beta=parse_beta(beta))
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


class _GamesUnlessNamed(HelpfulGroup):
    """`assay backtest GAMES` is `assay backtest games GAMES`: what is no command is what to backtest."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["games", *args]
        return super().parse_args(ctx, args)


@prints_with_details
def backtest(
    games: Path = GAMES,
    models: str | None = typer.Option(
        None, "--models", help="Names, with commas between. The first is compared with the others."
    ),
    sets: int = typer.Option(
        5, "--sets", min=1, help="How many times the games are split into earlier and later ones."
    ),
    apart: int = APART,
    history: int | None = HISTORY,
    months: int = MONTHS,
    least_games: int = LEAST_GAMES,
    recent: int = RECENT,
    beta: str | None = BETA,
    k: float = ELO_K,
    recipe: str = typer.Option(
        "standard", "--recipe", help="Analyses for methods that read moves; GAMES must be a workspace."
    ),
    seed: int = typer.Option(
        0, "--seed", min=0, help="Seed of the random draws for intervals: the same seed, the same intervals."
    ),
    plot: Path | None = PLOT,
) -> Answer:
    """Forecast later games from earlier ones by several models, and compare their errors."""
    from assay.rating.backtest import backtest as run
    from assay.rating.backtest import forecasters
    from assay.results.baselines import USUAL, caveats
    from assay.results.games import Rules, splits

    names = USUAL if models is None else tuple(name.strip() for name in models.split(","))
    values = parse_beta(beta)
    chosen = forecasters(names, k=k, beta=values, decisions=_decisions(names, games, recipe))
    rules = Rules(months, least_games, recent, history)
    over = splits(open_results(games).games, sets, apart=apart, rules=rules)
    with bar("Forecasting") as shown:
        done = 0

        def show(name: str, label: str) -> None:
            nonlocal done
            done += 1
            shown.show(done, len(chosen) * len(over), f"{name}, {label}")

        found = run(chosen, over, seed=seed, report=show)
    said = [line for line in caveats(names, beta=values) if line.split(":")[0] not in found.unable]
    found = replace(found, notes=[*said, *found.notes])
    if plot is not None:
        from assay.report.methods import calibration_figure

        write_figure(plot, calibration_figure(found))
    return found


def _decisions(names: Sequence[str], games: Path, recipe: str) -> Any:
    """What models of moves read; None where there is none among the names, or nothing analysed to read."""
    from assay.models.registry import methods
    from assay.source import is_workspace
    from assay.workspace import Workspace

    wanted = set(names) & set(methods())
    return Workspace(games).decisions(recipe) if wanted and is_workspace(games) else None


@with_study
@prints
def matches(
    study: Study,
    found: bool = typer.Option(False, "--found", help="Forecast the matches that are found among the games."),
    listed: Path | None = typer.Option(
        None,
        "--list",
        metavar="FILE",
        help="Forecast the matches of a CSV file: first, second, year, actual (first_elo, second_elo).",
    ),
    min_games: int = typer.Option(
        6, "--min-games", help="With --found: so many games of two players at one event are a match."
    ),
    method: list[str] | None = METHOD,
    markov_prior: str | None = MARKOV_PRIOR,
    classes: str | None = CLASSES,
    colours: str | None = COLOURS,
    n0: int | None = N0,
    forgetting: float = FORGETTING,
    min_moves: float = MIN_MOVES,
    resamples: int = RESAMPLES,
) -> Answer:
    """Forecast matches from the years before them, and compare with how they ended.

    Without --list or --found: the 17 world championships in Table 5 of Alliot 2017.
    """
    from assay.answers.comparisons import Matches, most_frequent_reason
    from assay.errors import InputError
    from assay.rating import forecasts as table
    from assay.rating.comparisons import careers_by_name
    from assay.reproduce.alliot2017 import championships

    decisions = decisions_of(study)
    if listed is not None:
        chosen = table.read_matches(listed)
    else:
        chosen = table.find_matches(decisions, min_games) if found else championships()
    names = as_in_the_papers(method, markov_prior, classes, colours, n0)
    careers, unable = careers_by_name(decisions, names, forgetting, min_moves)
    rows = table.forecast_matches(chosen, careers, resamples)
    methods = [one.model.name for one in careers]
    if not rows:
        say(f"no two players met {min_games} times in one event: a lower --min-games may find matches")
    elif not any(name in row.forecasts for row in rows for name in methods):
        notes = [*unable, *(note for row in rows for note in row.notes)]
        raise InputError(most_frequent_reason("none of these matches can be forecast", notes))
    for reason in unable:
        say(reason)
    return Matches(rows, methods, table.match_errors(rows))


@prints
def reproduce(
    paper: str | None = typer.Option(
        None,
        "--paper",
        help="Only this paper: ferreira2012, difatta2009, regan2011, alliot2017 or ferreira2010.",
    ),
) -> Answer:
    """Compute the numbers of the papers again, and compare. The exit code is 1 if one is off.

    Inference: our methods find the number from what the paper prints. Arithmetic: the paper's formulas give
    the number from its own numbers. Published is what the paper prints; expected is what its own numbers give
    where the print is wrong, or what must hold where it prints nothing.
    """
    from assay.answers.results import reproduced
    from assay.reproduce import reproduce as run

    return reproduced(run(paper))


# `assay agent`: a UCI engine that plays like a person, and what such a person would play.


@prints
def agent(
    games: Path | None = typer.Argument(
        None, metavar="[GAMES]", help="With --save: the workspace with the analysed games."
    ),
    explain: str | None = typer.Option(
        None,
        "--explain",
        metavar="FEN",
        help="Print what players would play in this position, instead of playing. 'startpos' is the first.",
    ),
    elo: int = typer.Option(1800, "--elo", help="With --explain: the Elo of the player, 1500 to 2800."),
    model: Literal["depth", "bayes", "choice"] = typer.Option(
        "depth", "--model", help="With --explain: whose agents."
    ),
    save: Path | None = typer.Option(
        None,
        "--save",
        metavar="FILE",
        help="Write the profile of --player in GAMES, for the engine's option Player, instead of playing.",
    ),
    player: str | None = typer.Option(
        None, "--player", metavar="NAME", help="With --save: who, such as 'Tal' or 'Tal@1958-1960'."
    ),
    recipe: str | None = RECIPE,
    engine: str | None = ENGINE,
) -> Answer | None:
    """Play like a person of a given Elo: a chess engine (UCI), also installed as `assay-agent`.

    Without options it speaks UCI on standard input and output: set UCI_Elo, Model, Seed and Player in the
    program that you play in (docs/agent.md). With --explain it prints the probability of each move in a
    position, for one Elo and for 1500, 2000 and 2500 beside it.
    """
    if explain is not None:
        return _explain(explain, elo, model, recipe, engine)
    if save is not None:
        return _save(save, player, games, recipe)
    if player is not None or games is not None:
        raise InputError("GAMES and --player go with --save FILE: the engine's option Player takes that file")
    from assay.agent.main import main

    code = main(engine, recipe)
    if code:
        raise typer.Exit(code)
    return None


def _explain(fen: str, elo: int, model: str, recipe: str | None, engine: str | None) -> Answer:
    from assay.agent.agents import explain
    from assay.agent.session import position_of
    from assay.agent.thinking import GameBoard, Thinker
    from assay.engine.engines import EngineConfig
    from assay.engine.recipe import find_recipe
    from assay.settings import find_settings

    game = GameBoard.start() if fen == "startpos" else position_of(fen)
    settings = find_settings()
    thinker = Thinker(
        find_recipe(recipe or settings.recipe or "standard"), EngineConfig(engine or settings.engine)
    )
    try:
        return explain(thinker, game, elo, model)
    finally:
        thinker.close()


def _save(path: Path, player: str | None, games: Path | None, recipe: str | None) -> Answer:
    from assay.agent.agents import player_profile
    from assay.answers.answer import Facts
    from assay.workspace import Workspace

    if player is None or games is None:
        raise InputError("--save needs a workspace, GAMES, and --player NAME")
    name, profile = player_profile(Workspace(games), player, recipe)
    profile.write(path)
    told = (
        f"{path}: the agent of {name}, from {profile.decisions:.0f} decisions in {profile.games:.0f} games. "
        f"Give this file to the engine's option Player."
    )
    numbers = {"player": name, "decisions": profile.decisions, "games": profile.games, "file": str(path)}
    return Facts(told, numbers)


def register(app: typer.Typer) -> None:
    """Add `assay results` and `assay backtest` to the application."""
    results = typer.Typer(help="Strength from results alone.", cls=HelpfulGroup, no_args_is_help=True)
    for command in (fit, tune, predict):
        results.command(command.__name__, cls=HelpfulCommand)(command)
    app.add_typer(results, name="results", rich_help_panel="Research")
    backtests = typer.Typer(
        help="Compare forecasters on the same past games: backtest GAMES, backtest matches GAMES.",
        cls=_GamesUnlessNamed,
        no_args_is_help=True,
    )
    backtests.command("games", cls=HelpfulCommand)(backtest)
    backtests.command("matches", cls=HelpfulCommand)(matches)
    app.add_typer(backtests, name="backtest", rich_help_panel="Research")
