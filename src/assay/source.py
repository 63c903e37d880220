"""How positions get their values: from an engine by a recipe, or from what the games bring along."""

from __future__ import annotations

import math
import os
import shutil
import weakref
from abc import ABC
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from assay.answers.prepared import ImportReport
from assay.decisions.decisions import REQUIRED, Decisions
from assay.decisions.evaluation import ANNOTATED, EVALUATED, OF_SERVERS, is_on_scale, published_by
from assay.decisions.exclusions import Choice
from assay.decisions.names import find_player
from assay.decisions.time_control import CLASSICAL
from assay.engine.engines import EngineConfig, find_engine, is_named, planned_recipe_id
from assay.errors import EngineError, InputError, NetworkError
from assay.pgn.accounts import ALL_DAYS, Account, WantedGames, fetched
from assay.pgn.server import download, keep_input
from assay.settings import Evaluations as Evaluations
from assay.settings import check_games, find_settings, names_server
from assay.workspace import Workspace
from assay.workspace.assemble import sources_of
from assay.workspace.folder import Folder
from assay.workspace.games import left_out_by_choice, mark_decisions

if TYPE_CHECKING:
    from assay.answers.ratings import Ratings
    from assay.engine.recipe import Recipe


_NOTHING: Callable[..., None] = lambda *_: None  # noqa: E731


GAMES_AT_A_TIME = 2000
"""Games whose decisions are held at once where all of them are only added up: a hundred megabytes or so."""

Progress = Callable[..., None]
"""Is told how far an analysis is (assay.engine.run.AnalysisReport)."""


@dataclass(frozen=True)
class Valuation:
    """Everything that decides where values come from and what it costs to get them."""

    recipe: str | Recipe = "standard"
    engine: str | None = None
    jobs: int | None = None
    include: tuple[str, ...] = ()
    """Reasons for which games must not be rated that do not count here."""
    evaluations: Evaluations = Evaluations.AUTO
    analysed: str | bool = False
    """Reads only what is analysed already, by the recipe of this id, or, True, by the only one: no engine is
    started, and ratings are not kept."""
    own_moves: bool = False
    """Whether only positions are analysed in which one of the players in question is to move."""
    choice: Choice | None = None
    """Which time classes and lengths of games are rated; None where nobody chose."""
    games_own: bool = True
    """Whether `auto` takes evaluations that games bring along before an engine's, where they have a scale."""
    before: Callable[..., None] | None = field(default=None, compare=False)
    """Is shown the backlog of an analysis and its engine before it begins, and may object by an error."""
    say: Callable[[str], None] = field(default=_NOTHING, compare=False)
    """Is told what was left out by choice."""

    @classmethod
    def of(cls, evaluations: str = "auto", include: Any = (), **settings: Any) -> Valuation:
        """The same from plain text, checked."""
        try:
            chosen = Evaluations(evaluations)
        except ValueError:
            words = ", ".join(Evaluations)
            raise InputError(f"evaluations come from {words}, not '{evaluations}'") from None
        return cls(evaluations=chosen, include=tuple(include), **settings)


