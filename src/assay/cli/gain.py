"""Commands on the distribution of gain: tournament, compare."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from assay.cli.gain_output import (
    cells_for_programs,
    comparison_for_programs,
    print_comparison,
    print_cross_table,
    table_for_programs,
)
from assay.cli.store import JSON, WORKSPACE

if TYPE_CHECKING:
    from assay.domain.decisions import Decisions
    from assay.models.gain import GainModel
    from assay.study import Study

SOURCE = typer.Argument(
    ..., metavar="GAMES", help="PGN file, workspace, or decisions in a Parquet file.", show_default=False
)
RECIPE = typer.Option("standard", "--recipe", help="How positions are analysed.")
ENGINE = typer.Option(None, "--engine", help="Path of a UCI engine; else stockfish where it is found.")
JOBS = typer.Option(None, "--jobs", help="Engines that run at once; one per core unless given.")
LIMIT = typer.Option(
    3900, "--limit", help="What mate is worth, in centipawns; evaluations are clipped there."
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
    source: Path = SOURCE,
    by: By = typer.Option(By.EVENT, "--by", help="Games that a distribution is taken from."),
    pairs: Pairs = typer.Option(Pairs.MET, "--pairs", help="Compare who met, or all players."),
    event: str | None = typer.Option(None, "--event", help="Only this event."),
    engine_profile: EngineProfile = ENGINE_PROFILE,
    limit: int = LIMIT,
    resamples: int = typer.Option(200, "--resamples", help="Resamples of the games for intervals; 0: none."),
    workspace: Path | None = typer.Option(None, "--workspace", "-w", help="Where analyses are kept."),
    recipe: str = RECIPE,
    engine: str | None = ENGINE,
    jobs: int | None = JOBS,
    as_json: bool = JSON,
    as_csv: bool = typer.Option(False, "--csv", help="Print the cells as CSV."),
) -> None:
    """Cross-table by quality of play: results, expectations, rating differences, estimated strengths."""
    from assay.cli.output import print_csv, print_json
    from assay.models.tournament import cross_tables
    from assay.study import Study

    study = Study(source, workspace=workspace, recipe=recipe, engine=engine, jobs=jobs, include=COUNTED)
    decisions = _decisions(study)
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
    games: Path | None = typer.Option(
        None, "--games", help="PGN file or decisions in a Parquet file, in place of the workspace."
    ),
    engine_profile: EngineProfile = ENGINE_PROFILE,
    limit: int = LIMIT,
    workspace: Path = WORKSPACE,
    recipe: str = RECIPE,
    engine: str | None = ENGINE,
    jobs: int | None = JOBS,
    as_json: bool = JSON,
) -> None:
    """Compare two players, of any era, by the distributions of gain of their moves."""
    from assay.cli.output import print_json
    from assay.models.comparison import compare as run
    from assay.study import Study, choose_player

    study = Study(games if games is not None else workspace, recipe=recipe, engine=engine, jobs=jobs)
    decisions = _decisions(study)
    model = _model(decisions, limit, engine_profile)
    chosen = [choose_player(decisions, name) for name in (first, second)]
    comparison = run(chosen[0][1], chosen[1][1], model)
    names = chosen[0][0], chosen[1][0]
    if as_json:
        print_json(comparison_for_programs(names, comparison))
    else:
        print_comparison(names, comparison)


def _decisions(study: "Study") -> "Decisions":
    from assay.cli.analysis import progress_shown

    with progress_shown() as shown:
        return study.decisions(progress=shown)


def _model(
    decisions: "Decisions", limit: int, engine_profile: EngineProfile, include: Sequence[str] = ()
) -> "GainModel":
    from assay.models.gain import GainModel

    model = GainModel(limit=limit, engine_profile=engine_profile.value, include=include)
    return model.measure_engine(decisions) if engine_profile is EngineProfile.MEASURED else model
