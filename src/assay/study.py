"""A study: some source of games, and everything that leads from it to decisions and ratings.

`Study("games.pgn").rate()` imports the games into a workspace beside the file, analyses what is missing,
assembles decisions and rates. A workspace or a file of decisions serves as source too. Commands are thin
layers over this.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from assay.analysis.engines import find_engine
from assay.domain.decisions import Decisions
from assay.domain.names import find_player
from assay.domain.rating import PlayerRating, Ratings
from assay.errors import EngineError, InputError
from assay.models.appearances import Appearances
from assay.models.base import recipe_of
from assay.models.calibration import Calibration
from assay.models.calibration_files import find_calibration
from assay.models.player_ratings import LEAST_DECISIONS, Progress, rate_decisions
from assay.store.annotated import ANNOTATED
from assay.workspace import Workspace

EVALUATIONS = ("auto", "file", "engine")
"""Where values come from: the engine, the games' own comments, or those where there is no engine."""

_NOTHING: Callable[..., None] = lambda *_: None  # noqa: E731


class Study:
    """Games from a PGN file or folder, a workspace, or decisions from a Parquet file."""

    def __init__(
        self,
        source: str | Path,
        *,
        workspace: str | Path | None = None,
        recipe: str = "standard",
        engine: str | None = None,
        jobs: int | None = None,
        include: Sequence[str] = (),
        evaluations: str = "engine",
    ) -> None:
        """Games that must not be rated are analysed only where their reason is in `include`.

        `evaluations` is one of EVALUATIONS.
        """
        if evaluations not in EVALUATIONS:
            raise InputError(f"evaluations come from {', '.join(EVALUATIONS)}, not '{evaluations}'")
        self.source = Path(source)
        self.recipe = recipe
        self._engine = engine
        self._jobs = jobs
        self._include = tuple(include)
        self._given = workspace
        self._evaluations = evaluations
        self.decided: Decisions | None = None
        """The decisions that the last ratings are from."""
        if not self.source.exists() and str(source) != "-":
            raise InputError(f"{source} does not exist: give a PGN file, a workspace or a file of decisions")

    @property
    def is_decisions_file(self) -> bool:
        """Whether the source is decisions made elsewhere: no engine is needed."""
        return self.source.suffix == ".parquet"

    @property
    def is_workspace(self) -> bool:
        """Whether the source is a workspace already."""
        return (self.source / "workspace.json").is_file()

    def workspace(self) -> Workspace:
        """The workspace: the one given, the source itself, or one beside the file."""
        if self._given is not None:
            return Workspace(self._given)
        if self.is_workspace:
            return Workspace(self.source)
        if str(self.source) == "-":
            raise InputError("games from standard input need a workspace to be kept in: give --workspace")
        return Workspace(self.source.with_name(f"{self.source.name}.assay"))

    def import_games(self, **options: Any) -> None:
        """Import the source into the workspace, unless it is one."""
        if not self.is_workspace and not self.is_decisions_file:
            self.workspace().import_games(self.source, **options)

    def decisions(
        self,
        *,
        players: Sequence[str] | None = None,
        trace: bool = False,
        progress: Callable[..., None] = _NOTHING,
    ) -> Decisions:
        """Decisions of the source: imported, analysed as far as that is missing, assembled."""
        if self.is_decisions_file:
            decisions = Decisions.read(self.source)
            if players is None:
                return decisions
            return decisions.select(player=[find_player(name, decisions.players) for name in players])
        self.import_games()
        workspace = self.workspace()
        if unusable := workspace.none_may_be_rated(self._include):
            raise InputError(unusable)
        if self._from_comments(workspace):
            return workspace.decisions(ANNOTATED, players=players)
        recipe_id = self._analyse(workspace, players, progress)
        return workspace.decisions(recipe_id, players=players, trace=trace)

    def analysed(self, recipe_id: str | None = None) -> Decisions:
        """Decisions that are there already, without any engine: all of one recipe, which may be asked for."""
        if self.is_decisions_file:
            decisions = Decisions.read(self.source)
        else:
            decisions = self.workspace().decisions(recipe_id or self.workspace().recipe_id())
        found = {str(name) for name in decisions.text("recipe_id")}
        if recipe_id is not None and found != {recipe_id}:
            used = ", ".join(sorted(found)) or "none"
            raise InputError(
                f"{self.source} was analysed with recipe {used}, not {recipe_id}: evaluations of different "
                "recipes do not go together"
            )
        return decisions

    def rate(
        self,
        *,
        players: Sequence[str] | None = None,
        methods: Sequence[str] | None = None,
        by: str = "player",
        min_decisions: int = LEAST_DECISIONS,
        calibration: Calibration | None = None,
        level: float = 0.95,
        history: bool = False,
        progress: Callable[..., None] = _NOTHING,
        rating: Progress = _NOTHING,
    ) -> Ratings:
        """Every player, or some, rated by every method and all together: strongest first, with intervals.

        On the Elo scale where the recipe has a calibration (the one given, else one that is found), otherwise
        relative to the other players. `by` rates a player's years, events or games apart; `history` adds
        the combined rating by year or month. The ratings are kept in the workspace.
        """
        if isinstance(players, str):
            players = [players]
        # With a calibration a player is rated by himself, and only his games need be analysed.
        alone = players is not None and (calibration is not None or self._has_calibration())
        chosen = self.decided = self.decisions(players=players if alone else None, progress=progress)
        recipe_id = recipe_of(chosen)
        if calibration is None:
            calibration = find_calibration(recipe_id)
        else:
            calibration.check(recipe_id)
        if players is not None:
            wanted = [find_player(name, chosen.players) for name in players]
            chosen = chosen.select(player=wanted) if calibration is not None else chosen
        found, too_few = rate_decisions(
            chosen,
            calibration,
            by=by,
            methods=methods,
            least=min_decisions,
            level=level,
            periods=self._periods(chosen) if history else None,
            progress=rating,
        )
        anchored = calibration is not None or any(one.reference == one.reference for one in found)
        if players is not None:
            found = tuple(one for one in found if one.player in wanted)
            too_few = {title: n for title, n in too_few.items() if title.startswith(tuple(wanted))}
        engine, recipe = self.made_with(recipe_id, calibration)
        scale = calibration.range if calibration is not None else None
        ratings = Ratings(
            engine,
            recipe,
            recipe_id,
            by,
            calibration is not None,
            found,
            too_few,
            self._notes(found, calibration, anchored),
            anchored,
            (math.nan, math.nan) if scale is None else (scale.lowest, scale.highest),
        )
        if not self.is_decisions_file:
            self.workspace().keep_ratings(ratings)
        return ratings

    def report(self, ratings: Ratings, *, command: str = "") -> str:
        """One self-contained HTML file on ratings that this study made, as text."""
        from assay.report.pages import Provenance, ratings_page

        if self.decided is None:
            raise InputError("this study has rated nothing yet: call rate first")
        names = sorted({one.player for one in ratings.players})
        own = self.decided.select(player=names)
        about = {} if self.is_decisions_file else self.workspace().recipes().get(ratings.recipe_id, {})
        reasons = {} if self.is_decisions_file else self.workspace().reasons()
        left_out = {reason: n for reason, n in reasons.items() if reason is not None}
        made = Provenance(
            ratings.engine,
            about.get("recipe", {"name": ratings.recipe}),
            ratings.recipe_id,
            len(own.games),
            len(own),
            about.get("engine", {}).get("settings", {}),
            left_out,
            command,
        )
        return ratings_page(ratings, self.decided, source=self.source.name, made=made)

    def made_with(self, recipe_id: str, calibration: Calibration | None = None) -> tuple[str, str]:
        """Names of the engine and the recipe, from the workspace or else from the calibration."""
        about = {} if self.is_decisions_file else self.workspace().recipes()
        if recipe_id in about:
            return about[recipe_id]["engine"]["name"], about[recipe_id]["recipe"]["name"]
        if recipe_id == ANNOTATED:
            return "the games' own comments", "evaluations"
        made = {} if calibration is None else calibration.about
        return made.get("engine", "unknown engine"), made.get("recipe", recipe_id or "unknown recipe")

    def _periods(self, decisions: Decisions) -> dict[str, str]:
        """The year of each game; its month, or day, where all are of one. For those whose date is known."""
        if self.is_decisions_file:
            years = zip(decisions.text("game_id"), decisions.numbers("year"), strict=True)
            return {str(game): f"{year:.0f}" for game, year in years if year == year}
        dates = self.workspace().game_dates()
        for length in (len("2011"), len("2011-12"), len("2011-12-31")):
            periods = {game: date[:length] for game, date in dates.items() if "?" not in date[:length]}
            if len(set(periods.values())) > 1:
                break
        return periods

    def _has_calibration(self) -> bool:
        """Whether what is analysed here will be rated through a calibration, and a player alone will do."""
        if self.is_decisions_file:
            return False
        self.import_games()
        workspace = self.workspace()
        if self._from_comments(workspace):
            return False
        planned = workspace.backlog(self.recipe, engine=self._engine, limit=0)
        return find_calibration(planned.recipe_id) is not None

    def _notes(
        self, found: Sequence[PlayerRating], calibration: Calibration | None, anchored: bool
    ) -> tuple[str, ...]:
        notes = []
        if calibration is None:
            if any(one.combined.low != one.combined.low for one in found):
                notes.append("Nobody has the four games that it takes to say how games vary: no intervals.")
            notes.append(
                "This engine and recipe have no calibration (assay calibrate makes one): ratings are "
                "relative to the players here, "
                + (
                    "anchored on the mean of the reference ratings that the games have; their distances "
                    "may be too small or too large."
                    if anchored
                    else "as distances to their mean; the games have no reference ratings."
                )
            )
        else:
            low, high = calibration.mileposts.min(), calibration.mileposts.max()
            if any(not low - 50 <= one.combined.elo <= high + 50 for one in found):
                notes.append(
                    f"The scale is calibrated from {low:.0f} to {high:.0f}: ratings beyond are drawn to that "
                    "range, and mean no more than 'at least' or 'at most' so much."
                )
        return tuple(notes)

    def _from_comments(self, workspace: Workspace) -> bool:
        """Whether values come from the games' comments: where asked, or where there is no engine."""
        if self._evaluations == "engine":
            return False
        annotated = workspace.table_annotations.count() > 0
        if self._evaluations == "file":
            if not annotated:
                raise InputError(
                    f"the games of {self.source} have no evaluations in their comments: use --evaluations "
                    "engine"
                )
            return True
        try:
            find_engine(self._engine)
        except EngineError:
            if not annotated:
                raise
            return True
        return False

    def _analyse(
        self, workspace: Workspace, players: Sequence[str] | None, progress: Callable[..., None]
    ) -> str:
        report = workspace.analyse(
            self.recipe,
            engine=self._engine,
            jobs=self._jobs,
            players=players,
            include=self._include,
            progress=progress,
        )
        return report.recipe_id


