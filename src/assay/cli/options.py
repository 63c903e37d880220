"""Options that many commands share, each written once, and the decorators that give them to a command.

A command asks for what it works with by the name of a parameter, and a decorator makes that from the command
line: `@with_study` gives `study` and takes GAMES, --workspace, --recipe, --set, --engine, --jobs, --yes,
--time, --min-turns and --evaluations; `@prints` takes --json and --csv and prints the answer that the command
returns.

Long because options are declared in full here and nowhere else; the logic is in what the decorators call.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup

from assay.cli.output import analysing, asking, importing, say, show
from assay.decisions.exclusions import Exclusion
from assay.decisions.grouping import By
from assay.errors import InputError
from assay.files import check_writable
from assay.settings import Evaluations, check_games, find_settings, names_server

if TYPE_CHECKING:
    from assay.decisions.decisions import Decisions
    from assay.engine.recipe import Recipe
    from assay.source import Source
    from assay.study import Study
    from assay.workspace import Workspace

Command = Callable[..., Any]


class _PlainFlags:
    """Help without a type behind flags, which take no value: `--json`, not `--json <bool>`."""

    def get_params(self, ctx: Any) -> list[Any]:
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if getattr(param, "is_flag", False) and param.metavar is None:
                param.metavar = ""
        return params


class HelpfulCommand(_PlainFlags, TyperCommand):
    """A command of `assay`."""


class HelpfulGroup(_PlainFlags, TyperGroup):
    """A group of commands."""


Shared = Mapping[str, tuple[Any, Any]]
"""Options by the name of their parameter: their type, and typer's description of them."""

_KINDS = (
    "PGN file or folder, workspace, file of decisions (.parquet), or account: lichess:NAME, chesscom:NAME"
)

_VALUES = "Engine and workspace"
_WHICH = "Which games"
_OUTPUT = "Output"

_ACCOUNT = "Accounts"

GAMES = typer.Argument(
    None, metavar="GAMES", help=f"{_KINDS}. If not given: the workspace games.assay.", show_default=False
)
SINCE = typer.Option(
    None,
    "--since",
    metavar="DAY",
    help="Fetch games of an account from this day on, such as 2024-05. If not given: what is new.",
    rich_help_panel=_ACCOUNT,
)
UNTIL = typer.Option(
    None,
    "--until",
    metavar="DAY",
    help="Fetch games of an account up to this day.",
    rich_help_panel=_ACCOUNT,
)
MAX = typer.Option(
    None,
    "--max",
    metavar="N",
    min=1,
    help="Fetch the newest N games of an account at most.",
    rich_help_panel=_ACCOUNT,
)
WORKSPACE = typer.Option(
    None,
    "--workspace",
    "-w",
    metavar="FOLDER",
    help="Folder that keeps games and analyses. If not given: one beside the games.",
    rich_help_panel=_VALUES,
)
RECIPE = typer.Option(
    None,
    "--recipe",
    metavar="NAME",
    help="How positions are analysed: a name from `assay recipes`, NAME:0.1 for a tenth of its cost, a .toml "
    "file, or an id from `assay status`. If not given: the only one used in the workspace, else standard.",
    rich_help_panel=_VALUES,
)
ENGINE = typer.Option(
    None,
    "--engine",
    metavar="PROGRAM",
    help="The chess engine (UCI). If not given: ASSAY_ENGINE, then your settings, then stockfish.",
    rich_help_panel=_VALUES,
)
SET = typer.Option(
    None,
    "--set",
    metavar="NAME=VALUE",
    help="A setting of the engine, part of the recipe from then on. May be repeated.",
    rich_help_panel=_VALUES,
)
JOBS = typer.Option(
    None,
    "--jobs",
    "-j",
    metavar="N",
    help="How many engines run at once. If not given: one per core.",
    rich_help_panel=_VALUES,
)
EVALUATIONS = typer.Option(
    Evaluations.AUTO,
    "--evaluations",
    help="Who says what moves are worth: the engine, or the comments in the file. auto: the engine if "
    "there is one.",
    rich_help_panel=_VALUES,
)
TIME = typer.Option(
    None,
    "--time",
    metavar="CLASSES",
    help="Time classes that are rated: classical, rapid, blitz, bullet, correspondence, unknown, with commas "
    "between them, or all; classical,unknown if not given.",
    rich_help_panel=_WHICH,
)
MIN_TURNS = typer.Option(
    None,
    "--min-turns",
    min=0,
    metavar="N",
    help="Turns that a game must have to be rated; 20 if not given.",
    rich_help_panel=_WHICH,
)
OWN_MOVES = typer.Option(
    False,
    "--own-moves",
    help="Analyse only positions in which one of the named players is to move: half the time, and "
    "enough for all methods but gain.",
    rich_help_panel=_VALUES,
)
YES = typer.Option(
    False,
    "--yes",
    "-y",
    help="Analyse what is missing without asking, however long it takes.",
    rich_help_panel=_VALUES,
)
PLAYER = typer.Option(
    None,
    "--player",
    "-p",
    metavar="NAME",
    help="Only this player. Part of the name is enough. May be repeated.",
)
PLAYER_WHEN = typer.Option(
    None,
    "--player",
    "-p",
    metavar="NAME",
    help="Only this player. Part of the name is enough; years or an event may follow: Fischer@1971. May be "
    "repeated.",
)
METHOD = typer.Option(None, "--method", "-m", metavar="NAME", help="Only this method. May be repeated.")
MIN_DECISIONS = typer.Option(
    None,
    "--min-decisions",
    min=1,
    metavar="N",
    help="Leave out players with fewer decisions (moves that count) than this.",
)


