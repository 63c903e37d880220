"""A server on this machine that speaks the protocols of lichess and chess.com as documented, with faults.

`faults` has one entry for each request to come: None answers it well. `requests` are those that came.
"""

from __future__ import annotations

import gzip
import itertools
import json
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

PGN = "application/x-chess-pgn"
MOVES = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6"


@dataclass(frozen=True)
class Served:
    """One game of an account."""

    created: datetime
    number: int
    perf: str = "blitz"
    name: str = "Ann_1"

    @property
    def text(self) -> str:
        white, black = (
            (self.name, f"Other{self.number}") if self.number % 2 else (f"Other{self.number}", self.name)
        )
        tags = {
            "Event": f"rated {self.perf} game",
            "Site": f"https://lichess.org/{self.number:08}",
            "Date": f"{self.created:%Y.%m.%d}",
            "White": white,
            "Black": black,
            "Result": "1-0",
            "UTCDate": f"{self.created:%Y.%m.%d}",
            "UTCTime": f"{self.created:%H:%M:%S}",
            "WhiteElo": "1650",
            "BlackElo": "1660",
            "TimeControl": {"blitz": "300+0", "bullet": "60+0", "rapid": "900+10"}[self.perf],
        }
        lines = [f'[{name} "{value}"]' for name, value in tags.items()]
        return "\n".join(
            [*lines, "", f"{MOVES} {{ [%eval 0.2] [%clk 0:04:{self.number % 60:02}] }} 1-0", "", "", ""]
        )


def games(number: int, *, first: datetime = datetime(2024, 1, 1, tzinfo=UTC), every: int = 6) -> list[Served]:
    """So many games, one every `every` hours."""
    perfs = itertools.cycle(("blitz", "blitz", "rapid", "bullet"))
    return [
        Served(first + timedelta(hours=every * place, seconds=place % 50), place + 1, next(perfs))
        for place in range(number)
    ]


@dataclass
class GameServer:
    """What is served, what goes wrong, and what was asked."""

    games: list[Served]
    address: str = ""
    faults: deque[str | None] = field(default_factory=deque)
    requests: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    at_once: int = 0
    """The most requests that were under way together."""
    _under_way: int = 0

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.requests]

    def asked(self, place: int = -1) -> dict[str, str]:
        """The parameters of a request."""
        return {name: values[0] for name, values in parse_qs(urlsplit(self.requests[place][0]).query).items()}


@contextmanager
def serving(games: list[Served]) -> Iterator[GameServer]:
    """The server, for as long as the block lasts."""
    state = GameServer(games)

    class Handler(_Handler):
        served = state

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    served: GameServer

    def log_message(self, *_: Any) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        served = self.served
        served.requests.append((self.path, dict(self.headers)))
        self.under_way = True
        served._under_way += 1
        served.at_once = max(served.at_once, served._under_way)
        try:
            with suppress(BrokenPipeError, ConnectionResetError):
                self._answer(served.faults.popleft() if served.faults else None)
        finally:
            self._ends()
            self.close_connection = True

    def _ends(self) -> None:
        """The request is over: called before the last bytes, after which the client may ask again at once."""
        if self.under_way:
            self.under_way = False
            self.served._under_way -= 1

    def _answer(self, fault: str | None) -> None:
        kind, _, detail = (fault or "").partition(" ")
        if kind.isdigit():
            self._plain(int(kind), {"Retry-After": detail} if detail else {})
        elif kind == "redirect":
            self._plain(302, {"Location": detail})
        elif kind == "endless":
            self._endless(detail)
        elif urlsplit(self.path).path.startswith("/api/games/user/"):
            self._lichess(kind, detail)
        elif urlsplit(self.path).path.startswith("/pub/player/"):
            self._chesscom(kind, detail)
        elif urlsplit(self.path).path.endswith((".pgn", "/12345678")):
            self._send("".join(game.text for game in self.served.games), kind, detail)
        else:
            self._plain(404)

    def _lichess(self, kind: str, detail: str) -> None:
        asked = self.served_asked()
        if urlsplit(self.path).path.rpartition("/")[2].lower() != "ann_1":
            return self._plain(404)
        assert self.headers["Accept"] == PGN
        assert asked["evals"] == asked["clocks"] == "true"
        since, until = int(asked.get("since", 0)), int(asked.get("until", 10**15))
        chosen = [
            game
            for game in self.served.games
            if since <= 1000 * game.created.timestamp() <= until and game.perf in asked["perfType"].split(",")
        ]
        chosen.sort(key=lambda game: game.created, reverse=asked.get("sort") != "dateAsc")
        chosen = chosen[: int(asked.get("max", len(chosen)))]
        return self._send("".join(game.text for game in chosen), kind, detail)

    def served_asked(self) -> dict[str, str]:
        return {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}

    def _chesscom(self, kind: str, detail: str) -> None:
        name, _, rest = urlsplit(self.path).path.removeprefix("/pub/player/").partition("/games/")
        if "@" not in self.headers["User-Agent"]:
            return self._plain(403)
        if name != "ann_1":
            return self._plain(404)
        months = sorted({f"{game.created:%Y/%m}" for game in self.served.games})
        if rest == "archives":
            # On another host: assay must take the months from it and nothing else.
            listed = [f"https://elsewhere.example/pub/player/{name}/games/{month}" for month in months]
            return self._send(json.dumps({"archives": listed}), kind, detail, "application/json")
        text = "".join(game.text for game in self.served.games if f"{game.created:%Y/%m/pgn}" == rest)
        tag = f'"{len(text)}"'
        if self.headers.get("If-None-Match") == tag:
            return self._plain(304)
        return self._send(text, kind, detail, headers={"ETag": tag})

    def _plain(self, code: int, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(code)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.send_header("Connection", "close")
        self._ends()
        self.end_headers()

    def _send(
        self, text: str, kind: str, detail: str, type_: str = PGN, headers: Mapping[str, str] | None = None
    ) -> None:
        """Send a text, well or in one of the ways that go wrong: cut, slow, packed, of another type."""
        body = (detail if kind == "hostile" else text).encode()
        chunked = kind not in ("length", "cutlength")
        self.send_response(200)
        self.send_header("Content-Type", detail if kind == "type" else type_)
        if kind in ("gzip", "cutgzip"):
            body = gzip.compress(body)
            self.send_header("Content-Encoding", "gzip")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header(
            *(("Transfer-Encoding", "chunked") if chunked else ("Content-Length", str(len(body))))
        )
        self.send_header("Connection", "close")
        self.end_headers()
        if kind.startswith("cut"):
            body = body[: int(detail)]
        pieces = [body[place : place + 50] for place in range(0, len(body), 50)] if kind == "slow" else [body]
        for place, piece in enumerate(pieces, 1):
            if kind == "slow":
                time.sleep(float(detail))
            if place == len(pieces):
                self._ends()
            if piece:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece)
                self.wfile.flush()
        if chunked and not kind.startswith("cut"):
            self.wfile.write(b"0\r\n\r\n")

    def _endless(self, what: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", PGN)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for number in itertools.count(1):
            game = Served(datetime(2024, 1, 1, tzinfo=UTC) + timedelta(minutes=number), number)
            piece = (game.text if what == "games" else what * 1000).encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
