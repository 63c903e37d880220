"""Panel Rate: the main job."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from assay.cli.options import Drawn, Written, command, open_study
from assay.cli.output import analysing, bar, importing, say, write_figure, write_text
from assay.decisions.grouping import RATED_BY, By
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.answers.answer import Answer
    from assay.answers.ratings import StreamedRatings
    from assay.answers.screening import Screening
    from assay.study import Study


Whole = Literal["player", "year", "event", "game"]
Sliced = Literal["phase", "colour", "month", "opening", "clock", "opponent", "pieces"]


class Besides(StrEnum):
    """What may count besides the moves."""

    RESULTS = "results"
    CLOCKS = "clocks"


@command(details=True, study=open_study)
def rate(
    study: Study,
    context: typer.Context,
    player: list[str] | None = None,
    method: list[str] | None = None,
    by: Literal[Whole, Sliced, "rating-band"] = "player",
    min_decisions: int = 10,
    all_players: bool = False,
    report: Written = None,
    plot: Drawn = None,
    calibration: Path | None = None,
    prior: Literal["population", "flat", "rating"] = "population",
    with_: list[Besides] | None = None,
    stream: bool | None = None,
    cluster: str | None = None,
    population: Written = None,
) -> Answer:
    """Rate the players of some games by their moves, with 95% ranges. --details adds the papers' methods.

    Reads the games, has the engine analyse positions that are not analysed yet, and keeps both in a folder
    beside the file. Called again, it starts from there.

    $ assay rate games.pgn

    --min-decisions N (1..)  Do not rate players with fewer moves than this after the opening.
    --calibration FILE  Elo scale made by `assay calibrate`. If not given: the one that fits.
    --prior  Assume before any move: players as those of such games, each event with a level of
        its own (population); any rating of the scale (flat); or each player's published rating (rating).
    --with  Rate by the results of these games as well, all players together; or by the clocks, of
        evaluated lichess bullet games. May be given twice.
    Output:
    --all-players  Print everyone: opponents of a player who is in every game, those with fewer than four.
    Streaming:
    --stream/--no-stream  Rate games that contain evaluations without keeping them: for a month of a
        server. If not given: with --evaluations file, from 50 MB of PGN on, where no workspace is there.
    --cluster ADDRESS  Stream on a cluster: address of a Dask scheduler, such as tcp://host:8786.
    --population FILE  Stream, and write how what is measured is distributed over players (JSON).
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
    if not sliced and (how := study.how_rated()):
        say(how)
    if not player and not all_players and (subject := study.subject()) is not None:
        player = [subject]
    with analysing(study.recipe) as shown, bar("Rating") as rating:
        asked: dict[str, Any] = {
            "players": player or None,
            "methods": method or None,
            "calibration": scale,
            "prior": prior,
            "with_results": "results" in (with_ or ()),
            "with_clocks": "clocks" in (with_ or ()),
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
    if scale is None and with_ is None:
        asked["history"] = False
        ratings = study.rate_others(ratings, by=by, min_decisions=min_decisions, **asked)
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
    say("the games are streamed: no workspace is written")
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


# Questions about one player, and how unusual play is for a rating.


@command(details=True, study=open_study)
def lesson(study: Study, player: str | None = None, positions: int = 12, pgn: Written = None) -> Answer:
    """Positions of a player worth an hour with a coach: easy misses, missed wins, turning points, good finds.

    Each with what was played, what was better and by how much, and how many of 100 players of the same rating
    and of the next level find it.

    $ assay lesson games.pgn --player Carlsen

    --player, -p NAME  Whose. Part of the name is enough; years or an event may follow: Fischer@1971. If not
        given: who is in every game.
    --positions N (1..200)  How many positions, at most.
    --pgn FILE  Also write them as PGN with comments, for any chess program, or to import as a study.
    """
    from assay.insights.lesson import lesson_pgn

    with analysing(study.recipe) as shown:
        answer = study.lesson(player, positions=positions, progress=shown)
    if pgn is not None:
        write_text(pgn, lesson_pgn(answer))
        say(f"{len(answer.moments)} positions written to {pgn}")
    return answer


@command(study=open_study)
def progress(
    study: Study, player: str | None = None, window: int | None = None, plot: Drawn = None
) -> Answer:
    """Rate a player month by month, or by N consecutive games, with the trend in points a year.

    $ assay progress games.pgn --player Carlsen

    --player, -p NAME  Whose. Part of the name is enough; years or an event may follow: Fischer@1971. If not
        given: who is in every game.
    --window N (1..)  Group by N consecutive games instead of by month.
    """
    with analysing(study.recipe) as shown:
        answer = study.progress(player, window=window, progress=shown)
    if plot is not None:
        from assay.report.insights import progress_figure

        write_figure(plot, progress_figure(answer))
    return answer


@command(details=True, study=open_study)
def screen(
    study: Study,
    player: list[str] | None = None,
    by: Literal["player", "event", "game"] = "player",
    min_decisions: int = 20,
    unsure: list[str] | None = None,
    fide_list: Path | None = None,
    full: bool = False,
    dossier: tuple[str, Path] | None = None,
    report: Written = None,
    plot: Drawn = None,
) -> Screening:
    """Show whose play is unusual for the rating, and how many honest players would show it by chance.

    Moves are compared with what players of that rating choose in these positions. An unusual result does not
    show what anybody did: it should open a question, never close one.

    $ assay screen games.pgn

    --min-decisions N (1..)  Do not screen players with fewer turns than this.
    --unsure NAME  Allow more error for this player's rating: a junior, a comeback. May be repeated.
    --fide-list FILE  Find juniors, seniors, inactive and new players in a FIDE list: its XML, or CSV.
    --dossier PLAYER FILE  Write one HTML document about a player: limits, games, decisions, how to repeat it.
    --full  Test those who stand out again with the recipe standard, which takes longer.
    """
    with analysing(study.recipe) as shown:
        screening = study.screen(
            players=player or None,
            by=by,
            min_decisions=min_decisions,
            unsure=unsure or (),
            fide_list=fide_list,
            full=full,
            detailed=dossier and dossier[0],
            progress=shown,
        )
    if dossier is not None:
        from assay.report.screening import dossier_page

        write_text(dossier[1], dossier_page(screening, dossier[0], source=study.source.name))
        say(f"the dossier is in {dossier[1]}: open it in a browser")
    if report is not None:
        from assay.report.screening import screening_page

        write_text(report, screening_page(screening, source=study.source.name))
        say(f"the report is in {report}: open it in a browser")
    if plot is not None:
        from assay.report.screening import funnel_figure

        write_figure(plot, funnel_figure(screening))
    return screening