def _figure(path: Path | None) -> Path | None:
    """A figure that can be written; refused before the work otherwise."""
    if path is not None:
        from assay.figures.figure import check_figure

        check_figure(path)
    return path


def writable(path: Path | None) -> Path | None:
    """A file that can be written; refused before the work otherwise."""
    check_writable(path)
    return path


PLOT = typer.Option(
    None,
    "--plot",
    metavar="FILE",
    callback=_figure,
    help="Draw a figure into this file: .svg, .html or .png.",
    rich_help_panel=_OUTPUT,
)
REPORT = typer.Option(
    None,
    "--report",
    metavar="FILE",
    callback=writable,
    help="Also write a report: one HTML file to open in a browser.",
)
RESAMPLES = typer.Option(
    200,
    "--resamples",
    min=0,
    max=100_000,
    metavar="N",
    help="How many times the games are drawn at random to find an interval. 0: no intervals.",
)
DETAILS = typer.Option(
    False,
    "--details",
    help="Also print the single methods, what every column means, and notes.",
    rich_help_panel=_OUTPUT,
)
JSON = typer.Option(False, "--json", help="Print JSON, for programs.", rich_help_panel=_OUTPUT)
CSV = typer.Option(False, "--csv", help="Print CSV, for spreadsheets.", rich_help_panel=_OUTPUT)


MARKOV_PRIOR = typer.Option(
    None,
    "--markov-prior",
    metavar="NAME",
    help="What stands behind few moves in markov: level (all players at the player's own level), pooled (all "
    "players as they are), or none: raw counts, the paper's own method. If not given: level.",
)
CLASSES = typer.Option(
    None,
    "--classes",
    metavar="NAME",
    help="Classes of values of markov: growing, 19 of them (the default), or uniform, 10 of 40 centipawns.",
)
COLOURS = typer.Option(
    None,
    "--colours",
    metavar="NAME",
    help="In markov: White's and Black's moves together, Black's turned round (pooled), or apart.",
)
N0 = typer.Option(
    None,
    "--n0",
    metavar="N",
    min=0,
    max=1000,
    help="In covariance, over how many moves losses are added up; 32 if not given.",
)


def as_in_the_papers(
    methods: Sequence[str] | None,
    prior: str | None = None,
    classes: str | None = None,
    colours: str | None = None,
    n0: int | None = None,
) -> list[str] | None:
    """The methods with settings of their papers, `markov:prior=none`; an error where one is not asked for."""
    settings: dict[str, dict[str, Any]] = {
        "markov": {"prior": prior, "classes": classes, "colours": colours},
        "covariance": {"n0": n0},
    }
    options = {"prior": "--markov-prior", "classes": "--classes", "colours": "--colours", "n0": "--n0"}
    names = list(methods) if methods else None
    for method, values in settings.items():
        given = {name: value for name, value in values.items() if value is not None}
        if given and (names is None or method not in names):
            raise InputError(f"{options[next(iter(given))]} is a setting of {method}: add --method {method}")
        if given and names is not None:
            written = ",".join(f"{name}={value}" for name, value in given.items())
            names = [f"{method}:{written}" if name == method else name for name in names]
    return names


def by_option(default: By, *able: By) -> Any:
    """`--by` with the groups that a command can make; its type names them for typer to check."""
    meanings = "; ".join(f"{by}: {by.meaning}" for by in able)
    return typer.Option(default.value, "--by", help=f"How games are put together. {meanings}.")


# Decorators --------------------------------------------------------------------------------------------


def shared(
    options: Shared, *, last: bool = False, **make: Callable[..., Any]
) -> Callable[[Command], Command]:
    """A decorator: parameters of the command are made from these options of the command line.

    `shared(OPTIONS, study=open_study)` calls `open_study` with all the options, and the command with what it
    returns as `study`. Arguments among the options stand before those of the command, or, `last`, after them.
    """

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def run(**given: Any) -> Any:
            own = {name: given.pop(name) for name in options}
            return command(**given, **{name: call(**own) for name, call in make.items()})

        return _with_parameters(run, command, options, without=make, last=last)

    return decorate


