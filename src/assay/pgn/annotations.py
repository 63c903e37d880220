"""What the comments of a game say of its positions.

A comment after n moves speaks, in lichess's convention, of the position after them: `[%eval 0.25,20]` is its
evaluation in pawns from White's view (`#-3` a mate) with an optional depth, `[%clk 1:30:05]` what the player
who moved has left, `[%emt 0:00:12]` how long the move took. Other comments speak of the move played, so of
the position before it (assay.pgn.engine_comments).
"""

import re
from dataclasses import dataclass

import chess

from assay.decisions.evaluation import from_cp, from_mate
from assay.pgn.engine_comments import MoveComment, mentions_engine, read_move_comment
from assay.pgn.movetext import Mainline

_COMMAND = re.compile(r"\[%(eval|clk|emt)\s+([^\]\s]+)\s*\]")
_EVALUATION = re.compile(r"(?:#([+-]?\d{1,4})|([+-]?\d{1,5}(?:\.\d+)?))(?:,(\d{1,3}))?")
_DURATION = re.compile(r"(?:(\d{1,3}):)?(\d{1,3}):(\d{1,2}(?:\.\d+)?)|(\d{1,6}(?:\.\d+)?)")


@dataclass
class Annotation:
    """What one comment says: evaluations from the view of the position's mover."""

    position: int
    cp: int | None = None
    mate: int | None = None
    depth: int | None = None
    clock: float | None = None
    elapsed: float | None = None
    moves: list[str] | None = None
    option_cp: list[int | None] | None = None
    option_mate: list[int | None] | None = None
    format: str = "lichess"


def mentions_annotations(movetext: str) -> bool:
    """Whether it is worth reading the comments of this game."""
    return "[%" in movetext or mentions_engine(movetext)


def read_annotations(line: Mainline, moves: list[str], start_fen: str | None = None) -> list[Annotation]:
    """Annotations of a game, by position, from the comments on its legal moves (UCI)."""
    white_to_move = start_fen is None or " w" in start_fen
    found: dict[int, Annotation] = {}
    for position, texts in enumerate(line.comments[: len(moves) + 1]):
        mover_is_white = white_to_move == (position % 2 == 0)
        annotation = _lichess(texts, position, mover_is_white)
        if annotation is not None:
            found[position] = annotation
    _add_move_comments(found, line, moves, start_fen)
    return [found[position] for position in sorted(found)]


def _add_move_comments(
    found: dict[int, Annotation], line: Mainline, moves: list[str], start_fen: str | None
) -> None:
    """Add what comments say of the moves played: the options of the position before each."""
    board: chess.Board | None = None
    for ply, move in enumerate(moves):
        said = next(filter(None, map(read_move_comment, line.comments[ply + 1])), None)
        if said is None or _is_evaluated(found.get(ply)):
            continue
        board = board or (chess.Board(start_fen) if start_fen else chess.Board())
        while len(board.move_stack) < ply:
            board.push_uci(moves[len(board.move_stack)])
        options = {move: said}
        for written, comment in line.alternatives[ply]:
            other = read_move_comment(comment)
            name = _legal(board, written)
            if other is not None and name is not None:
                options.setdefault(name, other)
        _set_options(found.setdefault(ply, Annotation(ply)), options, said)
        if said.seconds is not None:
            found.setdefault(ply + 1, Annotation(ply + 1, format=said.format)).elapsed = said.seconds


def _is_evaluated(annotation: Annotation | None) -> bool:
    """Whether a comment in lichess's convention has told the value already; a clock alone tells none."""
    return annotation is not None and (annotation.cp is not None or annotation.mate is not None)


def _set_options(annotation: Annotation, options: dict[str, MoveComment], played: MoveComment) -> None:
    ranked = sorted(options.items(), key=lambda option: -_value(option[1]))
    best = ranked[0][1]
    annotation.cp, annotation.mate = best.cp, best.mate
    annotation.depth = played.depth
    annotation.format = played.format
    annotation.moves = [move for move, _ in ranked]
    annotation.option_cp = [option.cp for _, option in ranked]
    annotation.option_mate = [option.mate for _, option in ranked]


def _value(option: MoveComment) -> int:
    return from_cp(option.cp) if option.cp is not None else from_mate(option.mate or 0)


def _legal(board: chess.Board, written: str) -> str | None:
    """UCI of a move as written; None where it is not legal."""
    try:
        return board.parse_san(written).uci()
    except ValueError:
        return None


def _lichess(texts: list[str], position: int, mover_is_white: bool) -> Annotation | None:
    annotation = Annotation(position)
    some = False
    for text in texts:
        for command, argument in _COMMAND.findall(text):
            if command == "eval":
                some |= _read_evaluation(annotation, argument, mover_is_white)
            else:
                seconds = read_duration(argument)
                some |= seconds is not None
                if command == "clk":
                    annotation.clock = seconds
                else:
                    annotation.elapsed = seconds
    return annotation if some else None


def _read_evaluation(annotation: Annotation, argument: str, mover_is_white: bool) -> bool:
    match = _EVALUATION.fullmatch(argument)
    if match is None:
        return False
    mate, pawns, depth = match.groups()
    sign = 1 if mover_is_white else -1
    annotation.mate = sign * int(mate) if mate is not None else None
    annotation.cp = sign * round(100 * float(pawns)) if pawns is not None else None
    annotation.depth = int(depth) if depth is not None else None
    return True


def read_duration(text: str) -> float | None:
    """Seconds from `h:mm:ss`, `mm:ss` or plain seconds; None if it is none of them."""
    match = _DURATION.fullmatch(text)
    if match is None:
        return None
    hours, minutes, seconds, plain = match.groups()
    if plain is not None:
        return float(plain)
    return 3600.0 * int(hours or 0) + 60.0 * int(minutes) + float(seconds)
