"""Commands on the distribution of gain: tournament, compare."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from assay.cli.gain_output import (
    cells_for_programs,
    comparison_for_programs,
    comparison_rows,
    print_comparison,
    print_cross_table,
    table_for_programs,
)
from assay.cli.options import (
    CSV,
    ENGINE,
    GAMES_OR_SOURCE,
    JOBS,
    JSON,
    KEPT_IN,
    RECIPE,
    SOURCE,
    decisions_of,
    source_of,
)

if TYPE_CHECKING:
    from assay.domain.decisions import Decisions
    from assay.models.gain import GainModel

LIMIT = typer.Option(
    3900,
    "--limit",
    min=1,
    max=100_000,
    help="What mate is worth, in centipawns; evaluations are clipped there.",
)


class EngineProfile(StrEnum):
    """What stands for the engine's distribution of gain."""

    PEAK = "peak"
    MEASURED = "measured"


ENGINE_PROFILE = typer.Option(
    EngineProfile.PEAK,
    "--engine-profile",
    help="The engine's distribution of gain: a peak at zero, or measured where players chose its move.",
)


class By(StrEnum):
    """Which games a player's distribution of gain is taken from."""

    EVENT = "event"
    MATCH = "match"
    CAREER = "career"


class Pairs(StrEnum):
    """Which players are compared."""

    MET = "met"
    ALL = "all"


COUNTED = ("fast_time_control", "too_short")
"""Short draws and tie-breaks are part of an event, and count in its table, as they do in the paper."""


def register(app: typer.Typer) -> None:
    """Add these commands to the application."""
    app.command("tournament")(tournament)
    app.command("compare")(compare)


def tournament(
    games: Path | None = GAMES_OR_SOURCE,
    source: Path | None = SOURCE,
    by: By = typer.Option(By.EVENT, "--by", help="Games that a distribution is taken from."),
    pairs: Pairs = typer.Option(Pairs.MET, "--pairs", help="Compare who met, or all players."),
    event: str | None = typer.Option(None, "--event", help="Only this event."),
    engine_profile: EngineProfile = ENGINE_PROFILE,
    limit: int = LIMIT,
    resamples: int = typer.Option(
        200, "--resamples", min=0, max=100_000, help="Resamples of the games for intervals; 0: none."
    ),
    workspace: Path | None = KEPT_IN,
    recipe: str = RECIPE,
    engine: str | None = ENGINE,
    jobs: int | None = JOBS,
    as_json: bool = JSON,
    as_csv: bool = CSV,
) -> None:
    """Cross-table by quality of play: results, expectations, rating differences, estimated strengths."""
    from assay.cli.output import print_csv, print_json
    from assay.models.tournament import cross_tables

    chosen = source_of(source, games)
    decisions = decisions_of(chosen, recipe, workspace=workspace, engine=engine, jobs=jobs, include=COUNTED)
    model = _model(decisions, limit, engine_profile, include=COUNTED)
    tables = cross_tables(decisions, model, by=by, pairs=pairs, event=event, resamples=resamples)
    if as_json:
        print_json([table_for_programs(table) for table in tables])
    elif as_csv:
        cells = [cell for table in tables for cell in cells_for_programs(table)]
        print_csv(cells, ("event", "player", "opponent", "games", "points", "expectation", "difference"))
    else:
        for table in tables:
            print_cross_table(table)


def compare(
    first: str = typer.Argument(
        ..., metavar="PLAYER", help="A name or part of it; with years: Tal@1958-1960."
    ),
    second: str = typer.Argument(..., metavar="PLAYER", help="Another, or the same in other years."),
    source: Path | None = SOURCE,
    engine_profile: EngineProfile = ENGINE_PROFILE,
    limit: int = LIMIT,
    recipe: str = RECIPE,
    engine: str | None = ENGINE,
    jobs: int | None = JOBS,
    as_json: bool = JSON,
    as_csv: bool = CSV,
) -> None:
    """Compare two players, of any era, by the distributions of gain of their moves."""
    from assay.cli.output import print_csv, print_json
    from assay.models.comparison import compare as run
    from assay.study import choose_player

    decisions = decisions_of(source_of(source), recipe, engine=engine, jobs=jobs)
    model = _model(decisions, limit, engine_profile)
    chosen = [choose_player(decisions, name) for name in (first, second)]
    comparison = run(chosen[0][1], chosen[1][1], model)
    names = chosen[0][0], chosen[1][0]
    if as_json:
        print_json(comparison_for_programs(names, comparison))
    elif as_csv:
        rows = comparison_rows(names, comparison)
        print_csv(rows, list(rows[0]))
    else:
        print_comparison(names, comparison)


def _model(
    decisions: "Decisions", limit: int, engine_profile: EngineProfile, include: Sequence[str] = ()
) -> "GainModel":
    from assay.models.gain import GainModel

    model = GainModel(limit=limit, engine_profile=engine_profile.value, include=include)
    return model.measure_engine(decisions) if engine_profile is EngineProfile.MEASURED else model
