"""Panel Rate: `assay live`, both players while a game is being played.

It prints by itself: a game that is followed has no end at which an answer could be printed.
"""

from __future__ import annotations

import math
import sys
from itertools import takewhile
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from assay.cli.compare import LIMIT, EngineProfile
from assay.cli.options import Drawn, command
from assay.cli.output import bar, close, print_table, say, show
from assay.errors import InputError
from assay.settings import Evaluations

if TYPE_CHECKING:
    from assay.answers.live import LiveGame
    from assay.live.analysis import LiveAnalysis
    from assay.live.game import GameSoFar
    from assay.models.gain.model import GainModel

_TURNS_ON_SCREEN = 15


@command(prints=False)
def live(
    game: Path = typer.Argument(
        ..., metavar="GAME.pgn", help="PGN file with the game. If it has several: the last."
    ),
    follow: bool = False,
    every: float = 1.0,
    game_number: int | None = typer.Option(
        None, "--game", metavar="N", help="Which game of the file: 1 is the first."
    ),
    plot: Drawn = None,
    evaluations: Evaluations = Evaluations.AUTO,
    perceived: bool = False,
    engine_from: Path | None = None,
    engine_profile: EngineProfile = "measured",
    engine_strength: float | None = None,
    limit: int = LIMIT,
    recipe: str | None = None,
    engine: str | None = None,
    json: bool = False,
    csv: bool = False,
) -> None:
    """Ratings of both players after every move of a game, while it is being played.

    On the Elo scale where recipe and engine have one, as `assay rate` has them; else the methods' measures.
    What is analysed is kept in the workspace beside the file, where `assay rate` finds it.

    $ assay live game.pgn --follow

    --follow  Watch the file, and go on until the game has a result.
    --every SECONDS (0.05..)  Seconds between two looks at the file.
    The number of the paper:
    --perceived  Also print the paper's own number, perceived strength, which is not Elo. Needs --engine-from,
        or --engine-profile peak.
    --engine-from GAMES  Analysed games of rated players, same recipe: the engine's rating and the way it
        plays are measured from them.
    --engine-profile  Choose how the engine itself would play. measured: from --engine-from. peak: as in the
        paper, it never changes its mind.
    --engine-strength RATING  Rating of the engine. Without it, differences to the engine are shown.
    """
    from assay.live.analysis import analysis_of, evaluator_of
    from assay.live.game import follow as watch
    from assay.live.game import read_game
    from assay.source import beside
    from assay.workspace import Workspace

    if engine_strength is not None and not math.isfinite(engine_strength):
        raise InputError(f"--engine-strength takes a rating such as 2800, not {engine_strength}")
    with evaluator_of(evaluations, recipe, engine) as evaluator:
        from_file = evaluator is None
        model = None
        if perceived or engine_from is not None or engine_strength is not None:
            recipe_id = None if evaluator is None else evaluator.recipe_id
            model = _perceived_model(limit, engine_strength, engine_from, engine_profile, recipe_id)
        analysis, printed = None, list[str]()
        for so_far in watch(game, game_number, every=every) if follow else [read_game(game, game_number)]:
            # Evaluations may come later than moves, but not after the result.
            if from_file and not so_far.evaluated and (not follow or so_far.record.result is not None):
                raise InputError(
                    f"the game in {game} has no evaluations in its comments ([%eval ...]): use --evaluations "
                    "engine"
                )
            # The first look at the file shows whose values it brings along.
            analysis = analysis or analysis_of(
                evaluator, so_far, perceived=model, limit=limit, workspace=Workspace(beside(game))
            )
            live = _update(analysis, so_far)
            _plot(plot, live)
            if follow:
                print_new(live, printed, json, csv and not json)
            else:
                show(live, json=json, csv=csv)


def _plot(path: Path | None, live: LiveGame) -> None:
    if path is not None:
        from assay.figures.figure import write_figure
        from assay.report.live import live_figure

        write_figure(path, live_figure(live))


def print_new(live: LiveGame, printed: list[str], as_json: bool, as_csv: bool) -> None:
    """Print a game that goes on: anew on a terminal; elsewhere one line for each move not `printed` yet."""
    from assay.answers.answer import to_csv

    close()
    if sys.stdout is not None and sys.stdout.isatty() and not (as_json or as_csv):
        print("\033[H\033[2J", end="")
        for words in live.words(last=_TURNS_ON_SCREEN):
            print_table(words)
        return
    if not printed:
        for note in live.notes:
            say(note)
    moves = [move.san for move in live.moves]
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(moves, printed, strict=False)))
    for place, move in enumerate(live.moves[same:], same):
        if as_json:
            line = dumps(live.move_to_dict(move), ensure_ascii=False, allow_nan=False)
        elif as_csv:
            row = live.row(move)  # the names of the columns stand before the first
            header, *line_of_move = to_csv([row], list(row)).splitlines()
            line = "\n".join([header, *line_of_move] if not place and not printed else line_of_move)
        else:
            line = live.line(move)
        print(line, flush=True)
    printed[:] = moves


def _perceived_model(
    limit: int,
    engine_strength: float | None,
    engine_from: Path | None,
    profile: EngineProfile,
    recipe_id: str | None,
) -> GainModel:
    """The paper's method: the engine measured from other games, or its peak where that is asked for."""
    from assay.decisions.decisions import Decisions
    from assay.models.gain.model import GainModel
    from assay.models.gain.tournament import measured_engine
    from assay.source import Valuation, open_source

    if engine_from is None and profile != "peak":
        raise InputError(
            "perceived strength is counted from the engine, and one game does not show how it plays: give "
            "analysed games with --engine-from, or take the paper's peak with --engine-profile peak"
        )
    if engine_from is not None and profile == "peak":
        raise InputError("--engine-from measures the engine, and peak does not: choose one of them")
    if engine_from is None:
        return GainModel(limit=limit, engine_profile="peak", engine_strength=engine_strength)
    analysed = open_source(engine_from).decisions(Valuation(analysed=recipe_id or True), at_once=True)
    model = measured_engine(Decisions.concat(analysed), limit=limit)
    if engine_strength is not None:
        model.engine_strength = engine_strength
    return model


def _update(analysis: LiveAnalysis, so_far: GameSoFar) -> LiveGame:

    with bar("Evaluating") as shown:
        return analysis.update(so_far, shown.show)
