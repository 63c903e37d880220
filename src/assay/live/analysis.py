"""Both players after every move of a game under way (Ferreira 2012, section 7).

The rating after a move is that of `assay rate` for the game up to it: a short game, whose interval is wide
(assay.rating.spread). Without a calibration there are the methods' measures. The paper's own number, the
perceived strength of Algorithm 4, is not an Elo: it is there only where a model for it is given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import chess
import numpy as np

from assay.answers.live import TOO_EARLY, Known, LiveGame, LiveMove, Perceived
from assay.answers.ratings import Quantity
from assay.decisions import evaluation
from assay.decisions.arrays import Ints
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import ANNOTATED, EVALUATED
from assay.decisions.exclusions import Exclusion
from assay.decisions.measures import gain
from assay.decisions.profile import ProfileStack
from assay.engine.engines import EngineConfig, find_engine, is_named
from assay.engine.recipe import find_recipe
from assay.errors import EngineError
from assay.live.game import GameAnalysis, GameSoFar, Progress
from assay.models.base import MoveModel
from assay.models.gain import LIMIT, GainModel, RunningStrength, running_strength
from assay.models.registry import methods
from assay.rating.calibration import PAPERS, Calibration, find_calibration, rating_models
from assay.rating.evidence import APART, Evidence, Group
from assay.rating.group_ratings import Rater
from assay.rating.measures import measures
from assay.rating.pipeline import LEAST_DECISIONS
from assay.rating.priors import prior_words, usual_prior
from assay.rating.scale import ONE_VALUE, caveats_of, other_time_classes, scale_of, what_it_takes
from assay.settings import find_settings
from assay.source import Evaluations

if TYPE_CHECKING:
    from assay.engine.run import SingleEvaluator
    from assay.workspace import Workspace


COMMENTS = ("the games' own comments", "evaluations")
"""Stand for the names of engine and recipe where values are those of comments."""


class LiveAnalysis:
    """Rates both players of a game so far after every move; remembers what it has computed."""

    def __init__(
        self,
        evaluator: SingleEvaluator | None,
        *,
        values_from: str = ANNOTATED,
        calibration: Calibration | None = None,
        perceived: GainModel | None = None,
        limit: int = LIMIT,
        made_with: tuple[str, str, str] | None = None,
        workspace: Workspace | None = None,
    ) -> None:
        """`evaluator` asks an engine; None takes the evaluations from the comments of the file.

        `values_from` says whose those are (assay.decisions.evaluation): what `calibration` is for. The
        `workspace` keeps what is analysed.
        """
        self._analysis = GameAnalysis(evaluator, values_from, workspace)
        self._made_with = made_with or (*COMMENTS, values_from)
        self._calibration = calibration
        self._perceived = perceived
        self._limit = limit if perceived is None else perceived.limit
        self._known: dict[tuple[tuple[str, ...], bytes], Known] = {}

    def update(self, game: GameSoFar, progress: Progress = lambda *_: None) -> LiveGame:
        """Analyse what is new, and give what is known after every move."""
        return self.of(game, self._analysis.decisions(game, progress))

    def of(self, game: GameSoFar, decisions: Decisions) -> LiveGame:
        """Give what is known after every move of a game, from its decisions, one for each ply."""
        gains, values = (np.full(len(game.moves), np.nan) for _ in range(2))
        if len(decisions):
            gains, values = gain(decisions, self._limit), decisions.numbers("after")
        known = self._after_every_move(game, decisions)
        board = chess.Board(game.record.start_fen or chess.STARTING_FEN)
        sides = {board.turn: gains[::2], not board.turn: gains[1::2]}
        model = self._perceived
        running = {} if model is None else {side: running_strength(sides[side], model) for side in sides}
        moves = []
        for ply, uci in enumerate(game.moves):
            white, place, move = board.turn == chess.WHITE, ply // 2, chess.Move.from_uci(uci)
            turn, san = board.fullmove_number, board.san(move)
            board.push(move)
            # A comment may call it 39 pawns.
            value = evaluation.MATE if board.is_checkmate() else values[ply]
            so_far = sides[white][: place + 1]
            so_far = so_far[~np.isnan(so_far)]
            moves.append(
                LiveMove(
                    ply=ply,
                    turn=turn,
                    white=white,
                    player=(game.record.white_name if white else game.record.black_name),
                    san=san,
                    value=float(value if white else -value),
                    gain=float(gains[ply]),
                    mean_gain=float(so_far.mean()) if len(so_far) else float("nan"),
                    known=known[ply],
                    perceived=_perceived(running[white], place) if running else None,
                )
            )
        strength = None if model is None else model.engine_strength
        engine, recipe, recipe_id = self._made_with
        return LiveGame(
            (game.record.white_name, game.record.black_name),
            tuple(moves),
            scale_of(self._calibration),
            model is not None,
            strength,
            engine=engine,
            recipe=recipe,
            recipe_id=recipe_id,
            prior=None if self._calibration is None else prior_words(self._calibration),
            notes=self._notes(game, strength),
            methods=list(methods()),
        )

    def _notes(self, game: GameSoFar, strength: float | None) -> list[str]:
        """Caveats of the scale, of the values, of the game and of the paper's number."""
        record = game.record
        notes = []
        if self._calibration is None:
            notes.append(what_it_takes(*self._made_with))
        else:
            notes += [
                *caveats_of(self._calibration),
                other_time_classes([record.time_class], self._calibration.recipe_id),
                f"{TOO_EARLY}: fewer than {LEAST_DECISIONS} moves of the player after move 8.",
            ]
        if self._made_with[2] in (ANNOTATED, *EVALUATED):
            notes.append(ONE_VALUE)
        if record.exclusion not in (None, Exclusion.NO_RESULT, Exclusion.NO_MOVES):
            notes.append(f"assay rate leaves this game out: {record.exclusion.meaning}.")
        if self._perceived is not None:
            counted = (
                "difference to the engine"
                if strength is None
                else f"strength, the engine being {strength:.0f}"
            )
            notes.append(f"perceived: the paper's {counted} (Ferreira 2012), which is not Elo.")
        return [note for note in notes if note]

    def _after_every_move(self, game: GameSoFar, decisions: Decisions) -> list[Known]:
        """What is known after each ply; what was worked out before is not worked out again."""
        after = decisions.numbers("after") if len(decisions) else np.zeros(0)
        # Comments with evaluations may come later than the moves: what is known then is another thing.
        states = [(game.moves[: ply + 1], after[: ply + 1].tobytes()) for ply in range(len(game.moves))]
        new = [ply for ply, state in enumerate(states) if state not in self._known]
        computed = known_after(decisions, new, self._calibration)
        self._known |= {states[ply]: known for ply, known in zip(new, computed, strict=True)}
        return [self._known[state] for state in states]


