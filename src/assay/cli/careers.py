"""Players through the years: `assay career` and `assay versus`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.cli.options import CSV, GAMES_OR_SOURCE, JSON, RECIPE, SOURCE, decisions_of, source_of
from assay.cli.player_years import (
    FORGETTING,
    METHOD,
    MIN_MOVES,
    careers_of,
    parse_years,
    plain,
    with_interval,
)

if TYPE_CHECKING:
    from assay.models.careers import HeadToHeads


def register(app: typer.Typer) -> None:
    """Add these commands to the application."""
    app.command("career")(career)
    app.command("versus")(versus)


def career(
    players: list[str] = typer.Argument(..., metavar="PLAYER...", help="One player or several."),
    source: Path | None = SOURCE,
    recipe: str = RECIPE,
    forgetting: float = FORGETTING,
    min_moves: float = MIN_MOVES,
    figure: Path | None = typer.Option(None, "--figure", help="Write a figure to this HTML file."),
    as_json: bool = JSON,
    as_csv: bool = CSV,
) -> None:
    """Every year of a player: conformance at 0 and at 0.3, every method's numbers, ratings, games."""
    from assay.cli.output import check_out, say, write_text
    from assay.models.base import recipe_of
    from assay.models.calibration_files import find_calibration
    from assay.models.registry import make_model, methods
    from assay.validation.career_table import career_table

    check_out(figure)
    decisions = decisions_of(source_of(source), recipe)
    models = [make_model(name) for name in methods()]
    calibration = find_calibration(recipe_of(decisions))
    tables = {}
    for player in players:
        rows = career_table(
            decisions, player, models, calibration=calibration, forgetting=forgetting, min_moves=min_moves
        )
        if rows:
            tables[rows[0]["player"]] = rows
    _print_careers(tables, as_json, as_csv)
    if figure is not None:
        from assay.report.careers import career_figure, to_html

        write_text(figure, to_html(career_figure(tables, bound=30)))
        say(f"figure in {figure}")


def _print_careers(tables: dict[str, list[dict[str, Any]]], as_json: bool, as_csv: bool) -> None:
    from assay.cli.output import print_csv, print_json, print_table

    rows = [row for table in tables.values() for row in table]
    if as_json:
        print_json([plain(row) for row in rows])
        return
    if as_csv:
        flat = [{**row, **_flat_ratings(row["ratings"])} for row in rows]
        columns = list(
            dict.fromkeys(name for row in flat for name in row if name not in ("ratings", "notes"))
        )
        print_csv([plain(row) for row in flat], columns)
        return
    numbers = _headlines({name: None for row in rows for name in row})
    rated = any(row["ratings"] for row in rows)
    several = len(tables) > 1
    few = sum(not row["active"] for row in rows)
    print_table(
        "Careers: " + ", ".join(tables),
        (
            *(["player"] if several else []),
            *("year", "games", "moves"),
            *(["rating"] if rated else []),
            *numbers,
        ),
        [
            (
                *([row["player"]] if several else []),
                f"{row['year']}{'' if row['active'] else ' *'}",
                int(row["games"]),
                int(row["decisions"]),
                *([_rating(row["ratings"])] if rated else []),
                *(with_interval(row, name) for name in numbers),
            )
            for row in rows
        ],
        note="\n".join(
            [
                *([f"* {few} of the years have too few moves to be active."] if few else []),
                *(note for row in rows for note in row["notes"]),
            ]
        ),
        spare=len(numbers) - (not rated),
    )


def _flat_ratings(ratings: dict[str, dict[str, float]]) -> dict[str, float]:
    return {f"{end}_{name}": one[end] for name, one in ratings.items() for end in ("elo", "low", "high")}


def _rating(ratings: dict[str, dict[str, float]]) -> str:
    """The rating by all methods together, with its interval."""
    if "combined" not in ratings:
        return ""
    return "{elo:.0f} ({low:.0f} to {high:.0f})".format(**ratings["combined"])


def _headlines(row: dict[str, Any]) -> list[str]:
    """Conformance, and the first number of every other method: all of them are in the JSON and the CSV."""
    from assay.models.registry import methods

    first = [next((key for key in row if key.startswith(f"{name}_")), None) for name in methods()]
    others = [key for key in first if key is not None and not key.startswith("conformance")]
    return ["conformance_0", "conformance", *others]


def versus(
    games: Path | None = GAMES_OR_SOURCE,
    players: list[str] | None = typer.Option(
        None, "--players", "-p", help="Only these; give it once for each."
    ),
    years: str | None = typer.Option(None, "--years", help="Only these: 1971, or 1960-1972, or 1960,1971."),
    every_year: bool = typer.Option(
        False, "--every-year", help="All active years, not the best of each player."
    ),
    white: bool = typer.Option(False, "--white", help="The row has White, as in the paper's tables."),
    source: Path | None = SOURCE,
    recipe: str = RECIPE,
    method: str = METHOD,
    forgetting: float = FORGETTING,
    min_moves: float = MIN_MOVES,
    figure: Path | None = typer.Option(None, "--figure", help="Write a heat map to this HTML file."),
    as_json: bool = JSON,
    as_csv: bool = CSV,
) -> None:
    """Everyone against everyone, in their best years or in all: expectation of the row in percent."""
    from assay.cli.output import check_out, say, write_text
    from assay.domain.names import find_player
    from assay.models.careers import head_to_heads

    check_out(figure)
    careers = careers_of(decisions_of(source_of(source, games), recipe), method, forgetting, min_moves)
    chosen = [find_player(one, careers.players) for one in players] if players else None
    table = head_to_heads(careers, careers.active(chosen, parse_years(years)))
    shown = table if every_year else table.among(table.best_years())
    note = f"{len(table.keys)} active years of {len({key.player for key in table.keys})} players."
    _print_versus(shown, method, white, note, as_json, as_csv)
    if figure is not None:
        from assay.report.careers import to_html, versus_figure

        write_text(figure, to_html(versus_figure(shown, method, white)))
        say(f"figure in {figure}")


def _print_versus(
    table: HeadToHeads, method: str, white: bool, note: str, as_json: bool, as_csv: bool
) -> None:
    from assay.cli.output import print_csv, print_json, print_table

    values = 100 * (table.as_white if white else table.match)
    names = [str(key) for key in table.keys]
    cells = [
        [None if i == j else round(float(value), 2) for j, value in enumerate(row)]
        for i, row in enumerate(values)
    ]
    rows = [
        {"player": name, **dict(zip(names, row, strict=True))} for name, row in zip(names, cells, strict=True)
    ]
    if as_json:
        print_json({"method": method, "white": white, "names": names, "expectation": rows})
    elif as_csv:
        print_csv(rows, ["player", *names])
    else:
        shown = [["" if cell is None else f"{cell:.0f}" for cell in row] for row in cells]
        print_table(
            f"Expectation of the row in percent, {'with White' if white else 'colours shared'}, by {method}",
            ("", "", *(str(index + 1) for index in range(len(names)))),
            [(i + 1, name, *row) for i, (name, row) in enumerate(zip(names, shown, strict=True))],
            note=note,
        )
