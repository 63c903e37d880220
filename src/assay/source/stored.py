"""Games kept in a workspace: one that is there, or one that PGN files are imported into."""

from __future__ import annotations

import shutil
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import ANNOTATED, EVALUATED, OF_SERVERS
from assay.decisions.exclusions import Choice
from assay.engine.engines import find_engine, is_named
from assay.errors import EngineError, InputError
from assay.source.base import _NOTHING, Source
from assay.source.valuation import Evaluations, Valuation
from assay.store.annotated import main_source
from assay.workspace import Workspace
from assay.workspace.marks import left_out_by_choice, reasons

if TYPE_CHECKING:
    from assay.answers.ratings import Ratings

GAMES_AT_A_TIME = 2000
"""Games whose decisions are held at once where all of them are only added up: a hundred megabytes or so."""


class WorkspaceSource(Source):
    """A workspace: its games, and what has been analysed of them."""

    def __init__(self, path: Path, workspace: Workspace) -> None:
        super().__init__(path)
        self._workspace = workspace
        self._source: str | None = None

    def describe(self) -> str:
        """What it is, in a few words."""
        return "a workspace"

    @property
    def workspace(self) -> Workspace:
        """The workspace, with everything imported that is to be."""
        return self._workspace

    @property
    def place(self) -> Path:
        """The folder of the workspace."""
        return self._workspace.path

    def games(self) -> pa.Table:
        """The table of games."""
        return self.workspace.games()

    def decisions(
        self,
        valuation: Valuation,
        *,
        players: Sequence[str] | None = None,
        whom: Sequence[str] | None = None,
        trace: bool = False,
        progress: Callable[..., None] = _NOTHING,
    ) -> Decisions:
        """Decisions by an engine, analysed as far as that is missing, or by the games' comments."""
        recipe_id = self._prepared(valuation, whom if whom is not None else players, progress)
        return self.workspace.decisions(
            recipe_id, players=players, trace=trace, choice=self._choice(valuation)
        )

    def iter_decisions(
        self,
        valuation: Valuation,
        *,
        players: Sequence[str] | None = None,
        trace: bool | None = None,
        progress: Callable[..., None] = _NOTHING,
    ) -> Iterator[Decisions]:
        """The same, some thousand games at a time; of more than that the trace only if it is asked for."""
        recipe_id = self._prepared(valuation, players, progress)
        count = self.workspace.table_games.count()
        if count <= GAMES_AT_A_TIME:
            traced = recipe_id != ANNOTATED and trace is not False
            yield self.workspace.decisions(
                recipe_id, players=players, trace=traced, choice=self._choice(valuation)
            )
            return
        yield from self.workspace.iter_decisions(
            recipe_id,
            players=players,
            trace=bool(trace),
            choice=self._choice(valuation),
            games_at_a_time=GAMES_AT_A_TIME,
        )

    def _prepared(
        self, valuation: Valuation, meant: Sequence[str] | None, progress: Callable[..., None]
    ) -> str:
        """The recipe id of the values, after what is missing has been analysed."""
        if unusable := self.workspace.none_may_be_rated(valuation.include, self._choice(valuation)):
            raise InputError(unusable)
        recipe_id = ANNOTATED
        if not self._from_comments(valuation):
            recipe_id = self.workspace.analyse(
                valuation.recipe,
                engine=valuation.engine,
                jobs=valuation.jobs,
                players=meant,
                include=valuation.include,
                choice=self._choice(valuation),
                before=valuation.before,
                progress=progress,
            ).recipe_id
        self._say_what_is_left_out(valuation, meant)  # where nothing went wrong: an error is one sentence
        return recipe_id

    def _say_what_is_left_out(self, valuation: Valuation, whom: Sequence[str] | None) -> None:
        games = self.workspace.games_in_question(whom, self._choice(valuation), columns=())
        included = pc.is_in(games["exclusion"], value_set=pa.array(list(valuation.include), pa.string()))
        if said := left_out_by_choice(games.filter(pc.invert(included)), self._choice(valuation)):
            valuation.say(said)

    def whom(self, wanted: Sequence[str]) -> list[str]:
        """Whom a user means (`Tal@1958-1960`), by full names."""
        return [str(one) for one in self.workspace.find_whom(wanted)]

    def analysed(self, recipe_id: str | None = None) -> Decisions:
        """The decisions of what has been analysed, by this recipe or the only one."""
        return self.workspace.decisions(recipe_id or self.workspace.recipe_id())

    def recipe_id(self, valuation: Valuation) -> str | None:
        """The id of the recipe that an engine would be asked by; None where comments tell the values."""
        if self._from_comments(valuation):
            return ANNOTATED
        return Workspace.planned_recipe_id(valuation.recipe, engine=valuation.engine)

    def about(self, recipe_id: str) -> dict[str, Any]:
        """The recipe and the engine behind a recipe id."""
        if recipe_id in (ANNOTATED, *EVALUATED):
            return {"engine": {"name": "the games' own comments"}, "recipe": {"name": "evaluations"}}
        return self.workspace.recipes().get(recipe_id, {})

    def dates(self) -> dict[str, str]:
        """The date of each game by its id, as far as it is known."""
        return self.workspace.game_dates()

    def links(self) -> dict[str, str]:
        """Where each game can be seen, by its id, as far as the tags say."""
        games = self.workspace.table_games.read(["game_id", "link"]).to_pydict()
        return {game: link for game, link in zip(games["game_id"], games["link"], strict=True) if link}

    def openings(self) -> dict[str, str]:
        """The opening of each game by its id, from the tag ECO or from games that begin alike."""
        return self.workspace.game_openings()

    def left_out(
        self, valuation: Valuation | None = None, players: Sequence[str] | None = None
    ) -> dict[str, int]:
        """How many games must not be rated, by reason: of all, or of some players (`Tal@1958-1960`)."""
        choice, include = (None, ()) if valuation is None else (self._choice(valuation), valuation.include)
        if players is None:
            found = self.workspace.reasons(choice)
        else:
            found = reasons(self.workspace.games_in_question(players, choice, columns=()))
        return {reason: n for reason, n in found.items() if reason is not None and reason not in include}

    def keep(self, ratings: Ratings) -> None:
        """Keep the last ratings made in the workspace."""
        self.workspace.keep_ratings(ratings)

    def _choice(self, valuation: Valuation) -> Choice | None:
        """Which games are rated: where nobody chose, those of a server that brings a scale of its own.

        Such games are rated among others of their own time class, so none is left out for being fast.
        """
        try:
            if valuation.choice is not None or not self._from_comments(valuation):
                return valuation.choice
        except (EngineError, InputError):  # told by whoever needs values
            return valuation.choice
        everything = Choice.parse("all")
        return everything if self._main_source(everything) in OF_SERVERS else None

    def _main_source(self, choice: Choice) -> str:
        if self._source is None:
            columns = ("site", "event", "evaluator", "time_class", "exclusion")
            self._source = main_source(self.workspace.games_in_question(None, choice, columns=columns))
        return self._source

    def _from_comments(self, valuation: Valuation) -> bool:
        """Whether values come from the games' comments: where asked, or where there is no engine.

        An engine that somebody named must be there: otherwise other values would stand in without a word.
        """
        if valuation.evaluations is Evaluations.ENGINE:
            return False
        annotated = self.workspace.table_annotations.count() > 0
        if valuation.evaluations is Evaluations.FILE:
            if not annotated:
                raise InputError(
                    f"the games of {self.path} have no evaluations in their comments: use --evaluations "
                    "engine"
                )
            return True
        try:
            find_engine(valuation.engine)
        except EngineError:
            if not annotated or is_named(valuation.engine):
                raise
            return True
        return False


class PgnSource(WorkspaceSource):
    """PGN: a file, a folder of files or standard input, imported once into a workspace of its own."""

    def __init__(
        self,
        path: Path,
        workspace: Workspace,
        *,
        aliases: Mapping[str, str] | None = None,
        progress: Callable[..., None] = _NOTHING,
        say: Callable[[str], None] = _NOTHING,
    ) -> None:
        super().__init__(path, workspace)
        self._aliases = aliases
        self._progress = progress
        self._say = say
        self._imported = False

    def describe(self) -> str:
        """What it is, in a few words."""
        return "PGN"

    @property
    def workspace(self) -> Workspace:
        """The workspace, after the games have been imported into it."""
        if not self._imported:
            self._workspace.import_games(
                self.path, aliases=self._aliases, progress=self._progress, say=self._say
            )
            self._imported = True
        return self._workspace


class PassingPgnSource(PgnSource):
    """PGN that is imported into a workspace which goes with the source: nothing is kept."""

    def __init__(self, path: Path, **options: Any) -> None:
        folder = mkdtemp(prefix="assay-")
        # The folder goes when nobody holds the source any more, at the latest with the program.
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        super().__init__(path, Workspace(Path(folder) / "games.assay"), **options)
