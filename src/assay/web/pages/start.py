"""Start: drop games, what an analysis would take, how far it is; and the page Workspace about all of it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from dataclasses import asdict
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from assay.errors import InputError
from assay.web import render
from assay.web.cache import Cached
from assay.web.folder import too_large
from assay.web.pages.games import games_of, rows_of
from assay.web.pages.players import ask_ratings, lesson_of

if TYPE_CHECKING:
    from assay.answers.prepared import WorkspaceStatus
    from assay.web.reading import Reading
    from assay.web.site import Site

NEWEST, SHOWN = 6, 8
"""Games, and players with most games, on the first page."""


def routes() -> list[Route]:
    """The pages, and what can be done on them."""
    return [
        Route("/", show),
        Route("/upload", upload, methods=["POST"]),
        Route("/import", add, methods=["POST"]),
        Route("/sample", sample, methods=["POST"]),
        Route("/analyse", analyse, methods=["POST"]),
        Route("/values", values, methods=["POST"]),
        Route("/work/{wish}", wish, methods=["POST"]),
        Route("/work", work),
        Route("/workspace", workspace),
    ]


def show(request: Request) -> Response:
    """What is here, and what can be done next."""
    site = render.site_of(request)
    if render.wanted(request) == "json":
        return work(request)
    games = render.ask(request, ("overview",), overview)
    recipes = render.ask(request, ("recipes", site.recipe), lambda _: site.recipes())
    names = recipes.value if recipes.ok else [site.recipe]
    values = render.values_of(request)
    offered, rated_by = values.value if values.ok else ((), "")
    in_use = next((each.name for each in offered if each.recipe_id == rated_by and each.name in names), "")
    recipe = request.query_params.get("recipe", "") or in_use or site.recipe
    jobs = site.jobs.snapshot()
    cost = None
    if games.ok and games.value["games"] and not any(job["state"] in ("running", "waiting") for job in jobs):
        cost = render.ask(request, ("estimate", recipe), lambda reading: estimate_of(reading, site, recipe))
    return render.page(
        request,
        "start.html",
        title="Home",
        filled=site.folder.workspace.exists(),
        **_answers(request, games.ok and games.value["games"] > 0),
        answer=games,
        cost=cost,
        jobs=jobs,
        recipe=recipe,
        recipes=names,
        anywhere=site.options.anywhere,
    )


def _answers(request: Request, filled: bool) -> dict[str, Any]:
    """Give what the first page answers where there are games: ratings, newest games, positions to train."""
    nothing = {"ratings": Cached(ready=True), "best": (), "newest": None, "training": None, "trained": ""}
    if not filled:
        return nothing
    ratings, games = ask_ratings(request), games_of(request)
    shown: dict[str, Any] = {**nothing, "ratings": ratings}
    if games.ok:
        table, places = games.value
        newest = list(range(min(NEWEST, table.num_rows)))
        shown["newest"] = render.paged(rows_of(table, newest), "1")
        shown["trained"] = max(places, key=lambda name: len(places[name]), default="")
    if ratings.ok and ratings.value.calibrated:
        rated = sorted(ratings.value.players, key=lambda player: -player.games)[:SHOWN]
        shown["best"] = sorted(rated, key=lambda player: -player.combined.elo if player.combined else 0.0)
        if shown["trained"]:
            shown["training"] = lesson_of(request, shown["trained"])
    return shown


def sample(request: Request) -> Response:
    """Put the event that ships, analysed, into an empty folder, and open it."""
    site = render.site_of(request)
    if site.folder.workspace.exists():
        raise InputError("there are games here already: serve an empty folder for the sample event")
    with as_file(files("assay.data") / "examples" / "sample") as shipped:
        shutil.copytree(shipped, site.folder.workspace, copy_function=shutil.copyfile)
    return RedirectResponse("/", 303)


def work(request: Request) -> Response:
    """How far the work is, for programs."""
    return render.document({"jobs": render.site_of(request).jobs.snapshot()})


def overview(reading: Reading) -> dict[str, Any]:
    """Count the games, those that may be rated, and why not the others."""
    from assay.decisions.exclusions import MEANINGS

    if reading.empty:
        return {"games": 0, "rated": 0, "players": 0, "left_out": [], "analysed": 0}
    reasons = reading.workspace.reasons(reading.choice)
    return {
        "games": sum(reasons.values()),
        "rated": reasons.get(None, 0),
        "players": len(reading.places_of_games),
        "left_out": [(MEANINGS.get(str(why), str(why)), n) for why, n in reasons.items() if why is not None],
        "analysed": sum(reading.analysed_positions.values()),
        "evaluated": reading.workspace.table_annotations.count(),
    }


def estimate_of(reading: Reading, site: Site, recipe: str) -> dict[str, Any]:
    """Estimate what is missing, as `assay analyse --dry-run --json` does; tries some positions."""
    from assay.engine.engines import EngineConfig
    from assay.engine.recipe import find_recipe
    from assay.engine.run import estimate

    _check_offered(site, recipe)
    if unusable := reading.workspace.none_may_be_rated(choice=site.choice):
        raise InputError(unusable)
    engine = EngineConfig(site.engine)
    backlog = reading.workspace.backlog(find_recipe(recipe), engine=engine, choice=site.choice)
    return estimate(backlog, engine, site.engines).to_dict()


def _check_offered(site: Site, recipe: str) -> None:
    """Refuse a recipe that the page does not offer: nobody names another file of this machine through it."""
    if recipe != site.recipe and recipe not in site.recipes():
        raise InputError(f"the recipe '{recipe}' is not offered here: choose one of the page")


async def upload(request: Request) -> Response:
    """A file that was dropped: its content as it is, its name in the address."""
    site = render.site_of(request)
    most = site.options.most_bytes
    length = request.headers.get("content-length", "0")
    if length.isdigit() and int(length) > most:
        raise InputError(too_large(most))
    name = request.query_params.get("name", "games.pgn")
    path = await site.folder.receive(name, request.stream(), most)
    return render.document({"job": site.jobs.add_import(path, path.name).number}, 202)


async def add(request: Request) -> Response:
    """Games that were pasted, those of an account, or a file of this machine that was named."""
    site = render.site_of(request)
    form = await render.read_form(request)
    if text := form.get("pgn", "").strip():

        async def once() -> AsyncIterator[bytes]:
            yield text.encode("utf-8", "replace")

        path = await site.folder.receive("pasted.pgn", once(), render.MOST_TEXT)
        site.jobs.add_import(path, "pasted games")
    elif name := form.get("name", "").strip():
        from assay.pgn.accounts import Account

        account = Account.parse(f"{form.get('server', '')}:{name}")
        if account is None:
            raise InputError("give the name of an account at lichess or chess.com")
        site.jobs.add_account(str(account), render.whole_number(form.get("newest", "")))
    else:
        path = site.folder.named(form.get("path", ""), anywhere=site.options.anywhere)
        site.jobs.add_import(path, path.name)
    return RedirectResponse("/", 303)


async def analyse(request: Request) -> Response:
    """Begin the analysis that the page estimated."""
    site = render.site_of(request)
    recipe = (await render.read_form(request)).get("recipe", "") or site.recipe
    await asyncio.to_thread(_check_offered, site, recipe)
    site.jobs.add_analysis(recipe)
    return RedirectResponse("/", 303)


async def wish(request: Request) -> Response:
    """Pause, resume or stop the analysis; try again or forget a job that failed."""
    jobs = render.site_of(request).jobs
    match request.path_params["wish"]:
        case "pause" | "resume" | "stop" as name:
            getattr(jobs, name)()
        case "again" | "forget" as name:
            getattr(jobs, name)(render.whole_number((await render.read_form(request)).get("job", "")))
        case _:
            raise InputError("the analysis can be paused, resumed and stopped")
    return work(request) if render.wanted(request) == "json" else RedirectResponse("/", 303)


async def values(request: Request) -> Response:
    """Choose what ratings are made by, and lead back to the page where it was chosen."""
    form = await render.read_form(request)
    site = render.site_of(request)
    offered = await asyncio.to_thread(lambda: [each.recipe_id for each in site.reading().values])
    if form.get("values") not in offered:
        raise InputError("there are no such evaluations here: choose those that the page names")
    site.choose_values(form["values"])
    return RedirectResponse("/" + form.get("back", "").lstrip("/\\"), 303)  # never //elsewhere


# Workspace -----------------------------------------------------------------------------------------------


def workspace(request: Request) -> Response:
    """What `assay status` answers, and what this machine has."""
    site = render.site_of(request)
    answer = render.ask(request, ("status",), status)
    if render.wanted(request) != "html":
        return render.respond(request, answer, name="workspace")
    engine = site.engine
    return render.page(
        request,
        "workspace.html",
        title="Workspace",
        answer=answer,
        machine=render.ask(request, ("machine",), lambda reading: examined(reading, engine)),
        folder=str(site.folder.workspace),
        bytes=size_of(site.folder.workspace),
    )


def status(reading: Reading) -> WorkspaceStatus:
    """Give what `assay status` answers."""
    from assay.answers.prepared import WorkspaceStatus

    return WorkspaceStatus(str(reading.workspace.path), reading.workspace.status())


def examined(reading: Reading, engine: str | None) -> list[dict[str, Any]]:
    """Examine this machine, as `assay doctor --json` does."""
    from assay.doctor import examine

    return [asdict(check) for check in examine(engine, reading.workspace.path)]


def size_of(folder: Path) -> int:
    """Count the bytes of the workspace's files."""
    size = 0
    for path in folder.rglob("*") if folder.is_dir() else ():
        try:
            size += path.lstat().st_size
        except OSError:
            continue
    return size
