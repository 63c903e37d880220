"""Spar: a game against players of a chosen Elo, and then how strong it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from assay.web import render
from assay.web.pages.start import read_form

if TYPE_CHECKING:
    from assay.web.reading import Reading


def routes() -> list[Route]:
    """The page, and what can be done on it."""
    return [
        Route("/spar", spar),
        Route("/spar/{wish}", wish, methods=["POST"]),
    ]


def spar(request: Request) -> Response:
    """The board, or the game for programs."""
    site = render.site_of(request)
    how = render.wanted(request)
    if how == "pgn":
        return render.download(site.sparring.pgn(), "application/x-chess-pgn", "spar.pgn")
    found = site.sparring.document()
    if how == "json":
        return render.json_for_script(found)
    game = found["game"]
    kept = render.ask(request, ("spar games",), spar_games)
    return render.page(request, "spar.html", title="Spar", game=game, kept=kept)


def spar_games(reading: Reading) -> list[dict[str, Any]]:
    """Games that were played here, the last first."""
    import pyarrow.compute as pc

    from assay.web.pages.games import rows_of

    if reading.empty:
        return []
    games = reading.games
    return rows_of(games.filter(pc.fill_null(pc.equal(games["event"], "Spar"), False)))


async def wish(request: Request) -> Response:
    """A new game, a move, giving up, trying again what failed, or analysing what was played."""
    site = render.site_of(request)
    form = await read_form(request)
    match request.path_params["wish"]:
        case "new":
            elo = form.get("elo", "")
            number = int(elo) if elo.isascii() and elo.isdigit() and len(elo) < 6 else 0
            site.sparring.begin(number, form.get("colour", "white") != "black", form.get("name", ""))
        case "move":
            site.sparring.move(form.get("uci", ""))
        case "resign":
            site.sparring.resign()
        case "again":
            site.sparring.again()
        case "rate":
            recipe = site.recipe
            site.jobs.add_analysis(recipe, players=[form.get("name", "")])
        case _:
            return render.refusal(request, "there is no such page here", 404)
    return render.json_for_script(site.sparring.document())
