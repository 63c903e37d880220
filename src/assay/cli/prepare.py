"""Panel Prepare: games in, analyses, what is there, tables out, the Elo scale, and what the machine lacks.

Long because a panel is one module, and every command declares its options and its help here.
"""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.cli.options import (
    ENGINE,
    JOBS,
    MAX,
    MIN_TURNS,
    OWN_MOVES,
    PLAYER_WHEN,
    RECIPE,
    SET,
    SINCE,
    TIME,
    UNTIL,
    WORKSPACE,
    prints,
    recipe_with,
    with_source,
    with_source_last,
    with_studies,
    workspace_of,
    writable,
)
from assay.cli.output import analysing, ask_to_remove, asking, importing, say, telling
from assay.settings import Evaluations

if TYPE_CHECKING:
    from assay.answers.answer import Answer, Facts
    from assay.rating.accuracy import Outcome
    from assay.source import Source
    from assay.study import Study
    from assay.workspace import Workspace
    from assay.workspace.removal import Removal, RemovalReport


_MOST_FAILURES = 10
"""Positions put aside that are named."""


class Table(StrEnum):
    """What can be exported."""

    GAMES = "games"
    DECISIONS = "decisions"
    RATINGS = "ratings"
    PGN = "pgn"


class Comments(StrEnum):
    """How evaluations stand in exported PGN."""

    LICHESS = "lichess"
    ALLIOT = "alliot"
    FULL = "full"


class Format(StrEnum):
    """In which format."""

    PARQUET = "parquet"
    CSV = "csv"
    JSONL = "jsonl"


@prints
def import_games(
    sources: list[str] | None = typer.Argument(
        None,
        metavar="GAMES...",
        help="PGN files (.gz, .bz2, .zst, .zip too), folders of them, - for standard input, or accounts: "
        "lichess:NAME, chesscom:NAME.",
    ),
    workspace: Path | None = WORKSPACE,
    since: str | None = SINCE,
    until: str | None = UNTIL,
    most: int | None = MAX,
    time: str | None = typer.Option(
        None,
        "--time",
        metavar="CLASSES",
        help="Fetch these time classes of a lichess account. If not given: all.",
        rich_help_panel="Accounts",
    ),
    aliases: Path | None = typer.Option(
        None,
        "--aliases",
        metavar="FILE",
        help="Text file with lines 'name = player', for names that mean one player. Kept for later imports.",
    ),
    spelling: Path | None = typer.Option(
        None,
        "--spelling",
        metavar="FILE",
        help="Names and ratings, a file of Scid. If not given: Debian's scid-rating-data, if installed.",
    ),
    evaluations: str | None = typer.Option(
        None,
        "--evaluations",
        metavar="FILE",
        help="Take what positions are worth from lichess_db_eval.jsonl.zst: no engine needed.",
    ),
) -> Answer | None:
    """Read games into a workspace. All are kept; those that must not be rated are marked, with a reason.

    Games of one account go into a workspace of its own, which every command finds by the account's name.
    """
    from assay.answers.answer import Facts
    from assay.errors import InputError
    from assay.pgn.accounts import Account, WantedGames
    from assay.settings import find_settings
    from assay.source import default_workspace
    from assay.workspace import Workspace

    wanted = WantedGames.parse(since, until, most, time)
    accounts = [Account.parse(source) for source in sources or ()]
    if wanted != WantedGames() and not any(accounts):
        raise InputError(
            "--since, --until, --max and --time are for accounts: name one, such as lichess:NAME"
        )
    alone = accounts[0] if len(accounts) == 1 else None
    place = workspace or (default_workspace() if alone is None else alone.folder)
    opened = Workspace(place)
    if not sources and evaluations is None:
        raise InputError("name the PGN files to import, or evaluations with --evaluations FILE")
    answer: Answer | None = None
    if sources:
        known = aliases or find_settings(place).aliases or None
        answer = opened.import_games(
            sources, aliases=known, spelling=spelling, progress=importing(), say=say, wanted=wanted
        )
        if alone is not None:
            say(f"the games of {alone} are in {place}")
    if evaluations is not None:
        added = opened.import_evaluations(evaluations)
        found = f"{added:,} positions of the games were found in {evaluations}"
        if answer is None:
            return Facts(found, {"positions": added})
        say(found)
    return answer


@with_source
@prints
def status(source: Source) -> Answer:
    """Say what is in a workspace: games, players, analyses, and what is still to do."""
    from assay.answers.prepared import WorkspaceStatus

    opened = workspace_of(source)
    return WorkspaceStatus(str(opened.path), opened.status())


