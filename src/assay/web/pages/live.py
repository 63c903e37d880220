"""Live: follow a PGN file that a broadcast writes; the page follows by itself."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from assay.web import render
from assay.web.pages.start import read_form


def routes() -> list[Route]:
    """The page, and what can be done on it."""
    return [
        Route("/live", live),
        Route("/live/follow", follow, methods=["POST"]),
        Route("/live/stop", stop, methods=["POST"]),
    ]


def live(request: Request) -> Response:
    """The game that is followed."""
    follower = render.site_of(request).follower
    how = render.wanted(request)
    if how in ("json", "svg") and (follower.document is None or follower.live is None):
        return render.refusal(
            request, follower.error or "no game is followed yet: name a PGN file on the page Live"
        )
    if how == "json":
        return render.document(follower.document)
    figure = None
    if follower.live is not None:
        from assay.report.live import live_figure

        figure = live_figure(follower.live)
    if how == "svg" and figure is not None:
        return render.download(f"{figure.svg()}\n", "image/svg+xml", "live.svg")
    return render.page(request, "live.html", title="Live", follower=follower, figure=figure)


async def follow(request: Request) -> Response:
    """Follow a file of this machine."""
    site = render.site_of(request)
    form = await read_form(request)
    path = site.folder.named(form.get("path", ""), anywhere=site.options.anywhere)
    site.follower.begin(path)
    return RedirectResponse("/live", 303)


def stop(request: Request) -> Response:
    """Follow no file."""
    render.site_of(request).follower.end()
    return RedirectResponse("/live", 303)
