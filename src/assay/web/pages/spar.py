"""Spar: a game against players of a chosen Elo, and then how strong it was.

One game at a time; it is kept in the workspace when it is over.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from assay.agent import HIGHEST, LOWEST
from assay.answers.answer import pick
from assay.errors import EngineError, InputError, printable
from assay.web import render
from assay.web.cache import sentence_of

if TYPE_CHECKING:
    from assay.agent.thinking import GameBoard, Thinker
    from assay.web.reading import Reading
    from assay.web.site import Site

_LONGEST = 60
_PATIENCE = 20.0
"""Seconds that a game that is over may take to be imported before that is said."""


def routes() -> list[Route]:
    """The page, and what can be done on it."""
    return [Route("/spar", spar), Route("/spar/{wish}", wish, methods=["POST"])]


def spar(request: Request) -> Response:
    """The board, or the game for programs."""
    sparring, kind = render.site_of(request).sparring, render.wanted(request)
    if kind == "pgn":
        return render.download(sparring.pgn(), render.PGN, "spar.pgn")
    document = answered(render.site_of(request))
    if kind == "json":
        return JSONResponse(document)
    kept = render.ask(request, ("spar games",), spar_games)
    return render.page(request, "spar.html", title="Spar", game=document["game"], kept=kept)


def answered(site: Site) -> dict[str, Any]:
    """Describe the game; of one that is over also its address, and how strong it was, when that is known."""
    document = site.sparring.document()
    game = document["game"]
    if game is not None and game["result"]:
        number, white = game["number"], game["white"]
        answer = site.ask(
            ("spar", number), lambda reading: verdict(reading, number, white), patience=render.PATIENCE
        )
        game |= answer.value or {"game_id": None, "verdict": "", "turning_point": None}
        game["reviewing"] = game["game_id"] is not None and site.jobs.is_reviewed(game["game_id"])
    return document


def verdict(reading: Reading, number: int, white: bool) -> dict[str, Any] | None:
    """Find the game of a number in the workspace, and say how strong its player played; None before that."""
    from assay.web.game import game_on_board

    game_id = next((row["game_id"] for row in spar_games(reading) if row["round"] == str(number)), None)
    if game_id is None:
        return None
    on_board = game_on_board(reading, game_id)
    if not on_board.evaluated:
        return {"game_id": game_id, "verdict": "", "turning_point": None}
    words, turning_point = on_board.played_like(white), on_board.turning_point
    return {"game_id": game_id, "verdict": words, "turning_point": turning_point}


def spar_games(reading: Reading) -> list[dict[str, Any]]:
    """List the games that were played here, the last first."""
    import pyarrow.compute as pc

    from assay.web.pages.games import rows_of

    if reading.empty:
        return []
    games = reading.games
    return rows_of(games.filter(pc.fill_null(pc.equal(games["event"], "Spar"), False)))


async def wish(request: Request) -> Response:
    """A new game, a move, giving up, trying again what failed, or analysing what was played."""
    site = render.site_of(request)
    form = await render.read_form(request)
    match request.path_params["wish"]:
        case "new":
            elo = render.whole_number(form.get("elo", ""))
            site.sparring.begin(elo, form.get("colour", "white") != "black", form.get("name", ""))
        case "move":
            site.sparring.move(form.get("uci", ""))
        case "resign":
            site.sparring.resign()
        case "again":
            site.sparring.again()
        case "rate":
            await asyncio.to_thread(rate, site)
        case _:
            return render.refusal(request, "there is no such page here", 404)
    return JSONResponse(await asyncio.to_thread(answered, site))


def rate(site: Site) -> None:
    """Have the game that is over analysed, as soon as it is in the workspace."""
    game = site.sparring.document()["game"]
    if game is None or not game["result"]:
        raise InputError("there is no game that is over: play one first")
    site.jobs.wait(lambda jobs: not any(job.kind == "import" and job.open for job in jobs), _PATIENCE)
    found = verdict(site.reading(), game["number"], game["white"])
    if found is None:
        raise InputError("the game is not in the workspace yet: the first page shows why, try again then")
    site.review(found["game_id"])


# The game ------------------------------------------------------------------------------------------------


@dataclass
class Game:
    """A game under way."""

    elo: int
    white: bool
    """Whether the player has White."""
    name: str
    board: GameBoard
    moves: list[str] = field(default_factory=list)
    thinking: bool = False
    result: str = ""
    why: str = ""
    said: str = ""
    """What must be told beside the agent's last move."""
    error: str = ""
    kept: bool = False
    """Whether it was handed on to be kept."""
    number: int = 0

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.result)

    @property
    def own_turn(self) -> bool:
        """Whether the player is to move."""
        return not self.over and not self.thinking and bool(self.board.board.turn) == self.white

    @property
    def stuck(self) -> bool:
        """Whether something failed that may be tried again: the agent's move, or keeping the game."""
        return bool(self.error) and not self.thinking and (not self.kept if self.over else not self.own_turn)

    def to_dict(self) -> dict[str, Any]:
        """Describe it for its page."""
        return {
            **pick(self, "elo white name number thinking result why said error stuck"),
            "fen": self.board.board.fen(),
            "check": self.board.board.is_check(),
            "last": self.moves[-1] if self.moves else "",
            "moves": self.in_words(),
            "legal": self.board.legal if self.own_turn else [],
        }

    def in_words(self) -> list[str]:
        """Write the moves as people do."""
        import chess

        board = chess.Board()
        return [board.san_and_push(chess.Move.from_uci(uci)) for uci in self.moves]


