"""Panel Rate: ratings, lessons, progress, screening, a game while it is played, and the same in a browser."""

from __future__ import annotations

import math
import os
import shlex
import sys
from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from itertools import takewhile
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from assay.cli.options import (
    LIMIT,
    Drawn,
    EngineProfile,
    Made,
    Methods,
    Written,
    command,
    open_games,
    open_study,
)
from assay.cli.output import analysing, bar, close, importing, print_table, say, show, write_text
from assay.decisions.grouping import RATED_BY, By
from assay.errors import InputError
from assay.settings import Evaluations, names_server

if TYPE_CHECKING:
    from assay.answers.answer import Answer
    from assay.answers.live import LiveGame
    from assay.answers.ratings import StreamedRatings
    from assay.answers.screening import Screening
    from assay.models.gain import GainModel
    from assay.study import Study


Whole = Literal["player", "year", "event", "game"]
Sliced = Literal["phase", "colour", "month", "opening", "clock", "opponent", "pieces"]


class Besides(StrEnum):
    """What may count besides the moves."""

    RESULTS = "results"
    CLOCKS = "clocks"


@command(details=True, plots=True, study=open_study)
def rate(
    study: Study,
    context: typer.Context,
    player: list[str] | None = None,
    method: Methods = None,
    by: Literal[Whole, Sliced, "rating-band"] = "player",
    min_decisions: int = 10,
    all_players: bool = False,
    report: Written = None,
    calibration: Made = None,
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
    --calibration FILE  Use this Elo scale, made by `assay calibrate`. If not given: the one that fits.
    --prior  Assume before any move: players as those of such games, each event with a level of
        its own (population); any rating of the scale (flat); or each player's published rating (rating).
    --with  Rate by the results of these games as well, all players together (ranges are then narrower, and
        cover 93% instead of 97% in held-out events); or by the clocks, of evaluated lichess bullet games.
        May be given twice.
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
        "--plot": context.params["plot"],
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
    from assay.rating.measures import populations

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
    --positions N (1..200)  Print at most N positions.
    --pgn FILE  Also write them as PGN with comments, for any chess program, or to import as a study.
    """
    from assay.insights.lesson import lesson_pgn

    with analysing(study.recipe) as shown:
        answer = study.lesson(player, positions=positions, progress=shown)
    if pgn is not None:
        write_text(pgn, lesson_pgn(answer))
        say(f"{len(answer.moments)} positions written to {pgn}")
    return answer


@command(plots=True, study=open_study)
def progress(study: Study, player: str | None = None, window: int | None = None) -> Answer:
    """Rate a player month by month, or by N consecutive games, with the trend in points a year.

    $ assay progress games.pgn --player Carlsen

    --player, -p NAME  Whose. Part of the name is enough; years or an event may follow: Fischer@1971. If not
        given: who is in every game.
    --window N (1..)  Group by N consecutive games instead of by month.
    """
    with analysing(study.recipe) as shown:
        return study.progress(player, window=window, progress=shown)


@command(details=True, plots=True, study=open_study)
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
) -> Screening:
    """Show whose play is unusual for the rating, and how many honest players would show it by chance.

    Moves are compared with what players of that rating choose in these positions. An unusual result does not
    show what anybody did: it should open a question, never close one.

    $ assay screen games.pgn

    --min-decisions N (1..)  Do not screen players with fewer moves than this.
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
    return screening


# Both players while a game is being played. The command prints by itself: a game that is followed has no end.

_TURNS_ON_SCREEN = 15


@command(prints=False)
def live(
    game: Path = typer.Argument(
        ..., metavar="GAME.pgn", help="PGN file with the game. If it has several: the last."
    ),
    follow: bool = False,
    every: float = 1.0,
    game_number: int | None = typer.Option(
        None, "--game", metavar="N", help="Take this game of the file: 1 is the first."
    ),
    plot: Drawn = None,
    evaluations: Evaluations = Evaluations.AUTO,
    perceived: bool = False,
    engine_from: Path | None = None,
    engine_profile: EngineProfile = "measured",
    engine_strength: float | None = None,
    limit: int = LIMIT,
    recipe: str | None = None,
    engine: str | None = None,
    json: bool = False,
    csv: bool = False,
) -> None:
    """Ratings of both players after every move of a game, while it is being played.

    On the Elo scale where recipe and engine have one, as `assay rate` has them; else the methods' measures.
    What is analysed is kept in the workspace beside the file, where `assay rate` finds it.

    $ assay live game.pgn --follow

    --follow  Watch the file, and go on until the game has a result.
    --every SECONDS (0.05..)  Look at the file again after this many seconds.
    The number of the paper:
    --perceived  Also print the paper's own number, perceived strength, which is not Elo. Needs --engine-from,
        or --engine-profile peak.
    --engine-from GAMES  Analysed games of rated players, same recipe: the engine's rating and the way it
        plays are measured from them.
    --engine-profile  Choose how the engine itself would play. measured: from --engine-from. peak: as in the
        paper, it never changes its mind.
    --engine-strength RATING  Rating of the engine. Without it, differences to the engine are shown.
    """
    if not game.exists():
        raise InputError(f"{game} does not exist: give the PGN file of a game")
    from assay.figures.figure import write_figure as draw
    from assay.live.analysis import analysis_of, evaluator_of
    from assay.live.game import follow as watch
    from assay.live.game import read_game
    from assay.report.figures import live_figure
    from assay.source import beside
    from assay.workspace import Workspace

    if engine_strength is not None and not math.isfinite(engine_strength):
        raise InputError(f"--engine-strength takes a rating such as 2800, not {engine_strength}")
    with evaluator_of(evaluations, recipe, engine) as evaluator:
        from_file = evaluator is None
        model = None
        if perceived or engine_from is not None or engine_strength is not None:
            recipe_id = None if evaluator is None else evaluator.recipe_id
            model = _perceived_model(limit, engine_strength, engine_from, engine_profile, recipe_id)
        analysis, printed = None, list[str]()
        for so_far in watch(game, game_number, every=every) if follow else [read_game(game, game_number)]:
            # Evaluations may come later than moves, but not after the result.
            if from_file and not so_far.evaluated and (not follow or so_far.record.result is not None):
                raise InputError(
                    f"the game in {game} has no evaluations in its comments ([%eval ...]): use --evaluations "
                    "engine"
                )
            # The first look at the file shows whose values it brings along.
            analysis = analysis or analysis_of(
                evaluator, so_far, perceived=model, limit=limit, workspace=Workspace(beside(game))
            )
            with bar("Evaluating") as shown:
                live = analysis.update(so_far, shown.show)
            if plot is not None:
                draw(plot, live_figure(live))
            if follow:
                print_new(live, printed, json, csv and not json)
            else:
                show(live, json=json, csv=csv)


def print_new(live: LiveGame, printed: list[str], as_json: bool, as_csv: bool) -> None:
    """Print a game that goes on: anew on a terminal; elsewhere one line for each move not `printed` yet."""
    from assay.answers.answer import to_csv

    close()
    if sys.stdout is not None and sys.stdout.isatty() and not (as_json or as_csv):
        print("\033[H\033[2J", end="")
        for words in live.words(last=_TURNS_ON_SCREEN):
            print_table(words)
        return
    if not printed:
        for note in live.notes:
            say(note)
    moves = [move.san for move in live.moves]
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(moves, printed, strict=False)))
    for place, move in enumerate(live.moves[same:], same):
        if as_json:
            line = dumps(live.move_to_dict(move), ensure_ascii=False, allow_nan=False)
        elif as_csv:
            row = live.row(move)  # the names of the columns stand before the first
            header, *line_of_move = to_csv([row], list(row)).splitlines()
            line = "\n".join([header, *line_of_move] if not place and not printed else line_of_move)
        else:
            line = live.line(move)
        print(line, flush=True)
    printed[:] = moves


