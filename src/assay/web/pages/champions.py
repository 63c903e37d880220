"""Champions, who come with the package: careers, everyone against everyone, one of them, two in any years."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from assay.web import render
from assay.web.cache import Cached

if TYPE_CHECKING:
    from assay.answers.comparisons import Career, MatchForecasts


def routes() -> list[Route]:
    """The pages."""
    return [Route("/champions", champions), Route("/champions/{name:path}", champion)]


def champions(request: Request) -> Response:
    """All careers, everyone against everyone in their best years, and a match where two are named."""
    from assay.rating.champions import champions as roster
    from assay.report.figures import champions_figure
    from assay.study import Study

    first, second = (request.query_params.get(name, "").strip() for name in ("first", "second"))
    match = Cached()
    if first and second:
        key = ("champions", first, second)
        match = render.ask(
            request, key, lambda _: _whole(Study.champions().forecast(first, second)), slow=True
        )
        if render.wanted(request) != "html":
            return render.respond(request, match, name="champions")
    answer = render.ask(request, ("champions",), lambda _: Study.champions().versus(), slow=True)
    return render.respond(
        request,
        answer,
        "champions.html",
        name="champions",
        title="Champions",
        figure=lambda _: champions_figure(roster()),
        drawn=champions_figure(roster()) if answer.ok else None,
        roster=roster() if answer.ok else None,
        match=match,
        first=first,
        second=second,
    )


def _whole(answer: MatchForecasts | Career) -> MatchForecasts | Career:
    """The same answer by every method, found while nobody waits for the page."""
    answer.rows()
    return answer


def champion(request: Request) -> Response:
    """Every year of one champion."""
    from assay.study import Study

    name = request.path_params["name"]
    key = ("champion", name)
    answer = render.ask(request, key, lambda _: _whole(Study.champions().career(name)), slow=True)
    return render.respond(
        request,
        answer,
        "champion.html",
        name="champion",
        title=name,
        figure=render.figure_of,
        drawn=render.figure_of(answer.value) if answer.ok else None,
        player=next(iter(answer.value.players)) if answer.ok else name,
    )
