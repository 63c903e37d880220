"""Asking a server, politely: one request at a time, a name, a contact, and the pauses that it demands.

Nothing here connects unless a user names an account or an address. What a server sends is untrusted: sizes
are bounded, and a redirect to another host is refused. Games from an address or from standard input are kept
in the user's cache, each in a folder by the hash of its address or content, with their workspace beside them.
"""

from __future__ import annotations

import http.client
import re
import ssl
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from assay.errors import InputError, MachineError, NetworkError
from assay.settings import find_settings, folder_of, users_file

T = TypeVar("T")

TIMEOUT = 60.0
"""Seconds without a byte after which a connection counts as cut."""
TRIES = 5
"""Requests in a row that may fail before assay gives up."""
MINUTE = 60.0
"""Seconds to wait where a server says that it is asked too often, and not how long to wait."""
_MOST_WAIT = 900.0
_MOST_BYTES = 8 << 30
_PIECE_BYTES = 1 << 16
_FAULTS = (OSError, http.client.HTTPException, zlib.error, ssl.SSLError)
_HEADER = re.compile(r"[\x20-\x7e]{1,300}")

sleep = time.sleep


class CutError(Exception):
    """A connection that ended before the answer did."""


class NotModifiedError(Exception):
    """What was asked for is as it was."""


