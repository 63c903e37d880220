"""Games of an account (`lichess:NAME`, `chesscom:NAME`), fetched as they come and only what is new.

What was fetched is noted in `accounts.json` in the workspace: of lichess the times between which all games
are there, of chess.com the ETag of every month. It is written when the games are stored: whatever ends a run,
the next one goes on from there and loses nothing. Without the note everything is fetched again, and no game
is added twice.
"""

from __future__ import annotations

import calendar
import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import urlencode

from assay.decisions.exclusions import Choice
from assay.errors import InputError, NetworkError
from assay.files import is_special, write_text
from assay.pgn.importer import Segment
from assay.pgn.server import TRIES, CutError, NotModifiedError, Server
from assay.pgn.sources import Blocks, split_games
from assay.settings import find_settings, folder_of

LICHESS = "https://lichess.org"
CHESSCOM = "https://api.chess.com"
NOTES = "accounts.json"
"""The file of a workspace that says what was fetched into it."""
TOKEN_VARIABLE = "ASSAY_LICHESS_TOKEN"

PGN = "application/x-chess-pgn"
_TYPES = (PGN, "text/plain")
_ACCOUNT = re.compile(r"(lichess|chesscom|chess\.com):([A-Za-z0-9][A-Za-z0-9_-]{0,49})", re.IGNORECASE)
_PAGES = re.compile(
    r"https?:/+(?:www\.)?(lichess\.org/@|chess\.com/member)/([A-Za-z0-9][A-Za-z0-9_-]{0,49})(?:/[\w/-]*)?"
)
_DAY = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")
_PLAYED = re.compile(
    r'\[UTCDate "(\d{4})\.(\d\d)\.(\d\d)"\](?:.*?\[UTCTime "(\d\d):(\d\d):(\d\d)"\])?', re.DOTALL
)
_MONTH = re.compile(r"/games/(\d{4})/(\d{2})")

_SEGMENT_GAMES = 1_000
_SEGMENT_SECONDS = 20.0
_PATIENCE = 300.0
"""Seconds without a whole game after which a stream that still drips counts as cut."""
MOST_GAMES = 2_000_000
_MOST_NOTES_BYTES = 4_000_000
_MOST_LISTED_BYTES = 4 << 20
_OVERLAP = timedelta(days=1)
"""Games that were under way when the newest one began are there a day later."""

_SAME_SECOND = 100
"""Games that may have begun in the same second (a simultaneous display) and come again after a cut."""

_ALL = "ultraBullet,bullet,blitz,rapid,classical,correspondence"
_PERFS = {
    "bullet": ("ultraBullet", "bullet"),
    "blitz": ("bullet", "blitz", "rapid"),
    "rapid": ("blitz", "rapid", "classical"),
    "classical": ("classical",),
    "correspondence": ("correspondence",),
}
"""What lichess may call games of our time classes: it draws the lines elsewhere."""

_BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)

Days = tuple[str | None, str | None]
ALL_DAYS: Days = (None, None)


@dataclass(frozen=True)
class WantedGames:
    """Which games of an account to fetch; all that are new where nothing is given."""

    since: datetime | None = None
    until: datetime | None = None
    most: int | None = None
    """The newest so many."""
    times: frozenset[str] | None = None
    """Time classes; of lichess only, which can be asked for them."""

    @classmethod
    def parse(
        cls,
        since: str | None = None,
        until: str | None = None,
        most: int | None = None,
        time: str | Iterable[str] | None = None,
    ) -> WantedGames:
        """The same from days in words: 2024, 2024-05 or 2024-05-31, `until` with its last day."""
        begin = None if since is None else _day(since)[0]
        end = None if until is None else _day(until)[1]
        if begin is not None and end is not None and begin >= end:
            raise InputError(f"--since {since} is after --until {until}: give the earlier day first")
        if most is not None and most < 1:
            raise InputError("--max must be 1 or more")
        return cls(begin, end, most, None if time is None else Choice.parse(time).times)

    @property
    def days(self) -> Days:
        """The first and the last day in question, as `Choice` has them."""
        last = None if self.until is None else self.until - timedelta(days=1)
        return tuple(None if day is None else f"{day:%Y.%m.%d}" for day in (self.since, last))  # type: ignore[return-value]

    @property
    def perfs(self) -> str:
        """The same time classes as lichess calls them; more where its classes are others."""
        if self.times is None or not self.times <= _PERFS.keys():
            return _ALL
        names = {name for time_class in self.times for name in _PERFS[time_class]}
        return ",".join(name for name in _ALL.split(",") if name in names)

    def includes(self, played: datetime | None) -> bool:
        """Whether a game of that time is wanted; one without a time is."""
        return played is None or (
            (self.since is None or played >= self.since) and (self.until is None or played < self.until)
        )


