"""The application: every page at its address, and a guard around all of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from functools import cache
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from assay.errors import AssayError
from assay.web import render
from assay.web.pages import compare, games, insights, live, people, results, screen, spar, start, workspace
from assay.web.security import Guard
from assay.web.site import Site

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

_STATIC = {
    "pages.js": "text/javascript",
    "board.js": "text/javascript",
    "spar.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
_BEAT = 0.4
"""Seconds between two looks at whether there is something to tell."""


def make_app(site: Site, *, hosts: Iterable[str] | None = LOOPBACK, token: str | None = None) -> Any:
    """The application for a place; it begins its work when the server starts."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        site.start()
        try:
            yield
        finally:
            await asyncio.to_thread(site.close)

    pages = (start, people, insights, games, compare, screen, results, live, spar, workspace)
    app = Starlette(
        routes=[
            *(route for module in pages for route in module.routes()),
            Route("/events", events),
            Route("/static/style.css", style),
            Route("/static/piece/{name}.svg", piece),
            Route("/static/{name}", static),
        ],
        exception_handlers={AssayError: _said, OSError: _said, HTTPException: _status, Exception: _said},
        lifespan=lifespan,
    )
    app.state.site = site
    return Guard(app, hosts=hosts, token=token)


async def _said(request: Request, error: Exception) -> Response:
    return render.fail(request, error)


async def _status(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 500)
    known = {404: "there is no such page here", 405: "that cannot be done at this address"}
    return render.refusal(request, known.get(status, str(getattr(error, "detail", ""))), status)


async def events(request: Request) -> Response:
    """Server-sent events: how far the work is, and that something new was worked out."""
    site = render.site_of(request)

    async def stream() -> AsyncIterator[str]:
        told = ""
        yield "retry: 1000\n\n"
        while True:
            if site.version != told:
                told = site.version
                what = {"version": told, "jobs": site.jobs.snapshot()}
                yield f"data: {json.dumps(what)}\n\n"
            await asyncio.sleep(_BEAT)

    return StreamingResponse(stream(), media_type="text/event-stream")


def style(_: Request) -> Response:
    """The style sheet of all pages."""
    return Response(render.style_sheet(), media_type="text/css")


def static(request: Request) -> Response:
    """Scripts and pictures of ours, those that are listed and no others."""
    name = request.path_params["name"]
    if name not in _STATIC:
        raise HTTPException(404)
    content = (files("assay.web") / "static" / name).read_text(encoding="utf-8")
    return Response(content, media_type=_STATIC[name])


@cache
def _piece(name: str) -> str | None:
    import chess
    import chess.svg

    colours = {"w": str.upper, "b": str.lower}
    if len(name) != 2 or name[0] not in colours or name[1] not in "KQRBNP":
        return None
    return str(chess.svg.piece(chess.Piece.from_symbol(colours[name[0]](name[1]))))


def piece(request: Request) -> Response:
    """A chess piece: wK, bN."""
    found = _piece(request.path_params["name"])
    if found is None:
        raise HTTPException(404)
    return Response(found, media_type="image/svg+xml", headers={"cache-control": "max-age=86400"})
