"""`assay live`: the strength of both players while a game is being played."""

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.cli.gain import LIMIT
from assay.cli.gain_output import elo, number
from assay.cli.options import CSV, ENGINE, JSON, RECIPE
from assay.domain.text import printable
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.live import Evaluate, GameSoFar, LiveGame, LiveMove
    from assay.models.gain import GainModel

_TURNS_ON_SCREEN = 15
_COLUMNS = ("ply", "player", "move", "evaluation", "gain", "expectation", "strength", "low", "high")


def register(app: typer.Typer) -> None:
    """Add this command to the application."""
    app.command("live")(live)


def live(
    game: Path = typer.Argument(..., metavar="GAME.pgn", help="The game; the last one of the file."),
    follow: bool = typer.Option(False, "--follow", help="Watch the file and go on until there is a result."),
    every: float = typer.Option(1.0, "--every", min=0.05, help="Seconds between two looks at the file."),
    game_number: int | None = typer.Option(None, "--game", help="Number of the game in the file, from 1."),
    plot: Path | None = typer.Option(None, "--plot", help="HTML file to draw to, anew with every move."),
    from_comments: bool = typer.Option(
        False, "--from-comments", help="Take evaluations from the file's comments ([%eval ...]): no engine."
    ),
    engine_strength: float | None = typer.Option(
        None, "--engine-strength", help="Rating of the engine; without it, differences to it are shown."
    ),
    engine_from: Path | None = typer.Option(
        None,
        "--engine-from",
        help="Games of rated players analysed with the same recipe (workspace or decisions file): the "
        "engine's strength and its distribution of gain are measured from them.",
    ),
    limit: int = LIMIT,
    recipe: str = RECIPE,
    engine: str | None = ENGINE,
    as_json: bool = JSON,
    as_csv: bool = CSV,
) -> None:
    """Strength of both players after every move, with an interval that narrows as moves come."""
    from assay.cli.output import check_out
    from assay.live import LiveAnalysis, read_game
    from assay.live import follow as watch

    check_out(plot)
    if engine_strength is not None and not math.isfinite(engine_strength):
        raise InputError(f"the strength of the engine must be a rating, not {engine_strength}")
    with _evaluator(from_comments, recipe, engine) as (evaluate, recipe_id):
        model = _model(limit, engine_strength, engine_from, recipe_id)
        analysis = LiveAnalysis(model, evaluate)
        show = _Show(as_json, as_csv, plot)
        if not follow:
            so_far = read_game(game, game_number)
            _check_comments(so_far, game, from_comments)
            show.whole(_update(analysis.update, so_far))
            return
        for so_far in watch(game, game_number, every=every):
            # Evaluations may come later than moves, but not after the result.
            _check_comments(so_far, game, from_comments and so_far.record.result is not None)
            show.next(_update(analysis.update, so_far))


def _check_comments(so_far: "GameSoFar", path: Path, needed: bool) -> None:
    if needed and not so_far.comments:
        raise InputError(
            f"the game in {path} has no evaluations in its comments ([%eval ...]): without --from-comments "
            "an engine evaluates it"
        )


@contextmanager
def _evaluator(
    from_comments: bool, recipe: str, engine: str | None
) -> Iterator[tuple["Evaluate | None", str | None]]:
    if from_comments:
        yield None, None
        return
    from assay.analysis.engines import EngineConfig
    from assay.analysis.recipe import find_recipe
    from assay.analysis.single import SingleEvaluator

    evaluator = SingleEvaluator(find_recipe(recipe), EngineConfig(engine))
    try:
        yield (lambda position: evaluator.value(position.key, position.history)), evaluator.recipe_id
    finally:
        evaluator.close()


def _model(
    limit: int, engine_strength: float | None, engine_from: Path | None, recipe_id: str | None
) -> "GainModel":
    from assay.models.gain import GainModel
    from assay.models.tournament import measured_engine
    from assay.study import Study

    if engine_from is None:
        return GainModel(limit=limit, engine_strength=engine_strength)
    model = measured_engine(Study(engine_from).analysed(recipe_id), limit=limit)
    if engine_strength is not None:
        model.engine_strength = engine_strength
    return model


def _update(update: Callable[..., "LiveGame"], so_far: Any) -> "LiveGame":
    from assay.cli.output import progress

    with progress() as display:
        task = display.add_task("Evaluating", total=None, detail="")
        return update(so_far, lambda done, total: display.update(task, completed=done, total=total))


