"""Panel Rate: `assay live`, both players while a game is being played.

It prints by itself (answers/live.py): a game that is followed has no end at which an answer could be printed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from assay.cli.compare import LIMIT, EngineProfile
from assay.cli.options import CSV, ENGINE, EVALUATIONS, JSON, PLOT, RECIPE
from assay.errors import InputError
from assay.settings import Evaluations

if TYPE_CHECKING:
    from assay.engine.worker import SingleEvaluator
    from assay.live.analysis import LiveAnalysis, LiveGame
    from assay.live.game import GameSoFar
    from assay.models.gain.model import GainModel

_PERCEIVED = "The paper's own number"


def live(
    game: Path = typer.Argument(
        ..., metavar="GAME.pgn", help="PGN file with the game. If it has several: the last."
    ),
    follow: bool = typer.Option(
        False, "--follow", help="Watch the file, and go on until the game has a result."
    ),
    every: float = typer.Option(
        1.0, "--every", min=0.05, metavar="SECONDS", help="Seconds between two looks at the file."
    ),
    game_number: int | None = typer.Option(
        None, "--game", metavar="N", help="Which game of the file: 1 is the first."
    ),
    plot: Path | None = PLOT,
    evaluations: Evaluations = EVALUATIONS,
    perceived: bool = typer.Option(
        False,
        "--perceived",
        help="Also print the paper's own number, perceived strength, which is not Elo. Needs --engine-from, "
        "or --engine-profile peak.",
        rich_help_panel=_PERCEIVED,
    ),
    engine_from: Path | None = typer.Option(
        None,
        "--engine-from",
        metavar="GAMES",
        help="Analysed games of rated players, same recipe: the engine's rating and the way it plays are "
        "measured from them.",
        rich_help_panel=_PERCEIVED,
    ),
    engine_profile: EngineProfile = typer.Option(
        EngineProfile.MEASURED,
        "--engine-profile",
        help="How the engine itself would play. measured: from --engine-from. peak: as in the paper, it "
        "never changes its mind.",
        rich_help_panel=_PERCEIVED,
    ),
    engine_strength: float | None = typer.Option(
        None,
        "--engine-strength",
        metavar="RATING",
        help="Rating of the engine. Without it, perceived differences to the engine are shown.",
        rich_help_panel=_PERCEIVED,
    ),
    limit: int = LIMIT,
    recipe: str | None = RECIPE,
    engine: str | None = ENGINE,
    as_json: bool = JSON,
    as_csv: bool = CSV,
) -> None:
    """Ratings of both players after every move of a game, while it is being played.

    On the Elo scale where recipe and engine have one, as `assay rate` has them; else the methods' measures.
    """
    from assay.cli.answers.live import Show
    from assay.figures.figure import check_figure
    from assay.live.analysis import LiveAnalysis
    from assay.live.game import follow as watch
    from assay.live.game import read_game
    from assay.rating.calibration import find_calibration

    check_figure(plot)
    if engine_strength is not None and not math.isfinite(engine_strength):
        raise InputError(f"--engine-strength takes a rating such as 2800, not {engine_strength}")
    with evaluator_of(evaluations, recipe, engine) as evaluator:
        recipe_id = None if evaluator is None else evaluator.recipe_id
        model = None
        if perceived or engine_from is not None or engine_strength is not None:
            model = _perceived_model(limit, engine_strength, engine_from, engine_profile, recipe_id)

        def begin(so_far: GameSoFar) -> tuple[LiveAnalysis, Show]:
            source = recipe_id or so_far.values_from
            calibration = find_calibration(source)
            analysis = LiveAnalysis(
                evaluator, values_from=source, calibration=calibration, perceived=model, limit=limit
            )
            return analysis, Show(as_json, as_csv, plot, made_with(evaluator, source), calibration)

        from_file = evaluator is None
        if not follow:
            so_far = read_game(game, game_number)
            _check_comments(so_far, game, from_file)
            analysis, show = begin(so_far)
            show.whole(_update(analysis, so_far))
            return
        begun = None
        for so_far in watch(game, game_number, every=every):
            # The first look at the file tells whose values it brings along.
            analysis, show = begun = begun or begin(so_far)
            # Evaluations may come later than moves, but not after the result.
            _check_comments(so_far, game, from_file and so_far.record.result is not None)
            show.next(_update(analysis, so_far))


def _check_comments(so_far: GameSoFar, path: Path, needed: bool) -> None:
    if needed and not so_far.evaluated:
        raise InputError(
            f"the game in {path} has no evaluations in its comments ([%eval ...]): use --evaluations engine"
        )


@contextmanager
def evaluator_of(
    evaluations: Evaluations, recipe: str | None, engine: str | None
) -> Iterator[SingleEvaluator | None]:
    """The engine; None where the file's comments tell the values."""
    from assay.engine.engines import EngineConfig, find_engine, is_named
    from assay.engine.recipe import find_recipe
    from assay.engine.worker import SingleEvaluator
    from assay.errors import EngineError
    from assay.settings import find_settings

    settings = find_settings()
    engine = engine or settings.engine
    try:
        if evaluations != Evaluations.FILE:
            find_engine(engine)
    except EngineError:
        if evaluations == Evaluations.ENGINE or is_named(engine):
            raise
        evaluations = Evaluations.FILE
    if evaluations == Evaluations.FILE:
        yield None
        return
    evaluator = SingleEvaluator(find_recipe(recipe or settings.recipe or "standard"), EngineConfig(engine))
    try:
        yield evaluator
    finally:
        evaluator.close()


def made_with(evaluator: SingleEvaluator | None, source: str) -> tuple[str, str, str]:
    """Names of the engine and the recipe, and the recipe's id, or the source of the values of comments."""
    if evaluator is None:
        return "the games' own comments", "evaluations", source
    return evaluator.identity.name, evaluator.recipe.name, evaluator.recipe_id


def _perceived_model(
    limit: int,
    engine_strength: float | None,
    engine_from: Path | None,
    profile: EngineProfile,
    recipe_id: str | None,
) -> GainModel:
    """The paper's method: the engine measured from other games, or its peak where that is asked for."""
    from assay.models.gain.model import GainModel
    from assay.models.gain.tournament import measured_engine
    from assay.source import open_source

    if engine_from is None and profile is not EngineProfile.PEAK:
        raise InputError(
            "perceived strength is counted from the engine, and one game does not show how it plays: give "
            "analysed games with --engine-from, or take the paper's peak with --engine-profile peak"
        )
    if engine_from is not None and profile is EngineProfile.PEAK:
        raise InputError("--engine-from measures the engine, and peak does not: choose one of them")
    if engine_from is None:
        return GainModel(limit=limit, engine_profile="peak", engine_strength=engine_strength)
    model = measured_engine(open_source(engine_from).analysed(recipe_id), limit=limit)
    if engine_strength is not None:
        model.engine_strength = engine_strength
    return model


def _update(analysis: LiveAnalysis, so_far: GameSoFar) -> LiveGame:
    from assay.cli.progress import bar

    with bar("Evaluating") as shown:
        return analysis.update(so_far, shown.show)