def _day(text: str) -> tuple[datetime, datetime]:
    """The first moment of a year, month or day, and the first one behind it."""
    match = _DAY.fullmatch(text.strip())
    try:
        if match is None:
            raise ValueError
        year, month, day = (int(part) if part else None for part in match.groups())
        assert year is not None
        begin = datetime(year, month or 1, day or 1, tzinfo=UTC)
        days = 1 if day else calendar.monthrange(year, month)[1] if month else 365 + calendar.isleap(year)
        return begin, begin + timedelta(days=days)
    except (ValueError, OverflowError):
        raise InputError(f"'{text}' is not a day: write 2024, 2024-05 or 2024-05-31") from None


@dataclass(frozen=True)
class Account:
    """An account on a server, by its name there."""

    site: str
    name: str

    @classmethod
    def parse(cls, text: str | Path) -> Account | None:
        """The account that is named: `lichess:NAME`, or the address of its page. None where none is."""
        if (match := _ACCOUNT.fullmatch(str(text))) is not None:
            return cls("lichess" if match[1].lower() == "lichess" else "chesscom", match[2])
        if (match := _PAGES.fullmatch(str(text))) is not None:
            return cls("lichess" if match[1].startswith("lichess") else "chesscom", match[2])
        if re.match(r"(lichess|chesscom|chess\.com):", str(text), re.IGNORECASE):
            raise InputError(f"{text} is not an account: write lichess:NAME or chesscom:NAME")
        return None

    def __str__(self) -> str:
        return f"{self.site}:{self.name}"

    @property
    def host(self) -> str:
        """The server that is asked."""
        return (LICHESS if self.site == "lichess" else CHESSCOM).split("://")[1]

    @property
    def folder(self) -> Path:
        """The workspace of the account, in the user's data folder."""
        if (folder := folder_of("data")) is None:
            raise InputError("there is no home to keep games in: give --workspace")
        return folder / "accounts" / self.site / f"{self.name.lower()}.assay"

    def fetch(
        self,
        workspace: Path,
        wanted: WantedGames | None = None,
        *,
        say: Callable[[str], None] = lambda _: None,
        progress: Callable[[str, int, int, int], None] = lambda *_: None,
    ) -> Iterator[Segment]:
        """The games that are wanted and not in the workspace yet, some at a time, as they come."""
        kind = _Lichess if self.site == "lichess" else _Chesscom
        return kind(self, workspace, wanted or WantedGames(), say, progress).segments()


def fetched(workspace: Path, account: Account) -> str | None:
    """The day on which games of the account were last fetched into a workspace."""
    day = _read_notes(workspace).get(str(account).lower(), {}).get("fetched")
    return day if isinstance(day, str) and _DAY.fullmatch(day) else None


def _read_notes(workspace: Path) -> dict[str, Any]:
    """What the file says; nothing where it is missing or damaged: everything is fetched again then."""
    path = workspace / NOTES
    try:
        if is_special(path) or path.is_symlink() or path.stat().st_size > _MOST_NOTES_BYTES:
            return {}
        notes = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return (
        {key: note for key, note in notes.items() if isinstance(note, dict)}
        if isinstance(notes, dict)
        else {}
    )


