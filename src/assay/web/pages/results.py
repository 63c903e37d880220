"""Strength from results alone, where the games allow it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from assay.web import render
from assay.web.pages.games import people_of

if TYPE_CHECKING:
    from assay.answers.results import ResultStrengths
    from assay.web.reading import Reading

MODELS = ("ferreira2010", "company")


def routes() -> list[Route]:
    """The page."""
    return [Route("/results", results)]


def results(request: Request) -> Response:
    """What `assay results fit` answers."""
    model = request.query_params.get("model", MODELS[0])
    model = model if model in MODELS else MODELS[0]
    found = render.ask(request, ("results", model), lambda reading: fitted(reading, model), slow=True)
    return render.answer(
        request,
        found,
        "results.html",
        name="results",
        title="Results",
        model=model,
        models=MODELS,
        people=people_of(request),
    )


def fitted(reading: Reading, model: str) -> ResultStrengths:
    """The same call as the command's, of this workspace."""
    from assay.results.baselines import strengths
    from assay.results.competition import read_results
    from assay.source import open_source

    reading.games  # noqa: B018 - says that there are none
    return strengths(read_results(open_source(reading.workspace.path, keep=False)).games, model, limit=200)