def _perceived_model(
    limit: int,
    engine_strength: float | None,
    engine_from: Path | None,
    profile: EngineProfile,
    recipe_id: str | None,
) -> GainModel:
    """The paper's method: the engine measured from other games, or its peak where that is asked for."""
    from assay.decisions.decisions import Decisions
    from assay.models.gain import GainModel, measured_engine
    from assay.source import Valuation, open_source

    if engine_from is None and profile != "peak":
        raise InputError(
            "perceived strength is counted from the engine, and one game does not show how it plays: give "
            "analysed games with --engine-from, or take the paper's peak with --engine-profile peak"
        )
    if engine_from is not None and profile == "peak":
        raise InputError("--engine-from measures the engine, and peak does not: choose one of them")
    if engine_from is None:
        return GainModel(limit=limit, engine_profile="peak", engine_strength=engine_strength)
    analysed = open_source(engine_from).decisions(Valuation(analysed=recipe_id or True), at_once=True)
    model = measured_engine(Decisions.concat(analysed), limit=limit)
    if engine_strength is not None:
        model.engine_strength = engine_strength
    return model


# The same in a browser.


@command(prints=False)
def serve(
    folder: Path | None = typer.Argument(
        None,
        metavar="FOLDER",
        help="Folder that keeps games and analyses: a workspace, or one that has or gets one, "
        "games.assay; or a PGN file, or an account: lichess:NAME. If not given: this folder.",
        show_default=False,
    ),
    port: int | None = None,
    no_browser: bool = False,
    host: str = "127.0.0.1",
    most: float = 500.0,
    export: Path | None = None,
    recipe: str | None = None,
    engine: str | None = None,
    jobs: int | None = None,
    time: str | None = None,
    min_turns: int | None = None,
) -> None:
    """The same in a browser: drop games, watch them being analysed, look at players and games.

    $ assay serve

    Server:
    --port N (0..65535)  Listen at this port. If not given: 8765, or the next that is free.
    --no-browser  Only print the address.
    --host ADDRESS  Listen there too, such as 0.0.0.0 for other machines: the address then has a token.
    --most MB (0.001..)  Refuse uploads larger than this.
    --export FOLDER  Write the pages of tournaments, players and games as files for a site, and end.
    """
    try:
        from assay.web.server import serve as run
        from assay.web.site import Options, Site
    except ModuleNotFoundError as error:
        raise InputError(
            f"assay serve needs the package {error.name}: pip install starlette uvicorn"
        ) from None
    from assay.web.security import is_loopback

    options = Options(
        recipe=recipe,
        engine=engine,
        jobs=jobs,
        time=time,
        min_turns=min_turns,
        most_bytes=round(most * 1e6),
        anywhere=is_loopback(host),
    )
    place = folder or Path(os.environ.get("ASSAY_WORKSPACE") or ".")
    if names_server(place) or place.is_file():
        place = open_games(place).import_games().path
    site = Site(place, options)
    site.choice  # noqa: B018 - refuses what is no choice
    if export is not None:
        from assay.web.publish import publish

        say(f"{publish(site, export, say):,} pages written: open {export / 'index.html'}")
        return
    run(site, host=host, port=port, browser=not no_browser, say=say)
