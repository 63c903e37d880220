"""Indicators of moves and positions: `assay conformance` and `assay complexity`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Any

import typer

from assay.cli.options import CSV, GAMES_OR_SOURCE, JSON, RECIPE, SOURCE, decisions_of, source_of
from assay.cli.player_years import plain


class Loss(StrEnum):
    """How losses are counted."""

    RAW = "raw"
    GUID_BRATKO = "guid_bratko"
    PONDERED = "pondered"


class By(StrEnum):
    """What conformance is counted by."""

    PLAYER = "player"
    YEAR = "year"
    COLOUR = "colour"
    EVENT = "event"


LOSS = typer.Option(Loss.PONDERED, "--loss", help="How losses are counted.")
K1 = typer.Option(0.75, "--k1", help="Pawns that ponder losses above zero (published regression: 1.44).")
K2 = typer.Option(-3.30, "--k2", help="Pawns that ponder losses below zero (published regression: -3.53).")


def register(app: typer.Typer) -> None:
    """Add these commands to the application."""
    app.command("conformance")(conformance)
    app.command("covariance")(covariance)
    app.command("complexity")(complexity)


def conformance(
    games: Path | None = GAMES_OR_SOURCE,
    by: list[By] = typer.Option([By.PLAYER], "--by", help="Count by this; give it again for more."),
    loss: Loss = LOSS,
    k1: float = K1,
    k2: float = K2,
    results: bool = typer.Option(
        False,
        "--results",
        help="Correlation with the results of games by bound, the best bound and the line.",
    ),
    source: Path | None = SOURCE,
    recipe: str = RECIPE,
    as_json: bool = JSON,
    as_csv: bool = CSV,
) -> None:
    """Share of moves that lose at most 0, 10, 20 and 30 centipawns, or how it goes with results."""
    from assay.validation.conformance_table import conformance_by, conformance_with_results

    decisions = decisions_of(source_of(source, games), recipe)
    if results:
        rows = conformance_with_results(decisions, loss.value, k1, k2)
        title = "Correlation of the difference in conformance with the result, by bound in centipawns"
    else:
        rows = conformance_by(decisions, [one.value for one in by], loss.value, k1, k2)
        title = f"Share of moves that lose at most so many centipawns ({loss.value})"
    _print_rows(title, rows, as_json, as_csv)


def _print_rows(title: str, rows: list[dict[str, Any]], as_json: bool, as_csv: bool) -> None:
    from assay.cli.output import print_csv, print_json, print_table
    from assay.errors import InputError

    if not rows:
        raise InputError("no decisions pass the rules of this method: check the source (docs/interchange.md)")
    if as_json:
        print_json([plain(row) for row in rows])
    elif as_csv:
        print_csv([plain(row) for row in rows], list(rows[0]))
    else:
        cells = [[f"{v:z.3f}" if isinstance(v, float) else v for v in row.values()] for row in rows]
        print_table(title, list(rows[0]), cells)


def covariance(
    games: Path | None = GAMES_OR_SOURCE,
    n0: list[int] = typer.Option(
        [0, 8, 16, 32, 64], "--n0", min=0, max=1000, help="Number of convolutions; give it again for more."
    ),
    source: Path | None = SOURCE,
    recipe: str = RECIPE,
    as_json: bool = JSON,
    as_csv: bool = CSV,
) -> None:
    """How distributions of loss go with the results of games: the best decision bound by n0, and the line."""
    from assay.validation.covariance_table import covariance_with_results

    rows = covariance_with_results(decisions_of(source_of(source, games), recipe), n0)
    _print_rows("Covariance with results: n0, the best bound in pawns, and the line", rows, as_json, as_csv)


def complexity(
    games: Path | None = GAMES_OR_SOURCE,
    source: Path | None = SOURCE,
    recipe: str = RECIPE,
    as_json: bool = JSON,
    as_csv: bool = CSV,
) -> None:
    """Correlation of the complexity of positions with the size of the error, by player and for all."""
    from assay.models.complexity import error_correlations

    table = error_correlations(decisions_of(source_of(source, games), recipe, trace=True))
    rows = [{"player": row.name, "moves": row.decisions, **row.rho} for row in table]
    _print_rows("Correlation with the size of the error", rows, as_json, as_csv)