@with_source
@prints
def analyse(
    source: Source,
    recipe: str | None = RECIPE,
    engine_settings: list[str] | None = SET,
    engine: str | None = ENGINE,
    jobs: int | None = JOBS,
    cluster: str | None = typer.Option(
        None,
        "--cluster",
        metavar="ADDRESS",
        help="Use a cluster: address of a Dask scheduler, such as tcp://host:8786.",
    ),
    player: list[str] | None = PLAYER_WHEN,
    own_moves: bool = OWN_MOVES,
    time: str | None = TIME,
    min_turns: int | None = MIN_TURNS,
    limit: int | None = typer.Option(None, "--limit", metavar="N", help="At most this many positions now."),
    syzygy: str | None = typer.Option(
        None, "--syzygy", metavar="FOLDER", help="Folder with Syzygy endgame tables."
    ),
    dry_run: bool = typer.Option(
        False, "--dry-run", help="Only say how many positions there are to do, and how long it takes."
    ),
) -> Answer:
    """Have the engine analyse every position that is not analysed yet.

    Stop it at any time with Ctrl-C. Called again, it goes on where it was. The exit code is 3 if the engine
    failed on some positions.
    """
    from assay.decisions.exclusions import Choice
    from assay.engine.engines import EngineConfig
    from assay.engine.run import estimate
    from assay.settings import find_settings

    settings = find_settings(source.place)
    config = EngineConfig(engine or settings.engine, syzygy=syzygy)
    jobs = settings.jobs if jobs is None else jobs
    opened = workspace_of(source)
    chosen = opened.find_recipe(recipe_with(recipe or settings.recipe, engine_settings, source))
    choice = Choice.parse(time, min_turns)
    if dry_run:
        backlog = opened.backlog(
            chosen,
            players=player or None,
            limit=limit,
            engine=config,
            choice=choice,
            own_moves=own_moves,
        )
        return estimate(backlog, config, jobs)
    with analysing(chosen.name, say_so=False) as shown:
        report = opened.analyse(
            chosen,
            jobs=jobs,
            cluster=cluster,
            players=player or None,
            limit=limit,
            engine=config,
            choice=choice,
            own_moves=own_moves,
            progress=shown,
        )
    for failure in report.failures[:_MOST_FAILURES]:
        say(f"put aside: {failure.position_key}: {failure.reason}")
    return report


@with_source_last
def export(
    source: Source,
    table: Table = typer.Argument(..., help="What to write."),
    format_: Format | None = typer.Option(
        None, "--format", help="Format of the output. If not given: that of the file's name, else csv."
    ),
    out: Path | None = typer.Option(
        None, "--out", "-o", metavar="FILE", help="File to write. If not given: standard output."
    ),
    recipe: str | None = typer.Option(
        None, "--recipe", help="Take the analyses of this recipe, if there are several."
    ),
    evaluations: Evaluations = typer.Option(
        Evaluations.AUTO,
        "--evaluations",
        help="Of decisions: those of the engine, or those in the file's comments; auto: what there is.",
    ),
    comments: Comments = typer.Option(
        Comments.LICHESS,
        "--comments",
        help="Comments in PGN: evaluations as lichess or as Alliot wrote them; full: also ?!, ?, ?? and "
        "the better move with the engine's line, and how many players of 1800 play the move.",
    ),
    difficulty: bool = typer.Option(
        False,
        "--difficulty",
        help="Of decisions: also what players of 1500, 2000 and 2500 lose there, how often they find a move "
        "as good as the played one, and how complex the position is. Takes longer.",
    ),
) -> None:
    """Write games, decisions or ratings for other programs, or analysed games as PGN with evaluations."""
    from assay.errors import InputError

    opened = workspace_of(source)
    if table is Table.PGN:
        if format_ is not None:
            raise InputError("PGN has a format of its own: leave --format out, or choose it with --comments")
        shares = None
        if comments is Comments.FULL:
            from assay.insights.difficulty import shares_of

            shares = shares_of(opened.recipe_id(recipe))
        written = opened.export_pgn(out, recipe=recipe, form=comments.value, shares=shares)
        what = "games"
    else:
        by_name = "" if out is None else out.suffix.removeprefix(".").lower()
        chosen = format_.value if format_ else by_name if by_name in tuple(Format) else Format.CSV.value
        of = _valued_by(opened, evaluations, recipe) if table is Table.DECISIONS else recipe
        more = None
        if difficulty and table is Table.DECISIONS:
            from assay.insights.difficulty import columns_of

            more = columns_of(of or opened.recipe_id())
        written, what = opened.export(table.value, chosen, out, recipe=of, more=more), "rows"
    if out is not None:
        say(f"{written:,} {what} written to {out}")