def _perceived(running: RunningStrength, place: int) -> Perceived:
    columns = running.expectation, running.strength, running.strength_low, running.strength_high
    return Perceived(*(float(column[place]) for column in columns))


def known_after(
    decisions: Decisions,
    plies: Sequence[int],
    calibration: Calibration | None,
) -> list[Known]:
    """Rate the player who moved after each of these plies.

    `decisions` are those of one game, in order, a row for each ply.
    """
    if not len(plies) or not len(decisions):
        return [Known() for _ in plies]
    # The game up to each of these plies, one game after another, and the appearance of the mover in it.
    sofar = decisions.take(np.concatenate([np.arange(ply + 1) for ply in plies]))
    sofar = sofar.with_games([str(ply) for ply in plies for _ in range(ply + 1)])
    models = rating_models() if calibration is None else calibration.models_used
    evidence = Evidence.of([sofar], models, blocks=APART)
    sums = evidence.sums()
    if not len(sums):
        return [Known(0) for _ in plies]
    appearances = evidence.appearances
    names, players = decisions.names("player"), decisions.codes("player")
    pairs = zip(appearances.games(), appearances.players(), strict=True)
    place_of = {pair: row for row, pair in enumerate(pairs)}
    # Whoever has made no move that counts has no row.
    rows = np.array([place_of.get((str(ply), names[players[ply]]), len(sums)) for ply in plies])
    sizes = np.append(sums.size, 0)[rows].astype(int).tolist()
    after = [Known(size) for size in sizes]
    enough = [place for place, size in enumerate(sizes) if size >= LEAST_DECISIONS]
    if not enough:
        return after
    groups = [rows[place : place + 1] for place in enough]
    if calibration is not None:
        rater = Rater(sums, calibration)
        stacks: Mapping[str, ProfileStack] = rater.stacks
        after_enough = [
            Known(ratings={name: rating for name, rating in ratings.items() if name != PAPERS})
            for ratings in rater.rate(groups, prior=usual_prior(calibration))
        ]
    else:
        stacks = sums.stacks()
        after_enough = [Known(measures=measures(models, stacks, Group("", "", group))) for group in groups]
    for place, group, known in zip(enough, groups, after_enough, strict=True):
        after[place] = replace(known, decisions=sizes[place], skill=_skill(models, stacks, group))
    return after


def _skill(
    models: Mapping[str, MoveModel], stacks: Mapping[str, ProfileStack], group: Ints
) -> Quantity | None:
    """Estimate the c of bayes with the interval of its posterior; None where no decision counts."""
    if "bayes" not in models or "bayes" not in stacks:
        return None
    profile = stacks["bayes"].only(group.tolist()).total()
    return models["bayes"].estimate(profile)["c"] if profile.decisions > 0 else None


@contextmanager
def evaluator_of(
    evaluations: Evaluations, recipe: str | None, engine: str | None
) -> Iterator[SingleEvaluator | None]:
    """Start the engine; None where the file's comments contain the values."""
    from assay.engine.run import SingleEvaluator

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


def analysis_of(
    evaluator: SingleEvaluator | None,
    game: GameSoFar,
    *,
    perceived: GainModel | None = None,
    limit: int = LIMIT,
    workspace: Workspace | None = None,
) -> LiveAnalysis:
    """Make the analysis of a game by an engine, or by the comments of its file, on the scale of either."""
    if evaluator is None:
        source, made_with = game.values_from, None
    else:
        source = evaluator.recipe_id
        made_with = evaluator.identity.name, evaluator.recipe.name, source
    return LiveAnalysis(
        evaluator,
        values_from=source,
        calibration=find_calibration(source),
        perceived=perceived,
        limit=limit,
        made_with=made_with,
        # Values of a walk through a whole game are others than those of single positions.
        workspace=None if evaluator is None or evaluator.recipe.walk else workspace,
    )