def prints(command: Command) -> Command:
    """A decorator: the command returns an answer, which is printed as text, as JSON or as CSV."""
    return _printing(command, {"as_json": (bool, JSON), "as_csv": (bool, CSV)})


def prints_with_details(command: Command) -> Command:
    """The same, of an answer that has more to say where `--details` is given."""
    return _printing(
        command, {"with_details": (bool, DETAILS), "as_json": (bool, JSON), "as_csv": (bool, CSV)}
    )


def _printing(command: Command, options: Shared) -> Command:
    @functools.wraps(command)
    def run(**given: Any) -> None:
        how = {name: given.pop(name) for name in options}
        answer = command(**given)
        if answer is not None:
            show(answer, **how)
            if answer.exit_code:
                raise typer.Exit(answer.exit_code)

    return _with_parameters(run, command, options)


def _with_parameters(
    run: Command, command: Command, options: Shared, *, without: Iterable[str] = (), last: bool = False
) -> Command:
    """`run` with the parameters of the command but some, and with those of the options, for typer to read."""
    present = [one for one in inspect.signature(command).parameters.values() if one.name not in set(without)]
    own = [
        one.replace(annotation=_resolved(one, command), kind=inspect.Parameter.KEYWORD_ONLY)
        for one in present
    ]
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in options.items()
    ]
    first = [] if last else [one for one in added if isinstance(one.default, typer.models.ArgumentInfo)]
    parameters = [*first, *own, *(one for one in added if one not in first)]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


def _resolved(parameter: inspect.Parameter, command: Command) -> Any:
    """The type of a parameter, which is text where annotations are not evaluated; None of what is made."""
    kind = parameter.annotation
    if not isinstance(kind, str):
        return kind
    try:
        return eval(kind, inspect.unwrap(command).__globals__)  # our own annotations, as typing does it
    except NameError:  # a name of TYPE_CHECKING: of a parameter that another decorator makes
        return None


_ENGINE: Shared = {
    "workspace": (Path | None, WORKSPACE),
    "recipe": (str | None, RECIPE),
    "engine_settings": (list[str] | None, SET),
    "engine": (str | None, ENGINE),
    "jobs": (int | None, JOBS),
    "yes": (bool, YES),
    "time": (str | None, TIME),
    "min_turns": (int | None, MIN_TURNS),
}
_EVALUATIONS: Shared = {"evaluations": (Evaluations, EVALUATIONS)}
_FETCHED: Shared = {"since": (str | None, SINCE), "until": (str | None, UNTIL), "most": (int | None, MAX)}
_SOURCE: Shared = {"games": (Path | None, GAMES), "workspace": (Path | None, WORKSPACE), **_FETCHED}


def open_games(
    games: Path | None,
    workspace: Path | None = None,
    *,
    keep: bool = True,
    since: str | None = None,
    until: str | None = None,
    most: int | None = None,
    time: str | None = None,
) -> Source:
    """The source that a user names, with a progress bar for what is imported; `time` is asked of a server."""
    if games is not None and str(games) != "-":
        check_games(games)
    from assay.pgn.accounts import WantedGames
    from assay.source import open_source

    wanted = WantedGames.parse(since, until, most, time)
    return open_source(games, workspace, keep=keep, wanted=wanted, progress=importing(), say=say)


def open_study(
    games: Path | None,
    workspace: Path | None = None,
    *,
    yes: bool = False,
    recipe: str | Recipe | None = None,
    engine_settings: Sequence[str] | None = None,
    since: str | None = None,
    until: str | None = None,
    most: int | None = None,
    usual_recipe: str = "standard",
    **settings: Any,
) -> Study:
    """A study of the source that a user names; `yes` allows long analyses beforehand."""
    source = open_games(games, workspace, since=since, until=until, most=most, time=settings.get("time"))
    from assay.study import Study

    kept = find_settings(source.place)
    for note in kept.notes:
        say(note)
    before = None if yes else asking(settings.get("jobs") or kept.jobs)
    named = recipe or kept.recipe or source.default_recipe(usual_recipe)
    chosen = recipe_with(named, engine_settings, source)
    return Study(source, say=say, before=before, recipe=chosen, **settings)


