"""The first page: drop games, see what was left out, what an analysis would take, and how far it is."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from assay.errors import InputError
from assay.web import render
from assay.web.folder import too_large

if TYPE_CHECKING:
    from assay.web.reading import Reading
    from assay.web.site import Site

_MOST_TEXT = 20_000_000
"""Bytes of a form, pasted games included."""


def routes() -> list[Route]:
    """The page, and what can be done on it."""
    return [
        Route("/", show),
        Route("/upload", upload, methods=["POST"]),
        Route("/import", add, methods=["POST"]),
        Route("/analyse", analyse, methods=["POST"]),
        Route("/work/{wish}", wish, methods=["POST"]),
        Route("/work", work),
    ]


def show(request: Request) -> Response:
    """What is here, and what can be done next."""
    site = render.site_of(request)
    if render.wanted(request) == "json":
        return work(request)
    recipe = request.query_params.get("recipe", "")
    found = render.ask(request, ("overview",), overview)
    jobs = site.jobs.snapshot()
    busy = any(job["state"] in ("running", "waiting") for job in jobs)
    recipes = render.ask(request, ("recipes", site.recipe), lambda _: site.recipes())
    cost = None
    if found.ok and found.value["games"] and not busy:
        chosen = recipe or site.recipe
        cost = render.ask(request, ("estimate", chosen), lambda reading: estimate_of(reading, site, chosen))
    return render.page(
        request,
        "start.html",
        title="Start",
        found=found,
        cost=cost,
        jobs=jobs,
        recipe=recipe,
        recipes=recipes.value if recipes.ok else [site.recipe],
        most=site.options.most_bytes,
        anywhere=site.options.anywhere,
    )


def work(request: Request) -> Response:
    """How far the work is, for programs."""
    return render.document({"jobs": render.site_of(request).jobs.snapshot()})


def overview(reading: Reading) -> dict[str, Any]:
    """How many games there are, how many may be rated and why not the others."""
    from assay.decisions.exclusions import MEANINGS

    if reading.empty:
        return {"games": 0, "rated": 0, "players": 0, "left_out": [], "analysed": 0}
    found = reading.workspace.reasons(reading.choice)
    left_out = [(MEANINGS.get(str(why), str(why)), n) for why, n in found.items() if why is not None]
    return {
        "games": sum(found.values()),
        "rated": found.get(None, 0),
        "players": len(reading.places_of_games),
        "left_out": left_out,
        "analysed": sum(reading.analysed_positions.values()),
        "evaluated": reading.workspace.table_annotations.count(),
    }


def estimate_of(reading: Reading, site: Site, recipe: str) -> dict[str, Any]:
    """What `assay analyse --dry-run --json` says of what is missing; tries some positions."""
    from assay.engine.engines import EngineConfig
    from assay.engine.recipe import find_recipe
    from assay.engine.run import estimate

    choice = site.choice
    _check_offered(site, recipe)
    if unusable := reading.workspace.none_may_be_rated(choice=choice):
        raise InputError(unusable)
    engine = EngineConfig(site.engine)
    backlog = reading.workspace.backlog(find_recipe(recipe), engine=engine, choice=choice)
    return estimate(backlog, engine, site.engines).to_dict()


async def upload(request: Request) -> Response:
    """A file that was dropped: its content as it is, its name in the address."""
    site = render.site_of(request)
    name = request.query_params.get("name", "games.pgn")
    said = request.headers.get("content-length", "0")
    if said.isdigit() and int(said) > site.options.most_bytes:
        raise InputError(too_large(site.options.most_bytes))
    path = await site.folder.receive(name, request.stream(), site.options.most_bytes)
    job = site.jobs.add_import(path, path.name)
    return render.document({"job": job.number}, 202)


async def add(request: Request) -> Response:
    """Games that were pasted, or a file of this machine that was named."""
    site = render.site_of(request)
    form = await read_form(request)
    if text := form.get("pgn", "").strip():

        async def once() -> Any:
            yield text.encode("utf-8", "replace")

        path = await site.folder.receive("pasted.pgn", once(), _MOST_TEXT)
        title = "pasted games"
    else:
        path = site.folder.named(form.get("path", ""), anywhere=site.options.anywhere)
        title = path.name
    site.jobs.add_import(path, title)
    return RedirectResponse("/", 303)


async def analyse(request: Request) -> Response:
    """Begin the analysis that the page estimated."""
    site = render.site_of(request)
    recipe = (await read_form(request)).get("recipe", "") or site.recipe
    await asyncio.to_thread(_check_offered, site, recipe)
    site.jobs.add_analysis(recipe)
    return RedirectResponse("/", 303)


async def wish(request: Request) -> Response:
    """Pause, resume or stop the analysis; try again or forget a job that failed."""
    site = render.site_of(request)
    wishes = {"pause": site.jobs.pause, "resume": site.jobs.resume, "stop": site.jobs.stop}
    of_one = {"again": site.jobs.again, "forget": site.jobs.forget}
    asked = request.path_params["wish"]
    if asked in of_one:
        number = (await read_form(request)).get("job", "")
        of_one[asked](int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 0)
    elif asked in wishes:
        wishes[asked]()
    else:
        raise InputError("the analysis can be paused, resumed and stopped")
    if render.wanted(request) == "json":
        return work(request)
    return RedirectResponse("/", 303)


def _check_offered(site: Site, recipe: str) -> None:
    """Refuse a recipe that the page does not offer: nobody names another file of this machine through it."""
    if recipe != site.recipe and recipe not in site.recipes():
        raise InputError(f"the recipe '{recipe}' is not offered here: choose one of the page")


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form, which is bounded: larger things are uploaded as files."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _MOST_TEXT:
            raise InputError(f"that is more than {_MOST_TEXT // 1_000_000} MB of text: drop it as a file")
    fields = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=20)
    return {name: values[0] for name, values in fields.items()}