class Source(ABC):
    """Games, or what is known of their decisions. Opened once, asked often."""

    what: ClassVar[str]
    """What it is, in a few words."""
    workspace: Workspace | None = None
    """The workspace that keeps its tables, as it is; None where it has none. See `import_games`."""
    owner: str | None = None
    """Whose games these are, by the name of an account."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.path)!r})"

    @property
    def name(self) -> str:
        """What to call it in a title."""
        return self.path.name

    @property
    def place(self) -> Path | None:
        """The folder of the workspace; None where there is none."""
        return None if self.workspace is None else self.workspace.path

    def import_games(self) -> Workspace:
        """Import the games that are not in the workspace yet, and return it; refused where there is none."""
        raise InputError(f"{self.path} is {self.what}: it has no workspace")

    def games(self) -> pa.Table:
        """The table of games, players by their canonical names."""
        raise InputError(f"{self.path} is {self.what}: it has no games to read")

    def decisions(
        self,
        valuation: Valuation,
        *,
        players: Sequence[str] | None = None,
        whom: Sequence[str] | None = None,
        trace: bool | None = False,
        at_once: bool = False,
        progress: Callable[..., None] = _NOTHING,
    ) -> Iterator[Decisions]:
        """Decisions of all players or of some, in pieces of whole games, at least one; `at_once` in just one.

        Games are imported and what is missing is analysed first, unless the valuation is of what is analysed
        already. `whom` says whose games need be analysed, in which years or at which event
        (`Tal@1958-1960`), where that is not all of `players`; what else is analysed already comes along.
        `trace` None reads the trace of the search where that costs little.
        """
        raise InputError(f"{self.path} is {self.what}: it has no moves to value")

    def whom(self, wanted: Sequence[str]) -> list[str]:
        """Whom a user means (`Tal@1958-1960`), by full names where all players are known beforehand."""
        return list(wanted)

    def recipe_id(self, valuation: Valuation) -> str | None:
        """The id of the recipe that `decisions` would use, where it can be told beforehand."""
        return None

    def default_recipe(self, usual: str = "standard") -> str | Recipe:
        """The recipe where nobody names one: the only one used before, else the usual one."""
        return (self.workspace and self.workspace.only_recipe()) or usual

    def about(self, recipe_id: str) -> dict[str, Any]:
        """The recipe and the engine behind a recipe id, as far as the source knows them."""
        return {}

    def dates(self) -> dict[str, str]:
        """The date of each game by its id, as far as it is known: year, or year and month, or day."""
        return {}

    def links(self) -> dict[str, str]:
        """Where each game can be seen, by its id, as far as the tags say."""
        return {}

    def openings(self) -> dict[str, str]:
        """The opening of each game by its id, as far as it is known (assay.decisions.slices)."""
        return {}

    def choice(self, valuation: Valuation) -> Choice | None:
        """Which games are rated; None where nobody chose."""
        return valuation.choice

    def left_out(self, valuation: Valuation) -> dict[str, int]:
        """How many games must not be rated, by reason."""
        return {}

    def published_by(self) -> str:
        """The server whose ratings the games have; empty for FIDE's, or where it is not known."""
        return ""

    def check_published(self, scale: str | None, what: str) -> None:
        """Refuse to use published ratings where they are a server's, and the scale is another's."""
        if not is_on_scale(server := self.published_by(), scale):
            raise InputError(
                f"{what} uses published ratings, and these games have {server} ratings, which are not on the "
                f"scale of these evaluations ({scale})"
            )

    def keep(self, ratings: Ratings) -> None:
        """Keep the last ratings made, where there is a place for them."""
        return


