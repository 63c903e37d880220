"""A study: some source of games, and everything that leads from it to decisions.

`Study("games.pgn").decisions()` imports the games into a workspace beside the file, analyses what is missing,
and assembles. A workspace or a file of decisions serves as source too. Commands are thin layers over this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from assay.domain.decisions import Decisions
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
    ) -> None:
        self.source = Path(source)
        self.recipe = recipe
        self._engine = engine
        self._jobs = jobs
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

    def _analyse(
        self, workspace: Workspace, players: Sequence[str] | None, progress: Callable[..., None]
    ) -> str:
        report = workspace.analyse(
            self.recipe, engine=self._engine, jobs=self._jobs, players=players, progress=progress
        )
        return report.recipe_id
