"""Games: the list of all, and one of them on the board."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from assay.errors import InputError
from assay.web import render
from assay.web.cache import Cached
from assay.web.render import paged

if TYPE_CHECKING:
    import pyarrow as pa

    from assay.figures.figure import Figure
    from assay.web.game import GameOnBoard
    from assay.web.reading import Reading

_COLUMNS = (
    *("game_id", "white", "black", "white_elo", "black_elo", "result"),
    *("event", "round", "date", "n_plies", "exclusion"),
)


def routes() -> list[Route]:
    """The list, one game, and what its page fetches by and by."""
    return [
        Route("/games", games),
        Route("/games.pgn", as_pgn),
        Route("/games/{game_id}", game),
        Route("/games/{game_id}/board", board),
        Route("/games/{game_id}/chances", chances),
        Route("/games/{game_id}/review", review, methods=["POST"]),
    ]


def games_of(request: Request) -> Cached:
    """Give all games, and the rows of each player's."""
    return render.ask(request, ("games",), lambda reading: (reading.games, reading.places_of_games))


def people_of(request: Request) -> Collection[str]:
    """Give the names that have a page; none until they are known, or where only programs ask."""
    if render.wanted(request) != "html":
        return ()
    answer = games_of(request)
    return answer.value[1] if answer.ok else ()


def games(request: Request) -> Response:
    """All games, the last first, a page of them at a time."""
    answer, kind, query = games_of(request), render.wanted(request), request.query_params.get("q", "")
    if answer.error and kind != "html":
        return render.refusal(request, answer.error)
    rows = None
    if answer.ok:
        table, _ = answer.value
        places = _chosen(table, query)
        if kind in ("json", "csv"):
            chosen = rows_of(table, places)
            return render.document(chosen) if kind == "json" else render.table(chosen, "games")
        shown = paged(places, request.query_params.get("page", "1"))
        rows = shown.with_rows(rows_of(table, shown.rows))
    return render.page(
        request, "games.html", title="Games", answer=answer, rows=rows, query=query if answer.ok else ""
    )


def _chosen(table: pa.Table, query: str) -> list[int]:
    """Select the games in whose players, event or date every word of the query occurs."""
    words = query.casefold().split()
    if not words:
        return list(range(table.num_rows))
    columns = [table[name].to_pylist() for name in ("white", "black", "event", "date")]
    texts = (" ".join(str(cell) for cell in row if cell).casefold() for row in zip(*columns, strict=True))
    return [place for place, text in enumerate(texts) if all(word in text for word in words)]


def rows_of(table: pa.Table, places: Sequence[int] | None = None) -> list[dict[str, Any]]:
    """Make rows of the games in these places of the table, or of all."""
    taken = table.select(_COLUMNS)
    if places is not None:
        taken = taken.take(places) if places else taken.slice(0, 0)  # an empty list has no type
    return [shown_row(row) for row in taken.to_pylist()]


def shown_row(row: dict[str, Any]) -> dict[str, Any]:
    """Add to a game's row its result as people write it, and why it is left out."""
    from assay.decisions.exclusions import MEANINGS

    result = {1.0: "1–0", 0.5: "½–½", 0.0: "0–1"}.get(row["result"], "*")
    reason = row["exclusion"] and MEANINGS.get(row["exclusion"], row["exclusion"])
    return {**row, "shown_result": result, "reason": reason or None}


def as_pgn(request: Request) -> Response:
    """All analysed games with their evaluations, as `assay export pgn` writes them."""

    def make(reading: Reading) -> bytes:
        with TemporaryDirectory(prefix="assay-") as folder:
            out = Path(folder) / "games.pgn"
            reading.workspace.export_pgn(out, recipe=reading.recipe_id)
            return out.read_bytes()

    return render.computed_download(request, ("pgn",), make, render.PGN, "games.pgn")


# One game ------------------------------------------------------------------------------------------------


def _game(reading: Reading, game_id: str) -> GameOnBoard:
    from assay.web.game import game_on_board

    return game_on_board(reading, game_id)


def game(request: Request) -> Response:
    """One game: its page, or what `assay live --json` says of it with every position's options."""
    game_id, kind = request.path_params["game_id"], render.wanted(request)
    answer = render.ask(request, ("game", game_id), lambda reading: _game(reading, game_id))
    if answer.error:
        return render.refusal(request, answer.error)
    if kind == "pgn":
        return render.download(answer.value.pgn(), render.PGN, f"{game_id}.pgn")

    def make(reading: Reading) -> tuple[GameOnBoard, Figure | None]:
        on_board = _game(reading, game_id)
        return on_board, on_board.strength()

    drawn = render.ask(request, ("strength", game_id), make)
    if kind == "html":
        return render.page(
            request,
            "game.html",
            title="{white} – {black}".format(**answer.value.row) if answer.ok else "Game",
            game_id=game_id,
            answer=answer,
            moves=answer.value.board["positions"][:-1] if answer.ok else [],
            graph=answer.value.graph() if answer.ok and answer.value.analysed else None,
            drawn=drawn,
            row=shown_row(answer.value.row) if answer.ok else None,
            reviewing=render.site_of(request).jobs.is_reviewed(game_id),
        )
    if drawn.error:
        return render.refusal(request, drawn.error)
    if kind == "svg":
        return render.drawing(drawn.value[0].figure(), game_id)
    if kind != "json":
        raise InputError(f"a game is not to be had as '{kind}'")
    on_board = drawn.value[0]
    live = on_board.live.to_dict()
    return render.document({**live, **on_board.board, **live})


def review(request: Request) -> Response:
    """Have the game analysed now."""
    game_id = request.path_params["game_id"]
    render.site_of(request).review(game_id)
    return RedirectResponse(f"/games/{quote(game_id, safe='')}", 303)


def board(request: Request) -> Response:
    """Every position with its options, for the board."""
    return _for_script(request, lambda on_board: on_board.board)


def chances(request: Request) -> Response:
    """How many of 100 players of an Elo would play each option."""
    from assay.web.game import chances as of_game

    elo = render.whole_number(request.query_params.get("elo", ""), -1)
    if elo < 0:
        raise InputError("give an Elo as a whole number")
    return _for_script(request, lambda on_board: of_game(on_board, elo))


def _for_script(request: Request, make: Any) -> Response:
    """Answer the page's own script, which waits, about the game of the address."""
    game_id = request.path_params["game_id"]
    answer = render.site_of(request).ask(
        ("game", game_id), lambda reading: _game(reading, game_id), patience=None
    )
    if answer.error:
        return render.document({"error": answer.error}, 422)
    try:
        return JSONResponse(make(answer.value))
    except InputError as error:
        return render.document({"error": str(error)}, 422)
