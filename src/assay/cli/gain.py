"""Commands on the distribution of gain: tournament, compare."""

import math
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.cli.store import JSON, WORKSPACE

if TYPE_CHECKING:
    from assay.domain.decisions import Decisions
    from assay.models.comparison import Comparison
    from assay.models.crosstable import CrossTable
    from assay.models.gain import GainModel

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


WIDEST = 12
"""With more players than this the cells of a cross-table do not fit on a page."""


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
    from assay.models.crosstable import cross_tables
    from assay.study import Study

    study = Study(source, workspace=workspace, recipe=recipe, engine=engine, jobs=jobs)
    decisions = study.decisions()
    model = _model(decisions, limit, engine_profile)
    tables = cross_tables(decisions, model, by=by, pairs=pairs, event=event, resamples=resamples)
    if as_json:
        print_json([_table_for_programs(table) for table in tables])
    elif as_csv:
        cells = [cell for table in tables for cell in _cells(table)]
        print_csv(cells, ("event", "player", "opponent", "games", "points", "expectation", "difference"))
    else:
        for table in tables:
            _print_cross_table(table)


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
    decisions = study.decisions()
    model = _model(decisions, limit, engine_profile)
    chosen = [choose_player(decisions, name) for name in (first, second)]
    comparison = run(chosen[0][1], chosen[1][1], model)
    names = chosen[0][0], chosen[1][0]
    if as_json:
        print_json(_comparison_for_programs(names, comparison))
    else:
        _print_comparison(names, comparison)


def _model(decisions: "Decisions", limit: int, engine_profile: EngineProfile) -> "GainModel":
    from assay.models.gain import GainModel

    model = GainModel(limit=limit, engine_profile=engine_profile.value)
    return model.measure_engine(decisions) if engine_profile is EngineProfile.MEASURED else model


# For programs ------------------------------------------------------------------------------------------


def number(value: float, digits: int = 4) -> float | None:
    """A number for JSON, which has no infinities: null for them, as for what is unknown."""
    return round(float(value), digits) if math.isfinite(value) else None


def _cells(table: "CrossTable") -> list[dict[str, Any]]:
    differences = table.differences
    return [
        {
            "event": table.title,
            "player": player,
            "opponent": opponent,
            "games": int(table.games[row, column]),
            "points": number(table.results[row, column]),
            "expectation": number(table.expectations[row, column]),
            "difference": number(differences[row, column], 1),
        }
        for row, player in enumerate(table.players)
        for column, opponent in enumerate(table.players)
        if not math.isnan(table.expectations[row, column])
    ]


def _table_for_programs(table: "CrossTable") -> dict[str, Any]:
    from assay.models.gain_distribution import rating_difference

    by_elo, by_estimate = table.engine_strength()
    to_engine = rating_difference(table.against_engine)
    cells = _cells(table)
    players = [
        {
            "player": player,
            "elo": number(table.elos[row], 1),
            "points": number(table.total_results[row]),
            "expected_points": number(table.total_expectations[row]),
            "strength": number(table.perceived.ratings[row], 1),
            "low": number(table.low[row], 1),
            "high": number(table.high[row], 1),
            "change": number(table.changes[row], 1),
            "group": int(table.perceived.group[row]),
            "against_engine": {
                "expectation": number(table.against_engine[row]),
                "difference": number(to_engine[row], 1),
            },
            "opponents": [
                {key: cell[key] for key in ("opponent", "games", "points", "expectation", "difference")}
                for cell in cells
                if cell["player"] == player
            ],
        }
        for row, player in enumerate(table.players)
    ]
    return {
        "event": table.title,
        "by": table.by,
        "players": players,
        "groups": [{"anchor": number(anchor, 1)} for anchor in table.perceived.anchors],
        "engine_strength": {"by_elo": number(by_elo, 1), "by_estimate": number(by_estimate, 1)},
        "notes": list(table.notes),
    }


