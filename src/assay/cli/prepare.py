"""Panel Prepare: games in, analyses, what is there, tables out, the Elo scale, and what the machine lacks."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from assay.cli.options import Written, command, open_games, open_study, recipe_with, workspace_of
from assay.cli.output import analysing, ask_to_remove, asking, importing, say, telling
from assay.errors import InputError
from assay.settings import Evaluations, find_settings

if TYPE_CHECKING:
    from assay.answers.answer import Answer, Facts
    from assay.rating.accuracy import Outcome
    from assay.source import Source
    from assay.study import Study
    from assay.workspace import Workspace
    from assay.workspace.removal import Removal, RemovalReport


_MOST_FAILURES = 10
"""Positions put aside that are named."""

FORMATS = ("parquet", "csv", "jsonl")


@command()
def import_games(
    sources: list[str] | None = typer.Argument(
        None,
        metavar="GAMES...",
        help="PGN files (.gz, .bz2, .zst, .zip too), folders of them, - for standard input, or accounts: "
        "lichess:NAME, chesscom:NAME.",
    ),
    workspace: Path | None = None,
    since: str | None = None,
    until: str | None = None,
    max_: int | None = None,
    time: str | None = None,
    aliases: Path | None = None,
    spelling: Path | None = None,
    evaluations: str | None = None,
) -> Answer | None:
    """Read games into a workspace. All are kept; those that must not be rated are marked, with a reason.

    Games of one account go into a workspace of its own, which every command finds by the account's name.

    $ assay import games.pgn --workspace games.assay

    --aliases FILE  Join names by a text file with lines 'name = player'. Kept for later.
    --spelling FILE  Take names and ratings from a file of Scid. If not given: Debian's scid-rating-data,
        if installed.
    --evaluations FILE  Take what positions are worth from lichess_db_eval.jsonl.zst: no engine needed.
    Accounts:
    --time CLASSES  Fetch these time classes of a lichess account. If not given: all.
    """
    from assay.answers.answer import Facts
    from assay.pgn.accounts import Account, WantedGames
    from assay.source import default_workspace
    from assay.workspace import Workspace

    wanted = WantedGames.parse(since, until, max_, time)
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
            say(f"the games of {alone} are in {place}; assay rate {alone} rates them by time class")
    if evaluations is not None:
        added = opened.import_evaluations(evaluations)
        found = f"{added:,} positions of the games were found in {evaluations}"
        if answer is None:
            return Facts(found, {"positions": added})
        say(found)
    return answer


@command(source=open_games)
def status(source: Source) -> Answer:
    """Show what is in a workspace: games, players, analyses, and what is still to do.

    $ assay status games.pgn
    """
    from assay.answers.prepared import WorkspaceStatus
    from assay.source import Valuation

    opened = workspace_of(source)
    return WorkspaceStatus(str(opened.path), opened.status(source.choice(Valuation())))


@command(source=open_games)
def analyse(
    source: Source,
    recipe: str | None = None,
    set_: list[str] | None = None,
    engine: str | None = None,
    jobs: int | None = None,
    cluster: str | None = None,
    player: list[str] | None = None,
    own_moves: bool = False,
    time: str | None = None,
    min_turns: int | None = None,
    limit: int | None = None,
    syzygy: str | None = None,
    dry_run: bool = False,
) -> Answer:
    """Have the engine analyse every position that is not analysed yet.

    Stop it at any time with Ctrl-C. Called again, it goes on where it was. The exit code is 3 if the engine
    failed on some positions.

    $ assay analyse games.pgn --recipe quick

    --cluster ADDRESS  Use a cluster: address of a Dask scheduler, such as tcp://host:8786.
    --limit N  Analyse at most this many positions now.
    --syzygy FOLDER  Use the Syzygy endgame tables in this folder.
    --dry-run  Only print how many positions there are to do, and how long it takes.
    """
    from assay.decisions.exclusions import Choice
    from assay.engine.engines import EngineConfig
    from assay.engine.run import estimate

    settings = find_settings(source.place)
    config = EngineConfig(engine or settings.engine, syzygy=syzygy)
    jobs = settings.jobs if jobs is None else jobs
    opened = workspace_of(source)
    chosen = opened.find_recipe(recipe_with(recipe or settings.recipe, set_, source))
    choice = Choice.parse(time, min_turns)
    asked: dict[str, Any] = {"players": player or None, "limit": limit, "own_moves": own_moves}
    asked |= {"engine": config, "choice": choice}
    if dry_run:
        return estimate(opened.backlog(chosen, **asked), config, jobs)
    with analysing(chosen.name, say_so=False) as shown:
        report = opened.analyse(chosen, jobs=jobs, cluster=cluster, progress=shown, **asked)
    for failure in report.failures[:_MOST_FAILURES]:
        say(f"put aside: {failure.position_key}: {failure.reason}")
    return report


@command(prints=False, last=True, source=open_games)
def export(
    source: Source,
    table: Literal["games", "decisions", "ratings", "pgn"] = typer.Argument(..., help="What to write."),
    format_: Literal["parquet", "csv", "jsonl"] | None = None,
    out: Path | None = None,
    recipe: str | None = None,
    evaluations: Evaluations = Evaluations.AUTO,
    comments: Literal["lichess", "alliot", "full"] = "lichess",
    difficulty: bool = False,
) -> None:
    """Write games, decisions or ratings for other programs, or analysed games as PGN with evaluations.

    $ assay export decisions games.pgn --out decisions.parquet

    --format  Write this format. If not given: that of the file's name, else csv.
    --out, -o FILE  File to write. If not given: standard output.
    --recipe NAME  Take the analyses of this recipe, if there are several.
    --evaluations  Of decisions: those of the engine, or those in the comments; auto: what there is.
    --comments  Write evaluations as lichess or as Alliot does; full: also ?!, ?, ?? and
        the better move with the engine's line, and how many players of 1800 play the move.
    --difficulty  Of decisions: also what players of 1500, 2000 and 2500 lose there, how often they find a
        move as good as the played one, and how complex the position is. Takes longer.
    """
    opened = workspace_of(source)
    if table == "pgn":
        if format_ is not None:
            raise InputError("PGN has a format of its own: leave --format out, or choose it with --comments")
        shares = None
        if comments == "full":
            from assay.insights.difficulty import shares_of

            shares = shares_of(opened.recipe_id(recipe))
        written = opened.export_pgn(out, recipe=recipe, form=comments, shares=shares)
        what = "games"
    else:
        by_name = "" if out is None else out.suffix.removeprefix(".").lower()
        chosen = format_ or (by_name if by_name in FORMATS else "csv")
        of = _valued_by(opened, evaluations, recipe) if table == "decisions" else recipe
        more = None
        if difficulty and table == "decisions":
            from assay.insights.difficulty import columns_of

            more = columns_of(of or opened.recipe_id())
        written, what = opened.export(table, chosen, out, recipe=of, more=more), "rows"
    if out is not None:
        say(f"{written:,} {what} written to {out}")


def _valued_by(opened: Workspace, evaluations: Evaluations, recipe: str | None) -> str | None:
    """The recipe of the decisions to write; auto: the engine's, the comments' where nothing is analysed."""
    from assay.decisions.evaluation import ANNOTATED

    if evaluations is Evaluations.FILE:
        if recipe is not None:
            raise InputError("evaluations of the file are of no recipe: leave --recipe or --evaluations out")
        return ANNOTATED
    nothing_analysed = recipe is None and not opened.table_analyses.count()
    if evaluations is Evaluations.AUTO and nothing_analysed and opened.table_annotations.count():
        return ANNOTATED
    return recipe


@command()
def remove(
    place: Path = typer.Argument(
        ..., metavar="WORKSPACE", help="The workspace to remove from; an account (lichess:NAME) to forget."
    ),
    player: list[str] | None = None,
    event: list[str] | None = None,
    game: list[str] | None = None,
    yes: bool = False,
) -> Answer:
    """Remove games of a player or an event from a workspace, and what is there only because of them.

    Analyses of positions that no other game has go too, and the names of players who have no other game.
    Whole or not at all: a removal that is broken off has removed everything or nothing. Of an account
    everything goes, unless players, events or games of it are named.

    $ assay remove games.assay --player 'Tal@1958-1960'

    --player, -p NAME  All games of this player, or those of some years: Tal@1958-1960. May be repeated.
    --event NAME  All games of this event. May be repeated.
    --game ID  One game, by its id in `assay export games`. May be repeated.
    --yes, -y  Remove it without asking.
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


