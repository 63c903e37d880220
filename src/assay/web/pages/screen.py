"""Screen: whose play is unusual for the rating, and how many honest players would show it by chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from assay.web import render
from assay.web.pages.games import people_of

if TYPE_CHECKING:
    from assay.answers.screening import Screening
    from assay.figures.figure import Figure
    from assay.web.reading import Reading


def routes() -> list[Route]:
    """The page."""
    return [Route("/screen", screen)]


def screen(request: Request) -> Response:
    """What `assay screen` answers of what is analysed."""
    found = render.ask(request, ("screen",), screened, slow=True)
    if render.wanted(request) == "report" and found.ok:
        from assay.report.screening import screening_page

        text = screening_page(found.value, source=render.site_of(request).folder.path.name)
        return render.download(text, "text/html", "screening.html")
    figure = funnel(found.value) if found.ok and render.wanted(request) == "html" else None
    return render.answer(
        request,
        found,
        "screen.html",
        name="screen",
        figure=funnel,
        title="Screen",
        drawn=figure,
        people=people_of(request),
    )


def screened(reading: Reading) -> Screening:
    """The same call as the command's."""
    return reading.study().screen()


def funnel(found: Any) -> Figure:
    """The figure of `assay screen --plot`."""
    from assay.report.screening import funnel_figure

    return funnel_figure(found)