def _valued_by(opened: Workspace, evaluations: Evaluations, recipe: str | None) -> str | None:
    """The recipe of the decisions to write; auto: the engine's, the comments' where nothing is analysed."""
    from assay.decisions.evaluation import ANNOTATED
    from assay.errors import InputError

    if evaluations is Evaluations.FILE:
        if recipe is not None:
            raise InputError("evaluations of the file are of no recipe: leave --recipe or --evaluations out")
        return ANNOTATED
    nothing_analysed = recipe is None and not opened.table_analyses.count()
    if evaluations is Evaluations.AUTO and nothing_analysed and opened.table_annotations.count():
        return ANNOTATED
    return recipe


@prints
def remove(
    place: Path = typer.Argument(
        ..., metavar="WORKSPACE", help="The workspace to remove from; an account (lichess:NAME) to forget."
    ),
    player: list[str] | None = typer.Option(
        None,
        "--player",
        "-p",
        metavar="NAME",
        help="All games of this player, or those of some years: Tal@1958-1960. May be repeated.",
    ),
    event: list[str] | None = typer.Option(
        None, "--event", metavar="NAME", help="All games of this event. May be repeated."
    ),
    game: list[str] | None = typer.Option(
        None, "--game", metavar="ID", help="One game, by its id in `assay export games`. May be repeated."
    ),
    yes: bool = typer.Option(False, "--yes", "-y", help="Remove it without asking."),
) -> Answer:
    """Remove games of a player or an event from a workspace, and what is there only because of them.

    Analyses of positions that no other game has go too, and the names of players who have no other game.
    Whole or not at all: a removal that is broken off has removed everything or nothing. Of an account
    everything goes, unless players, events or games of it are named.
    """
    from assay.answers.answer import Facts
    from assay.pgn.accounts import Account
    from assay.workspace import Workspace

    account = Account.parse(place)
    opened = Workspace(account.folder if account is not None else place)
    if account is not None and not (player or event or game):
        opened.require()
        games = opened.table_games.count()
        what = f"{games:,} games of {account}, with their analyses"
        if yes:
            say(f"removing {what}")
        else:
            ask_to_remove(what)
        opened.remove_all()
        return Facts(f"removed {what}: {opened.path} is gone", {"games": games})
    planned = opened.plan_removal(players=player or (), events=event or (), game_ids=game or ())
    if yes:
        say(f"removing {planned.in_words()}")
    else:
        ask_to_remove(planned.in_words())
    return removed(opened.path, planned, opened.remove(planned))


def removed(place: Path, planned: Removal, report: RemovalReport) -> Facts:
    """How much went, and where else a name may stand."""
    from assay.answers.answer import Facts
    from assay.settings import NAME as SETTINGS

    text = (
        f"removed from {place}: {report.games:,} games, {report.players:,} players, {report.analyses:,} "
        f"analysed positions; a file that they came from would bring them back if it is imported again"
    )
    try:
        written = (place / SETTINGS).read_text(encoding="utf-8", errors="replace")
    except OSError:
        written = ""
    if any(name in written for name in [*planned.names.to_pylist(), *planned.players.to_pylist()]):
        text += f"; {place / SETTINGS} still names them: edit it"
    return Facts(text, asdict(report))


