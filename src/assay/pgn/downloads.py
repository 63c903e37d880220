"""Games from an address or from standard input, kept in the user's cache.

Each has a folder of its own there, by the hash of its address or of its content. The workspace is beside the
games, as it is beside any file: they are analysed once.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from tempfile import NamedTemporaryFile
from urllib.parse import urlsplit

from assay.errors import InputError, MachineError, NetworkError
from assay.pgn.server import TRIES, CutError, Server
from assay.settings import find_settings, folder_of

_LICHESS = (
    (re.compile(r"/study/(\w{8})(?:/\w{8})?"), "/api/study/{}.pgn?clocks=true&comments=true"),
    (re.compile(r"/broadcast/[\w-]+/[\w-]+/(\w{8})(?:/\w{8})?"), "/api/broadcast/round/{}.pgn"),
    (re.compile(r"/(\w{8})(?:\w{4})?(?:/white|/black)?"), "/game/export/{}?evals=true&clocks=true"),
)
"""Pages of lichess, and where their games are."""

_PIECE_BYTES = 1 << 20
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
        while piece := sys.stdin.buffer.read(_PIECE_BYTES):
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
    accept, sentences = (
        "application/x-chess-pgn, */*",
        {404: f"there is nothing at {url}", 410: f"{url} is gone"},
    )
    for tried in range(1, TRIES + 1):
        try:
            return _kept(
                server.stream(path, accept, types=(), sentences=sentences, seen=_refuse_page), name, key
            )
        except CutError:
            if tried < TRIES:
                say(f"the connection to {server.host} was cut: asking again")
        except NetworkError as error:
            if not target.is_file():
                raise
            say(f"{error}; using what was fetched before")
            return target
    raise NetworkError(f"the connection to {server.host} was cut {TRIES} times in a row: try again later")


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