class WorkspaceSource(Source):
    """A workspace: its games, and what has been analysed of them."""

    what = "a workspace"
    workspace: Workspace
    share_evaluated: ClassVar[float] = 0.5
    """Of games that bring evaluations of a known source, from which on these are the default."""

    def __init__(self, path: Path, workspace: Workspace) -> None:
        super().__init__(path)
        self.workspace = workspace
        self.days = ALL_DAYS
        """The first and the last day of the games that are rated (`Choice`)."""
        self._evaluated: tuple[Any, dict[str, int], dict[str, int]] = (None, {}, {})

    def import_games(self) -> Workspace:
        """The workspace: there is nothing to import."""
        return self.workspace

    def games(self) -> pa.Table:
        """The table of games."""
        return self.import_games().games()

    def decisions(
        self,
        valuation: Valuation,
        *,
        players: Sequence[str] | None = None,
        whom: Sequence[str] | None = None,
        trace: bool | None = False,
        at_once: bool = False,
        progress: Callable[..., None] = _NOTHING,
    ) -> Iterator[Decisions]:
        """Decisions by an engine, or by the games' comments, some thousand games at a time.

        Of more games than that the trace is read only where `trace` is true.
        """
        recipe_id = self._analyse(valuation, whom if whom is not None else players, progress)
        few = self.workspace.table_games.count() <= GAMES_AT_A_TIME
        traced = few and recipe_id not in (ANNOTATED, *EVALUATED) if trace is None else trace
        asked: dict[str, Any] = {"players": players, "trace": traced, "choice": self.choice(valuation)}
        if few or at_once:
            yield self.workspace.decisions(recipe_id, **asked)
        else:
            yield from self.workspace.iter_decisions(recipe_id, games_at_a_time=GAMES_AT_A_TIME, **asked)

    def _analyse(
        self, valuation: Valuation, whom: Sequence[str] | None, progress: Callable[..., None]
    ) -> str:
        """Import the games, and analyse what is missing unless comments have the values; their recipe id."""
        self.import_games()
        choice = self.choice(valuation)
        if unusable := self.workspace.none_may_be_rated(valuation.include, choice):
            raise InputError(unusable)
        if not valuation.analysed:  # what is left out is said before anything that takes long
            games = self.workspace.games(whom, choice, columns=())
            included = pc.is_in(games["exclusion"], value_set=pa.array(list(valuation.include), pa.string()))
            if message := left_out_by_choice(games.filter(pc.invert(included)), choice):
                valuation.say(message)
        if (stored := self._stored_id(valuation)) is not None:
            if stored == valuation.recipe and not valuation.analysed:
                valuation.say(
                    f"the engine here is not that of recipe {stored}: nothing is added to its analyses"
                )
            return stored
        return self.workspace.analyse(
            valuation.recipe,
            engine=valuation.engine,
            jobs=valuation.jobs,
            players=whom,
            include=valuation.include,
            own_moves=valuation.own_moves,
            choice=choice,
            before=valuation.before,
            progress=progress,
            instead=valuation.say,
        ).recipe_id

    def _stored_id(self, valuation: Valuation) -> str | None:
        """The id of values that are there: what is analysed, what another engine analysed, or comments.

        None where an engine is to be asked.
        """
        if valuation.analysed:
            return self._analysed_id(valuation.analysed)
        named = valuation.recipe
        if valuation.evaluations is not Evaluations.FILE and named in self.workspace.recipes():
            try:  # an id that a user names, to which the engine here may not be able to add
                return None if self._planned_id(valuation) == named else str(named)
            except (EngineError, InputError):
                return str(named)
        return self._source_of_comments(valuation) if self.from_comments(valuation) else None

    def _analysed_id(self, analysed: str | bool) -> str:
        """The id of the recipe whose analyses are read; of the only one where none is named."""
        return self.import_games().recipe_id() if isinstance(analysed, bool) else analysed

    def whom(self, wanted: Sequence[str]) -> list[str]:
        """Whom a user means (`Tal@1958-1960`), by full names."""
        return [str(player) for player in self.import_games().find_whom(wanted)]

    def recipe_id(self, valuation: Valuation) -> str | None:
        """The id of the recipe that an engine would be asked by, or that of values from comments."""
        return self._stored_id(valuation) or self._planned_id(valuation)

    def _planned_id(self, valuation: Valuation) -> str:
        recipe = self.workspace.find_recipe(valuation.recipe)
        return planned_recipe_id(recipe, EngineConfig(valuation.engine))

    def about(self, recipe_id: str) -> dict[str, Any]:
        """The recipe and the engine behind a recipe id."""
        if recipe_id in (ANNOTATED, *EVALUATED):
            return {"engine": {"name": "the games' own comments"}, "recipe": {"name": "evaluations"}}
        return self.workspace.recipes().get(recipe_id, {})

    def dates(self) -> dict[str, str]:
        """The date of each game by its id, as far as it is known."""
        return self.import_games().game_dates()

    def links(self) -> dict[str, str]:
        """Where each game can be seen, by its id, as far as the tags say."""
        games = self.import_games().table_games.read(["game_id", "link"]).to_pydict()
        return {game: link for game, link in zip(games["game_id"], games["link"], strict=True) if link}

    def openings(self) -> dict[str, str]:
        """The opening of each game by its id, from the tag ECO or from games that begin alike."""
        return self.import_games().game_openings()

    def left_out(self, valuation: Valuation) -> dict[str, int]:
        """How many games must not be rated, by reason."""
        counts = self.import_games().reasons(self.choice(valuation))
        return {reason: n for reason, n in counts.items() if reason and reason not in valuation.include}

    def published_by(self) -> str:
        """The server whose ratings most games have."""
        return published_by(self.import_games().table_games.read(["site"])["site"].to_pylist())

    def keep(self, ratings: Ratings) -> None:
        """Keep the last ratings made in the workspace."""
        self.workspace.keep_ratings(ratings)

    def choice(self, valuation: Valuation) -> Choice | None:
        """Which games are rated: where nobody chose, all of a server that brings a scale of its own.

        Such games are rated among others of their own time class, so none is left out for being fast.
        """
        return self._in_days(self._choice_of_times(valuation))

    def _in_days(self, choice: Choice | None) -> Choice | None:
        if self.days == ALL_DAYS:
            return choice
        return replace(choice or Choice(), since=self.days[0], until=self.days[1])

    def _choice_of_times(self, valuation: Valuation) -> Choice | None:
        try:
            if valuation.choice is not None or not self.from_comments(valuation):
                return valuation.choice
        except (EngineError, InputError):  # told by whoever needs values
            return valuation.choice
        return Choice.parse("all") if self._source_of_comments(valuation) in OF_SERVERS else None

    def evaluated(self, valuation: Valuation) -> tuple[dict[str, int], dict[str, int]]:
        """How many games have evaluations in comments, by source, and how many have none, by time class.

        Of games that may be rated, the most frequent first. Where nobody chose time classes, all games of
        servers count, and of others the classical ones.
        """
        workspace, chosen = self.import_games(), valuation.choice
        key = (chosen, self.days)
        if self._evaluated[0] != key:
            columns = ("game_id", "site", "event", "evaluator", "time_class", "exclusion")
            games = workspace.games(None, self._in_days(chosen or Choice.parse("all")), columns=columns)
            games = games.filter(pc.is_null(games["exclusion"]))
            valued = pc.is_in(games["game_id"], workspace.games_with_values()).to_pylist()
            with_values: Counter[str] = Counter()
            without: Counter[str] = Counter()
            for source, time, has in zip(
                sources_of(games), games["time_class"].to_pylist(), valued, strict=True
            ):
                if chosen is not None or source in OF_SERVERS or time in CLASSICAL:
                    with_values[source] += has
                    without[time] += not has
            self._evaluated = key, dict((+with_values).most_common()), dict((+without).most_common())
        return self._evaluated[1:]

    def _source_of_comments(self, valuation: Valuation) -> str:
        """The source of the values in comments that most games have."""
        if isinstance(valuation.analysed, str):
            return valuation.analysed
        return next(iter(self.evaluated(valuation)[0]), ANNOTATED)

    def from_comments(self, valuation: Valuation) -> bool:
        """Whether values come from comments: where asked, where most games have them, or without an engine.

        An engine that somebody named must be there: otherwise other values would stand in without a word.
        """
        if valuation.analysed:
            return self._analysed_id(valuation.analysed) in (ANNOTATED, *EVALUATED)
        if valuation.evaluations is Evaluations.ENGINE:
            return False
        annotated = self.import_games().table_annotations.count() > 0
        if valuation.evaluations is Evaluations.FILE:
            if not annotated:
                raise InputError(
                    f"the games of {self.path} have no evaluations in their comments: use --evaluations "
                    "engine"
                )
            return True
        if annotated and valuation.games_own and not self.workspace.table_analyses.count():
            with_values, without = self.evaluated(valuation)
            games = sum(with_values.values()) + sum(without.values())
            ready = sum(n for source, n in with_values.items() if source in EVALUATED)
            if ready and ready >= self.share_evaluated * games:
                return True
        try:
            find_engine(valuation.engine)
        except EngineError:
            if not annotated or is_named(valuation.engine):
                raise
            return True
        return False


