"""Games: the list of all, and one of them on the board."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from assay.errors import AssayError, InputError
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
    *("event", "round", "date", "eco", "n_plies", "exclusion"),
)

FILTERS = ("q", "player", "colour", "result", "opening", "year", "loss")
"""What the list can be asked for; the first is a search in all names."""

SORTS = {"loss": "", "moves": "n_plies", "elo": "white_elo"}
"""What the list can be sorted by, but by date: the columns."""


def routes() -> list[Route]:
    """The list, one game, and what its page fetches by and by."""
    return [
        Route("/games", games),
        Route("/games.pgn", as_pgn),
        Route("/games/{game_id}", game),
        Route("/games/{game_id}/board", board),
        Route("/games/{game_id}/chances", chances),
        Route("/games/{game_id}/try", try_move),
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
    """All games, or those that are asked for, the last first or in another order, a page at a time."""
    answer, kind, asked = games_of(request), render.wanted(request), request.query_params
    if answer.error and kind != "html":
        return render.refusal(request, answer.error)
    losses = render.ask(request, ("largest losses",), largest_losses, slow=True)
    lost = losses.value if losses.ok else {}
    rows = None
    if answer.ok:
        table, _ = answer.value
        places = chosen(table, asked, lost)
        if kind in ("json", "csv"):
            found = rows_of(table, places, lost)
            return render.document(found) if kind == "json" else render.table(found, "games")
        shown = paged(places, asked.get("page", "1"))
        rows = shown.with_rows(rows_of(table, shown.rows, lost))
    sort = asked.get("sort", "")
    return render.page(
        request,
        "games.html",
        title="Games",
        answer=answer,
        losses=losses,
        rows=rows,
        asked={name: asked.get(name, "") for name in FILTERS},
        filtered=any(asked.get(name) for name in FILTERS[1:]),
        sort=sort if sort in SORTS else "",
        down=asked.get("order", "down") == "down",
    )


def chosen(table: pa.Table, asked: Any, lost: Mapping[str, tuple[float, int]]) -> list[int]:
    """Select the games that are asked for, in the order that is asked for; give their rows in the table."""
    import numpy as np
    import pyarrow.compute as pc

    def has(column: str, text: str) -> Any:
        found = pc.match_substring(table[column], text, ignore_case=True)
        return pc.fill_null(found, False).to_numpy(zero_copy_only=False)

    fits = np.ones(table.num_rows, bool)
    for word in asked.get("q", "").split():
        fits &= np.logical_or.reduce([has(column, word) for column in ("white", "black", "event", "date")])
    if player := asked.get("player", "").strip():
        white, black = has("white", player), has("black", player)
    else:
        white = black = np.ones(table.num_rows, bool)
    if (colour := asked.get("colour", "")) in ("white", "black"):
        white, black = (white, black & False) if colour == "white" else (white & False, black)
    result = np.array([-1.0 if each is None else each for each in table["result"].to_pylist()])
    of_white = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
    of_player = {"won": 1.0, "drawn": 0.5, "lost": 0.0}
    wanted = asked.get("result", "")
    if wanted in of_white:
        fits &= result == of_white[wanted]
    elif wanted in of_player:
        white, black = white & (result == of_player[wanted]), black & (result == 1.0 - of_player[wanted])
    fits &= white | black
    if opening := asked.get("opening", "").strip().casefold():
        fits &= np.array([opening in _opening(eco).casefold() for eco in table["eco"].to_pylist()], bool)
    if year := asked.get("year", "").strip():
        fits &= pc.fill_null(pc.starts_with(table["date"], year), False).to_numpy(zero_copy_only=False)
    least = render.whole_number(asked.get("loss", ""))
    sort, places = asked.get("sort", ""), np.flatnonzero(fits).tolist()
    if least or sort == "loss":
        ids = table["game_id"].to_pylist()
        most = {place: 100 * lost.get(ids[place], (-1.0, 0))[0] for place in places}
        places = [place for place in places if not least or most[place] >= least]
    if sort in SORTS:
        values = most if sort == "loss" else dict(enumerate(table[SORTS[sort]].to_pylist()))
        down = asked.get("order", "down") == "down"
        places.sort(key=lambda place: values[place] or 0, reverse=down)
    return places


def _opening(eco: str | None) -> str:
    """Write the code of an opening with its name."""
    from assay.decisions.slices import family

    return f"{eco} {family(eco)}" if eco else ""


def largest_losses(reading: Reading) -> dict[str, tuple[float, int]]:
    """Give by game the largest loss of expected score by one move, and the ply of that move."""
    import numpy as np

    from assay.decisions.measures import lost_score

    decisions = reading.decisions
    lost = np.nan_to_num(lost_score(decisions))
    games, plies = decisions.codes("game_id"), decisions.numbers("ply")
    order = np.lexsort((lost, games))  # the last of each game is its largest
    last = order[np.append(np.diff(games[order]) != 0, True)] if len(order) else order
    names = decisions.names("game_id")
    return {names[games[row]]: (float(lost[row]), int(plies[row])) for row in last}


def rows_of(
    table: pa.Table, places: Sequence[int] | None = None, lost: Mapping[str, tuple[float, int]] | None = None
) -> list[dict[str, Any]]:
    """Make rows of the games in these places of the table, or of all; with their largest loss if given."""
    taken = table.select(_COLUMNS)
    if places is not None:
        taken = taken.take(places) if places else taken.slice(0, 0)  # an empty list has no type
    rows = [shown_row(row) for row in taken.to_pylist()]
    for row in rows if lost is not None else ():
        largest = (lost or {}).get(row["game_id"])
        row |= {"largest_loss": largest and round(largest[0], 4), "largest_loss_ply": largest and largest[1]}
    return rows


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
    """One game: its page, or what `assay live --json` prints of it with every position's options."""
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
            graph=answer.value.figure(beside_board=True) if answer.ok and answer.value.analysed else None,
            drawn=drawn,
            row=shown_row(answer.value.row) if answer.ok else None,
            reviewing=render.site_of(request).jobs.is_reviewed(game_id),
        )
    if drawn.error:
        return render.refusal(request, drawn.error)
    if kind == "svg":
        return render.drawing(drawn.value[0].figure(drawn.value[0].live), game_id)
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


def try_move(request: Request) -> Response:
    """What the last of some moves is worth, played from a position of the game on."""
    from assay.web.tries import tried

    asked, site = request.query_params, render.site_of(request)
    ply, elo = (render.whole_number(asked.get(name, ""), -1) for name in ("ply", "elo"))
    moves = asked.get("moves", "").split(",")
    return _for_script(request, lambda on_board: tried(site.tries, on_board, ply, moves, elo))


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
    except AssayError as error:
        return render.document({"error": str(error)}, 422)