def studies_of(
    games: list[Path] | None = typer.Argument(
        None,
        metavar="[GAMES]...",
        help="Games of players with ratings: PGN files, workspaces, files of decisions. None with --like.",
        show_default=False,
    ),
    workspace: Path | None = None,
    recipe: str | None = None,
    set_: list[str] | None = None,
    engine: str | None = None,
    jobs: int | None = None,
    yes: bool = False,
    time: str | None = None,
    min_turns: int | None = None,
) -> tuple[list[Study], dict[str, Any]]:
    """A study of each of several GAMES, valued by an engine; and what was said of the engine."""
    engines = {"recipe": recipe, "set_": set_, "engine": engine, "jobs": jobs, "yes": yes}
    more: dict[str, Any] = {"workspace": workspace, "time": time, "min_turns": min_turns}
    by_engine = {**engines, **more, "evaluations": Evaluations.ENGINE}
    return [open_study(each, **by_engine) for each in games or ()], engines


@command(studies=studies_of)
def calibrate(
    studies: tuple[list[Study], dict[str, Any]],
    out: Written = None,
    check: bool = False,
    like: str | None = None,
) -> Answer:
    """Make an Elo scale for an engine and a recipe, from games of players with known ratings.

    Or, with --like and no games: the engine analyses positions that come with assay, in some minutes, and
    gets the scale of Stockfish 15.1, with the error that this adds.

    $ assay calibrate --like standard

    --out, -o FILE  File to write. If not given: among your own calibrations, where assay rate finds it.
    --check  Also measure it: rate games with a scale made from the others.
    --like RECIPE  Without GAMES: the scale of this recipe with Stockfish 15.1, standard or quick.
    """
    from assay.rating.accuracy import calibration_summary, held_out
    from assay.rating.calibration import place_of
    from assay.study import calibrate as fit

    of_games, engines = studies
    if like is not None:
        if of_games or check:
            raise InputError("--like takes positions that come with assay: leave out GAMES and --check")
        return _carry_over(like, out, **engines)
    if not of_games:
        raise InputError("name GAMES of players with ratings, or, without any, use --like standard")
    with analysing(of_games[0].recipe) as shown:
        made, appearances = fit(of_games, progress=shown)
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
    set_: list[str] | None,
    jobs: int | None,
    yes: bool,
) -> Answer:
    """The scale of a recipe with Stockfish 15.1 for another engine; how long it takes is said first."""
    from assay.answers.answer import Facts
    from assay.engine.engines import EngineConfig, check_signature
    from assay.engine.recipe import find_recipe, parse_settings
    from assay.rating import bridge
    from assay.rating.calibration import place_of, shipped

    settings = find_settings()
    named = find_recipe(recipe or like).with_settings(parse_settings(set_ or ()))
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