@dataclass
class _Fetch:
    """One fetching of an account's games."""

    account: Account
    workspace: Path
    wanted: WantedGames
    say: Callable[[str], None]
    progress: Callable[[str, int, int, int], None]
    note: dict[str, Any] = field(default_factory=dict)
    games: int = 0
    _seen: set[int] = field(default_factory=set)
    _waiting: list[str] = field(default_factory=list)
    _segment_begun: float = 0.0
    _source: str = ""

    def __post_init__(self) -> None:
        self.note = _read_notes(self.workspace).get(str(self.account).lower(), {})
        # A name in other capitals is the same account: its games are known by the spelling that came first.
        noted, given = str(self.note.get("source")), str(self.account)
        self._source = noted if noted.lower() == given.lower() else given
        settings = find_settings()
        base, token = CHESSCOM, None
        if self.account.site == "lichess":
            base, token = LICHESS, os.environ.get(TOKEN_VARIABLE) or settings.lichess_token
        contact = settings.contact or f"for games of @{self.account.name}"
        self.server = Server(base, say=self.say, contact=contact, token=token)

    def segments(self) -> Iterator[Segment]:
        """The new games, some at a time. Whatever ends it, what came before is given first."""
        since = f" since {self.wanted.since:%Y-%m-%d}" if self.wanted.since is not None else ""
        self.say(f"asking {self.server.host} for games of {self.account.name}{since}")
        try:
            yield from self._segments()
        except (Exception, KeyboardInterrupt):
            if self._waiting:
                yield self._segment()
            raise
        if self._waiting:
            yield self._segment()

    def _segments(self) -> Iterator[Segment]:
        raise NotImplementedError

    def _segment(self) -> Segment:
        content = "\n\n".join([*self._waiting, ""]).encode("utf-8", "replace")
        self._waiting.clear()
        return Segment(self._source, content, self._noting())

    def _noting(self) -> Callable[[], None]:
        """What notes that the games so far are stored, as it is known now."""
        raise NotImplementedError

    def _write(self, **note: Any) -> None:
        notes = _read_notes(self.workspace)
        self.note = {**self.note, **note, "source": self._source, "fetched": f"{datetime.now(UTC):%Y-%m-%d}"}
        notes[str(self.account).lower()] = self.note
        write_text(self.workspace / NOTES, json.dumps(notes, indent=1) + "\n", follow=False)

    def _take(self, text: str) -> bool:
        """Put a game among those that wait for a segment; whether that is full."""
        self._segment_begun = self._segment_begun if self._waiting else time.monotonic()
        self._waiting.append(text)
        self.games += 1
        self.progress(str(self.account), 0, 0, self.games)
        if self.games > MOST_GAMES:
            raise NetworkError(f"{self.server.host} sends more than {MOST_GAMES:,} games: the rest is left")
        full = len(self._waiting) >= _SEGMENT_GAMES
        return full or time.monotonic() - self._segment_begun > _SEGMENT_SECONDS

    def _new(self, path: Callable[[], str], **asked: Any) -> Iterator[str]:
        """The games of an answer that did not come before; asked again, by its path then, where it is cut."""
        failures = 0
        while True:
            before = len(self._seen)
            try:
                for game in split_games(self._patient(path(), **asked), self.server.host):
                    if (key := hash(game.text)) not in self._seen:
                        self._seen.add(key)
                        yield game.text.strip()
                return
            except CutError:
                failures = 1 if len(self._seen) > before else failures + 1
                if failures >= TRIES:
                    raise NetworkError(
                        f"the connection to {self.server.host} was cut {TRIES} times in a row: try again "
                        "later, which goes on from there"
                    ) from None
                self.say(f"the connection to {self.server.host} was cut: going on")

    def _patient(self, path: str, **asked: Any) -> BinaryIO:
        """The answer as a stream that is given up where no game comes from it for minutes."""

        def blocks() -> Iterator[bytes]:
            games, since = len(self._seen), time.monotonic()
            for block in self.server.stream(path, PGN, types=_TYPES, sentences=self._sentences(), **asked):
                yield block
                if len(self._seen) > games:
                    games, since = len(self._seen), time.monotonic()
                elif time.monotonic() - since > _PATIENCE:
                    raise CutError

        return cast("BinaryIO", Blocks(blocks()))

    def _sentences(self) -> dict[int, str]:
        name, host = self.account.name, self.server.host
        return {
            404: f"there is no account '{name}' at {host}: look at the spelling",
            410: f"the account '{name}' at {host} is closed, and its games cannot be had",
        }