@with_studies(
    typer.Argument(
        None,
        metavar="[GAMES]...",
        help="Games of players with ratings: PGN files, workspaces, files of decisions. None with --like.",
        show_default=False,
    )
)
@prints
def calibrate(
    studies: list[Study],
    chosen: dict[str, Any],
    out: Path | None = typer.Option(
        None,
        "--out",
        "-o",
        metavar="FILE",
        callback=writable,
        help="File to write. If not given: among your own calibrations, where assay rate finds it.",
    ),
    check: bool = typer.Option(
        False,
        "--check",
        help="Also measure it: rate games with a scale made from the others.",
    ),
    like: str | None = typer.Option(
        None,
        "--like",
        metavar="RECIPE",
        help="Without GAMES: the scale of this recipe with Stockfish 15.1, standard or quick, carried over.",
    ),
) -> Answer:
    """Make an Elo scale for an engine and a recipe, from games of players with known ratings.

    Or, with --like and no games: the engine analyses positions that come with assay, in some minutes, and
    gets the scale of Stockfish 15.1, with the error that this adds.
    """
    from assay.errors import InputError
    from assay.rating.accuracy import calibration_summary, held_out
    from assay.rating.calibration import place_of
    from assay.study import calibrate as fit

    if like is not None:
        if studies or check:
            raise InputError("--like takes positions that come with assay: leave out GAMES and --check")
        return _carry_over(like, out, **chosen)
    if not studies:
        raise InputError("name GAMES of players with ratings, or, without any, use --like standard")
    with analysing(studies[0].recipe) as shown:
        made, appearances = fit(studies, progress=shown)
    path = out or place_of(made.recipe_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    made.write(path)
    outcomes: list[Outcome] = []
    if check:
        try:
            outcomes = held_out(appearances)
        except InputError:
            say("not checked: there are too few games to make a scale from half of them")
    return calibration_summary(made, path, outcomes)


def _carry_over(
    like: str,
    out: Path | None,
    *,
    recipe: str | None,
    engine: str | None,
    engine_settings: list[str] | None,
    jobs: int | None,
    yes: bool,
    **_: Any,
) -> Answer:
    """The scale of a recipe with Stockfish 15.1 for another engine; how long it takes is said first."""
    from assay.answers.answer import Facts
    from assay.engine.engines import EngineConfig, check_signature
    from assay.engine.recipe import find_recipe, parse_settings
    from assay.errors import InputError
    from assay.rating import bridge
    from assay.rating.calibration import place_of, shipped
    from assay.settings import find_settings

    settings = find_settings()
    named = find_recipe(recipe or like).with_settings(parse_settings(engine_settings or ()))
    config, jobs = EngineConfig(engine or settings.engine), jobs or settings.jobs
    scale, positions = bridge.native(like)
    backlog = bridge.backlog_of(positions, named, config)
    check_signature(config, named)
    made_for = shipped(backlog.recipe_id)
    if made_for is not None and made_for.carried_from is None:
        raise InputError(f"{named.name} with {backlog.identity.name} has a native scale, and needs no other")
    path = out or place_of(backlog.recipe_id)
    telling(None if yes else asking(jobs), jobs)(backlog, config)
    with analysing(named.name, say_so=False) as shown:
        analysed = bridge.analyse(positions, backlog, config, jobs=jobs, progress=shown)
    about = {"engine": backlog.identity.name, "recipe": named.name}
    made = bridge.carry_over(
        scale,
        positions,
        analysed,
        about,
        least_agreement=bridge.AGREEMENT[like],
        more_error=bridge.SYSTEMATIC[like],
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    made.write(path)
    carried = made.about["bridge"]
    text = (
        f"{named.name} with {backlog.identity.name} has the Elo scale of {like} with {carried['engine']}, by "
        f"{made.about['positions']:,} positions: rank correlation {carried['agreement']:.2f}, standard error "
        f"{carried['error']:.0f} points, which is in every 95% range. assay rate uses it from {path}"
    )
    return Facts(text, {"path": str(path), "recipe_id": made.recipe_id, **made.about})


@prints
def doctor(
    place: Path | None = typer.Argument(
        None,
        metavar="WORKSPACE",
        help="Check this workspace: what is whole, damaged or missing. If not given: this machine.",
        show_default=False,
    ),
    repair: bool = typer.Option(
        False,
        "--repair",
        help="Go on without what is damaged: it is set aside in the workspace's folder damaged, not deleted.",
    ),
    engine: str | None = ENGINE,
    workspace: Path | None = WORKSPACE,
) -> Answer:
    """Check this machine (engine, packages, disk, cores) or a workspace. Exit code 1: there is a problem."""
    from assay.answers.answer import Rows
    from assay.doctor import examine, examine_workspace, repair_workspace
    from assay.errors import InputError
    from assay.settings import find_settings
    from assay.source import default_workspace

    if place is None:
        if repair:
            raise InputError("name the workspace to repair: assay doctor WORKSPACE --repair")
        findings = examine(engine or find_settings().engine, workspace or default_workspace())
    else:
        if repair:
            repair_workspace(place, say)
        findings = examine_workspace(place)
    return Rows(
        "This machine" if place is None else f"The workspace {place}",
        [asdict(one) for one in findings],
        ("check", "ok", "found", "advice"),
        cell=lambda name, value: ("ok" if value else "PROBLEM") if name == "ok" else value,
        headings={"ok": "", "advice": "what to do"},
        exit_code=0 if all(one.ok for one in findings) else 1,
    )


@prints
def recipes(engine: str | None = ENGINE) -> Answer:
    """List the recipes: how deep and how broadly the engine looks, and which have an Elo scale with it."""
    from assay.answers.prepared import Recipes
    from assay.doctor import calibrations
    from assay.engine.recipe import NAMED
    from assay.rating.scale import kind_of, scale_of
    from assay.settings import find_settings

    found, name = calibrations(engine or find_settings().engine)
    columns = ("name", "limit", "lines", "hash_mb", "first_turn", "meaning")
    short = [
        {column: getattr(recipe, column) for column in columns}
        | {"scale": scale_of(found.get(recipe.name)), "calibration": kind_of(found.get(recipe.name))}
        for recipe in NAMED.values()
    ]
    return Recipes([recipe.describe() for recipe in NAMED.values()], short, name)
