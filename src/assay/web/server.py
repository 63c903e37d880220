"""The application, every page at its address behind a guard, and the server that listens until Ctrl-C."""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import secrets
import socket
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from assay.errors import AssayError, InputError, MachineError
from assay.web import render
from assay.web.pages import champions, compare, games, live, players, screen, spar, start, train
from assay.web.security import Guard, is_loopback
from assay.web.site import Site

PORT = 8765
_FURTHER = 20
"""Ports after the usual one that are tried where nobody named one."""

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

_FOR_GOOD = "max-age=31536000, immutable"
_BEAT = 0.4
"""Seconds between two looks at whether there is something to tell."""


def make_app(site: Site, *, hosts: Iterable[str] | None = LOOPBACK, token: str | None = None) -> Any:
    """Make the application of a folder; it begins its work when the server starts."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        site.start()
        try:
            yield
        finally:
            await asyncio.to_thread(site.close)

    async def failed(request: Request, error: Exception) -> Response:
        return render.fail(request, error)

    async def status(request: Request, error: Exception) -> Response:
        number = getattr(error, "status_code", 500)
        sentences = {404: "there is no such page here", 405: "that cannot be done at this address"}
        return render.refusal(request, sentences.get(number, str(getattr(error, "detail", ""))), number)

    pages = (start, players, games, compare, champions, screen, live, spar, train)
    app = Starlette(
        routes=[
            *(route for module in pages for route in module.routes()),
            Route("/events", events),
            Route("/static/piece/{name}.svg", piece),
            Route("/static/{name}", static),
        ],
        exception_handlers={AssayError: failed, OSError: failed, HTTPException: status, Exception: failed},
        lifespan=lifespan,
        middleware=[Middleware(_Stamp, site=site), Middleware(GZipMiddleware, compresslevel=5)],
    )
    app.state.site = site
    return Guard(app, hosts=hosts, token=token)


class _Stamp:
    """Notes the version of what is there before a page reads any of it.

    What is computed while the page is put together is then news to it: the page asks again.
    """

    def __init__(self, app: Any, site: Site) -> None:
        self._app, self._site = app, site

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """One request."""
        if scope["type"] == "http":
            scope["state"] = {**scope.get("state", {}), "version": self._site.version}
        await self._app(scope, receive, send)


async def events(request: Request) -> Response:
    """Send events: how far the work is, and that something new was computed."""
    site = render.site_of(request)

    async def stream() -> AsyncIterator[str]:
        told = ""
        yield "retry: 1000\n\n"
        while not site.cache.closed:
            if site.version != told:
                told = site.version
                yield f"data: {json.dumps({'version': told, 'jobs': site.jobs.snapshot()})}\n\n"
            await asyncio.sleep(_BEAT)

    return StreamingResponse(stream(), media_type="text/event-stream")


def static(request: Request) -> Response:
    """Styles, scripts and pictures of ours, those that are listed and no others.

    An address with the hash of the content never means anything else: a browser asks for it once.
    """
    name = request.path_params["name"]
    if name not in render.STATIC:
        raise HTTPException(404)
    content, version = render.static_file(name)
    current = request.query_params.get("v") == version
    headers = {"cache-control": _FOR_GOOD if current else "no-cache"}
    return Response(content, media_type=render.STATIC[name][1], headers=headers)


def piece(request: Request) -> Response:
    """A chess piece: wK, bN."""
    return Response(
        _piece(request.path_params["name"]),
        media_type="image/svg+xml",
        headers={"cache-control": _FOR_GOOD},
    )


@cache
def _piece(name: str) -> str:
    import chess
    import chess.svg

    colours = {"w": str.upper, "b": str.lower}
    if len(name) != 2 or name[0] not in colours or name[1] not in "KQRBNP":
        raise HTTPException(404)
    return str(chess.svg.piece(chess.Piece.from_symbol(colours[name[0]](name[1]))))


# Listening -----------------------------------------------------------------------------------------------


def serve(
    site: Site,
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    browser: bool = True,
    say: Callable[[str], None],
) -> None:
    """Serve a folder until somebody ends it."""
    import uvicorn

    opened = listen(host, port)
    token = None if is_loopback(host) else secrets.token_urlsafe(24)
    address = address_of(host, opened.getsockname()[1], token)
    app = make_app(site, hosts=LOOPBACK if token is None else None, token=token)
    config = uvicorn.Config(
        app,
        log_level="warning",
        timeout_graceful_shutdown=1,
        lifespan="on",
        server_header=False,
        access_log=False,
    )
    say(f"assay serves {site.folder.path} at {address} (Ctrl-C ends it; what is finished is kept)")
    if token is not None:
        say("whoever has this address can read and change what is there: give it to nobody else")
    if browser:
        threading.Timer(0.3, webbrowser.open, [address]).start()
    with opened:
        server = uvicorn.Server(config)
        shut_down = server.shutdown

        async def end(sockets: list[socket.socket] | None = None) -> None:
            site.cache.close()  # requests that wait for an answer end now
            logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # those that do not are cancelled
            await shut_down(sockets)

        server.shutdown = end  # type: ignore[method-assign]
        server.run(sockets=[opened])
    if server.started:  # it was ended, but Ctrl-C was ignored where this began, such as behind a shell's &
        raise KeyboardInterrupt


def listen(host: str, port: int | None) -> socket.socket:
    """Open a socket that listens; the next free port where the usual one is taken and none was named."""
    ports = range(PORT, PORT + _FURTHER) if port is None else [port]
    for number in ports:
        opened = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
        try:
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            opened.bind((host.strip("[]"), number))
            opened.listen(128)
            return opened
        except OSError as error:
            opened.close()
            if error.errno != errno.EADDRINUSE:
                raise MachineError(
                    f"cannot listen at {host}, port {number} ({error.strerror}): choose another --host "
                    "or --port"
                ) from error
    raise InputError(f"port {ports[-1]} is in use already: choose another with --port, or leave --port out")


def address_of(host: str, port: int, token: str | None) -> str:
    """Write the address to open, with the token where one is needed."""
    shown = socket.gethostname() if host in ("0.0.0.0", "::") else host
    name = f"[{shown}]" if ":" in shown and not shown.startswith("[") else shown
    return f"http://{name}:{port}/" + (f"?token={token}" if token else "")
