"""The pages as files, for a site of one's own: cross-tables, players, and games with their boards.

They are the served pages, asked for one after another through the application itself. Links between them
become names of files, all in one folder; what needs the server (forms, downloads, work under way) is left
out. Nothing in them leads to another address, and they work from a disk as well as from a web server.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from hashlib import blake2b
from html import escape, unescape
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from assay.errors import InputError, MachineError
from assay.files import write_text
from assay.web.server import make_app
from assay.web.site import Site

MOST_PAGES = 20_000
_PATIENCE = 3600.0
_PAUSE = 0.1

_PAGES = {"tournament": {"event"}, "players": {"page"}, "games": {"page"}}
"""Lists that are written, and the choices on them that are pages of their own."""

_ADDRESS = re.compile(r'\b(href|src|data-board|data-chances|data-try|data-train)="([^"]*)"')
_NAV = re.compile(r'<nav aria-label="Doors">.*?</nav>', re.DOTALL)
_DEAD = "data-dead"
"""Marks a link to what is not written."""
_LEFT_OUT = (
    re.compile(r"<form\b.*?</form>", re.DOTALL),
    re.compile(r'<p class="downloads">.*?</p>', re.DOTALL),
    re.compile(r'<details class="wheel".*?</details>', re.DOTALL),
    re.compile(r'<nav class="pages".*?</nav>', re.DOTALL),
    re.compile(r" A name, an event or a year may be searched\."),
)
_LEFT_OUT_WHERE_DEAD = (
    re.compile(rf'<a class="button" {_DEAD}>[^<]*</a>'),
    re.compile(rf"<p><a {_DEAD}>[^<]*</a></p>"),
    re.compile(rf'<p class="choice">(?:(?!</p>).)*{_DEAD}.*?</p>', re.DOTALL),
    re.compile(rf" {_DEAD}"),
)
_IN_SCRIPTS = {
    'new EventSource("/events")': "{ addEventListener: function () {}, close: function () {} }",
    "fetch(game.dataset.board)": (
        'Promise.resolve({ text: function () { return document.getElementById("board-data").textContent; } })'
    ),
    "fetch(game.dataset.chances": "(() => new Promise(() => null))(game.dataset.chances",
    '"/static/piece/"': '"piece-"',
}
"""What scripts ask of the server, and what they do in a file."""


def publish(site: Site, folder: Path, say: Callable[[str], None] = lambda _: None) -> int:
    """Write the pages of a site to an empty or new folder; return how many."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} is not an empty folder: choose another, or a new one")
    workspace = site.reading().workspace
    if not workspace.table_analyses.count() and not workspace.table_annotations.count():
        raise InputError("nothing is analysed yet: run assay analyse first")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return asyncio.run(_Publishing(site, folder).run(say))
    except OSError as error:
        raise MachineError(f"cannot write to {folder}: {error.strerror or error}") from error
    finally:
        site.close()


