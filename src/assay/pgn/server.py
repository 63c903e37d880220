"""Asking a server, politely: one request at a time, with a name and a contact, waiting when it says so.

Nothing here connects unless a user names an account or an address. What a server sends is untrusted: sizes
are bounded, and a redirect to another host is refused.
"""

from __future__ import annotations

import http.client
import re
import ssl
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.metadata import version
from typing import Any
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

from assay.errors import InputError, NetworkError
from assay.settings import users_file

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

    def _open(self, request: Request, sentences: Mapping[int, str]) -> Any:
        for tried in range(1, TRIES + 1):
            try:
                return self._opener.open(request, timeout=TIMEOUT)
            except HTTPError as error:
                error.close()
                if error.code == 304 and request.has_header("If-none-match"):
                    raise NotModifiedError from None
                self._refused(error, sentences)
                if tried < TRIES:
                    self._wait(error, tried)
            except _FAULTS as error:
                reason = error.reason if isinstance(error, URLError) else error
                raise NetworkError(
                    f"{self.host} cannot be reached ({reason}): look at the connection, or try again later"
                ) from error
        raise NetworkError(
            f"{self.host} does not answer as it should, {TRIES} times in a row: try again later"
        )

    def _refused(self, error: HTTPError, sentences: Mapping[int, str]) -> None:
        """Raise what cannot become better by waiting."""
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

    def _wait(self, error: HTTPError, tried: int) -> None:
        wait = _retry_after(error.headers)
        if error.code == 429:
            wait = MINUTE if wait is None else wait
            why = "is asked too often"
        else:
            wait = 2.0**tried if wait is None else wait
            why = f"answers {error.code}"
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
