"""What is in the workspace: games, recipes, engine, disk and versions, for those who want to know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from assay.web import render

if TYPE_CHECKING:
    from assay.answers.prepared import WorkspaceStatus
    from assay.web.reading import Reading


def routes() -> list[Route]:
    """The page."""
    return [Route("/workspace", workspace)]


def workspace(request: Request) -> Response:
    """What `assay status` answers, and what this machine has."""
    site = render.site_of(request)
    found = render.ask(request, ("status",), status)
    if render.wanted(request) != "html":
        return render.answer(request, found, "", name="workspace")
    engine = site.engine
    machine = render.ask(request, ("machine",), lambda reading: examined(reading, engine))
    return render.page(
        request,
        "workspace.html",
        title="Workspace",
        found=found,
        machine=machine,
        folder=str(site.folder.workspace),
        bytes=size_of(site.folder.workspace),
    )


def status(reading: Reading) -> WorkspaceStatus:
    """What `assay status` answers."""
    from assay.answers.prepared import WorkspaceStatus

    return WorkspaceStatus(str(reading.workspace.path), reading.workspace.status())


def examined(reading: Reading, engine: str | None) -> list[dict[str, Any]]:
    """What `assay doctor --json` says of this machine."""
    from dataclasses import asdict

    from assay.doctor import examine

    return [asdict(one) for one in examine(engine, reading.workspace.path)]


def size_of(folder: Any) -> int:
    """Bytes of the workspace's files."""
    found = 0
    for path in folder.rglob("*") if folder.is_dir() else ():
        try:
            found += path.lstat().st_size
        except OSError:
            continue
    return found
