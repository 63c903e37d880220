"""Live: follow a PGN file that a broadcast writes; the page follows by itself."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from assay.web import render
from assay.web.cache import sentence_of

if TYPE_CHECKING:
    from assay.answers.live import LiveGame


def routes() -> list[Route]:
    """The page, and what can be done on it."""
    return [
        Route("/live", live),
        Route("/live/follow", follow, methods=["POST"]),
        Route("/live/stop", stop, methods=["POST"]),
    ]


def live(request: Request) -> Response:
    """The game that is followed."""
    follower, kind = render.site_of(request).follower, render.wanted(request)
    if kind in ("json", "svg") and (follower.document is None or follower.live is None):
        nothing = "no game is followed yet: name a PGN file on the page Live"
        return render.refusal(request, follower.error or nothing)
    if kind == "json":
        return render.document(follower.document)
    figure = None
    if follower.live is not None:
        from assay.report.live import live_figure

        figure = live_figure(follower.live)
    if kind == "svg" and figure is not None:
        return render.drawing(figure, "live")
    return render.page(request, "live.html", title="Live", follower=follower, figure=figure)


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


class Follower:
    """Follows one file at a time, in a thread and with an engine of its own."""

    def __init__(self, recipe: str | None = None, engine: str | None = None, every: float = 1.0) -> None:
        self._recipe, self._engine, self._every = recipe, engine, every
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None
        self.path: Path | None = None
        self.live: LiveGame | None = None
        self.document: dict[str, Any] | None = None
        """What `assay live --json` says."""
        self.error = ""
        self.over = False
        self.version = 0
        """Rises with every change."""

    def begin(self, path: Path) -> None:
        """Follow this file, and no other any more."""
        self.end()
        with self._lock:
            self.path, self.live, self.document, self.error, self.over = path, None, None, "", False
            self._ending = threading.Event()
            arguments = (path, self._ending)
            self._thread = threading.Thread(target=self._run, args=arguments, name="follower", daemon=True)
            self.version += 1
            self._thread.start()

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
        from assay.live.game import follow
        from assay.source import Evaluations

        def rest(seconds: float) -> None:
            if ending.wait(seconds):
                raise Ended

        def told(*_: int) -> None:
            if ending.is_set():
                raise Ended

        with evaluator_of(Evaluations.AUTO, self._recipe, self._engine) as evaluator:
            analysis = None
            for so_far in follow(path, every=self._every, sleep=rest):
                analysis = analysis or analysis_of(evaluator, so_far)
                self.live = analysis.update(so_far, told)
                self.document = self.live.to_dict()
                self.version += 1
