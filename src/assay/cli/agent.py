"""`assay agent`: a UCI engine that plays like a person, and what such a person would play."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from assay.cli.options import ENGINE, RECIPE, prints
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.answers.answer import Answer


@prints
def agent(
    games: Path | None = typer.Argument(
        None, metavar="[GAMES]", help="With --save: the workspace with the analysed games."
    ),
    explain: str | None = typer.Option(
        None,
        "--explain",
        metavar="FEN",
        help="Print what players would play in this position, instead of playing. 'startpos' is the first.",
    ),
    elo: int = typer.Option(1800, "--elo", help="With --explain: the Elo of the player, 1500 to 2800."),
    model: Literal["depth", "bayes", "choice"] = typer.Option(
        "depth", "--model", help="With --explain: whose agents."
    ),
    save: Path | None = typer.Option(
        None,
        "--save",
        metavar="FILE",
        help="Write the profile of --player in GAMES, for the engine's option Player, instead of playing.",
    ),
    player: str | None = typer.Option(
        None, "--player", metavar="NAME", help="With --save: who, such as 'Tal' or 'Tal@1958-1960'."
    ),
    recipe: str | None = RECIPE,
    engine: str | None = ENGINE,
) -> Answer | None:
    """Play like a person of a given Elo: a chess engine (UCI), also installed as `assay-agent`.

    Without options it speaks UCI on standard input and output: set UCI_Elo, Model, Seed and Player in the
    program that you play in (docs/agent.md). With --explain it prints the probability of each move in a
    position, for one Elo and for 1500, 2000 and 2500 beside it.
    """
    if explain is not None:
        return _explain(explain, elo, model, recipe, engine)
    if save is not None:
        return _save(save, player, games, recipe)
    if player is not None or games is not None:
        raise InputError("GAMES and --player go with --save FILE: the engine's option Player takes that file")
    from assay.agent.main import main

    code = main(engine, recipe)
    if code:
        raise typer.Exit(code)
    return None


def _explain(fen: str, elo: int, model: str, recipe: str | None, engine: str | None) -> Answer:
    from assay.agent.agents import explain
    from assay.agent.session import position_of
    from assay.agent.thinking import GameBoard, Thinker
    from assay.engine.engines import EngineConfig
    from assay.engine.recipe import find_recipe
    from assay.settings import find_settings

    game = GameBoard.start() if fen == "startpos" else position_of(fen)
    settings = find_settings()
    thinker = Thinker(
        find_recipe(recipe or settings.recipe or "standard"), EngineConfig(engine or settings.engine)
    )
    try:
        return explain(thinker, game, elo, model)
    finally:
        thinker.close()


def _save(path: Path, player: str | None, games: Path | None, recipe: str | None) -> Answer:
    from assay.agent.agents import player_profile
    from assay.answers.answer import Facts
    from assay.workspace import Workspace

    if player is None or games is None:
        raise InputError("--save needs a workspace, GAMES, and --player NAME")
    name, profile = player_profile(Workspace(games), player, recipe)
    profile.write(path)
    told = (
        f"{path}: the agent of {name}, from {profile.decisions:.0f} decisions in {profile.games:.0f} games. "
        f"Give this file to the engine's option Player."
    )
    numbers = {"player": name, "decisions": profile.decisions, "games": profile.games, "file": str(path)}
    return Facts(told, numbers)
