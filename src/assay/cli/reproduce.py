"""`assay reproduce`: published numbers beside ours."""

import typer

from assay.cli.options import CSV, JSON

_COLUMNS = ("paper", "item", "published", "computed", "tolerance", "ok")


def register(app: typer.Typer) -> None:
    """Add this command to the application."""
    app.command("reproduce")(reproduce)


def reproduce(
    paper: str | None = typer.Option(None, "--paper", help="Only this paper, by its short name."),
    as_json: bool = JSON,
    as_csv: bool = CSV,
) -> None:
    """Recompute what can be recomputed from the papers' printed numbers; exit code 1 if any is off."""
    from assay.cli.output import print_csv, print_json, print_table
    from assay.validation.reproduce import reproduce as run

    rows = run(paper)
    if as_json:
        print_json([row.as_row() for row in rows])
    elif as_csv:
        print_csv([row.as_row() for row in rows], _COLUMNS)
    else:
        print_table(
            "Published and recomputed",
            _COLUMNS,
            [
                (
                    r.paper,
                    r.item,
                    f"{r.published:g}",
                    f"{r.computed:.6g}",
                    f"{r.tolerance:g}",
                    "yes" if r.ok else "NO",
                )
                for r in rows
            ],
            note=f"{sum(r.ok for r in rows)} of {len(rows)} within their tolerance.",
        )
    if not all(row.ok for row in rows):
        raise typer.Exit(1)