@command()
def doctor(
    place: Path | None = typer.Argument(
        None,
        metavar="WORKSPACE",
        help="Check this workspace: what is whole, damaged or missing. If not given: this machine.",
        show_default=False,
    ),
    repair: bool = False,
    engine: str | None = None,
    workspace: Path | None = None,
) -> Answer:
    """Check this machine (engine, packages, disk, cores) or a workspace. Exit code 1: there is a problem.

    $ assay doctor

    --repair  Go on without what is damaged: it is set aside in the workspace's folder damaged, not deleted.
    """
    from assay.answers.answer import Rows
    from assay.doctor import examine, examine_workspace, repair_workspace
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


@command()
def recipes(engine: str | None = None) -> Answer:
    """List the recipes: how deep and how broadly the engine looks, and which have an Elo scale with it.

    $ assay recipes
    """
    from assay.answers.prepared import Recipes
    from assay.doctor import calibrations
    from assay.engine.recipe import NAMED
    from assay.rating.scale import kind_of, scale_of

    found, name = calibrations(engine or find_settings().engine)
    columns = ("name", "limit", "lines", "hash_mb", "first_turn", "meaning")
    short = [
        {column: getattr(recipe, column) for column in columns}
        | {"scale": scale_of(found.get(recipe.name)), "calibration": kind_of(found.get(recipe.name))}
        for recipe in NAMED.values()
    ]
    return Recipes([recipe.describe() for recipe in NAMED.values()], short, name)
