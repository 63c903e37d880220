"""`assay doctor`: what the machine lacks, and what to do about it."""

from pathlib import Path

import typer

from assay.cli.options import CSV, JSON, WORKSPACE


def register(app: typer.Typer) -> None:
    """Add this command to the application."""
    app.command("doctor")(doctor)


def doctor(
    engine: str | None = typer.Option(None, "--engine", help="Path of the engine to look at."),
    workspace: Path = WORKSPACE,
    as_json: bool = JSON,
    as_csv: bool = CSV,
) -> None:
    """Check engine, versions, disk and cores; exit code 1 if there is a problem."""
    from dataclasses import asdict

    from assay.cli.output import print_csv, print_json, print_table
    from assay.doctor import examine

    findings = examine(engine, workspace)
    if as_json:
        print_json([asdict(one) for one in findings])
    elif as_csv:
        print_csv([asdict(one) for one in findings], ("check", "ok", "found", "advice"))
    else:
        rows = [(one.check, "ok" if one.ok else "PROBLEM", one.found, one.advice) for one in findings]
        print_table("This machine", ("check", "", "found", "what to do"), rows)
    if not all(one.ok for one in findings):
        raise typer.Exit(1)