class Sparring:
    """The game that is being played, and the engine that the agent asks."""

    def __init__(
        self, keep: Callable[[str, str], None], recipe: str | None = None, engine: str | None = None
    ) -> None:
        """`keep` is given the PGN of a game that is over and a title, and keeps it."""
        self._keep = keep
        self._recipe, self._engine = recipe, engine
        self._lock = threading.RLock()
        self._at_the_engine = threading.Lock()
        """One game at a time asks it: a new game may begin while the agent still thinks about the last."""
        self._thinker: Thinker | None = None
        self._thread: threading.Thread | None = None
        self.game: Game | None = None
        self.version = 0
        """Rises with every change."""

    def begin(self, elo: int, white: bool, name: str) -> None:
        """Begin a new game; one that was under way is given up and not kept."""
        from assay.agent.thinking import GameBoard

        if not LOWEST <= elo <= HIGHEST:
            raise InputError(f"the simulated player has an Elo between {LOWEST} and {HIGHEST}")
        plain = re.sub(r'["\\\[\]{};]+', " ", printable(name)).strip()[:_LONGEST] or "You"
        with self._lock:
            self.game = Game(elo, white, plain, GameBoard.start(), number=secrets.randbelow(2**31))
            self.version += 1
            if not white:
                self._answer(self.game)

    def move(self, text: str) -> None:
        """Play the player's move; the agent answers in a thread of its own."""
        with self._lock:
            from assay.web.tries import legal_move

            game = self.game
            if game is None or not game.own_turn:
                raise InputError("it is not your move")
            self._play(game, legal_move(game.board.board, text).uci())
            if not game.over:
                self._answer(game)

    def resign(self) -> None:
        """Give the game up; it is kept."""
        with self._lock:
            if self.game is not None and not self.game.over and self.game.moves:
                self._end(self.game, "0-1" if self.game.white else "1-0", "given up")

    def again(self) -> None:
        """Try once more what failed: the agent's move, or keeping a game that is over."""
        with self._lock:
            game = self.game
            if game is None or not game.stuck:
                return
            if game.over:
                self._keep_it(game)
            else:
                game.error = ""
                self._answer(game)
            self.version += 1

    def close(self) -> None:
        """End the engine; a game that is under way is kept as it stands."""
        with self._lock:
            if (game := self.game) is not None and game.moves and not game.kept:
                self._keep_it(game)
            self.game, thinker = None, self._thinker
        if thinker is not None:
            thinker.stop()
        if self._thread is not None:
            self._thread.join(10.0)
        if thinker is not None:
            thinker.close()

    def document(self) -> dict[str, Any]:
        """Describe the game for its page."""
        with self._lock:
            return {"game": None if self.game is None else self.game.to_dict()}

    def pgn(self) -> str:
        """Write the game as PGN."""
        from assay.agent.thinking import as_pgn

        game = self.game
        if game is None:
            raise InputError("there is no game yet")
        sides = [game.name, f"Agent {game.elo}"]
        white, black = sides if game.white else reversed(sides)
        tags = {"Event": "Spar", "Site": "assay serve", "White": white, "Black": black}
        return as_pgn(game.moves, game.result or "*", {**tags, "Round": str(game.number)})

    def _play(self, game: Game, uci: str) -> None:
        game.board.play(uci)
        game.moves.append(uci)
        result = game.board.result()
        if result is not None:
            self._end(game, result, "by the rules")
        self.version += 1

    def _end(self, game: Game, result: str, why: str) -> None:
        game.result, game.why, game.thinking = result, why, False
        self._keep_it(game)
        self.version += 1

    def _keep_it(self, game: Game) -> None:
        try:
            self._keep(self.pgn(), f"{game.name} against {game.elo}")
        except OSError as error:  # the game is still here, and can be kept later
            game.error = sentence_of(error)
        else:
            game.kept, game.error = True, ""

    def _answer(self, game: Game) -> None:
        game.thinking = True
        self.version += 1
        self._thread = threading.Thread(target=self._think, args=(game,), name="sparring", daemon=True)
        self._thread.start()

    def _think(self, game: Game) -> None:
        try:
            with self._at_the_engine:
                if game is not self.game:
                    return
                move, said = self._choose(game)
        except Exception as error:
            with self._lock:
                game.error, game.thinking = sentence_of(error), False
                self.version += 1
            return
        with self._lock:
            if game is self.game and not game.over:
                game.thinking, game.said = False, said
                self._play(game, move)

    def _choose(self, game: Game) -> tuple[str, str]:
        """Choose the agent's move as `assay-agent` does, and give what must be said with it."""
        from assay.agent.thinking import Thinker
        from assay.engine.engines import EngineConfig
        from assay.engine.recipe import find_recipe
        from assay.settings import find_settings

        if self._thinker is None:
            settings = find_settings()
            recipe = find_recipe(self._recipe or settings.recipe or "standard")
            self._thinker = Thinker(recipe, EngineConfig(self._engine or settings.engine))
        try:
            return self._asked(self._thinker, game)
        except EngineError:  # it died: a fresh one may do; a move by chance would spoil the game
            return self._asked(self._thinker, game)

    def _asked(self, thinker: Thinker, game: Game) -> tuple[str, str]:
        from assay.agent.agents import agent_of_elo, calibration_for
        from assay.agent.thinking import Limits

        thinker.start()
        calibration, caveat = calibration_for(thinker.recipe_id, thinker.engine_name, thinker.recipe.name)
        agent = agent_of_elo(calibration, float(game.elo))
        try:
            thought = thinker.attempt(game.board, Limits(), agent, 0, game.number)
        except EngineError as error:
            raise EngineError(f"the engine failed ({error}): try again, or serve with another") from error
        return thought.move, "; ".join(note for note in (caveat, *thought.notes) if note)