class _SameHost(HTTPRedirectHandler):
    """Follows a redirect on the same host only, by the same protocol."""

    max_redirections = 5

    def redirect_request(
        self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        old, new = urlsplit(req.full_url), urlsplit(newurl)
        if (old.scheme, old.netloc) != (new.scheme, new.netloc):
            fp.close()
            raise NetworkError(
                f"{old.netloc} sends this request on to {new.netloc[:100] or newurl[:100]}, which is not "
                "followed: give that address if you trust it"
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class Server:
    """One server: its requests follow on each other, and its answers are streams."""

    def __init__(
        self, base: str, *, say: Callable[[str], None], contact: str | None = None, token: str | None = None
    ) -> None:
        self.base = base
        self.host = urlsplit(base).netloc
        self._say = say
        self._headers = {
            # Whom the server's people can write to is the user's to say: the setting `contact`.
            "User-Agent": f"assay-chess/{version('assay-chess')} ({contact or 'The Assay developers'})",
            "Accept-Encoding": "gzip",
        }
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._opener = OpenerDirector()  # neither files nor FTP, which the usual one would open
        for handler in (
            ProxyHandler(),
            HTTPHandler(),
            HTTPSHandler(),
            HTTPDefaultErrorHandler(),
            HTTPErrorProcessor(),
            _SameHost(),
        ):
            self._opener.add_handler(handler)

    def stream(
        self,
        path: str,
        accept: str,
        *,
        types: tuple[str, ...],
        sentences: Mapping[int, str],
        headers: Mapping[str, str] | None = None,
        seen: Callable[[Mapping[str, str]], None] = lambda _: None,
    ) -> Iterator[bytes]:
        """The answer to GET, unpacked, as it comes. CutError where it ends early; `seen` gets its headers.

        `sentences` say what some codes mean here, such as 404; `types` what the answer may be, any if empty.
        """
        asked = {**self._headers, "Accept": accept, **(headers or {})}
        if not all(_HEADER.fullmatch(value) for value in asked.values()):
            raise InputError("a contact or token has characters that cannot be sent: correct your settings")
        with closing(self._open(Request(self.base + path, headers=asked), sentences)) as response:
            kind = response.headers.get_content_type()
            if types and kind not in types:
                raise NetworkError(f"{self.host} answers with {kind}, which is not games: try again later")
            seen(response.headers)
            yield from self._blocks(response)

    def _blocks(self, response: Any) -> Iterator[bytes]:
        packed = response.headers.get("Content-Encoding", "").lower() in ("gzip", "x-gzip")
        unpacker = zlib.decompressobj(31) if packed else None
        total = 0
        while True:
            try:
                block = response.read1(_PIECE_BYTES)
                if not block:
                    if response.length or (unpacker is not None and not unpacker.eof):
                        raise CutError
                    return
                while block:
                    piece = unpacker.decompress(block, _PIECE_BYTES) if unpacker is not None else block
                    block = unpacker.unconsumed_tail if unpacker is not None else b""
                    total += len(piece)
                    if total > _MOST_BYTES:
                        raise NetworkError(
                            f"{self.host} sends more than {_MOST_BYTES >> 30} GB: the rest is left"
                        )
                    if piece:
                        yield piece
            except _FAULTS as error:
                raise CutError(str(error)) from error

    def insist(self, attempt: Callable[[], T]) -> T:
        """What an attempt gives, which is made again where the connection is cut."""
        for tried in range(1, TRIES + 1):
            try:
                return attempt()
            except CutError:
                if tried < TRIES:
                    self._say(f"the connection to {self.host} was cut: asking again")
        raise NetworkError(f"the connection to {self.host} was cut {TRIES} times in a row: try again later")

    def _open(self, request: Request, sentences: Mapping[int, str]) -> Any:
        for tried in range(1, TRIES + 1):
            try:
                return self._opener.open(request, timeout=TIMEOUT)
            except HTTPError as error:
                error.close()
                if error.code == 304 and request.has_header("If-none-match"):
                    raise NotModifiedError from None
                self._wait(error, tried, sentences)
            except _FAULTS as error:
                reason = error.reason if isinstance(error, URLError) else error
                raise NetworkError(
                    f"{self.host} cannot be reached ({reason}): look at the connection, or try again later"
                ) from error
        raise NetworkError(
            f"{self.host} does not answer as it should, {TRIES} times in a row: try again later"
        )

    def _wait(self, error: HTTPError, tried: int, sentences: Mapping[int, str]) -> None:
        """Wait before the next try; raise what cannot become better by waiting."""
        if error.code in sentences:
            raise InputError(sentences[error.code])
        if 300 <= error.code < 304:
            raise NetworkError(f"{self.host} sends this request on elsewhere, which is not followed")
        if error.code in (401, 403):
            raise NetworkError(
                f'{self.host} refuses to answer ({error.code}): put contact = "you@your.mail" into '
                f"{users_file()}, or correct the token there"
            )
        if error.code != 429 and error.code < 500:
            raise NetworkError(f"{self.host} answers {error.code}: try again later")
        too_often = error.code == 429
        why = "is asked too often" if too_often else f"answers {error.code}"
        wait = _retry_after(error.headers) or (MINUTE if too_often else 2.0**tried)
        if tried == TRIES:
            return
        if wait > _MOST_WAIT:
            raise NetworkError(
                f"{self.host} {why} and wants a pause of {wait / 60:,.0f} minutes: try again then"
            )
        self._say(f"{self.host} {why}: waiting {wait:.0f} seconds")
        sleep(wait)


def _retry_after(headers: Any) -> float | None:
    """Seconds that a server wants a pause of: a number, or a date."""
    text = (headers.get("Retry-After") or "").strip()
    if text.isascii() and text.isdigit():
        return max(1.0, float(text[:9]))
    try:
        return max(1.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


# Games from an address, or from standard input.

_LICHESS = (
    (re.compile(r"/study/(\w{8})(?:/\w{8})?"), "/api/study/{}.pgn?clocks=true&comments=true"),
    (re.compile(r"/broadcast/[\w-]+/[\w-]+/(\w{8})(?:/\w{8})?"), "/api/broadcast/round/{}.pgn"),
    (re.compile(r"/(\w{8})(?:\w{4})?(?:/white|/black)?"), "/game/export/{}?evals=true&clocks=true"),
)
"""Pages of lichess, and where their games are."""

_INPUT_BYTES = 1 << 20
_MOST_INPUT_BYTES = 64 << 30
_UNSAFE = re.compile(r"[^\w.-]+|^\.+")


def _cache() -> Path:
    if (folder := folder_of("cache")) is None:
        raise InputError("there is no home to keep games in: give a file")
    return folder / "input"


def keep_input() -> Path:
    """Keep what comes from standard input, under the hash of its content; return the file."""

    def pieces() -> Iterator[bytes]:
        total = 0
        while piece := sys.stdin.buffer.read(_INPUT_BYTES):
            total += len(piece)
            if total > _MOST_INPUT_BYTES:
                raise InputError("standard input is too large: give a file")
            yield piece

    return _kept(pieces(), "standard input", None)


def download(address: str, say: Callable[[str], None]) -> Path:
    """Fetch a file of games, or a game, study or round of lichess; without a network, take the last one."""
    url = re.sub(r"^(https?):/+", r"\1://", address.strip(), flags=re.IGNORECASE)
    parts = urlsplit(url)
    if not parts.hostname or "@" in parts.netloc or re.search(r"[^\x21-\x7e]", url):
        raise InputError(f"{address} is not an address of games: write https://HOST/FILE, without a password")
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    if parts.hostname in ("lichess.org", "www.lichess.org"):
        for page, games in _LICHESS:
            if (match := page.fullmatch(parts.path.rstrip("/"))) is not None:
                path = games.format(match[1])
    name = _UNSAFE.sub("_", parts.path.rstrip("/").rpartition("/")[2])[-80:] or "games"
    key = blake2b(url.encode(), digest_size=12).hexdigest()
    target = _cache() / key / name
    server = Server(f"{parts.scheme}://{parts.netloc}", say=say, contact=find_settings().contact)
    say(f"asking {server.host} for {path.partition('?')[0]}")
    sentences = {404: f"there is nothing at {url}", 410: f"{url} is gone"}

    def fetch() -> Path:
        accept = "application/x-chess-pgn, */*"
        blocks = server.stream(path, accept, types=(), sentences=sentences, seen=_refuse_page)
        return _kept(blocks, name, key)

    try:
        return server.insist(fetch)
    except NetworkError as error:
        if not target.is_file():
            raise
        say(f"{error}; using what was fetched before")
        return target


def _refuse_page(headers: object) -> None:
    if headers.get_content_type() == "text/html":  # type: ignore[attr-defined]
        raise NetworkError("the address is that of a web page: give the address of its PGN file")


def _kept(pieces: Iterable[bytes], name: str, key: str | None) -> Path:
    """Write the pieces to a file of the cache, in the folder of this key, or of the hash of all of them."""
    folder = _cache()
    content = blake2b(digest_size=12)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=folder, prefix="coming-", delete=False) as file:
            partial = Path(file.name)
            try:
                for piece in pieces:
                    content.update(piece)
                    file.write(piece)
            except BaseException:
                partial.unlink()
                raise
        target = folder / (key or content.hexdigest()) / name
        target.parent.mkdir(exist_ok=True)
        return partial.replace(target)
    except OSError as error:
        raise MachineError(
            f"cannot write to {folder}: {error.strerror or error}; give --workspace"
        ) from error