def recipe_with(
    recipe: str | Recipe | None, engine_settings: Sequence[str] | None, source: Source
) -> str | Recipe:
    """A recipe, by its name or itself, with the settings of the engine that a user gives."""
    chosen = recipe or source.default_recipe()
    if not engine_settings:
        return chosen
    from assay.engine.recipe import find_recipe, parse_settings

    if isinstance(chosen, str):
        chosen = find_recipe(chosen) if source.workspace is None else source.workspace.find_recipe(chosen)
    return chosen.with_settings(parse_settings(engine_settings))


_OF_TIME = (Exclusion.FAST_TIME_CONTROL.value, Exclusion.OTHER_TIME_CONTROL.value)

with_source = shared(_SOURCE, source=open_games)
with_source_last = shared(_SOURCE, source=open_games, last=True)
with_study = shared({**_SOURCE, **_ENGINE, **_EVALUATIONS}, study=open_study)


def with_studies(games: Any) -> Callable[[Command], Command]:
    """The decorator that gives `studies`, one for each of several GAMES, valued by an engine; and `chosen`.

    That is what was said of the engine, for a command that can do without games.
    """

    def make(games: list[Path] | None, **settings: Any) -> list[Study]:
        return [open_study(one, evaluations="engine", **settings) for one in games or ()]

    def chosen(games: list[Path] | None, **settings: Any) -> dict[str, Any]:
        return settings

    return shared({"games": (list[Path] | None, games), **_ENGINE}, studies=make, chosen=chosen)


def with_study_including(
    include: Sequence[str], usual_recipe: str = "standard"
) -> Callable[[Command], Command]:
    """The decorator that gives `study`, in which games count that carry one of these reasons.

    Reasons of which the user chooses otherwise, by --time or --min-turns, do not count.
    """

    def make(time: str | None, min_turns: int | None, **given: Any) -> Study:
        chosen = set(_OF_TIME if time is not None else ())
        chosen |= {Exclusion.TOO_SHORT.value} if min_turns is not None else set()
        counting = [reason for reason in include if reason not in chosen]
        given |= {"include": counting, "time": time, "min_turns": min_turns}
        return open_study(usual_recipe=usual_recipe, **given)

    return shared({**_SOURCE, **_ENGINE, **_EVALUATIONS}, study=make)


def with_study_of_players(number: int | None = None) -> Callable[[Command], Command]:
    """The decorator that gives `study` and `players`, so many of them, from `[GAMES] PLAYER...`."""
    words = typer.Argument(
        ...,
        metavar=f"[GAMES] {'PLAYER...' if number is None else ' '.join(['PLAYER'] * number)}",
        help=f"{_KINDS}; if left out, games.assay. Then players: part of a name is enough. Years or an "
        "event may follow: Fischer@1971, Tal@1958-1960, 'Anand@London 2011'.",
        show_default=False,
    )

    def study(words: list[str], **settings: Any) -> Study:
        return open_study(games_and_players(words, number)[0], **settings)

    def players(words: list[str], **_: Any) -> list[str]:
        return games_and_players(words, number)[1]

    own_moves: Shared = {} if number == 2 else {"own_moves": (bool, OWN_MOVES)}
    options = {"words": (list[str], words), **_ENGINE, **_FETCHED, **own_moves, **_EVALUATIONS}
    return shared(options, study=study, players=players)


def workspace_of(source: Source) -> Workspace:
    """The workspace of a source; one sentence where it has none."""
    if source.workspace is None:
        raise InputError(f"{source.path} is {source.what}: give a PGN file or a workspace")
    return source.import_games()


def decisions_of(
    study: Study,
    players: Iterable[str] | None = None,
    *,
    whom: Iterable[str] | None = None,
    trace: bool = False,
) -> Decisions:
    """Decisions of a study, of all players or of some; what is missing is analysed, with a progress bar.

    `whom` says whose games need be analysed, in which years or at which event: `Tal@1958-1960`.
    """
    wanted = list(players) if players else None
    meant = list(whom) if whom else None
    with analysing(study.recipe) as shown:
        return study.decisions(players=wanted, whom=meant, trace=trace, progress=shown)


def games_and_players(words: Sequence[str], number: int | None = None) -> tuple[Path | None, list[str]]:
    """`[GAMES] PLAYER...`: the first word is the games where a file or folder has that name."""
    first = Path(words[0])
    is_games = first.exists() or str(first) == "-" or names_server(first)
    names = list(words[1:] if is_games else words)
    games = first if len(names) < len(words) else None
    if games is None and len(words) > 1 and Path(words[-1]).exists():
        raise InputError(f"games come before players: assay ... {words[-1]} {' '.join(words[:-1])}")
    if number is not None and len(names) != number:
        missing = f"; there is no file or folder {words[0]}" if games is None and len(words) > number else ""
        raise InputError(f"name {number} players after the games, not {len(names)}{missing}")
    if not names:
        raise InputError(f"name a player after the games: assay ... {words[0]} PLAYER")
    return games, names
