"""Live: follow all games of a PGN file that a broadcast writes; the page follows by itself."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from assay.errors import InputError
from assay.web import render
from assay.web.cache import sentence_of

if TYPE_CHECKING:
    from assay.answers.live import LiveGame
    from assay.live.analysis import LiveAnalysis
    from assay.live.game import GameSoFar


def routes() -> list[Route]:
    """The page, and what can be done on it."""
    return [
        Route("/live", live),
        Route("/live/follow", follow, methods=["POST"]),
        Route("/live/stop", stop, methods=["POST"]),
    ]


def live(request: Request) -> Response:
    """All boards of the file, and one game with both players after every move."""
    follower, kind = render.site_of(request).follower, render.wanted(request)
    shown = follower.choose(render.whole_number(request.query_params.get("game", "")))
    if kind in ("json", "svg") and (shown is None or shown.live is None):
        nothing = "no game is followed yet: name a PGN file on the page Live"
        return render.refusal(request, follower.error or nothing)
    if kind == "json" and shown is not None and shown.live is not None:
        return render.document(shown.live.to_dict())
    figure = None
    if shown is not None and shown.live is not None:
        figure = render.figure_of(shown.live)
    if kind == "svg" and figure is not None:
        return render.drawing(figure, "live")
    return render.page(
        request,
        "live.html",
        title="Live",
        follower=follower,
        shown=shown,
        figure=figure,
        games=follower.games,
    )


async def follow(request: Request) -> Response:
    """Follow a file of this machine."""
    site = render.site_of(request)
    form = await render.read_form(request)
    site.follower.begin(site.folder.named(form.get("path", ""), anywhere=site.options.anywhere))
    return RedirectResponse("/live", 303)


def stop(request: Request) -> Response:
    """Follow no file."""
    render.site_of(request).follower.end()
    return RedirectResponse("/live", 303)


# Following -----------------------------------------------------------------------------------------------


class Ended(Exception):  # noqa: N818 - not an error: somebody asked for it
    """Raised within what follows a file when it is to end."""


@dataclass(eq=False)
class Followed:
    """One game of the file, and what is known of it."""

    number: int
    """From 1, in the order of the file."""
    game: GameSoFar
    analysis: LiveAnalysis | None = None
    live: LiveGame | None = None
    analysed: tuple[object, ...] | None = None
    """The state of the game that was analysed last."""

    @property
    def open(self) -> bool:
        """Whether its last state is still to be analysed."""
        from assay.live.game import unfollowable

        return self.analysed != self.game.state and not unfollowable(self.game)

    @property
    def result(self) -> str:
        """The result as people write it."""
        return {None: "*", 1.0: "1–0", 0.5: "½–½", 0.0: "0–1"}[self.game.record.result]

    @property
    def position(self) -> dict[str, str]:
        """The position and the last move, as people write it and as UCI has it."""
        import chess

        board = chess.Board(self.game.record.start_fen or chess.STARTING_FEN)
        last, uci = "", ""
        for uci in self.game.moves:
            number, white = board.fullmove_number, board.turn
            last = f"{number}{'.' if white else '…'} {board.san_and_push(chess.Move.from_uci(uci))}"
        return {"position": board.fen(), "last": last, "uci": uci}

    def rated(self, white: bool) -> str:
        """The rating of one side so far; empty where it is too early."""
        ratings = [move.combined for move in self.live.of(white) if move.combined] if self.live else []
        return f"{ratings[-1].shown} ({ratings[-1].range})" if ratings and ratings[-1] else ""


class Follower:
    """Follows one file at a time, in a thread and with an engine of its own.

    All boards are shown as soon as the file is read; the game that is looked at is analysed first.
    """

    def __init__(self, recipe: str | None = None, engine: str | None = None, every: float = 1.0) -> None:
        self._recipe, self._engine, self._every = recipe, engine, every
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None
        self._chosen = 0
        self.path: Path | None = None
        self.games: list[Followed] = []
        self.error = ""
        self.over = False
        self.version = 0
        """Rises with every change."""

    def begin(self, path: Path) -> None:
        """Follow this file, and no other any more."""
        self.end()
        with self._lock:
            self.path, self.games, self.error, self.over, self._chosen = path, [], "", False, 0
            self._ending = threading.Event()
            arguments = (path, self._ending)
            self._thread = threading.Thread(target=self._run, args=arguments, name="follower", daemon=True)
            self.version += 1
            self._thread.start()

    def choose(self, number: int = 0) -> Followed | None:
        """Give the game of a number, which is analysed first from now on; the last one without."""
        self._chosen = number
        games = self.games
        return next((each for each in games if each.number == number), games[-1] if games else None)

    def end(self, patience: float = 10.0) -> None:
        """Follow no file; what is known of the last one stays."""
        self._ending.set()
        if self._thread is not None:
            self._thread.join(patience)
            self._thread = None
            self.over = True
            self.version += 1

    def _run(self, path: Path, ending: threading.Event) -> None:
        try:
            self._follow(path, ending)
        except Ended:
            pass
        except Exception as error:
            self.error = sentence_of(error)
        self.over = True
        self.version += 1

    def _follow(self, path: Path, ending: threading.Event) -> None:
        from assay.live.analysis import analysis_of, evaluator_of
        from assay.source import Evaluations

        def told(*_: int) -> None:
            if ending.is_set():
                raise Ended

        with evaluator_of(Evaluations.AUTO, self._recipe, self._engine) as evaluator:
            written = None
            while True:
                told()
                written = self._read(path, written)
                waiting = [each for each in self.games if each.open]
                if waiting:
                    first = self.choose(self._chosen)
                    each = first if first in waiting and first is not None else waiting[-1]
                    game = each.game
                    each.analysis = each.analysis or analysis_of(evaluator, game)
                    each.live, each.analysed = each.analysis.update(game, told), game.state
                    self.version += 1
                elif self.games and all(each.game.record.result is not None for each in self.games):
                    return
                elif ending.wait(self._every):
                    raise Ended

    def _read(self, path: Path, before: tuple[int, ...] | None) -> tuple[int, ...] | None:
        """Read the file where it was written to since; a file that is not there yet is waited for."""
        from assay.live.game import read_all

        try:
            about = path.stat()
            written = about.st_mtime_ns, about.st_size, about.st_ino
            if written == before:
                return before
            games = read_all(path)
        except (FileNotFoundError, InputError):  # not there yet, or half written
            return None
        kept = {each.number: each for each in self.games}
        for number, game in enumerate(games, 1):
            if number in kept:
                kept[number].game = game
            else:
                kept[number] = Followed(number, game)
        self.games = [kept[number] for number in range(1, len(games) + 1)]
        self.version += 1
        return written