class _Publishing:
    def __init__(self, site: Site, folder: Path) -> None:
        self._app = make_app(site)
        self._folder = folder
        self._waiting = ["/tournament", "/players", "/games"]
        self._names = {address: f"{address[1:]}.html" for address in self._waiting}
        links = (f'<a href="{address}">{address[1:].title()}</a>' for address in self._waiting)
        self._nav = f'<nav aria-label="Pages">{" ".join(links)}</nav>'
        self._files: set[str] = set()

    async def run(self, say: Callable[[str], None]) -> int:
        pages = 0
        while self._waiting:
            address = self._waiting.pop(0)
            name = self._names[address]
            text = await self._page(address)
            write_text(self._folder / name, await self._rewritten(address, text))
            pages += 1
            if pages % 50 == 0:
                say(f"{pages:,} pages written, {len(self._waiting):,} to do")
        events = [address for address in self._names if address.startswith("/tournament?")]
        first = self._names[events[0] if len(events) == 1 else "/tournament"]
        write_text(self._folder / "index.html", (self._folder / first).read_text(encoding="utf-8"))
        return pages

    async def _page(self, address: str) -> str:
        """A page when all that is on it is computed."""
        for _ in range(round(_PATIENCE / _PAUSE)):
            text = await self._get(address)
            if "data-pending" not in text:
                return text
            await asyncio.sleep(_PAUSE)
        raise MachineError(f"the page {address} is not ready after an hour: look at it with assay serve")

    async def _get(self, address: str) -> str:
        """What the application answers at an address."""
        parts = urlsplit(address)
        body, status = bytearray(), 0
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": unquote(parts.path),
            "raw_path": parts.path.encode(),
            "query_string": parts.query.encode(),
            "root_path": "",
            "headers": [(b"host", b"localhost"), (b"accept", b"text/html")],
            "client": ("127.0.0.1", 0),
            "server": ("localhost", 80),
        }

        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: dict[str, object]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = int(str(message["status"]))
            else:
                body.extend(bytes(message.get("body", b"")))  # type: ignore[call-overload]

        await self._app(scope, receive, send)
        if status >= 500:
            raise MachineError(f"the page {address} cannot be made: look at it with assay serve")
        return body.decode("utf-8", "replace")

    async def _rewritten(self, address: str, text: str) -> str:
        """A page with the names of files in place of addresses, which are written where they are not yet."""
        for left_out in _LEFT_OUT:
            text = left_out.sub("", text)
        text = _NAV.sub(self._nav, text)
        if address.startswith("/tournament"):
            text = text.replace('<details class="plain">', '<details class="plain" open>')
        data = ""
        if address.startswith("/games/"):
            board = (await self._get(f"{address}/board")).replace("</", "<\\/")
            data = f'<script type="application/json" id="board-data">{board}</script>\n'
        pieces, end = [], 0
        for match in _ADDRESS.finditer(text):
            name = await self._name_of(unescape(match[2]))
            pieces += [text[end : match.start()], _DEAD if name is None else f'{match[1]}="{escape(name)}"']
            end = match.end()
        text = "".join([*pieces, text[end:]])
        for left_out in _LEFT_OUT_WHERE_DEAD:
            text = left_out.sub("", text)
        return text.replace("</body>", f"{data}</body>")

    async def _name_of(self, address: str) -> str | None:
        """What an address is called in a file; None where it leads to what is not written."""
        if address.startswith(("#", "data:")):
            return address
        parts = urlsplit(address)
        kind, _, rest = parts.path.lstrip("/").partition("/")
        if parts.netloc or parts.scheme:
            return None
        if address == "/":
            return "index.html"
        if kind == "static":
            return await self._file(address, Path(rest).name)
        page = parts._replace(fragment="").geturl()
        choices = {name for name, value in parse_qsl(parts.query) if value}
        if kind == "games" and parts.query == "as=pgn":
            return await self._file(address, f"game-{_hash(parts.path)}.pgn")
        if kind not in _PAGES or "/" in rest or (rest and (parts.query or kind == "tournament")):
            return None
        if not choices <= _PAGES[kind]:
            return None
        if page not in self._names:
            if len(self._names) >= MOST_PAGES:
                return None
            self._names[page] = f"{kind[:-1] if rest else kind}-{_hash(page)}.html"
            self._waiting.append(page)
        return self._names[page] + (f"#{parts.fragment}" if parts.fragment else "")

    async def _file(self, address: str, name: str) -> str:
        """The name of a style, a script or a picture, written when it is first met."""
        if name not in self._files:
            self._files.add(name)
            content = await self._get(address)
            for asked, instead in _IN_SCRIPTS.items():
                content = content.replace(asked, instead)
            if name == "board.js":
                for piece in "KQRBNP":
                    for side in "wb":
                        drawn = await self._get(f"/static/piece/{side}{piece}.svg")
                        write_text(self._folder / f"piece-{side}{piece}.svg", drawn)
            write_text(self._folder / name, content)
        return name


def _hash(text: str) -> str:
    return blake2b(text.encode(), digest_size=6).hexdigest()
