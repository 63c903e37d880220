"""Screen: whose play is unusual for the rating, and how many honest players would show it by chance."""

from __future__ import annotations

import math

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from assay.web import render
from assay.web.pages.games import people_of


def routes() -> list[Route]:
    """The page."""
    return [Route("/screen", screen)]


def screen(request: Request) -> Response:
    """What `assay screen` answers of what is analysed."""
    answer = render.ask(request, ("screen",), lambda reading: reading.study().screen(), slow=True)
    if render.wanted(request) == "report" and answer.ok:
        from assay.report.screening import screening_page

        text = screening_page(answer.value, source=render.site_of(request).folder.path.name)
        return render.download(text, "text/html", "screening.html")
    measured = answer.ok and any(math.isfinite(player.p) for player in answer.value.players)
    return render.respond(
        request,
        answer,
        "screen.html",
        name="screen",
        figure=render.figure_of,
        title="Fair play",
        drawn=render.figure_of(answer.value) if measured else None,
        people=people_of(request),
    )