class _Lichess(_Fetch):
    """One stream of all games, oldest first; newest first where only so many are wanted."""

    _covered: tuple[int, int] = (0, 0)
    _span: tuple[int, int] | None = None
    """The times of the first and the last game of this call."""

    def _segments(self) -> Iterator[Segment]:
        wanted, perfs = self.wanted, self.wanted.perfs
        self._ascending = wanted.most is None
        since = _milliseconds(wanted.since) if wanted.since is not None else 0
        known = [span for key in (_ALL, perfs) if (span := self._known(key)) is not None and span[0] <= since]
        first, last = max(known, key=lambda span: span[1], default=(since, since))
        self._covered = (first, last)
        since = max(since, last)
        until = _milliseconds(wanted.until) - 1 if wanted.until is not None else None
        if until is not None and until < since:
            return

        def path() -> str:
            asked: dict[str, Any] = {"perfType": perfs, "evals": "true", "clocks": "true", "opening": "true"}
            begin, end = since, until
            if self._span is not None and self._ascending:
                begin = max(begin, self._span[1] // 1000 * 1000)
            elif self._span is not None:
                end = self._span[0] + 999
            if begin:
                asked["since"] = begin
            if end is not None:
                asked["until"] = end
            if wanted.most is not None:
                asked["max"] = wanted.most - self.games + (_SAME_SECOND if self._span is not None else 0)
            asked["sort"] = "dateAsc" if self._ascending else "dateDesc"
            return f"/api/games/user/{self.account.name}?{urlencode(asked, safe=',')}"

        for text in self._new(path):
            if (played := _played(text)) is not None:
                at = _milliseconds(played)
                low, high = self._span or (at, at)
                self._span = min(low, at), max(high, at)
            full = self._take(text)
            if self.games == wanted.most:
                break
            if full:
                yield self._segment()
        if self._waiting:
            yield self._segment()
        self._done()

    def _known(self, perfs: str) -> tuple[int, int] | None:
        """From when to when all games of these kinds are there."""
        spans = self.note.get("covered")
        span = spans.get(perfs) if isinstance(spans, dict) else None
        if (
            isinstance(span, list)
            and len(span) == 2
            and all(type(time) is int and time >= 0 for time in span)
        ):
            return span[0], span[1]
        return None

    def _noting(self) -> Callable[[], None]:
        """In ascending order, all up to the last game is there when it is stored."""
        last = self._span[1] if self._span is not None and self._ascending else None

        def note() -> None:
            if last is not None:
                self._cover(self._covered[0], last)

        return note

    def _done(self) -> None:
        """All came: of the newest so many, all from the first of them on."""
        if self._ascending or self._span is None:
            self._cover(*self._covered)
        elif self.games < (self.wanted.most or 0):
            self._cover(self._covered[0], self._span[1])
        elif self.wanted.until is None:
            self._cover(self._span[0], self._span[1], anew=True)

    def _cover(self, first: int, last: int, anew: bool = False) -> None:
        last = max(first, last - round(1000 * _OVERLAP.total_seconds()))
        spans = self.note.get("covered")
        old = None if anew else self._known(self.wanted.perfs)
        if old is not None and old[0] <= first:
            last = max(last, old[1])
        self._write(covered={**(spans if isinstance(spans, dict) else {}), self.wanted.perfs: [first, last]})


class _Chesscom(_Fetch):
    """One file for each month, the newest first; a month that is over is fetched once."""

    def _segments(self) -> Iterator[Segment]:
        months = self.note.get("months")
        stored = months.items() if isinstance(months, dict) else ()
        self._months: dict[str, dict[str, Any]] = {
            month: note for month, note in stored if isinstance(note, dict)
        }
        self._whole: dict[str, dict[str, Any]] = {}
        self._there = 0  # games of months that did not change
        for month in self._listed():
            if self._is_over(month):
                self._pass_over(month)
            else:
                yield from self._month(month)
            if self._enough():
                break
        if self._waiting:
            yield self._segment()
        self._noting()()

    def _listed(self) -> list[str]:
        """The months of the account that have games which are wanted, the newest first."""
        path = f"/pub/player/{self.account.name.lower()}/games/archives"

        def whole() -> bytes:
            content = b""
            kind = "application/json"
            for block in self.server.stream(path, kind, types=(kind,), sentences=self._sentences()):
                content += block
                if len(content) > _MOST_LISTED_BYTES:
                    raise NetworkError(f"{self.server.host} lists too many months: try again later")
            return content

        content = self.server.insist(whole)
        try:
            listed = [match for url in json.loads(content)["archives"] if (match := _MONTH.search(url))]
            months = sorted({(int(match[1]), int(match[2])) for match in listed}, reverse=True)
        except (ValueError, KeyError, TypeError, RecursionError):
            raise NetworkError(f"{self.server.host} does not answer with a list: try again later") from None
        return [f"{year:04}/{month:02}" for year, month in months if self._is_wanted(year, month)]

    def _is_wanted(self, year: int, month: int) -> bool:
        if not 1 <= month <= 12:
            return False
        begin, end = _day(f"{year:04}-{month:02}")
        return (self.wanted.since is None or end > self.wanted.since) and (
            self.wanted.until is None or begin < self.wanted.until
        )

    def _is_over(self, month: str) -> bool:
        """Whether a month was fetched when no game could come to it any more."""
        day = self._months.get(month, {}).get("fetched")
        end = _day(month.replace("/", "-"))[1]
        return isinstance(day, str) and bool(_DAY.fullmatch(day)) and _day(day)[0] >= end + 2 * _OVERLAP

    def _pass_over(self, month: str) -> None:
        games = self._months[month].get("games")
        self._there += games if type(games) is int else 0

    def _enough(self) -> bool:
        return self.wanted.most is not None and self.games + self._there >= self.wanted.most

    def _month(self, month: str) -> Iterator[Segment]:
        tag = self._months.get(month, {}).get("etag")
        known = isinstance(tag, str) and tag.isprintable() and tag.isascii()
        headers = {"If-None-Match": tag} if known else {}
        arrived: dict[str, Any] = {"fetched": f"{datetime.now(UTC):%Y-%m-%d}"}
        before = self.games

        def seen(answered: Mapping[str, str]) -> None:
            if etag := answered.get("ETag"):
                arrived["etag"] = etag[:200]

        path = f"/pub/player/{self.account.name.lower()}/games/{month}/pgn"
        texts = self._new(lambda: path, headers=headers, seen=seen)
        whole = True
        try:
            if self.wanted.most is not None:  # the newest: in which order they come is not stated
                texts = iter(sorted(texts, key=lambda text: _played(text) or _BEGINNING, reverse=True))
            for text in texts:
                if not self.wanted.includes(_played(text)):
                    whole = False
                elif self._enough():
                    whole = False
                    break
                elif self._take(text):
                    yield self._segment()
        except NotModifiedError:
            self._pass_over(month)
            arrived = self._months[month] | arrived
        else:
            arrived["games"] = self.games - before
        if whole:
            self._whole[month] = arrived

    def _noting(self) -> Callable[[], None]:
        """The months of which all games are stored."""
        whole = dict(self._whole)

        def note() -> None:
            if whole:
                self._write(months={**self._months, **whole})

        return note


def _played(text: str) -> datetime | None:
    """When a game began, from its tags."""
    match = _PLAYED.search(text[:4000])
    try:
        return datetime(*(int(part or 0) for part in match.groups()), tzinfo=UTC) if match else None  # type: ignore[misc,arg-type]
    except ValueError:
        return None


def _milliseconds(moment: datetime) -> int:
    return round(1000 * moment.timestamp())
