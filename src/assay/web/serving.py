"""Listening: where, under which address, and until Ctrl-C."""

from __future__ import annotations

import errno
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable

from assay.errors import InputError, MachineError
from assay.web.app import LOOPBACK, make_app
from assay.web.security import is_loopback
from assay.web.site import Site

PORT = 8765
_FURTHER = 20
"""Ports after the usual one that are tried where nobody named one."""


def serve(
    site: Site,
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    browser: bool = True,
    say: Callable[[str], None],
) -> None:
    """Serve a place until somebody ends it."""
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
    say(f"assay serves {site.place.folder} at {address} (Ctrl-C ends it; what is finished is kept)")
    if token is not None:
        say("whoever has this address can read and change what is there: give it to nobody else")
    if browser:
        threading.Timer(0.3, webbrowser.open, [address]).start()
    with opened:
        uvicorn.Server(config).run(sockets=[opened])


def listen(host: str, port: int | None) -> socket.socket:
    """A socket that listens; the next free port where the usual one is taken and none was named."""
    wanted = range(PORT, PORT + _FURTHER) if port is None else [port]
    for number in wanted:
        try:
            return _bound(host, number)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise MachineError(
                    f"cannot listen at {host}, port {number} ({error.strerror}): choose another --host "
                    "or --port"
                ) from error
    raise InputError(f"port {wanted[-1]} is in use already: choose another with --port, or leave --port out")


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host.strip("[]"), port))
        made.listen(128)
    except BaseException:
        made.close()
        raise
    return made


def address_of(host: str, port: int, token: str | None) -> str:
    """The address to open, with the token where one is needed."""
    shown = socket.gethostname() if host in ("0.0.0.0", "::") else host
    name = f"[{shown}]" if ":" in shown and not shown.startswith("[") else shown
    return f"http://{name}:{port}/" + (f"?token={token}" if token else "")