class _Show:
    """Prints and plots; remembers how far it has printed."""

    def __init__(self, as_json: bool, as_csv: bool, plot: Path | None) -> None:
        self._as_json = as_json
        self._as_csv = as_csv and not as_json
        self._plot_file = plot
        self._printed: list[str] = []
        self._begun = False

    def whole(self, live: "LiveGame") -> None:
        """A game that is not followed."""
        from assay.cli.output import print_csv, print_json

        self._plot(live)
        if self._as_json:
            white, black = live.players
            about = {"white": white, "black": black, "engine_strength": live.engine_strength}
            print_json({**about, "moves": [_for_programs(move) for move in live.moves]})
        elif self._as_csv:
            print_csv([_for_programs(move) for move in live.moves], _COLUMNS)
        else:
            _print_table(live, last=None)

    def next(self, live: "LiveGame") -> None:
        """A game that goes on: drawn anew on a terminal; elsewhere one line for each new move."""
        self._plot(live)
        if sys.stdout.isatty() and not (self._as_json or self._as_csv):
            print("\033[H\033[2J", end="")
            _print_table(live, last=_TURNS_ON_SCREEN)
            return
        moves = [move.san for move in live.moves]
        same = 0
        while same < min(len(moves), len(self._printed)) and moves[same] == self._printed[same]:
            same += 1
        for move in live.moves[same:]:
            print(self._next_line(move, live.engine_strength is None), flush=True)
        self._printed = moves

    def _next_line(self, move: "LiveMove", signed: bool) -> str:
        """What a move adds to the output; the names of the columns stand before the first."""
        from assay.cli.output import to_csv

        if self._as_json:
            return _json_line(move)
        if not self._as_csv:
            return _line(move, signed)
        lines = to_csv([_for_programs(move)], _COLUMNS).splitlines()
        header, self._begun = not self._begun, True
        return "\n".join(lines if header else lines[1:])

    def _plot(self, live: "LiveGame") -> None:
        if self._plot_file is not None:
            from assay.cli.output import write_text
            from assay.report.live_figure import live_figure

            write_text(self._plot_file, live_figure(live))


def _for_programs(move: "LiveMove") -> dict[str, Any]:
    return {
        "ply": move.ply,
        "player": move.player,
        "move": move.san,
        "evaluation": number(move.value),
        "gain": number(move.gain),
        "expectation": number(move.expectation),
        "strength": number(move.strength, 1),
        "low": number(move.low, 1),
        "high": number(move.high, 1),
    }


def _json_line(move: "LiveMove") -> str:
    import json

    return json.dumps(_for_programs(move), ensure_ascii=False, allow_nan=False)


def _named(move: "LiveMove") -> str:
    return f"{move.turn}{'.' if move.white else '...'} {printable(move.san)}"


def _pawns(centipawns: float) -> str:
    if math.isnan(centipawns):
        return "?"
    return f"{centipawns / 100:+z.2f}"


def _evaluation(move: "LiveMove") -> str:
    from assay.domain.evaluation import MATE, MATE_BOUND

    if math.isnan(move.value) or abs(move.value) < MATE_BOUND:
        return _pawns(move.value)
    distance = round(MATE - abs(move.value))
    return f"{'-' if move.value < 0 else ''}#{distance or ''}"


def _strength(move: "LiveMove", signed: bool) -> str:
    low, high = elo(move.low, signed=signed), elo(move.high, signed=signed)
    return f"{elo(move.strength, signed=signed)} ({low} to {high})" if low else ""


def _line(move: "LiveMove", signed: bool) -> str:
    strength = _strength(move, signed)
    player = printable(move.player)
    return f"{_named(move):14} {_evaluation(move):>7}  gain {_pawns(move.gain):>7}  {player}: {strength}"


def _move_cells(move: "LiveMove | None", signed: bool) -> tuple[str, str, str, str]:
    if move is None:
        return "", "", "", ""
    return move.san, _evaluation(move), _pawns(move.gain), _strength(move, signed)


def _print_table(live: "LiveGame", last: int | None) -> None:
    from assay.cli.output import print_table

    signed = live.engine_strength is None
    turns: dict[int, dict[bool, LiveMove]] = {}
    for move in live.moves:
        turns.setdefault(move.turn, {})[move.white] = move
    rows = [
        (str(turn), *_move_cells(sides.get(True), signed), *_move_cells(sides.get(False), signed))
        for turn, sides in list(turns.items())[-(last or len(turns)) :]
    ]
    white, black = live.players
    value = "difference" if signed else "strength"
    columns = ("", white, "evaluation", "gain", value, black, "evaluation", "gain", value)
    what = "difference to the engine" if signed else f"strength, the engine being {live.engine_strength:.0f}"
    print_table(
        f"{white} – {black}",
        columns,
        rows,
        note=f"Evaluations are White's. Last: {what}, over all moves so far, with its 95% interval.",
    )
