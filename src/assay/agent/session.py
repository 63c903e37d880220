"""What an agent is told between moves, and how it answers: options, the game, the clock."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from assay.agent import HIGHEST, LOWEST, endings
from assay.agent.agents import agent_of_elo, agent_of_profile, calibration_for
from assay.agent.thinking import GameBoard, Limits, Thinker, Thought, parse_go
from assay.decisions.evaluation import MATE, MATE_BOUND
from assay.decisions.profile import Profile
from assay.engine.engines import EngineConfig
from assay.engine.recipe import find_recipe
from assay.errors import InputError
from assay.models.depth.agents import DepthAgent
from assay.rating.calibration import Calibration
from assay.settings import find_settings

MOST_MOVES = 218
MOST_SEED = 2**31 - 1
_EMPTY = ("", "<empty>")


class AgentSession:
    """The state of one `assay-agent`."""

    def __init__(
        self,
        say: Callable[[str], None],
        tell: Callable[[str], None],
        engine: str | None = None,
        recipe: str | None = None,
    ) -> None:
        """`say` takes lines of the protocol, `tell` what is said to people."""
        self._say, self._tell = say, tell
        self._limited, self._elo = True, 1800
        self._player = ""
        self._seed, self._told_seed = 0, False
        self._lines = 1
        settings = find_settings()
        self._recipe = find_recipe(recipe or settings.recipe or "standard")
        self._thinker = Thinker(self._recipe, EngineConfig(engine or settings.engine))
        self._calibration: Calibration | None = None
        self._agent: DepthAgent | None = None
        self._game: GameBoard | None = GameBoard.start()
        self._number = 0
        self._answer_now = threading.Event()

    # Options -------------------------------------------------------------------------------------------

    def set_option(self, name: str, value: str) -> None:
        """Change one; what cannot be is told, and nothing changes."""
        match name:
            case "uci_limitstrength":
                self._limited = _flag(name, value)
            case "uci_elo":
                self._elo = _number("UCI_Elo", value, LOWEST, HIGHEST)
            case "seed":
                self._seed, self._told_seed = _number("Seed", value, 0, MOST_SEED), False
            case "player":
                self._player = "" if value in _EMPTY else value
            case "engine":
                self._thinker.close()
                self._thinker = Thinker(self._recipe, EngineConfig(None if value in _EMPTY else value))
                self._calibration = None
            case "multipv":
                self._lines = _number("MultiPV", value, 1, MOST_MOVES)
            case "ponder":
                _flag(name, value)
            case _:
                raise InputError(f"there is no option '{name}'")
        self._agent = None

    # The game ------------------------------------------------------------------------------------------

    def new_game(self) -> None:
        """The next game has draws of its own."""
        self._number += 1
        self._game = GameBoard.start()

    def set_position(self, words: Sequence[str]) -> None:
        """`startpos` or `fen ...`, and the moves since."""
        self._game = None
        split = list(words).index("moves") if "moves" in words else len(words)
        match list(words[:split]):
            case ["startpos", *_]:
                game = GameBoard.start()
            case ["fen", *fen]:
                game = position_of(" ".join(fen))
            case _:
                raise InputError("a position is 'startpos' or 'fen ...'")
        for move in words[split + 1 :]:
            try:
                game.play(move)
            except ValueError:
                raise InputError(f"{move} is not a legal move in {game.board.fen()}") from None
        self._game = game

    # Moves ---------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """A `go` was heard: what was stopped before is over."""
        self._answer_now.clear()
        self._thinker.ready()

    def stop(self) -> None:
        """Answer now; safe from any thread."""
        self._answer_now.set()
        self._thinker.stop()

    def ponderhit(self) -> None:
        """The move that was pondered on was played: the search goes on, and may answer; from any thread."""
        self._answer_now.set()

    def load(self) -> None:
        """Everything that a first move would wait for."""
        thinker = self._thinker
        if self._calibration is None:
            endings.prepare()
        thinker.start()
        if self._calibration is None:
            names = thinker.recipe_id, thinker.engine_name, self._recipe.name
            self._calibration, caveat = calibration_for(*names)
            if caveat:
                self._tell(caveat)
        if self._agent is None and self._limited:
            if self._player:
                profile = Profile.read(Path(self._player))
                self._agent = agent_of_profile(profile, self._thinker.recipe_id)
            else:
                self._agent = agent_of_elo(self._calibration, self._elo)

    def go(self, words: Sequence[str]) -> None:
        """Think, and say the move."""
        game = self._game
        if game is None or not game.legal:
            self._tell("the game is over" if game is not None else "there is no position to play from")
            self._say("bestmove (none)")
            return
        limits = parse_go(words, white=game.board.turn)
        thought = self._thought(game, limits)
        for text in thought.notes:
            self._tell(text)
        self._show(thought)
        if limits.waits:
            self._answer_now.wait()
        self._say(f"bestmove {thought.move}")

    def close(self) -> None:
        """End the engine."""
        self._thinker.close()

    def _thought(self, game: GameBoard, limits: Limits) -> Thought:
        if self._seed == 0:
            self._seed = secrets.randbelow(MOST_SEED) + 1
        if not self._told_seed:
            self._tell(f"seed {self._seed}: with it the same games are played again")
            self._told_seed = True
        problem: tuple[str, ...] = ()
        try:
            self.load()
        except InputError as error:  # a player that cannot be read: the agent of the Elo plays
            problem = (f"{error}; the simulated player of {self._elo} plays",)
            assert self._calibration is not None
            self._agent = agent_of_elo(self._calibration, self._elo)
        agent = self._agent if self._limited else None
        thought = self._thinker.think(game, limits, agent, self._seed, self._number)
        return replace(thought, notes=(*problem, *thought.notes))

    def _show(self, thought: Thought) -> None:
        """Lines of the likeliest moves, and of the one that is played."""
        order = sorted(thought.legal, key=lambda move: (-thought.probability(move), move))
        shown = order[: self._lines] if self._lines > 1 else [thought.move]
        for rank, move in enumerate(shown, start=1):
            value = f"score {_shown(thought.values[move])} " if move in thought.values else ""
            self._say(
                f"info depth {thought.depth} multipv {rank} {value}"
                f"nodes {thought.nodes} time {round(1000 * thought.seconds)} pv {move}"
            )
        if self._limited and thought.values:
            shares = ", ".join(f"{move} {100 * thought.probability(move):.1f}%" for move in shown)
            who = "the player" if self._player else str(self._elo)
            self._tell(f"probability for {who}: {shares}; plays {thought.move}")


def position_of(fen: str) -> GameBoard:
    """A game from a position; an error in one sentence where there is none such."""
    try:
        game = GameBoard.start(fen)
    except ValueError as error:
        raise InputError(f"this is not a position: {error}") from None
    if not game.board.is_valid():
        raise InputError(f"this position is not possible in chess: {fen}")
    return game


def _shown(value: int) -> str:
    if abs(value) < MATE_BOUND:
        return f"cp {value}"
    return f"mate {MATE - value if value > 0 else -MATE - value}"


def _flag(name: str, value: str) -> bool:
    if value.lower() not in ("true", "false"):
        raise InputError(f"{name} is true or false, not '{value}'")
    return value.lower() == "true"


def _number(name: str, value: str, least: int, most: int) -> int:
    try:
        number = int(value[:20])
    except ValueError:
        number = least - 1
    if not least <= number <= most:
        raise InputError(f"{name} is a whole number from {least} to {most}, not '{value}'")
    return number
