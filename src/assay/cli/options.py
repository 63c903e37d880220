"""Options: every command writes them in its docstring as its help shows them, shared ones stand here.

    --jobs, -j N (1..)  Run N engines at once. If not given: one per core.

is an option of a parameter `jobs` (or `jobs_`), whose type and default are those of the signature; a line
`Output:` begins a panel, and a line `$ assay rate games.pgn` is the example that help begins with. A command
asks for what it works with by the name of a parameter, and `command` makes that from the command line:
`@command(study=open_study)` gives `study`, and takes the options that `open_study` has as parameters.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_args

import typer
from typer.core import TyperCommand, TyperGroup

from assay.cli.output import analysing, asking, importing, say, show, write_figure
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

Function = Callable[..., Any]
_Maker = TypeVar("_Maker", bound=Function)
EngineProfile = Literal["peak", "measured"]
LIMIT, FORGETTING, MIN_MOVES = 3900, 2.0, 500.0


def _figure(path: Path | None) -> Path | None:
    if path is not None:
        from assay.figures.figure import check_figure

        check_figure(path)
    return path


def _writable(path: Path | None) -> Path | None:
    check_writable(path)
    return path


def _methods(names: list[str] | None) -> list[str] | None:
    if names:
        from assay.models.registry import check_method

        for name in names:
            check_method(name)
    return names


def _made(path: Path | None) -> Path | None:
    if path is not None and not path.exists():
        raise InputError(f"{path} does not exist: make a calibration with assay calibrate")
    return path


Methods = Annotated[list[str] | None, _methods]
"""Names of methods; one that does not exist is refused before the work."""
Made = Annotated[Path | None, _made]
"""A calibration, which must be there."""
Written = Annotated[Path | None, _writable]
"""A file that is written; one that cannot be is refused before the work."""
Drawn = Annotated[Path | None, _figure]
"""The same of a figure."""

_SHARED = """
--player, -p NAME  Only this player. Part of the name is enough; years or an event may follow:
    Fischer@1971. May be repeated.
--method, -m NAME  Only this method. May be repeated.
--report FILE  Also write a report: one HTML file to open in a browser.
--resamples N (0..100000)  Bootstrap over games this many times for the intervals. 0: no intervals.
--limit CP (1..100000)  Clip values at this many centipawns; a mate counts as much.
--perceived  Also print the paper's own number, perceived strength, which is not Elo.
--engine-profile  Choose how the engine itself would play. peak: as in the paper, it never changes its mind.
    measured: from the moves where players chose its move. If not given: measured, where there are enough.
--engine-strength ELO  Strength of the engine, if it is known: also print perceived strengths through it
    (Algorithm 4).
--engine-from EVENT  Take the engine's strength from the rated players of another event (Algorithm 3): the
    name of one among these games, or analysed games of the same recipe.
--forgetting NUMBER  Divide the weight of a year by this for each year after it. 2: half as much.
--years YEARS  Only these years: 1971, or 1960-1972, or 1960,1971.
--min-moves N  Do not compare years with fewer moves than this.
--repetitions/--no-repetitions  Count decisions whose position had occurred before in the game, as the
    paper does, or not.
--width N (1..)  With --by milepost: players rated up to this far from 2600 belong to 2600. If not given: 50.
Settings of the papers:
--markov-prior  Add to few moves in markov what all players of that level do, or nothing: raw counts, the
    paper's own method.
--classes  Divide values in markov into classes: growing, 19 of them, or uniform, 10 of 40 centipawns.
--colours  Pool White's and Black's moves in markov, Black's turned round, or keep them apart.
--n0 N (0..1000)  Add up losses over N moves in covariance. If not given: 32.
Engine and workspace:
--workspace, -w FOLDER  Folder that keeps games and analyses. If not given: one beside the games.
--recipe NAME  Analyse positions by this recipe: a name from `assay recipes`, NAME:0.1 for a tenth of its
    cost, a .toml file, or an id from `assay status`. If not given: the only one used in the workspace, else
    standard.
--engine PROGRAM  Use this chess engine (UCI). If not given: ASSAY_ENGINE, then your settings, then stockfish.
--set NAME=VALUE  Set an option of the engine, which becomes part of the recipe. May be repeated.
--jobs, -j N  Run N engines at once. If not given: one per core.
--evaluations  Take values of moves from the engine or from the comments in the file. auto: the comments
    where most games have evaluations there that have a scale, else the engine if there is one.
