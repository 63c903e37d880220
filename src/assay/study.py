"""A study: some source of games, and everything that leads from it to decisions.

`Study("games.pgn").decisions()` imports the games into a workspace beside the file, analyses what is missing,
and assembles. A workspace or a file of decisions serves as source too. Commands are thin layers over this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from assay.domain.decisions import Decisions
from assay.domain.names import find_player
from assay.errors import InputError
from assay.workspace import Workspace

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
    ) -> None:
        """Games that must not be rated are analysed only where their reason is in `include`."""
        self.source = Path(source)
        self.recipe = recipe
        self._engine = engine
        self._jobs = jobs
        self._include = tuple(include)
        self._given = workspace
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
            return decisions if players is None else decisions.select(player=players)
        self.import_games()
        workspace = self.workspace()
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
