"""Panel Research: strength from results alone, backtests, the papers' numbers, and the agent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.cli.options import (
    HelpfulGroup,
    Written,
    career_settings,
    command,
    decisions_of,
    open_games,
    open_study,
    refuse_unused,
    register,
)
from assay.cli.output import bar, say, write_text
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.answers.answer import Answer
    from assay.results.competition import ResultSource
    from assay.results.ferreira import Beta, Report
    from assay.results.games import ResultGames, Split
    from assay.study import Study

KINDS = "CSV in the columns of the 2010 competition, PGN (.gz, .bz2, .zst too), or a workspace."
GAMES = typer.Argument(..., metavar="GAMES", help=f"Games with results: {KINDS}", show_default=False)


def rules_of(
    months: int = typer.Option(5, metavar="N", min=1, help="Make validation sets of N months."),
    least_games: int = typer.Option(
        12, metavar="N", min=0, help="Forecast only games whose players both have N earlier games ..."
    ),
    recent: int = typer.Option(48, metavar="N", min=1, help="... in N months before the set."),
    apart: int = typer.Option(
        1,
        metavar="N",
        min=1,
        help="Begin each set N months after the one before. 1: they overlap; 5: they do not.",
    ),
    history: int | None = typer.Option(
        None, metavar="N", min=1, help="Learn from N months before a set. If not given: all."
    ),
) -> Callable[[ResultGames, int], list[Split]]:
    """What splits games into earlier and later ones, so many times."""
    from assay.results.games import Rules, splits

    rules = Rules(months, least_games, recent, history)
    return lambda games, sets: splits(games, sets, apart=apart, rules=rules)


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


@command()
def fit(games: Path = GAMES, model: str = "ferreira2010", beta: str | None = None, limit: int = 30) -> Answer:
    """Strength of every player by the results of their games (models ferreira2010 and company).

    $ assay results fit games.pgn

    --model NAME  Use this model. A name that does not exist lists them all.
    --beta NUMBERS  Use these settings b0,b1,b2,b3,b4 of ferreira2010. If not given: those of the paper.
    --limit N (0..)  Print N players, strongest first. 0: all.
    """
    from assay.results.baselines import strengths

    return strengths(open_results(games).games, model, parse_beta(beta), limit=limit)


@command(split=rules_of)
def tune(
    split: Callable[[ResultGames, int], list[Split]],
    games: Path = GAMES,
    sets: int = 8,
    start: str | None = None,
    precision: float | None = None,
    plain: bool = False,
) -> Answer:
    """Find the settings that forecast several validation sets best (Ferreira 2010, Algorithm 2).

    $ assay results tune training_data.csv

    --sets N (1..)  Make N validation sets (later games to try settings on).
    --start NUMBERS  Begin the search from b0,b1,b2,b3,b4. If not given: 1,0.5,1,0.5,1.
    --precision NUMBER (1e-9..0.5)  Stop when steps are smaller than this share of a value.
    --plain  Search exactly as the paper does: much slower.
    """
    from assay.answers.results import tuned_settings
    from assay.results.ferreira import INITIAL, PRECISION, tune_beta

    chosen = split(open_results(games).games, sets)
    begin = INITIAL if start is None else parse_beta(start)
    smallest = PRECISION if precision is None else precision
    with bar("Tuning") as shown:
        report = _reporter(shown, smallest)
        found = tune_beta(chosen, start=begin, precision=smallest, plain=plain, report=report)
    settings = {f"beta_{index}": value for index, value in enumerate(found.values)}
    return tuned_settings(settings, found.error, found.evaluations, [each.label for each in chosen])


def _reporter(shown: Any, precision: float) -> Report:
    """A bar of the halvings of the step: the only thing known beforehand about the length of a search."""
    import math

    total = max(1, math.floor(math.log2(0.5 / precision)) + 1)

    def show(step: float, error: float, evaluations: int) -> None:
        shown.show(round(math.log2(0.5 / step)), total, f"{error:.6f} after {evaluations:,}")

    return show


@command()
def predict(
    train: Path,
    games: Path,
    out: Written,
    model: str = "ferreira2010",
    beta: str | None = None,
    elo_k: float | None = None,
) -> Answer:
    """Forecast games from earlier ones, in the competition's format.

    $ assay results predict --train training_data.csv --games test_data.csv --out forecasts.csv

    --train GAMES  Games to learn from: CSV in the columns of the 2010 competition, PGN, or a workspace.
    --games GAMES  Games to forecast: the same.
    --out FILE  CSV file to write: the games, with the expected result of White last.
    --model NAME  Use this model. A name that does not exist lists them all.
    --beta NUMBERS  Use these settings b0,b1,b2,b3,b4 of ferreira2010. If not given: those of the paper.
    --elo-k NUMBER  Set K of the Elo models: how much one game counts. If not given: 24.
    """
    from assay.answers.answer import Facts
    from assay.results.baselines import DEFAULT_K, forecaster

    assert out is not None
    _check_settings([model], beta, elo_k)
    chosen = forecaster(model, k=DEFAULT_K if elo_k is None else elo_k, beta=parse_beta(beta))
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


def _check_settings(models: Sequence[str], beta: str | None, elo_k: float | None) -> None:
    """Refuse settings of models that are not asked for."""
    if "ferreira2010" not in models:
        refuse_unused("without the model ferreira2010", beta=beta)
    if not {"elo-normal", "elo-logistic"} & set(models):
        refuse_unused("without a model of Elo", elo_k=elo_k)


def _check_times(learned: ResultGames, wanted: ResultGames) -> None:
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


@command(details=True, plots=True, split=rules_of)
def backtest(
    split: Callable[[ResultGames, int], list[Split]],
    games: Path = GAMES,
    models: str | None = None,
    sets: int = 5,
    beta: str | None = None,
    elo_k: float | None = None,
    recipe: str | None = None,
    seed: int = 0,
) -> Answer:
    """Forecast later games from earlier ones by several models, and compare their errors.

    $ assay backtest games training_data.csv

    --models NAMES  Compare these, with commas between: the first with the others.
    --sets N (1..)  Split the games into earlier and later ones N times.
    --beta NUMBERS  Use these settings b0,b1,b2,b3,b4 of ferreira2010. If not given: those of the paper.
    --elo-k NUMBER  Set K of the Elo models: how much one game counts. If not given: 24.
    --recipe NAME  Analyses for methods that read moves; GAMES must be a workspace. If not given: the only one
        used there.
    --seed N (0..)  Seed the random draws for intervals: the same seed, the same intervals.
    """
    from assay.rating.backtest import backtest as run
    from assay.rating.backtest import forecasters
    from assay.results.baselines import DEFAULT_K, USUAL, caveats

    names = USUAL if models is None else tuple(name.strip() for name in models.split(","))
    _check_settings(names, beta, elo_k)
    values = parse_beta(beta)
    decisions = _decisions(names, games, recipe)
    chosen = forecasters(names, k=DEFAULT_K if elo_k is None else elo_k, beta=values, decisions=decisions)
    over = split(open_results(games).games, sets)
    with bar("Forecasting") as shown:
        done = 0

        def show(name: str, label: str) -> None:
            nonlocal done
            done += 1
            shown.show(done, len(chosen) * len(over), f"{name}, {label}")

        found = run(chosen, over, seed=seed, report=show)
    said = [line for line in caveats(names, beta=values) if line.split(":")[0] not in found.unable]
    return replace(found, notes=[*said, *found.notes])


def _decisions(names: Sequence[str], games: Path, recipe: str | None) -> Any:
    """What models of moves read; None where there is none among the names, or nothing analysed to read."""
    from assay.models.registry import methods
    from assay.source import is_workspace
    from assay.workspace import Workspace

    wanted = set(names) & set(methods())
    if not wanted:
        refuse_unused("without a model that reads moves", recipe=recipe)
    if not wanted or not is_workspace(games):
        return None
    workspace = Workspace(games)
    return workspace.decisions(workspace.recipe_id(recipe))


@command(study=open_study, settings=career_settings)
def matches(
    study: Study,
    settings: dict[str, Any],
    found: bool = False,
    list_: Path | None = None,
    min_games: int | None = None,
    method: list[str] | None = None,
    resamples: int = 200,
) -> Answer:
    """Forecast matches from the years before them, and compare with how they ended.

    Without --list or --found: the 17 world championships in Table 5 of Alliot 2017.

    $ assay backtest matches games.assay --found

    --found  Forecast the matches that are found among the games.
    --list FILE  Forecast the matches of a CSV file: first, second, year, actual (first_elo, second_elo).
    --min-games N  With --found: call N games of two players at one event a match. If not given: 6.
    """
    from assay.answers.comparisons import Matches, most_frequent_reason
    from assay.rating import comparisons as table
    from assay.reproduce.alliot2017 import championships

    if not found:
        refuse_unused("without --found", min_games=min_games)
    if list_ is not None:
        refuse_unused("with --list", found=found)
    least = 6 if min_games is None else min_games
    decisions = decisions_of(study)
    if list_ is not None:
        chosen = table.read_matches(list_)
    else:
        chosen = table.find_matches(decisions, least) if found else championships()
    careers, unable = table.Roster(lambda: decisions).careers(method or None, **settings)
    rows = table.forecast_matches(chosen, list(careers.values()), resamples)
    methods = list(careers)
    if not rows:
        say(f"no two players met {least} times in one event: a lower --min-games may find matches")
    elif not any(name in row.forecasts for row in rows for name in methods):
        notes = [*unable, *(note for row in rows for note in row.notes)]
        raise InputError(most_frequent_reason("none of these matches can be forecast", notes))
    for reason in unable:
        say(reason)
    return Matches(rows, methods, table.match_errors(rows))


@command()
def reproduce(paper: str | None = None) -> Answer:
    """Compute the numbers of the papers again, and compare. The exit code is 1 if one is off.

    Inference: our methods find the number from what the paper prints. Arithmetic: the paper's formulas give
    the number from its own numbers. Published is what the paper prints; expected is what its own numbers give
    where the print is wrong, or what must hold where it prints nothing.

    $ assay reproduce --paper ferreira2012

    --paper NAME  Only this paper: ferreira2012, difatta2009, regan2011, alliot2017 or ferreira2010.
    """
    from assay.answers.results import reproduced
    from assay.reproduce import reproduce as run

    return reproduced(run(paper))


# `assay agent`: a UCI engine that plays like a person, and what such a person would play.


@command()
def agent(
    games: Path | None = typer.Argument(
        None, metavar="[GAMES]", help="With --save: the workspace with the analysed games."
    ),
    explain: str | None = None,
    elo: int | None = None,
    save: Path | None = None,
    player: str | None = None,
    recipe: str | None = None,
    engine: str | None = None,
) -> Answer | None:
    """Play like a person of a given Elo: a chess engine (UCI), also installed as `assay-agent`.

    Without options it speaks UCI on standard input and output: set UCI_Elo, Seed and Player in the
    program that you play in. With --explain it prints the probability of each move in a
    position, for one Elo and for 1500, 2000 and 2500 beside it.

    $ assay agent --explain startpos --elo 1500

    --explain FEN  Print what players would play in this position, instead of playing; or startpos.
    --elo ELO  With --explain: the Elo of the player, 1000 to 2800. If not given: 1800.
    --save FILE  Write the profile of --player in GAMES, for the engine's option Player, instead of playing.
    --player NAME  With --save: who, such as 'Tal' or 'Tal@1958-1960'.
    """
    if explain is not None:
        refuse_unused("with --explain", save=save, player=player)
        return _explain(explain, 1800 if elo is None else elo, recipe, engine)
    refuse_unused("without --explain", elo=elo)
    if save is not None:
        return _save(save, player, games, recipe)
    if player is not None or games is not None:
        raise InputError("GAMES and --player go with --save FILE: the engine's option Player takes that file")
    from assay.agent.main import main

    code = main(engine, recipe)
    if code:
        raise typer.Exit(code)
    return None


def _explain(fen: str, elo: int, recipe: str | None, engine: str | None) -> Answer:
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
        return explain(thinker, game, elo)
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
        f"{path}: {name} as a simulated player, from {profile.decisions:.0f} decisions in "
        f"{profile.games:.0f} games. "
        f"Give this file to the engine's option Player."
    )
    numbers = {"player": name, "decisions": profile.decisions, "games": profile.games, "file": str(path)}
    return Facts(told, numbers)


def register_research(app: typer.Typer) -> None:
    """Add `assay results` and `assay backtest` to the application."""
    results = typer.Typer(help="Strength from results alone.", cls=HelpfulGroup, no_args_is_help=True)
    register(results, {"fit": fit, "tune": tune, "predict": predict})
    app.add_typer(results, name="results", rich_help_panel="Research")
    backtests = typer.Typer(
        help="Compare forecasters on the same past games: backtest GAMES, backtest matches GAMES.",
        cls=_GamesUnlessNamed,
        no_args_is_help=True,
    )
    register(backtests, {"games": backtest, "matches": matches})
    app.add_typer(backtests, name="backtest", rich_help_panel="Research")
