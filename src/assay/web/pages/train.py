"""Train: the positions of a player's lesson are asked, not told; what was wrong comes again.

Every move within the noise of the search is right. The answers are kept in the workspace: what was wrong last
time is asked first the next time, then what was never asked.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from assay.agent import HIGHEST, LOWEST
from assay.errors import InputError
from assay.web import render
from assay.web.cache import Cached
from assay.web.pages.players import as_pgn, games_of_players, lesson_of

if TYPE_CHECKING:
    from assay.answers.insights import Lesson, Moment
    from assay.report.insights import ShownMoment
    from assay.web.site import Site

ELO_STEP = 50


def routes() -> list[Route]:
    """The page, and what is answered on it."""
    return [Route("/train", train), Route("/train/answer", answer, methods=["POST"])]


def train(request: Request) -> Response:
    """The board with the first position, or all of them for programs; without a player, who can train."""
    name, kind = request.query_params.get("player", ""), render.wanted(request)
    players = render.ask(request, ("games of players",), games_of_players)
    lesson = lesson_of(request, name) if name else Cached(ready=True)
    if kind == "pgn" and lesson.ok and name:
        return as_pgn(lesson, "training")
    exercises: list[dict[str, Any]] = []
    if name and lesson.ok:
        exercises = in_order(render.site_of(request), *lesson.value)
    if kind == "json":
        if not name:
            raise InputError("name a player: /train?player=NAME")
        if lesson.error:
            return render.refusal(request, lesson.error)
        return render.document({"player": name, "exercises": exercises})
    return render.page(
        request,
        "train.html",
        title=f"Train {name}" if name else "Train",
        name=name,
        answer=lesson,
        players=players,
        exercises=exercises,
    )


def in_order(site: Site, lesson: Lesson, moments: list[ShownMoment]) -> list[dict[str, Any]]:
    """Describe the positions: first those that were wrong last time, then new ones, then the oldest."""
    import chess

    from assay.web.game import described

    answers = site.folder.training().get(lesson.player, {})
    exercises = []
    for shown in moments:
        moment, earlier = shown.moment, answers.get(key_of(shown.moment), {})
        board = chess.Board(moment.fen)
        exercises.append(
            {
                **described(board),
                "key": key_of(moment),
                "white": board.turn == chess.WHITE,
                "turn": moment.turn,
                "opponent": moment.opponent,
                "event": moment.event,
                "year": moment.year,
                "last": str(earlier.get("last", "")),
                "at": str(earlier.get("at", "")),
            }
        )
    order = {"wrong": 0, "": 1, "right": 2}
    return sorted(exercises, key=lambda one: (order.get(one["last"], 1), one["at"]))


def key_of(moment: Moment) -> str:
    """Name a position of a game."""
    return f"{moment.game}:{ply_of(moment)}"


def ply_of(moment: Moment) -> int:
    """Give the ply of a position in its game."""
    return 2 * (moment.turn - 1) + (moment.colour == "black")


async def answer(request: Request) -> Response:
    """Judge a move, write that down, and tell what was better and how many find it."""
    form = await render.read_form(request)
    name, key, move = (form.get(field, "") for field in ("player", "key", "move"))
    site = render.site_of(request)
    lesson = await asyncio.to_thread(lambda: lesson_of(request, name))
    if lesson.error:
        raise InputError(lesson.error)
    told, moments = lesson.value
    return JSONResponse(await asyncio.to_thread(judge, site, told, moments, key, move))


def judge(site: Site, lesson: Lesson, moments: list[ShownMoment], key: str, move: str) -> dict[str, Any]:
    """Say whether a move is as good as the best within the noise of the search, and what others do there.

    No move gives up: the answer is told, and asked again.
    """
    import numpy as np

    from assay.web.game import game_on_board, search_noise
    from assay.web.tries import tried

    shown = next((one for one in moments if key_of(one.moment) == key), None)
    if shown is None:
        raise InputError("this position is not asked any more: open the page again")
    moment, ply = shown.moment, ply_of(shown.moment)
    result: dict[str, Any] = {"uci": ""}
    right = False
    if move:
        game = game_on_board(site.reading(), moment.game)
        elo = min(max(ELO_STEP * round(lesson.elo / ELO_STEP), LOWEST), HIGHEST)
        result = tried(site.tries, game, ply, [move], elo)
        rows = np.flatnonzero(game.decisions.numbers("ply") == ply)
        noise = float(search_noise(game.decisions.take(rows)).max(initial=0.0))
        right = result.get("lost") is not None and result["lost"] <= noise
    training = site.folder.training()
    now = datetime.now(UTC).isoformat(timespec="seconds")
    training.setdefault(lesson.player, {})[key] = {"last": "right" if right else "wrong", "at": now}
    site.folder.keep_training(training)
    return {
        **result,
        "right": right,
        "kind": moment.kind,
        "played": f"{shown.number} {shown.played}",
        "best": {"uci": moment.better, "san": moment.better_san},
        "text": shown.text,
        "game": f"/games/{moment.game}#{ply}",
    }
