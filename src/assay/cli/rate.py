"""Panel Rate: the main job."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from assay.cli.options import (
    METHOD,
    PLAYER,
    PLOT,
    REPORT,
    by_option,
    prints,
    prints_with_details,
    with_study,
    writable,
)
from assay.cli.output import analysing, bar, importing, say, write_figure, write_text
from assay.decisions.grouping import RATED_BY, SLICED_BY, By
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.answers.answer import Answer
    from assay.answers.ratings import StreamedRatings
    from assay.answers.screening import Screening
    from assay.study import Study


Whole = Literal["player", "year", "event", "game"]
Sliced = Literal["phase", "colour", "month", "opening", "clock", "opponent", "pieces"]
SlicedToo = Literal["time-pressure", "piece-count"]
Streamed = Literal["rating-band"]


class Besides(StrEnum):
    """What may count besides the moves."""

    RESULTS = "results"
    CLOCKS = "clocks"


@with_study
@prints_with_details
def rate(
    study: Study,
    context: typer.Context,
    player: list[str] | None = PLAYER,
    method: list[str] | None = METHOD,
    by: Literal[Whole, Sliced, SlicedToo, Streamed] = by_option(
        By.PLAYER, *RATED_BY, *SLICED_BY, By.RATING_BAND
    ),
    min_decisions: int = typer.Option(
        10,
        "--min-decisions",
        metavar="N",
        min=1,
        help="Do not rate players with fewer moves than this after the opening.",
    ),
    all_players: bool = typer.Option(
        False,
        "--all-players",
        help="Print everyone, also those with fewer than four games.",
        rich_help_panel="Output",
    ),
    report: Path | None = REPORT,
    plot: Path | None = PLOT,
    calibration: Path | None = typer.Option(
        None,
        "--calibration",
        metavar="FILE",
        help="Elo scale made by `assay calibrate`. If not given: the one that fits the recipe and engine.",
    ),
    prior: Literal["population", "flat", "rating"] = typer.Option(
        "population",
        "--prior",
        help="What is assumed before any move: players as those of such games, each event with a level of "
        "its own (population); any rating of the scale (flat); or each player's published rating (rating).",
    ),
    with_: list[Besides] | None = typer.Option(
        None,
        "--with",
        help="Rate by the results of these games as well, all players together; or by the clocks, of "
        "evaluated lichess bullet games. May be given twice.",
    ),
    stream: bool | None = typer.Option(
        None,
        "--stream/--no-stream",
        help="Read games that bring their evaluations without keeping them: for a month of a server. If not "
        "given: with --evaluations file, from 50 MB of PGN on, where no workspace is named or there.",
        rich_help_panel="Streaming",
    ),
    cluster: str | None = typer.Option(
        None,
        "--cluster",
        metavar="ADDRESS",
        help="Stream on a cluster: address of a Dask scheduler, such as tcp://host:8786.",
        rich_help_panel="Streaming",
    ),
    population: Path | None = typer.Option(
        None,
        "--population",
        metavar="FILE",
        callback=writable,
        help="Stream, and write how what is measured is distributed over players, by rating band (JSON).",
        rich_help_panel="Streaming",
    ),
) -> Answer:
    """Rate the players of some games by their moves, with 95% ranges. --details adds the papers' methods.

    Reads the games, has the engine analyse positions that are not analysed yet, and keeps both in a folder
    beside the file. Called again, it starts from there.
    """
    whole = {
        "--player": player,
        "--method": method,
        "--report": report,
        "--plot": plot,
        "--calibration": calibration,
        "--with": with_,
        "--prior": prior != "population",
        f"--by {by}": by not in ("player", "rating-band"),
    }
    if _streams(study, stream, by == "rating-band" or cluster is not None or population is not None, whole):
        return _streamed(study, by, min_decisions, cluster, population)
    from assay.rating.calibration import Calibration

    scale = None if calibration is None else Calibration.read(calibration)
    sliced = by not in RATED_BY
    with analysing(study.recipe) as shown, bar("Rating") as rating:
        asked: dict[str, Any] = {
            "players": player or None,
            "methods": method or None,
            "calibration": scale,
            "prior": prior,
            "with_results": Besides.RESULTS in (with_ or ()),
            "with_clocks": Besides.CLOCKS in (with_ or ()),
            "history": report is not None,
            "progress": shown,
            "rating": rating.show,
        }
        slices = study.slices(by, min_decisions=max(min_decisions, 20), **asked) if sliced else None
        ratings = (
            study.rate(by=by, min_decisions=min_decisions, **asked) if slices is None else slices.ratings
        )
    if report is not None:
        write_text(report, study.report(ratings, command=_again(context), calibration=scale))
        say(f"the report is in {report}: open it in a browser")
    if plot is not None:
        from assay.report.ratings import ratings_figure

        write_figure(plot, ratings_figure(ratings))
    if slices is not None:
        return slices
    return replace(ratings, standings=study.standings(ratings, calibration=scale), everyone=all_players)


def _streams(study: Study, wanted: bool | None, asked: bool, whole: Mapping[str, object]) -> bool:
    """Whether games are streamed: as asked, or by their size; not with what takes all games at once."""
    if wanted is False and asked:
        raise InputError("--by rating-band, --cluster and --population stream: leave --no-stream out")
    if not (wanted or asked or (wanted is None and study.streams)):
        return False
    if given := next((name for name, value in whole.items() if value), None):
        raise InputError(f"{given} takes all games at once, and these are streamed: give --no-stream")
    return True


def _streamed(
    study: Study, by: str, min_decisions: int, cluster: str | None, population: Path | None
) -> StreamedRatings:
    """Rate games that are not kept."""
    import json

    from assay.answers.ratings import StreamedRatings
    from assay.rating.percentiles import populations

    if population is not None and by != By.PLAYER:
        raise InputError("distributions over players need games put together by player: leave --by out")
    study.check_streamed()
    say("the games are streamed: no workspace is written, and duplicates are not sought")
    with bar("Rating") as rating:
        ratings, streamed = study.stream(
            by=by, min_decisions=min_decisions, cluster=cluster, progress=importing(), rating=rating.show
        )
    if streamed.resumed:
        say(f"went on from {streamed.resumed:,} blocks of games that an earlier run had finished")
    if population is not None:
        tables = [one.document() for one in populations(streamed.evidence)]
        write_text(population, json.dumps(tables, indent=1) + "\n")
        say(f"{len(tables)} population tables are in {population}")
    return StreamedRatings(ratings, streamed.counted.games, streamed.damage)


def _again(context: typer.Context) -> str:
    """The command that does the same again, by names of files only: paths are of one machine."""
    words = ["assay", context.info_name or ""]
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if value is None or value == parameter.default or value in ((), [], False):
            continue
        given = value if isinstance(value, list | tuple) else [value]
        for word in given:
            text = Path(word).name if isinstance(word, Path) else str(word)
            words += [text] if parameter.param_type_name == "argument" else [parameter.opts[0], text]
    return shlex.join(words)


# Panel Rate: questions about one player: a lesson, progress.

_PLAYER = typer.Option(..., "--player", "-p", metavar="NAME", help="Whose. Part of the name is enough.")


@with_study
@prints_with_details
def lesson(
    study: Study,
    player: str = _PLAYER,
    positions: int = typer.Option(
        12, "--positions", min=1, max=200, metavar="N", help="How many positions, at most."
    ),
    pgn: Path | None = typer.Option(
        None,
        "--pgn",
        metavar="FILE",
        callback=writable,
        help="Also write them as PGN with comments, for any chess program, or to import as a study.",
    ),
) -> Answer:
    """Positions of a player worth an hour with a coach: easy misses, missed wins, turning points, good finds.

    Each with what was played, what was better and by how much, and how many of 100 players of the same rating
    and of the next level find it.
    """
    from assay.insights.lesson import lesson_pgn

    with analysing(study.recipe) as shown:
        answer = study.lesson(player, positions=positions, progress=shown)
    if pgn is not None:
        write_text(pgn, lesson_pgn(answer))
        say(f"{len(answer.moments)} positions written to {pgn}")
    return answer


@with_study
@prints
def progress(
    study: Study,
    player: str = _PLAYER,
    window: int | None = typer.Option(
        None, "--window", min=1, metavar="N", help="So many games in a row are one period, not a month."
    ),
    plot: Path | None = PLOT,
) -> Answer:
    """A player's rating by month, or by so many games in a row, with its trend in points of Elo a year."""
    with analysing(study.recipe) as shown:
        answer = study.progress(player, window=window, progress=shown)
    if plot is not None:
        from assay.report.insights import progress_figure

        write_figure(plot, progress_figure(answer))
    return answer