def calibrate(
    studies: Sequence[Study], *, progress: Callable[..., None] = _NOTHING
) -> tuple[Calibration, Appearances]:
    """The calibration of a recipe from games of players with reference ratings, and what it was made from."""
    decisions = Decisions.concat([study.decisions(progress=progress) for study in studies])
    appearances = Appearances.of(decisions)
    engine, recipe = studies[0].made_with(appearances.recipe_id)
    about = {"engine": engine, "recipe": recipe, "games": len(set(appearances.game.tolist()))}
    return Calibration.fit(appearances, about), appearances


def choose_player(decisions: Decisions, wanted: str) -> tuple[str, Decisions]:
    """Title and decisions of the player whom a user means: "Fischer", "Fischer@1972", "Tal@1958-1960"."""
    name, at, years = wanted.partition("@")
    player = find_player(name.strip(), decisions.players)
    chosen = decisions.select(player=player)
    if not at:
        return player, chosen
    first, _, last = years.partition("-")
    if not (first.isdigit() and (last or first).isdigit()):
        raise InputError(f"'{wanted}': write years as {name}@1972 or {name}@1970-1972")
    chosen = chosen.select(year=range(int(first), int(last or first) + 1))
    if not len(chosen):
        raise InputError(f"no decisions of {player} in {years}: choose other years")
    return f"{player} {years}", chosen
