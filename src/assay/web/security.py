"""Who may ask, from where, and what a page may do: checked before anything else.

A page on another site can make a browser send requests here. So the name in the address must be ours (another
name that leads here is an attack by DNS), whatever changes something must come from a page of ours, and where
others can reach the server at all they need the token of the address that it printed.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Iterable
from html import escape
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

COOKIE = "assay"

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    # Not no-referrer: with it a browser does not say which page a form of ours was sent from.
    "referrer-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}

_CHANGING = {"POST", "PUT", "PATCH", "DELETE"}

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine reach a server that listens there."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class Guard:
    """Around the whole application: refuses what must not be answered, and seals every answer."""

    def __init__(self, app: Any, *, hosts: Iterable[str] | None, token: str | None = None) -> None:
        """`hosts` are the names without port that the server goes by; None: any, with the token."""
        self._app = app
        self._hosts = None if hosts is None else frozenset(hosts)
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if (refusal := self._refused(scope, headers)) is not None:
            await _answer(send, 403, refusal)
            return
        if self._token is not None and not self._has_cookie(scope, headers):
            query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
            given = next((value for name, value in query if name == "token"), "")
            if scope["method"] != "GET" or not self._is_token(given):
                closed = "This server is closed: open the whole address that assay serve printed."
                await _answer(send, 403, closed)
                return
            if "text/html" in headers.get("accept", ""):
                rest = [pair for pair in query if pair[0] != "token"]
                await self._let_in(scope, send, rest)
                return

        async def sealed(message: Any) -> None:
            if message["type"] == "http.response.start":
                present = {name.lower() for name, _ in message["headers"]}
                extra = [(k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in present]
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        await self._app(scope, receive, sealed)

    def _refused(self, scope: Scope, headers: dict[str, str]) -> str | None:
        host = headers.get("host", "")
        if self._hosts is not None and _name_of(host) not in self._hosts:
            return "This server goes by another name: open the address that assay serve printed."
        from_here = headers.get("sec-fetch-site", "none") in ("none", "same-origin")
        if scope["method"] in _CHANGING:
            origin = headers.get("origin")
            if (origin is not None and _place_of(origin) != host) or (origin is None and not from_here):
                return "Only pages of this server may change something here."
        elif not from_here and headers.get("sec-fetch-mode") != "navigate":
            return "Pages of other sites may lead here, but take nothing from here."
        return None

    def _has_cookie(self, scope: Scope, headers: dict[str, str]) -> bool:
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(_cookie_of(scope))
        except CookieError:
            return False
        return cookie is not None and self._is_token(cookie.value)

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), (self._token or "").encode())

    async def _let_in(self, scope: Scope, send: Send, rest: list[tuple[str, str]]) -> None:
        """Take the token from the address into a cookie, and lead to the same page without it.

        By a page, not by a redirect: after a link from elsewhere, such as a mail, a browser does not send the
        cookie with a redirect, since another site began it.
        """
        where = quote(scope["path"]) + (f"?{urlencode(rest)}" if rest else "")
        where = escape("/" + where.lstrip("/"))  # never //elsewhere
        cookie = f"{_cookie_of(scope)}={self._token}; HttpOnly; SameSite=Strict; Path=/"
        page = (
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>assay</title>'
            f'<meta http-equiv="refresh" content="0; url={where}"><p><a href="{where}">Go on</a></p>'
        )
        extra = {"content-type": "text/html; charset=utf-8", "set-cookie": cookie}
        await _answer(send, 200, page, extra)


def _cookie_of(scope: Scope) -> str:
    """Name the cookie: browsers share cookies among the ports of a host, and there may be two servers."""
    _, port = scope.get("server") or ("", "")
    return f"{COOKIE}-{port}"


def _place_of(origin: str) -> str:
    """Give host and port of an origin; empty where it has none, or is not one."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _name_of(host: str) -> str:
    """Give the name in a Host header, without its port."""
    return host.rpartition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]


async def _answer(send: Send, status: int, text: str, extra: dict[str, str] | None = None) -> None:
    headers = {**HEADERS, "content-type": "text/plain; charset=utf-8", **(extra or {})}
    start = {
        "type": "http.response.start",
        "status": status,
        "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()],
    }
    await send(start)
    await send({"type": "http.response.body", "body": text.encode()})