# Panel Rate: how unusual play is for a rating.


@with_study
@prints_with_details
def screen(
    study: Study,
    player: list[str] | None = PLAYER,
    by: Literal["player", "event", "game"] = by_option(By.PLAYER, By.PLAYER, By.EVENT, By.GAME),
    min_decisions: int = typer.Option(
        20, "--min-decisions", metavar="N", min=1, help="Do not screen players with fewer turns than this."
    ),
    rating_error: float = typer.Option(
        60.0,
        "--rating-error",
        metavar="POINTS",
        min=0.0,
        max=400.0,
        help="How far strength may be from the published rating (standard deviation).",
    ),
    unsure: list[str] | None = typer.Option(
        None,
        "--unsure",
        metavar="NAME",
        help="A junior, a comeback, a stale rating: this player's rating has an error of 150. Repeatable.",
    ),
    full: bool = typer.Option(
        False, "--full", help="Test those who stand out again with the recipe standard, which takes longer."
    ),
    report: Path | None = REPORT,
    plot: Path | None = PLOT,
) -> Screening:
    """Say whose play is unusual for the rating, and how many honest players would show it by chance.

    Moves are held against what players of that rating choose in these positions. Nothing here says that
    anybody did anything: docs/screening.md says what the test cannot do.
    """
    with analysing(study.recipe) as shown:
        screening = study.screen(
            players=player or None,
            by=by,
            min_decisions=min_decisions,
            rating_error=rating_error,
            unsure=unsure or (),
            full=full,
            progress=shown,
        )
    if report is not None:
        from assay.report.screening import screening_page

        write_text(report, screening_page(screening, source=study.source.name))
        say(f"the report is in {report}: open it in a browser")
    if plot is not None:
        from assay.report.screening import funnel_figure

        write_figure(plot, funnel_figure(screening))
    return screening
