"""Panel Research: forecasters compared on the same games, and the papers' numbers beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from assay.cli.compare import FORGETTING, MIN_MOVES
from assay.cli.options import METHOD, PLOT, RESAMPLES, decisions_of, prints, with_study
from assay.cli.results import APART, BETA, ELO_K, GAMES, HISTORY, LEAST_GAMES, MONTHS, RECENT

if TYPE_CHECKING:
    from assay.answers.answer import Answer
    from assay.study import Study


class _GamesUnlessNamed(TyperGroup):
    """`assay backtest GAMES` is `assay backtest games GAMES`: what is no command is what to backtest."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["games", *args]
        return super().parse_args(ctx, args)


def register(app: typer.Typer) -> None:
    """Add these commands to the application."""
    group = typer.Typer(
        help="Compare forecasters on the same past games: backtest GAMES, backtest matches GAMES.",
        cls=_GamesUnlessNamed,
        no_args_is_help=True,
    )
    group.command("games")(backtest)
    group.command("matches")(matches)
    app.add_typer(group, name="backtest", rich_help_panel="Research")


@prints
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
    every: bool = typer.Option(
        False, "--details", help="Also print every split, and errors by kinds of games."
    ),
) -> Answer:
    """Forecast later games from earlier ones by several models, and compare their errors."""
    from assay.cli.output import write_figure
    from assay.cli.progress import bar
    from assay.cli.results import open_results, parse_beta
    from assay.figures.figure import check_figure
    from assay.rating.backtest import backtest as run
    from assay.rating.backtest import forecasters
    from assay.results.baselines import USUAL, caveats
    from assay.results.games import Rules, splits

    check_figure(plot)
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
    found = replace(found, notes=[*said, *found.notes], details=every)
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
    forgetting: float = FORGETTING,
    min_moves: float = MIN_MOVES,
    resamples: int = RESAMPLES,
) -> Answer:
    """Forecast matches from the years before them, and compare with how they ended.

    Without --list or --found: the 17 world championships in Table 5 of Alliot 2017.
    """
    from assay.answers.comparisons import Matches, most_frequent_reason
    from assay.cli.output import say
    from assay.errors import InputError
    from assay.rating import forecasts as table
    from assay.rating.comparisons import careers_by_name
    from assay.reproduce.alliot2017 import championships

    decisions = decisions_of(study)
    if listed is not None:
        chosen = table.read_matches(listed)
    else:
        chosen = table.find_matches(decisions, min_games) if found else championships()
    careers, unable = careers_by_name(decisions, method, forgetting, min_moves)
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
    the number from its own numbers.
    """
    from assay.answers.results import reproduced
    from assay.reproduce import reproduce as run

    return reproduced(run(paper))