def _comparison_for_programs(names: tuple[str, str], found: "Comparison") -> dict[str, Any]:
    value, low, high = found.differences
    return {
        "players": [
            {
                "player": name,
                "games": number(estimate.games),
                "decisions": number(estimate.decisions),
                "mean_gain": number(estimate["mean_gain"].value),
                "against_engine": {
                    "expectation": number(estimate["expectation"].value),
                    "difference": number(estimate["difference"].value, 1),
                },
            }
            for name, estimate in zip(names, found.estimates, strict=True)
        ],
        "expectation": {
            "value": number(found.expectation),
            "low": number(found.low),
            "high": number(found.high),
        },
        "difference": {"value": number(value, 1), "low": number(low, 1), "high": number(high, 1)},
        "resampled": found.resampled,
    }


# For people --------------------------------------------------------------------------------------------


def points(value: float) -> str:
    """Points as chess players write them: 5½; a dash where they are unknown."""
    if math.isnan(value):
        return "–"
    whole, half = divmod(round(2 * value), 2)
    return ("½" if half and not whole else f"{whole}½") if half else str(whole)


def elo(value: float, *, signed: bool = False) -> str:
    """A rating or a rating difference in whole points; infinities and unknown ones too."""
    if math.isnan(value):
        return ""
    if math.isinf(value):
        return "-∞" if value < 0 else "+∞" if signed else "∞"
    return f"{value:+.0f}" if signed else f"{value:.0f}"


def _print_cross_table(table: "CrossTable") -> None:
    from assay.cli.output import print_table

    wide = len(table.players) <= WIDEST
    numbers = [str(place + 1) for place in range(len(table.players))] if wide else []
    columns = ("", "player", "Elo", *numbers, "points", "expected", "strength", "change", "95% interval")
    rows = []
    for row, player in enumerate(table.players):
        interval = "" if math.isnan(table.low[row]) else f"{elo(table.low[row])} to {elo(table.high[row])}"
        rows.append(
            (
                str(row + 1),
                player,
                elo(table.elos[row]),
                *([_cell(table, row, column) for column in range(len(table.players))] if wide else []),
                points(table.total_results[row]),
                f"{table.total_expectations[row]:.2f}",
                elo(table.perceived.ratings[row]),
                elo(table.changes[row], signed=True),
                interval,
            )
        )
    print_table(f"{table.title} (distributions by {table.by})", columns, rows, note=_notes(table, wide))


def _cell(table: "CrossTable", row: int, column: int) -> str:
    """Result, expectation and rating difference, one below the other, as in Table 1."""
    from assay.models.gain_distribution import rating_difference

    expectation = table.expectations[row, column]
    if math.isnan(expectation):
        return "–"
    played = int(table.games[row, column])
    result = f"({points(table.results[row, column])}{f'/{played}' if played > 1 else ''})" if played else ""
    return f"{result}\n{expectation:.2f}\n{elo(float(rating_difference(expectation)), signed=True)}"


def _notes(table: "CrossTable", wide: bool) -> str:
    by_elo, by_estimate = table.engine_strength()
    notes = list(table.notes)
    if wide:
        notes.insert(0, "In each cell: (result), expectation and rating difference by gain.")
    else:
        notes.append("Cells are left out of a table this wide: see --json or --csv.")
    if not math.isnan(by_elo):
        notes.append(f"Engine strength: {elo(by_elo)} by ratings, {elo(by_estimate)} by estimated strengths.")
    return "\n".join(notes)


def _print_comparison(names: tuple[str, str], found: "Comparison") -> None:
    from assay.cli.output import print_table

    rows = [
        (
            name,
            round(estimate.games),
            round(estimate.decisions),
            f"{estimate['mean_gain'].value:+.3f}",
            f"{estimate['expectation'].value:.3f}",
            elo(estimate["difference"].value, signed=True),
        )
        for name, estimate in zip(names, found.estimates, strict=True)
    ]
    value, low, high = (elo(end, signed=True) for end in found.differences)
    how = "resampled games" if found.resampled else "moves: too few games to resample"
    print_table(
        f"{names[0]} against {names[1]}",
        ("player", "games", "decisions", "mean gain", "against engine", "difference"),
        rows,
        note=f"Expectation of {names[0]}: {found.expectation:.3f} ({found.low:.3f} to {found.high:.3f}), "
        f"rating difference {value} ({low} to {high}); 95% interval from {how}.",
    )
