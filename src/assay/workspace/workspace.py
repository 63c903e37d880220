"""The public face of a workspace: each method is a function of the modules beside this one."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pyarrow as pa

from assay.answers.ratings import Ratings
from assay.decisions.decisions import Decisions
from assay.decisions.exclusions import Choice
from assay.decisions.names import Who
from assay.engine.backlog import AnalysisReport, Backlog
from assay.engine.engines import EngineConfig
from assay.engine.recipe import Recipe
from assay.pgn.importer import ImportReport, Progress
from assay.workspace import analyses, decisions, export, games, imports, removal, status
from assay.workspace.folder import Folder
from assay.workspace.games import Whom
from assay.workspace.players import find_players, find_whom, games_with_players
from assay.workspace.ratings import keep_ratings
from assay.workspace.removal import Removal, RemovalReport

Source = str | Path

_NOTHING: Callable[..., None] = lambda *_: None  # noqa: E731


class Workspace:
    """A folder that holds the tables of one study."""

    def __init__(self, path: str | Path) -> None:
        self.folder = Folder(path)
        self.path = self.folder.path
        self.table_games = self.folder.games
        self.table_players = self.folder.players
        self.table_reference_ratings = self.folder.reference_ratings
        self.table_annotations = self.folder.annotations
        self.table_analyses = self.folder.analyses
        self.table_alone = self.folder.alone
        self.table_ratings = self.folder.ratings

    def __repr__(self) -> str:
        return f"Workspace({str(self.path)!r})"

    def exists(self) -> bool:
        """Whether anything has been written here."""
        return self.folder.exists()

    def writing(self) -> AbstractContextManager[None]:
        """The writer's lock, as a context; a second writer gets a LockedError that names the first."""
        return self.folder.writing()

    # Games ---------------------------------------------------------------------------------------------

    def import_games(
        self,
        source: Source | Iterable[Source],
        *,
        aliases: Source | Mapping[str, str] | None = None,
        spelling: Source | None = None,
        progress: Progress = _NOTHING,
        say: Callable[[str], None] = _NOTHING,
    ) -> ImportReport:
        """Import PGN from files, folders or `-`; then settle which names are one player."""
        return imports.import_games(
            self.folder, source, aliases=aliases, spelling=spelling, progress=progress, say=say
        )

    def games(self, players: Iterable[str] | None = None, choice: Choice | None = None) -> pa.Table:
        """All games, with the players (`white`, `black`) in place of the names as written.

        Where the tags give no rating, the published rating of that year stands in. Games that are too short
        or of a time class that is not rated are marked by the choice.
        """
        return games_with_players(self.folder, players, choice)

    def find_players(self, wanted: Iterable[str]) -> list[str]:
        """The players whom a user means, each by a name or a part of it."""
        return find_players(self.folder, wanted)

    def find_whom(self, wanted: Whom) -> list[Who]:
        """Whom a user means, players in some years or at some event, by full names."""
        return find_whom(self.folder, wanted)

    def game_dates(self) -> dict[str, str]:
        """The date of each game by its id, as far as it is known: year, or year and month, or day."""
        return games.game_dates(self.folder)

    def game_openings(self) -> dict[str, str]:
        """The opening of each game by its id: of the tag ECO, or of tagged games that begin alike."""
        return games.game_openings(self.folder)

    def reasons(self, choice: Choice | None = None) -> dict[str | None, int]:
        """How many games must not be rated for each reason, and (None) how many may."""
        return games.reasons(self.folder, choice)

    def none_may_be_rated(self, include: Iterable[str] = (), choice: Choice | None = None) -> str | None:
        """Why no game may be rated, in a sentence; None where some may, or carry a reason of `include`."""
        return games.none_may_be_rated(self.folder, include, choice)

    def games_in_question(
        self,
        players: Whom | None = None,
        choice: Choice | None = None,
        columns: Iterable[str] | None = None,
    ) -> pa.Table:
        """All games, or those of some players in some years or at some event (`Tal@1958-1960`).

        With all columns, or with these and what it takes to choose the games.
        """
        return games.games_in_question(self.folder, players, choice, columns)

    def game(self, game_id: str, choice: Choice | None = None) -> pa.Table:
        """One game by its id: a table of one row, with its moves and players."""
        return games.game(self.folder, game_id, choice)

    def plan_removal(
        self,
        *,
        players: Iterable[str] = (),
        events: Iterable[str] = (),
        game_ids: Iterable[str] = (),
    ) -> Removal:
        """What `remove` would remove: games of players (`Tal@1958` too), of events, or by their ids."""
        return removal.plan_removal(self.folder, players=players, events=events, game_ids=game_ids)

    def remove(self, planned: Removal) -> RemovalReport:
        """Remove games with everything that is there only because of them; whole or not at all."""
        return removal.remove(self.folder, planned)

    # Analyses ------------------------------------------------------------------------------------------

    def analyse(
        self,
        recipe: str | Recipe = "standard",
        *,
        jobs: int | None = None,
        cluster: str | None = None,
        players: Whom | None = None,
        limit: int | None = None,
        engine: str | EngineConfig | None = None,
        include: Iterable[str] = (),
        choice: Choice | None = None,
        before: Callable[[Backlog, EngineConfig], None] | None = None,
        progress: Callable[[AnalysisReport], None] | None = None,
    ) -> AnalysisReport:
        """Analyse what is missing of the games that may be rated, of all players or of some.

        `players` may be meant in some years or at some event: `Tal@1958-1960`. Games that must not be rated
        are analysed only where their reason is in `include`; `choice` says which time classes and lengths may
        be. `before` is shown the backlog before any engine starts, and may object by raising an error.

        One engine per core, or `jobs` of them, or those of the Dask scheduler at `cluster`. What is finished
        is kept, however the run ends, and the next one goes on from there.
        """
        return analyses.analyse(
            self.folder,
            recipe,
            jobs=jobs,
            cluster=cluster,
            players=players,
            limit=limit,
            engine=engine,
            include=include,
            choice=choice,
            before=before,
            progress=progress,
        )

    def backlog(
        self,
        recipe: str | Recipe = "standard",
        *,
        players: Whom | None = None,
        limit: int | None = None,
        engine: str | EngineConfig | None = None,
        include: Iterable[str] = (),
        choice: Choice | None = None,
    ) -> Backlog:
        """What `analyse` would have to do."""
        return analyses.backlog(
            self.folder,
            recipe,
            players=players,
            limit=limit,
            engine=engine,
            include=include,
            choice=choice,
        )

    @staticmethod
    def planned_recipe_id(
        recipe: str | Recipe = "standard", *, engine: str | EngineConfig | None = None
    ) -> str:
        """The id under which `analyse` keeps what it finds. Starts the engine once in a process."""
        return analyses.plan_recipe_id(recipe, engine)

    def recipes(self) -> dict[str, dict[str, Any]]:
        """Recipe and engine by recipe id, for all that were used here."""
        return analyses.recipes(self.folder)

    def recipe_id(self, recipe: str | None = None) -> str:
        """The id of a recipe used here, from its id or its name; None stands for the only one."""
        return analyses.find_recipe_id(self.folder, recipe)

    def import_evaluations(self, source: Source) -> int:
        """Take analyses of the games' positions from a file of lichess's evaluations; return how many."""
        return analyses.import_evaluations(self.folder, source)

    # Decisions and ratings -----------------------------------------------------------------------------

    def decisions(
        self,
        recipe: str,
        *,
        players: Sequence[str] | None = None,
        trace: bool = False,
        choice: Choice | None = None,
    ) -> Decisions:
        """Decisions of the analysed games, of all players or of some.

        `recipe="annotations"` takes the evaluations in the games' own comments. `choice` says which time
        classes and lengths of games may be rated; the others are marked.
        """
        return decisions.decisions_of(self.folder, recipe, players=players, trace=trace, choice=choice)

    def iter_decisions(
        self,
        recipe: str,
        *,
        trace: bool = False,
        games_at_a_time: int = 20_000,
        choice: Choice | None = None,
        players: Sequence[str] | None = None,
    ) -> Iterator[Decisions]:
        """The same, some games at a time, only they and their analyses in memory: for what does not fit."""
        return decisions.iter_decisions(
            self.folder,
            recipe,
            trace=trace,
            games_at_a_time=games_at_a_time,
            choice=choice,
            players=players,
        )

    def decisions_of_games(self, recipe: str, games: pa.Table, *, trace: bool = False) -> Decisions:
        """Decisions of some rows of the table of games: quick however many others there are."""
        return decisions.decisions_of_games(self.folder, recipe, games, trace=trace)

    def keep_ratings(self, ratings: Ratings) -> None:
        """Keep the last ratings made, in place of earlier ones."""
        keep_ratings(self.folder, ratings)

    # For people and other programs ---------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        """What is in the workspace."""
        return status.status(self.folder)

    def export(
        self,
        table: str,
        format_: str,
        out: Path | None,
        *,
        recipe: str | None = None,
        more: export.More | None = None,
    ) -> int:
        """Write games, decisions or ratings as Parquet, CSV or JSON lines; return the number of rows.

        `more` makes columns beside decisions: `assay.insights.difficulty.columns_of` is one.
        """
        return export.export(self.folder, table, format_, out, recipe=recipe, more=more)

    def export_pgn(self, out: Path | None, *, recipe: str | None = None, form: str = "lichess") -> int:
        """Write the analysed games as PGN with their evaluations, `lichess` or `alliot`; return how many."""
        return export.export_pgn(self.folder, out, recipe=recipe, form=form)
