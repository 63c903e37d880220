"""Games: the list of all, and one of them on the board."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from assay.errors import InputError
from assay.web import render
from assay.web.cache import Cached
from assay.web.paging import paged

if TYPE_CHECKING:
    import pyarrow as pa

    from assay.web.game import GameOnBoard
    from assay.web.reading import Reading

ROWS = 50


def routes() -> list[Route]:
    """The list, one game, and what its page fetches by and by."""
    return [
        Route("/games", games),
        Route("/games.pgn", as_pgn),
        Route("/games/{game_id}", game),
        Route("/games/{game_id}/board", board),
        Route("/games/{game_id}/chances", chances),
    ]


def games(request: Request) -> Response:
    """All games, the last first, a page of them at a time."""
    found = render.ask(request, ("games",), lambda reading: (reading.games, reading.places_of_games))
    how = render.wanted(request)
    if found.error and how != "html":
        return render.refusal(request, found.error)
    if not found.ok:
        return render.page(request, "games.html", title="Games", found=found, rows=None, query="")
    table, _ = found.value
    places = _chosen(table, request.query_params.get("q", ""))
    if how in ("json", "csv"):
        rows = rows_of(table.take(places))
        return render.document(rows) if how == "json" else render.table(rows, "games")
    chosen = paged(places, request.query_params.get("page", "1"), ROWS)
    shown = chosen.with_rows(rows_of(table.take(chosen.rows)))
    query = request.query_params.get("q", "")
    return render.page(request, "games.html", title="Games", found=found, rows=shown, query=query)


def people_of(request: Request) -> Collection[str]:
    """Names that have a page; none until they are known, or where only programs ask."""
    if render.wanted(request) != "html":
        return ()
    found = render.ask(request, ("games",), lambda reading: (reading.games, reading.places_of_games))
    return found.value[1] if found.ok else ()


def _chosen(table: pa.Table, query: str) -> list[int]:
    """Rows of the games in whose players, event or date every word of the query occurs."""
    words = query.casefold().split()
    if not words:
        return list(range(table.num_rows))
    columns = [table[name].to_pylist() for name in ("white", "black", "event", "date")]
    texts = (" ".join(str(one) for one in row if one).casefold() for row in zip(*columns, strict=True))
    return [place for place, text in enumerate(texts) if all(word in text for word in words)]


def rows_of(table: pa.Table) -> list[dict[str, Any]]:
    """Games as rows of a page."""
    from assay.decisions.exclusions import MEANINGS

    names = (
        "game_id",
        "white",
        "black",
        "white_elo",
        "black_elo",
        "result",
        "event",
        "round",
        "date",
        "n_plies",
    )
    rows = table.select([*names, "exclusion"]).to_pylist()
    results = {1.0: "1–0", 0.5: "½–½", 0.0: "0–1"}
    return [
        {
            **row,
            "shown_result": results.get(row["result"], "*"),
            "reason": MEANINGS.get(row["exclusion"], row["exclusion"]) if row["exclusion"] else None,
        }
        for row in rows
    ]


def as_pgn(request: Request) -> Response:
    """All analysed games with their evaluations, as `assay export pgn` writes them."""
    found = render.site_of(request).ask(("pgn",), _pgn, patience=None, slow=True)
    if found.error:
        return render.refusal(request, found.error)
    return render.download(found.value, "application/x-chess-pgn", "games.pgn")


def _pgn(reading: Reading) -> bytes:
    from pathlib import Path
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="assay-") as folder:
        out = Path(folder) / "games.pgn"
        reading.workspace.export_pgn(out, recipe=reading.recipe_id)
        return out.read_bytes()


# One game ------------------------------------------------------------------------------------------------


def _game(request: Request, *, wait: bool = False) -> Cached:
    """The game of the address."""
    game_id = request.path_params["game_id"]

    def make(reading: Reading) -> GameOnBoard:
        from assay.web.game import game_on_board

        return game_on_board(reading, game_id)

    if wait:
        return render.site_of(request).ask(("game", game_id), make, patience=None)
    return render.ask(request, ("game", game_id), make)


def strength(reading: Reading, game_id: str) -> tuple[Any, Any]:
    """Both players after every move, and the figure of the game."""
    from assay.web.game import board_document, game_on_board
    from assay.web.game_figure import game_figure

    on_board = game_on_board(reading, game_id)
    live = on_board.live()
    lost = [position.get("lost") for position in board_document(on_board)["positions"][:-1]]
    return live, game_figure(live, lost)


def game(request: Request) -> Response:
    """One game: its page, or what `assay live --json` says of it with every position's options."""
    game_id = request.path_params["game_id"]
    how = render.wanted(request)
    found = _game(request)
    if found.error:
        return render.refusal(request, found.error)
    if how == "pgn":
        return render.download(_pgn_of(found.value), "application/x-chess-pgn", f"{game_id}.pgn")
    drawn = render.ask(request, ("strength", game_id), lambda reading: strength(reading, game_id))
    if how == "html":
        moves = _moves(found.value) if found.ok else []
        return render.page(
            request,
            "game.html",
            title="Game",
            game_id=game_id,
            found=found,
            moves=moves,
            drawn=drawn,
            row=rows_of_game(found.value) if found.ok else None,
        )
    if drawn.error:
        return render.refusal(request, drawn.error)
    if how == "svg":
        return render.download(f"{drawn.value[1].svg()}\n", "image/svg+xml", f"{game_id}.svg")
    if how != "json":
        raise InputError(f"a game is not to be had as '{how}'")
    return render.document(_document(request, found.value, drawn.value[0]))