class _ImportedSource(WorkspaceSource):
    """Games that are imported into a workspace when they are first needed."""

    def __init__(
        self,
        path: Path,
        workspace: Path,
        progress: Callable[..., None] = _NOTHING,
        say: Callable[[str], None] = _NOTHING,
    ) -> None:
        super().__init__(path, Workspace(workspace))
        self._progress, self._say = progress, say
        self._imported = False

    def import_games(self) -> Workspace:
        """Import the games into the workspace, when called for the first time, and return it."""
        if not self._imported:
            self._import()
            self._imported = True
        return self.workspace

    def _import(self, **wanted: Any) -> ImportReport:
        aliases = find_settings(self.workspace.path).aliases or None
        how: dict[str, Any] = {"aliases": aliases, "progress": self._progress, "say": self._say}
        return self.workspace.import_games(self._games, instead=self._say, **how, **wanted)

    @property
    def _games(self) -> str | Path:
        return self.path


class PgnSource(_ImportedSource):
    """PGN: a file, a folder of files or standard input, to be imported once into a workspace of its own."""

    what = "PGN"

    @classmethod
    def passing(cls, path: Path, **told: Callable[..., None]) -> PgnSource:
        """PGN in a workspace that goes with the source: nothing is kept."""
        folder = mkdtemp(prefix="assay-")
        source = cls(path, Path(folder) / "games.assay", **told)
        # The folder goes when nobody holds the source any more, at the latest with the program.
        weakref.finalize(source, shutil.rmtree, folder, ignore_errors=True)
        return source