--champions  Use the twenty champions that come with assay, by year: alone, or beside GAMES.
--own-moves  Analyse only positions in which one of the named players is to move: half the time, and enough
    for all methods but gain.
--yes, -y  Analyse what is missing without asking, however long it takes.
Which games:
--time CLASSES  Rate games of these time classes: classical, rapid, blitz, bullet, correspondence, unknown,
    with commas between them, or all; classical,unknown if not given.
--min-turns N (0..)  Rate games of N moves or more; 20 if not given.
Accounts:
--since DAY  Use games from this day on, such as 2024-05; of an account, fetch those. If not given: all.
--until DAY  Use games up to this day.
--max N (1..)  Use the newest N games of an account, and fetch no more.
Output:
--plot FILE  Draw a figure into this file: .svg, .html or .png.
--details  Also print the single methods, what every column means, and notes.
--json  Print JSON, for programs.
--csv  Print CSV, for spreadsheets.
"""

_OPTION = re.compile(
    r"(--[\w/-]+)(?:, (-\w))?(?: ([A-Z][\w=.,:]*(?: [A-Z]+)*))?"
    r"(?: \(([\d.e-]*)\.\.([\d.e-]*)\))?(?:  +(\S.*))"
)


def described(text: str) -> tuple[str, str, dict[str, Any]]:
    """Split a docstring into prose, the example, and options by the name of their parameter."""
    prose: list[str] = []
    example, panel = "", None
    rows: list[tuple[re.Match[str], str | None, list[str]]] = []
    for line in inspect.cleandoc(text).splitlines():
        if match := _OPTION.fullmatch(line):
            rows.append((match, panel, [match[6]]))
        elif rows and line.startswith("    "):
            rows[-1][2].append(line.strip())
        elif re.fullmatch(r"[A-Z][a-z ]+:", line):
            panel = line[:-1]
        elif line.startswith("$ "):
            example = line[2:]
        else:
            prose.append(line)
    options = {}
    for match, panel_of_row, words in rows:
        flags = [flag for flag in match.group(1, 2) if flag]
        ends = [_number(end) if end else None for end in match.group(4, 5)]
        more = {"metavar": match[3], "min": ends[0], "max": ends[1], "rich_help_panel": panel_of_row}
        given = {name: value for name, value in more.items() if value is not None}
        name = flags[0].partition("/")[0].removeprefix("--").replace("-", "_")
        options[name] = functools.partial(_option, flags, help=" ".join(words), **given)
    return "\n".join(prose).strip(), example, options


def _number(text: str) -> float:
    return int(text) if text.isdigit() else float(text)


def _option(flags: list[str], default: Any, **given: Any) -> Any:
    return typer.Option(default, *flags, **given)


SHARED = described(_SHARED)[2]


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


def register(app: typer.Typer, commands: Mapping[str, Function], **about: Any) -> None:
    """Add commands to an application: help begins with the example, lists have the first line."""
    for name, function in commands.items():
        text = f"`$ {function.example}`\n\n{function.__doc__}"  # type: ignore[attr-defined]
        short = str(function.__doc__).partition("\n\n")[0].replace("\n", " ")
        app.command(name, cls=HelpfulCommand, help=text, short_help=short, **about)(function)


# Commands ------------------------------------------------------------------------------------------------


def command(
    *, details: bool = False, plots: bool = False, prints: bool = True, last: bool = False, **make: Function
) -> Callable[[Function], Function]:
    """A decorator: makes a command of a function, its parameters options of the command line.

    Those named in `make` are made from the options of that function. Arguments of these stand before those
    of the command, or, `last`, after them. The answer that is returned is printed as text, JSON or CSV, and
    with `plots` drawn where that is asked for.
    """
    how = [*(["details"] if details else []), "json", "csv"] if prints else []

    def decorate(function: Function) -> Function:
        prose, example, written = described(function.__doc__ or "")
        made = {name: _parameters(maker, {}) for name, maker in make.items()}
        own = {name: one for name, one in _parameters(function, written).items() if name not in make}
        shared = {name: one for parameters in made.values() for name, one in parameters.items()}
        printing = {"plot": _parameter("plot", Drawn, None, {})} if plots else {}
        printing |= {name: _parameter(name, bool, False, {}) for name in how}
        arguments = [name for name in shared if isinstance(shared[name].default, typer.models.ArgumentInfo)]
        first = {} if last else {name: shared[name] for name in arguments}
        parameters = {**first, **own, **shared, **printing}

        @functools.wraps(function)
        def run(**given: Any) -> Any:
            printed, plot = {name: given.pop(name) for name in how}, given.pop("plot") if plots else None
            makers = {name: maker(**{key: given[key] for key in made[name]}) for name, maker in make.items()}
            answer = function(**{name: given[name] for name in own}, **makers)
            if plot is not None:
                from assay.report.figures import figure_of

                write_figure(plot, figure_of(answer))
            if prints and answer is not None:
                show(answer, **printed)
                if answer.exit_code:
                    raise typer.Exit(answer.exit_code)
            return None if prints else answer

        run.__doc__, run.example = prose, example  # type: ignore[attr-defined]
        run.__signature__ = inspect.Signature(list(parameters.values()))  # type: ignore[attr-defined]
        run.__annotations__ = {name: one.annotation for name, one in parameters.items()}
        return run

    return decorate


def _parameters(function: Function, written: dict[str, Any]) -> dict[str, inspect.Parameter]:
    """The parameters of a function, with options in the place of plain defaults."""
    scope = inspect.unwrap(function).__globals__
    return {
        name: _parameter(name, _resolved(one.annotation, scope), one.default, written)
        for name, one in inspect.signature(function).parameters.items()
        if one.kind is not inspect.Parameter.VAR_KEYWORD
    }


def _parameter(name: str, kind: Any, default: Any, written: dict[str, Any]) -> inspect.Parameter:
    option = written.get(name.rstrip("_")) or SHARED.get(name.rstrip("_"))
    if name == "by" and option is None:
        meanings = "; ".join(f"{by}: {By(by).meaning}" for by in get_args(kind))
        option = functools.partial(_option, ["--by"], help=f"Group games. {meanings}.")
    if option is not None and not isinstance(default, typer.models.ParameterInfo):
        if check := getattr(kind, "__metadata__", None):
            kind, option = kind.__origin__, functools.partial(option, callback=check[0])
        default = option(default=... if default is inspect.Parameter.empty else default)
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _resolved(kind: Any, scope: dict[str, Any]) -> Any:
    """A type, which is text where annotations are not evaluated; None of what is made."""
    try:
        return eval(kind, scope) if isinstance(kind, str) else kind  # our own annotations, as typing does it
    except NameError:  # a name of TYPE_CHECKING: of a parameter that is made
        return None


# What commands work with -----------------------------------------------------------------------------------

_KINDS = (
    "PGN file or folder, workspace, file of decisions (.parquet), or account: lichess:NAME, chesscom:NAME"
)
GAMES = typer.Argument(
    None, metavar="GAMES", help=f"{_KINDS}. If not given: the workspace games.assay.", show_default=False
)


def open_games(
    games: Path | None = GAMES,
    workspace: Path | None = None,
    since: str | None = None,
    until: str | None = None,
    max_: int | None = None,
    **more: Any,
) -> Source:
    """The source that a user names, with a progress bar for what is imported.

    More: `keep` where it is not read for good, `time` that is asked of a server.
    """
    if games is not None and str(games) != "-":
        check_games(games)
    from assay.pgn.accounts import WantedGames
    from assay.source import open_source

    wanted = WantedGames.parse(since, until, max_, more.pop("time", None))
    return open_source(games, workspace, wanted=wanted, progress=importing(), say=say, **more)


def open_study(
    games: Path | None = GAMES,
    workspace: Path | None = None,
    since: str | None = None,
    until: str | None = None,
    max_: int | None = None,
    recipe: str | None = None,
    set_: list[str] | None = None,
    engine: str | None = None,
    jobs: int | None = None,
    yes: bool = False,
    time: str | None = None,
    min_turns: int | None = None,
    evaluations: Evaluations = Evaluations.AUTO,
    **more: Any,
) -> Study:
    """A study of the source that a user names; `yes` allows long analyses beforehand."""
    source = open_games(games, workspace, since, until, max_, time=time)
    from assay.study import Study

    kept = find_settings(source.place)
    for note in kept.notes:
        say(note)
    named: str | Recipe | None = recipe
    if set_:
        usual = more.get("usual_recipe", "standard")
        named = recipe_with(recipe or kept.recipe or source.default_recipe(usual), set_, source)
    return Study(
        source,
        say=say,
        before=None if yes else asking(jobs or kept.jobs),
        recipe=named,
        engine=engine,
        jobs=jobs,
        time=time,
        min_turns=min_turns,
        evaluations=evaluations,
        **more,
    )


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


def study_including(reasons: Sequence[str] = (), **more: Any) -> Function:
    """What makes a study in which games count that carry one of these reasons, with `more` of its settings.

    Reasons of which the user chooses otherwise, by --time or --min-turns, do not count.
    """

    @functools.wraps(open_study)
    def make(**given: Any) -> Study:
        chosen = set(_OF_TIME if given["time"] is not None else ())
        chosen |= {Exclusion.TOO_SHORT.value} if given["min_turns"] is not None else set()
        counting = [reason for reason in reasons if reason not in chosen]
        return open_study(**given, include=counting, **more)

    return make


def extends(base: Function, *without: str) -> Callable[[_Maker], _Maker]:
    """A decorator: a maker that hands what it does not name on to `base` takes its parameters too."""

    def decorate(function: _Maker) -> _Maker:
        own = inspect.signature(function).parameters
        both = {**own, **inspect.signature(base).parameters, **own}  # its own come first
        function.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [
                one.replace(kind=one.KEYWORD_ONLY)
                for name, one in both.items()
                if name not in without and one.kind is not one.VAR_KEYWORD
            ]
        )
        return function

    return decorate


@extends(open_study)
def open_compared(games: Path | None = GAMES, champions: bool = False, **settings: Any) -> Study:
    """A study of the games that a user names; without any, of the usual workspace, else of the champions."""
    games = None if names_years(games) else games
    if games is None and settings.get("workspace") is None:
        from assay.source import default_workspace

        if champions or not default_workspace().exists():
            from assay.study import Study

            return Study.champions()
    return open_study(games, champions=champions, **settings)


def names_years(games: Path | None) -> bool:
    """Whether years stand in the place of games: @1971."""
    return games is not None and str(games).startswith("@") and not games.exists()


def asked_years(games: Path | None = GAMES, years: str | None = None) -> str | None:
    """The years that are meant by --years, or by @YEARS in the place of games."""
    return str(games)[1:] if names_years(games) else years


def of_players(number: int | None = None) -> dict[str, Any]:
    """What makes `study` and `players`, so many of them, from `[GAMES] PLAYER...`."""
    words = typer.Argument(
        ...,
        metavar=f"[GAMES] {'PLAYER...' if number is None else ' '.join(['PLAYER'] * number)}",
        help=f"{_KINDS}; if left out, games.assay, else the champions. Then players: part of a name is "
        "enough. Years or an "
        "event may follow: Fischer@1971, Tal@1958-1960, 'Anand@London 2011'.",
        show_default=False,
    )

    @extends(open_compared, "games", *(["own_moves"] if number == 2 else []))
    def study(words: list[str] = words, own_moves: bool = False, **settings: Any) -> Study:
        return open_compared(games_and_players(words, number)[0], own_moves=own_moves, **settings)

    def players(words: list[str] = words) -> list[str]:
        return games_and_players(words, number)[1]

    return {"study": study, "players": players}


def career_settings(
    markov_prior: Literal["level", "none"] | None = None,
    classes: Literal["growing", "uniform"] | None = None,
    colours: Literal["pooled", "apart"] | None = None,
    n0: int | None = None,
    forgetting: float = FORGETTING,
    min_moves: float = MIN_MOVES,
) -> dict[str, Any]:
    """What decides how years are compared; of the methods, the settings that differ from their defaults."""
    given: dict[str, dict[str, Any]] = {
        "markov": {"prior": markov_prior, "classes": classes, "colours": colours},
        "covariance": {"n0": n0},
    }
    chosen = {
        method: {name: value for name, value in settings.items() if value is not None}
        for method, settings in given.items()
    }
    settings = {method: of_method for method, of_method in chosen.items() if of_method}
    return {"settings": settings, "forgetting": forgetting, "min_moves": min_moves}


def gain_settings(
    engine_profile: EngineProfile | None = None,
    perceived: bool = False,
    engine_strength: float | None = None,
    engine_from: str | None = None,
    limit: int = LIMIT,
) -> dict[str, Any]:
    """How the method gain sees the engine, and whether the paper's own numbers are printed."""
    return {
        "engine_profile": engine_profile,
        "perceived": perceived,
        "engine_strength": engine_strength,
        "engine_from": engine_from,
        "limit": limit,
    }


def refuse_unused(where: str, **given: object) -> None:
    """Refuse options that were given, though they have no effect there."""
    for name, value in given.items():
        if value is not None and value is not False:
            raise InputError(f"--{name.replace('_', '-')} has no effect {where}: leave it out")


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

    `whom` lists whose games need be analysed, in which years or at which event: `Tal@1958-1960`.
    """
    wanted, meant = (list(names) if names else None for names in (players, whom))
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
