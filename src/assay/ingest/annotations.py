"""What the comments of a game say of its positions.

A comment after n moves speaks, in lichess's convention, of the position after them: `[%eval 0.25,20]` is its
evaluation in pawns from White's view (`#-3` a mate) with an optional depth, `[%clk 1:30:05]` what the player
who moved has left, `[%emt 0:00:12]` how long the move took.
"""

import re
from dataclasses import dataclass

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
    return "[%" in movetext


def read_annotations(comments: list[list[str]], white_to_move: bool = True) -> list[Annotation]:
    """Annotations of a game from its comments by number of moves before them."""
    found = []
    for position, texts in enumerate(comments):
        mover_is_white = white_to_move == (position % 2 == 0)
        annotation = _lichess(texts, position, mover_is_white)
        if annotation is not None:
            found.append(annotation)
    return found


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
