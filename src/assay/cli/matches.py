"""Forecasts: `assay forecast` for two players, `assay matches` for matches beside their results."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.cli.options import CSV, GAMES_OR_SOURCE, JSON, RECIPE, SOURCE, decisions_of, source_of
from assay.cli.player_years import (
    FORGETTING,
    MIN_MOVES,
    RESAMPLES,
    careers_by_name,
    cell,
    number,
    percent,
    plain,
    span,
)

if TYPE_CHECKING:
    from assay.domain.rating import Forecast


def register(app: typer.Typer) -> None:
    """Add these commands to the application."""
    app.command("forecast")(forecast)
    app.command("matches")(matches)


def forecast(
    first: str = typer.Argument(..., help="A player and year, as in Fischer@1971; all years without one."),
    second: str = typer.Argument(..., help="The other."),
    source: Path | None = SOURCE,
    recipe: str = RECIPE,
    method: list[str] | None = typer.Option(None, "--method", "-m", help="Only these; all without it."),
    forgetting: float = FORGETTING,
    min_moves: float = MIN_MOVES,
    resamples: int = RESAMPLES,
    as_json: bool = JSON,
    as_csv: bool = CSV,
) -> None:
    """Expectation of the first player in a match against the second, by every method."""
    from assay.errors import FitError, InputError

    able, notes = careers_by_name(decisions_of(source_of(source), recipe), method, forgetting, min_moves)
    answers = []
    for careers in able:
        try:
            one, other = careers.parse(first), careers.parse(second)
            answers.append(careers.forecast(one, other, resamples))
        except (FitError, InputError) as error:
            notes.append(f"{careers.model.name}: {error}")
    if not answers:
        raise InputError(_sentence(f"no method can forecast {first} against {second}", notes))
    _print_forecasts(first, second, answers, notes, as_json, as_csv)


def _sentence(what: str, notes: list[str]) -> str:
    """What cannot be done and why: the reason that most methods give."""
    reasons = Counter(note.partition(": ")[2] for note in notes).most_common(1)
    return f"{what}: {reasons[0][0]}" if reasons else what


def _print_forecasts(
    first: str, second: str, answers: list[Forecast], unable: list[str], as_json: bool, as_csv: bool
) -> None:
    from assay.cli.output import print_csv, print_json, print_table, say

    notes = [*dict.fromkeys(note for one in answers for note in one.notes), *unable]
    names = ("method", "expectation", "low", "high", "win", "draw", "loss")
    rows = [plain({name: getattr(one, name) for name in names}) for one in answers]
    if as_json:
        print_json({"first": first, "second": second, "forecasts": rows, "notes": notes})
        return
    if as_csv:
        print_csv(rows, names)
        for note in notes:
            say(note)
        return
    print_table(
        f"{first} against {second}, colours shared: percent for the first",
        ("method", "expectation", "95% interval", "win", "draw", "loss"),
        [
            (a.method, percent(a.expectation), span(a.low, a.high), *map(percent, (a.win, a.draw, a.loss)))
            for a in answers
        ],
        note="\n".join(notes),
    )


def matches(
    games: Path | None = GAMES_OR_SOURCE,
    found: bool = typer.Option(False, "--found", help="Matches found among the games."),
    listed: Path | None = typer.Option(
        None, "--list", help="CSV of matches: first, second, year, actual; first_elo, second_elo may follow."
    ),
    min_games: int = typer.Option(6, "--min-games", help="Games that make a match, with --found."),
    source: Path | None = SOURCE,
    recipe: str = RECIPE,
    method: list[str] | None = typer.Option(None, "--method", "-m", help="Only these; all without it."),
    forgetting: float = FORGETTING,
    min_moves: float = MIN_MOVES,
    resamples: int = RESAMPLES,
    as_json: bool = JSON,
    as_csv: bool = CSV,
) -> None:
    """Matches forecast from the year before, beside the results, with mean errors.

    Without --list or --found, the 17 world championships of Alliot's Table 5.
    """
    from assay.cli.output import say
    from assay.errors import InputError
    from assay.validation import matches as table

    decisions = decisions_of(source_of(source, games), recipe)
    if listed is not None:
        chosen = table.read_matches(listed)
    else:
        chosen = table.find_matches(decisions, min_games) if found else table.championships()
    careers, unable = careers_by_name(decisions, method, forgetting, min_moves)
    rows = table.forecast_matches(chosen, careers, resamples)
    methods = [one.model.name for one in careers]
    if not rows:
        say(f"no two players met {min_games} times in one event: a lower --min-games may find matches")
    elif not any(name in row.forecasts for row in rows for name in methods):
        notes = [*unable, *(note for row in rows for note in row.notes)]
        raise InputError(_sentence("none of these matches can be forecast", notes))
    for reason in unable:
        say(reason)
    _print_matches(rows, methods, as_json, as_csv)


def _grouped(rows: list[Any], methods: list[str]) -> list[str]:
    """The notes of all matches, equal ones once: by how many methods, and of how many matches."""
    said: dict[str, tuple[set[str], set[str]]] = {}
    for row in rows:
        for note in row.notes:
            method, _, reason = note.partition(": ")
            by, about = said.setdefault(reason if method in methods else note, (set(), set()))
            by |= {method} & set(methods)
            about.add(str(row.match))
    return [f"{reason}{_counts(by, about, methods)}" for reason, (by, about) in said.items()]


def _counts(by: set[str], about: set[str], methods: list[str]) -> str:
    some = [name for name in methods if name in by]
    parts = [f"{len(about)} matches"] if len(about) > 1 else []
    if some:
        parts.append("all methods" if len(some) == len(methods) else ", ".join(some))
    return f" ({'; '.join(parts)})" if parts else ""


def _print_matches(rows: list[Any], methods: list[str], as_json: bool, as_csv: bool) -> None:
    from dataclasses import asdict

    from assay.cli.output import print_csv, print_json, print_table
    from assay.validation.matches import match_errors

    errors = match_errors(rows)
    names = [one.method for one in errors]
    flat = [
        {
            **asdict(row.match),
            **{name: row.forecasts[name].expectation for name in names if name in row.forecasts},
            **{f"{n}_{end}": getattr(f, end) for n, f in row.forecasts.items() for end in ("low", "high")},
        }
        for row in rows
    ]
    if as_json:
        print_json({"matches": [plain(row) for row in flat], "errors": [plain(asdict(e)) for e in errors]})
        return
    if as_csv:
        ends = [f"{name}_{end}" for name in names for end in ("low", "high")]
        print_csv([plain(row) for row in flat], ["first", "second", "year", "actual", *names, *ends])
        return
    print_table(
        "Matches forecast from the year before: percent for the first player",
        ("match", "actual", *names),
        [
            (str(r.match), percent(r.match.actual), *(cell(r.forecasts.get(name)) for name in names))
            for r in rows
        ],
        note="\n".join(_grouped(rows, methods)),
    )
    print_table(
        "Mean errors",
        ("method", "matches", "mean error", "standard error", "correlation"),
        [
            (e.method, e.matches, percent(e.error, 1), percent(e.deviation, 1), number(e.correlation))
            for e in errors
        ],
    )
