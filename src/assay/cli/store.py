"""Commands on the workspace: import, status, export."""

from enum import StrEnum
from pathlib import Path
from typing import Any

import typer

from assay.cli.options import CSV, JSON, WORKSPACE


class Table(StrEnum):
    """What can be exported."""

    GAMES = "games"
    DECISIONS = "decisions"
    RATINGS = "ratings"
    PGN = "pgn"


class Annotations(StrEnum):
    """How evaluations stand in exported PGN."""

    LICHESS = "lichess"
    ALLIOT = "alliot"


class Format(StrEnum):
    """In which format."""

    PARQUET = "parquet"
    CSV = "csv"
    JSONL = "jsonl"


def register(app: typer.Typer) -> None:
    """Add these commands to the application."""
    app.command("import")(import_games)
    app.command("status")(status)
    app.command("export")(export)


def import_games(
    sources: list[str] = typer.Argument(
        ...,
        metavar="FILE...",
        help="PGN files (.gz, .bz2, .zst too), folders of them, or - for standard input.",
    ),
    workspace: Path = WORKSPACE,
    aliases: Path | None = typer.Option(
        None, "--aliases", help="File of lines 'name = player'; kept for later."
    ),
    spelling: Path | None = typer.Option(
        None, "--spelling", help="Scid spelling file; Debian's scid-rating-data is used where installed."
    ),
    as_json: bool = JSON,
    as_csv: bool = CSV,
) -> None:
    """Read games into a workspace; nothing is lost, what must not be rated gets a reason."""
    from assay.cli.output import print_csv, print_json, progress, say
    from assay.workspace import Workspace

    with progress() as display:
        task = display.add_task("Reading", total=None, detail="")

        def show(name: str, size: int, position: int, games: int) -> None:
            display.update(
                task, description=name[:40], total=size or None, completed=position, detail=f"{games:,} games"
            )

        report = Workspace(workspace).import_games(
            sources, aliases=aliases, spelling=spelling, progress=show, say=say
        )
    if as_json:
        print_json(report.as_dict())
    elif as_csv:
        columns = ("reason", "games", "meaning")
        print_csv([dict(zip(columns, row, strict=True)) for row in _reasons(report)], columns)
    else:
        _print_report(report)


def _reasons(report: Any) -> list[tuple[str, int, str]]:
    """How many games may be rated, and how many not for each reason."""
    from assay.ingest.exclusions import REASONS

    left_out = [(reason, n, REASONS[reason]) for reason, n in report.excluded.most_common()]
    return [("may be rated", report.rated, ""), *left_out]


def _print_report(report: Any) -> None:
    from assay.cli.output import print_table

    if not report.added:
        print(f"Nothing new: all {report.read:,} games were imported before.")
        return
    known = f"; {report.known:,} were imported before" if report.known else ""
    note = (
        f"{report.annotations:,} positions have comments with evaluations or clock times."
        if report.annotations
        else ""
    )
    if report.fragments:
        note += f"\n{report.fragments:,} passages of text are no games and were passed over."
    print_table(
        f"{report.added:,} games added{known}",
        ("reason", "games", "meaning"),
        _reasons(report),
        note=note.strip(),
    )


def status(workspace: Path = WORKSPACE, as_json: bool = JSON, as_csv: bool = CSV) -> None:
    """Say what is in a workspace: games, reasons, players, analyses, what is missing."""
    from assay.cli.output import print_csv, print_json, print_table
    from assay.workspace import Workspace

    found = Workspace(workspace).status()
    if as_json:
        print_json(found)
        return
    rated = found["games"] - sum(found["excluded"].values())
    rows = [("games", found["games"], ""), ("  may be rated", rated, "")]
    rows += [(f"  {reason}", n, "") for reason, n in found["excluded"].items()]
    rows += [("players", found["players"], "")]
    rows += [("annotated positions", found["annotations"], "")]
    for recipe, n in found["analyses"].items():
        missing = found["missing"][recipe]
        engine = found["recipes"][recipe].get("engine", "")
        label = f"analyses: {recipe}" + (f", {engine}" if engine else "")
        rows.append((label, n, f"{missing:,} positions missing" if missing else "complete"))
    if not found["analyses"]:
        rows.append(("analyses", 0, "run assay analyse"))
    if as_csv:
        columns = ("what", "number", "note")
        print_csv([dict(zip(columns, (what.strip(), *rest), strict=True)) for what, *rest in rows], columns)
        return
    print_table(str(workspace), ("what", "number", ""), rows)


def export(
    table: Table = typer.Argument(..., help="What to write."),
    workspace: Path = WORKSPACE,
    format_: Format | None = typer.Option(None, "--format", help="Format of the output: csv if not given."),
    out: Path | None = typer.Option(None, "--out", "-o", help="File to write; standard output if not given."),
    recipe: str | None = typer.Option(None, "--recipe", help="Of which recipe the evaluations are."),
    annotations: Annotations = typer.Option(
        Annotations.LICHESS, "--annotations", help="How evaluations stand in PGN."
    ),
) -> None:
    """Write games, decisions or ratings for other programs, or analysed games as PGN with evaluations."""
    from assay.cli.output import say
    from assay.errors import InputError
    from assay.workspace import Workspace

    if table is Table.PGN:
        if format_ is not None:
            raise InputError(
                "PGN has a format of its own: leave --format out, or choose it with --annotations"
            )
        games = Workspace(workspace).export_pgn(out, recipe=recipe, form=annotations.value)
        if out is not None:
            say(f"{games:,} games written to {out}")
        return
    rows = Workspace(workspace).export(table.value, (format_ or Format.CSV).value, out, recipe=recipe)
    if out is not None:
        say(f"{rows:,} rows written to {out}")
