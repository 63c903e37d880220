"""Commands on analyses: analyse, recipes."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.cli.options import CSV, JOBS, JSON, WORKSPACE

if TYPE_CHECKING:
    from assay.analysis.backlog import AnalysisReport, Backlog, Estimate

_MAX_FAILURES_SHOWN = 10


def register(app: typer.Typer) -> None:
    """Add these commands to the application."""
    app.command("analyse")(analyse)
    app.command("recipes")(recipes)
    app.command("import-evaluations")(import_evaluations)


def analyse(
    workspace: Path = WORKSPACE,
    recipe: str = typer.Option("standard", help="A named recipe (see assay recipes) or a .toml file."),
    scale: float = typer.Option(1.0, help="Times the recipe's cost: 0.01 is a hundred times cheaper."),
    engine: str | None = typer.Option(
        None, help="UCI engine; else ASSAY_ENGINE, else stockfish where programs are."
    ),
    jobs: int | None = JOBS,
    cluster: str | None = typer.Option(None, help="Address of a Dask scheduler: tcp://host:8786."),
    players: list[str] | None = typer.Option(
        None, "--players", "-p", help="Only games of this player (a part of the name does); repeat it."
    ),
    limit: int | None = typer.Option(None, help="At most this many positions now."),
    syzygy: str | None = typer.Option(None, help="Folder with Syzygy end-game tables."),
    dry_run: bool = typer.Option(False, "--dry-run", help="Only say what there is to do and what it costs."),
    as_json: bool = JSON,
    as_csv: bool = CSV,
) -> None:
    """Ask an engine about every position of the games that has not been analysed yet.

    Stop it at any time; called again, it goes on where it was. Exit code 3 if positions had to be put aside.
    """
    from assay.analysis.backlog import estimate
    from assay.analysis.engines import EngineConfig
    from assay.analysis.recipe import find_recipe
    from assay.workspace import Workspace

    chosen = find_recipe(recipe).scaled(scale)
    config = EngineConfig(engine, syzygy=syzygy)
    opened = Workspace(workspace)
    if dry_run:
        backlog = opened.backlog(chosen, players=players or None, limit=limit, engine=config)
        _print_estimate(backlog, estimate(backlog, config, jobs), as_json, as_csv)
        return
    with progress_shown() as shown:
        report = opened.analyse(
            chosen,
            jobs=jobs,
            cluster=cluster,
            players=players or None,
            limit=limit,
            engine=config,
            progress=shown,
        )
    _print_report(report, as_json, as_csv)
    if report.failures:
        raise typer.Exit(3)


class progress_shown:  # noqa: N801 - used like a function
    """A progress bar that a report can be given to."""

    def __enter__(self) -> "progress_shown":
        from assay.cli.output import progress

        self._context = progress()
        self._display = self._context.__enter__()
        self._bar = self._display.add_task("Analysing", total=None, detail="")
        return self

    def __exit__(self, *error: object) -> None:
        self._context.__exit__(None, None, None)

    def step(self, description: str) -> Callable[[int, int], None]:
        """A bar for what comes after the analysis: to be told what is done, and of how much."""
        bar = None

        def show(done: int, total: int) -> None:
            nonlocal bar
            if bar is None:
                self._display.update(self._bar, visible=False)
                bar = self._display.add_task(description, total=total, detail="")
            self._display.update(bar, completed=done)

        return show

    def __call__(self, report: "AnalysisReport") -> None:
        """Show how far the analysis is."""
        detail = f"{report.per_second:.1f}/s, engines busy {report.busy_share:.0%}"
        if report.failures:
            detail += f", {len(report.failures)} put aside"
        self._display.update(
            self._bar, total=report.missing, completed=report.done + len(report.failures), detail=detail
        )


def _print_estimate(backlog: "Backlog", found: "Estimate", as_json: bool, as_csv: bool) -> None:
    from assay.cli.output import print_table

    if as_json or as_csv:
        numbers = {
            "recipe": backlog.recipe.name,
            "recipe_id": backlog.recipe_id,
            "engine": backlog.identity.name,
            "positions": backlog.wanted,
            "missing": found.positions,
            "jobs": found.n_engines,
            "seconds": round(found.seconds, 1),
            "disk_bytes": found.disk_bytes,
        }
        _print_for_programs(numbers, as_json)
        return
    print_table(
        "To be analysed",
        ("", "value"),
        [
            ("recipe", f"{backlog.recipe.name} with {backlog.identity.name}"),
            ("positions in the games", f"{backlog.wanted:,}"),
            ("not analysed yet", f"{found.positions:,}"),
            (f"time with {found.n_engines} engine(s) here", _duration(found.seconds)),
            ("disk", f"{found.disk_bytes / 1e6:.1f} MB"),
        ],
        note=f"Time and disk from {found.sampled} positions tried now.",
    )


def _print_for_programs(numbers: dict[str, Any], as_json: bool) -> None:
    """As JSON, or as CSV with one row for each; of a list, how many it has."""
    from assay.cli.output import print_csv, print_json

    if as_json:
        print_json(numbers)
        return
    counted = {name: len(value) if isinstance(value, list) else value for name, value in numbers.items()}
    print_csv([{"what": name, "value": value} for name, value in counted.items()], ("what", "value"))


def _print_report(report: "AnalysisReport", as_json: bool, as_csv: bool) -> None:
    from assay.cli.output import print_table, say

    for failure in report.failures[:_MAX_FAILURES_SHOWN]:
        say(f"put aside: {failure.position_key}: {failure.reason}")
    if as_json or as_csv:
        numbers = {
            "recipe": report.recipe,
            "recipe_id": report.recipe_id,
            "engine": report.engine,
            "positions": report.wanted,
            "missing": report.missing,
            "analysed": report.done,
            "alone": report.alone,
            "seconds": round(report.seconds, 1),
            "busy": round(report.busy_share, 3),
            "put_aside": [failure._asdict() for failure in report.failures],
        }
        _print_for_programs(numbers, as_json)
        return
    rows = [
        ("recipe", f"{report.recipe} with {report.engine}"),
        ("positions in the games", f"{report.wanted:,}"),
        ("analysed now", f"{report.done:,}"),
        ("played moves searched alone", f"{report.alone:,}"),
        ("put aside", f"{len(report.failures):,}"),
    ]
    if report.done:
        rows.append(
            (
                "time",
                f"{_duration(report.seconds)}: {report.per_second:.1f} positions a second, "
                f"{report.n_engines} engine(s) busy {report.busy_share:.1%}",
            )
        )
    print_table("Analysed", ("", "value"), rows)


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    hours, days = minutes // 60, minutes // 1440
    if days > 1:
        return f"{days} d {hours % 24} h"
    return f"{hours} h {minutes % 60} min" if hours else f"{minutes} min"


def recipes(as_json: bool = JSON, as_csv: bool = CSV) -> None:
    """List the named recipes: how positions are analysed."""
    from assay.analysis.recipe import NAMED
    from assay.cli.output import print_csv, print_json, print_table

    if as_json:
        print_json([recipe.describe() for recipe in NAMED.values()])
        return
    if as_csv:
        columns = ("name", "limit", "lines", "hash_mb", "first_turn", "meaning")
        print_csv([{one: getattr(r, one) for one in columns} for r in NAMED.values()], columns)
        return
    print_table(
        "Recipes",
        ("name", "limit", "lines", "hash MB", "first turn", "meaning"),
        [(r.name, r.limit, r.lines, r.hash_mb, r.first_turn, r.meaning) for r in NAMED.values()],
        note='Your own: a .toml file with base = "standard" and what differs (docs/analysis.md).',
    )


def import_evaluations(
    source: str = typer.Argument(
        ..., metavar="FILE", help="lichess_db_eval.jsonl.zst, or - for standard input."
    ),
    workspace: Path = WORKSPACE,
) -> None:
    """Take evaluations of the games' positions from lichess's file of evaluations: no engine needed."""
    from assay.workspace import Workspace

    added = Workspace(workspace).import_evaluations(source)
    print(f"{added:,} positions of the games were found in {source}.")