class AccountSource(_ImportedSource):
    """Games of an account, fetched into a workspace of its own; without a network, those that are there."""

    what = "an account"
    share_evaluated = 0.0

    def __init__(
        self,
        account: Account,
        workspace: Path | None,
        wanted: WantedGames | None = None,
        **told: Callable[..., None],
    ) -> None:
        super().__init__(Path(str(account)), workspace or account.folder, **told)
        self._account, self._wanted, self.owner = account, wanted, account.name
        self.days = ALL_DAYS if wanted is None else wanted.days

    @property
    def _games(self) -> str:
        return str(self._account)

    def _choice_of_times(self, valuation: Valuation) -> Choice | None:
        """Of an account without classical games those of the most frequent time class: never nothing."""
        choice = super()._choice_of_times(valuation)
        if choice is not None:
            return choice
        games = self.workspace.games(None, self._in_days(Choice.parse("all")), columns=("time_class",))
        times = Counter(games.filter(pc.is_null(games["exclusion"]))["time_class"].to_pylist())
        return None if not times or times.keys() & CLASSICAL else Choice.parse(times.most_common(1)[0][0])

    def _import(self, **wanted: Any) -> ImportReport:
        report = ImportReport()
        try:
            report = super()._import(wanted=self._wanted, **wanted)
            self._say(f"{report.added:,} new games of {self._account.name}")
        except NetworkError as error:
            day = fetched(self.workspace.path, self._account)
            if day is None:
                raise
            self._say(f"{error}; using the games fetched until {day}")
        if self._wanted is not None and self._wanted.most is not None:
            asked = Choice(since=self.days[0], until=self.days[1])
            dates = sorted(date for date in self.workspace.game_dates().values() if asked.includes(date))
            if len(dates) > self._wanted.most:  # of the newest so many, and others of the same day
                self.days = dates[-self._wanted.most].replace("-", "."), self.days[1]
        return report


class DecisionsFile(Source):
    """Decisions in a Parquet file (docs/reference/files.md)."""

    what = "a file of decisions"

    @cached_property
    def _all(self) -> Decisions:
        return Decisions.read(self.path)

    def decisions(
        self, valuation: Valuation, *, players: Sequence[str] | None = None, **_: Any
    ) -> Iterator[Decisions]:
        """All its decisions, or those of some players, in one piece: there is nothing to analyse.

        The reasons in the file stand, unless the user chose time classes or lengths of games.
        """
        recipes = {str(name) for name in self._all.text("recipe_id")}
        if isinstance(valuation.analysed, str) and recipes != {valuation.analysed}:
            used = ", ".join(sorted(recipes)) or "none"
            raise InputError(
                f"{self.path} was analysed with recipe {used}, not {valuation.analysed}: evaluations of "
                "different recipes do not go together"
            )
        decisions = self._all if valuation.choice is None else mark_decisions(self._all, valuation.choice)
        if players is not None:
            decisions = decisions.select(player=[find_player(name, decisions.players) for name in players])
        yield decisions

    def recipe_id(self, valuation: Valuation) -> str | None:
        """The recipe of its decisions, where it is one."""
        recipes = {name for name in self._all.text("recipe_id") if name is not None}
        return str(*recipes) if len(recipes) == 1 else None

    def dates(self) -> dict[str, str]:
        """The year of each game, which is all that decisions tell."""
        years = zip(self._all.text("game_id"), self._all.numbers("year"), strict=True)
        return {str(game): f"{year:.0f}" for game, year in years if not math.isnan(year)}


