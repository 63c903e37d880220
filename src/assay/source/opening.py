"""Which kind of source a path is."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from assay.errors import InputError
from assay.settings import find_settings
from assay.source.base import _NOTHING, Source
from assay.source.files import DecisionsFile, ResultsFile
from assay.source.stored import PassingPgnSource, PgnSource, WorkspaceSource
from assay.workspace import Workspace
from assay.workspace.folder import Folder

DEFAULT_WORKSPACE = "games.assay"
VARIABLE = "ASSAY_WORKSPACE"
"""Names the workspace to use where none is given."""

KINDS = "a PGN file or folder, a workspace, or a file of decisions or results"


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
    progress: Callable[..., None] = _NOTHING,
    say: Callable[[str], None] = _NOTHING,
) -> Source:
    """The source at a path; without one, the workspace given, or the default one.

    PGN is imported, when first needed, into the workspace given or into one beside it; without `keep`, into
    one that goes with the source: where only results are read there is nothing worth keeping.
    """
    kept = Path(workspace) if workspace is not None else None
    if path is None:
        place = kept or default_workspace()
        return WorkspaceSource(place, Workspace(place))
    named = Path(path)
    if str(named) == "-":
        if kept is None:
            raise InputError("games from standard input need a workspace to be kept in: give --workspace")
        return _pgn(named, kept, progress, say)
    if not named.exists():
        raise InputError(f"{path} does not exist: give {KINDS}")
    if is_workspace(named):
        if kept is not None and kept.resolve() != named.resolve():
            raise InputError(f"{named} is a workspace already: leave --workspace out")
        return WorkspaceSource(named, Workspace(named))
    if named.is_dir():
        Folder(named, check=False).refuse_without_marker()
    if named.is_file() and named.suffix == ".parquet":
        return DecisionsFile(named)
    if named.is_file() and ResultsFile.looks_like(named):
        return ResultsFile(named)
    if kept is None and not keep:
        return PassingPgnSource(named, progress=progress, say=say)
    return _pgn(named, kept or beside(named), progress, say)


def _pgn(path: Path, workspace: Path, progress: Callable[..., None], say: Callable[[str], None]) -> Source:
    aliases = find_settings(workspace).aliases
    return PgnSource(path, Workspace(workspace), aliases=aliases or None, progress=progress, say=say)