def _document(request: Request, on_board: GameOnBoard, live: Any) -> dict[str, Any]:
    from assay.cli.answers.live import Show
    from assay.web.game import board_document

    about = render.site_of(request).reading().about()
    made = (
        about.get("engine", {}).get("name", ""),
        about.get("recipe", {}).get("name", ""),
        on_board.recipe_id,
    )
    whole: dict[str, Any] = Show(True, False, None, made, on_board.calibration).document(live)
    return {**whole, **{k: v for k, v in board_document(on_board).items() if k not in whole}}


def rows_of_game(on_board: GameOnBoard) -> dict[str, Any]:
    """The game's tags as the page shows them."""
    from assay.decisions.exclusions import MEANINGS

    row = on_board.row
    results = {1.0: "1–0", 0.5: "½–½", 0.0: "0–1"}
    reason = row["exclusion"]
    return {
        **row,
        "shown_result": results.get(row["result"], "*"),
        "reason": reason and MEANINGS.get(reason, reason),
    }


def _moves(on_board: GameOnBoard) -> list[dict[str, Any]]:
    """The moves with what they lost, for the list beside the board."""
    from assay.web.game import board_document

    return list(board_document(on_board)["positions"][:-1])


def _pgn_of(on_board: GameOnBoard) -> str:
    import chess.pgn

    record = on_board.so_far.record
    made = chess.pgn.Game()
    tags: dict[str, Any] = {
        "Event": record.event,
        "Site": record.site,
        "Date": record.date,
        "Round": record.round,
    }
    tags |= {"White": record.white_name, "Black": record.black_name}
    tags |= {"WhiteElo": record.white_elo, "BlackElo": record.black_elo}
    for name, value in tags.items():
        if value is not None:
            made.headers[name] = str(value)
    made.headers["Result"] = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}.get(record.result, "*")  # type: ignore[arg-type]
    if record.start_fen:
        made.setup(record.start_fen)
    node: chess.pgn.GameNode = made
    for uci in on_board.so_far.moves:
        node = node.add_variation(chess.Move.from_uci(uci))
    return f"{made}\n"


def board(request: Request) -> Response:
    """Every position with its options, for the board."""
    found = _game(request, wait=True)
    if found.error:
        return render.document({"error": found.error}, 422)
    from assay.web.game import board_document

    return render.json_for_script(board_document(found.value))


def chances(request: Request) -> Response:
    """How many of 100 players of an Elo would play each option."""
    from assay.web.game import chances as of_game

    asked = request.query_params.get("elo", "")
    if not (asked.isascii() and asked.isdigit() and len(asked) < 6):
        raise InputError("give an Elo as a whole number")
    found = _game(request, wait=True)
    if found.error:
        return render.document({"error": found.error}, 422)
    try:
        return render.json_for_script(of_game(found.value, int(asked)))
    except InputError as error:
        return render.document({"error": str(error)}, 422)