class ChampionsSource(Source):
    """The champions that come with the package: what is known of their years, without games."""

    what = "evidence of the champions by year, without games"

    def __init__(self) -> None:
        super().__init__(Path("champions"))


class ResultsFile(Source):
    """Results of games in a CSV file, in the columns of the 2010 competition; no moves."""

    what = "a file of results"


DEFAULT_WORKSPACE = "games.assay"
VARIABLE = "ASSAY_WORKSPACE"
"""Names the workspace to use where none is given."""


def default_workspace() -> Path:
    """The workspace where neither games nor a workspace are named."""
    return Path(os.environ.get(VARIABLE) or DEFAULT_WORKSPACE)


def is_workspace(path: Path) -> bool:
    """Whether a folder is a workspace."""
    return (path / "workspace.json").is_file()


def beside(path: Path) -> Path:
    """The workspace that belongs to a PGN file or folder: the one beside it."""
    named = path if path.name else path.resolve()  # of "." and ".." the name is elsewhere
    return named.with_name(f"{named.name}.assay")


def open_source(
    path: str | Path | None = None,
    workspace: str | Path | None = None,
    *,
    keep: bool = True,
    wanted: WantedGames | None = None,
    progress: Callable[..., None] = _NOTHING,
    say: Callable[[str], None] = _NOTHING,
) -> Source:
    """The source at a path or on a server; without one, the workspace given, or the default one.

    PGN is imported, by `Source.import_games` and by what needs the games, into the workspace given or into
    one beside it; without `keep`, into one that goes with the source: where only results are read there is
    nothing worth keeping. Standard input goes into one in the cache, games of an account into one in the data
    folder; `wanted` says which of these to fetch.
    """
    given = Path(workspace) if workspace is not None else None
    told = {"progress": progress, "say": say}
    most, days = (None, ALL_DAYS) if wanted is None else (wanted.most, wanted.days)
    if path is None:
        place = given or default_workspace()
        source: Source = WorkspaceSource(place, Workspace(place))
    else:
        named = Path(path)
        if names_server(path) and not named.exists():
            if (account := Account.parse(path)) is not None:
                return AccountSource(account, given, wanted, **told)
            named = download(str(path), say)
        elif most is not None:
            raise InputError(f"--max is for accounts (lichess:NAME), not for {named}")
        source = _open_files(named, given, keep, told)
    if days != ALL_DAYS:
        if not isinstance(source, WorkspaceSource):
            raise InputError(f"--since and --until need games with dates: {source.path} is {source.what}")
        source.days = days
    return source


def _open_files(
    named: Path, given: Path | None, keep: bool, told: Mapping[str, Callable[..., None]]
) -> Source:
    """The source at a path on this machine."""
    if str(named) == "-":
        named = named if given is not None else keep_input()
        return PgnSource(named, given or beside(named), **told)
    check_games(named)
    if is_workspace(named):
        if given is not None and given.resolve() != named.resolve():
            raise InputError(f"{named} is a workspace already: leave --workspace out")
        return WorkspaceSource(named, Workspace(named))
    if named.is_dir():
        Folder(named, check=False).refuse_without_marker()
    elif named.suffix == ".parquet":
        return DecisionsFile(named)
    elif named.is_file():
        with named.open("rb") as file:
            first = file.readline(10_000).decode("utf-8", "replace").strip()
        if named.suffix.lower() == ".csv":
            return DecisionsFile(named) if set(REQUIRED) <= set(first.split(",")) else ResultsFile(named)
        if "Month #" in first[:200]:  # a file of the 2010 competition under another name
            return ResultsFile(named)
    if given is None and not keep:
        return PgnSource.passing(named, **told)
    return PgnSource(named, given or beside(named), **told)
