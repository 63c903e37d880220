"""Comments that engine matches and Alliot's database leave behind a move.

Unlike lichess's, they speak of the move played, from its mover's view: the value belongs to the position
*before* it. cutechess and fastchess write `+0.31/22 2.0s` (pawns, depth, time; `-M4` is a mate in plies).
Alliot 2017, section 2.4, writes `90,24,43,0,124176,8,(43,3)`: centipawns, depth, selective depth, table-base
hits, milliseconds, mean change between depths, largest change and its depth; the other moves evaluated stand
as variations with comments of the same form.
"""

import re
from dataclasses import dataclass

_CUTECHESS = re.compile(
    r"([+-]?)(?:M(\d{1,4})|(\d{1,4}\.\d{1,3}))/(\d{1,3})(?:,?\s+(\d{1,7}(?:\.\d+)?)\s*s)?"
)
_ALLIOT = re.compile(
    r"(?:#(-?\d{1,4})|(-?\d{1,6})),(\d{1,3}),\d{1,3},\d+,(\d{1,9}),\d{1,6},\(\d{1,6},\d{1,3}\)"
)
# As the paper prints it, without the braces of a comment.
_BARE_ALLIOT = re.compile(rf"(?<![{{\d,#-])({_ALLIOT.pattern})(?!\}})")


@dataclass(frozen=True)
class MoveComment:
    """What a comment says of the move before it, mover's view; exactly one of cp and mate is given."""

    cp: int | None
    mate: int | None
    depth: int
    seconds: float | None
    format: str


def mentions_engine(movetext: str) -> bool:
    """Whether there may be such comments in this game."""
    return "{" in movetext and (_ALLIOT.search(movetext) or _CUTECHESS.search(movetext)) is not None


def read_move_comment(text: str) -> MoveComment | None:
    """The comment of an engine match or of Alliot's database; None if it is neither."""
    if match := _CUTECHESS.match(text):
        sign, plies, pawns, depth, seconds = match.groups()
        return MoveComment(
            cp=None if pawns is None else _signed(sign, round(100 * float(pawns))),
            # Mates are counted in plies: the mover's end with an odd ply, the opponent's with an even one.
            mate=None if plies is None else _signed(sign, (int(plies) + 1) // 2),
            depth=int(depth),
            seconds=None if seconds is None else float(seconds),
            format="cutechess",
        )
    if match := _ALLIOT.match(text):
        mate, cp, depth, _ = match.groups()
        return MoveComment(
            cp=None if cp is None else int(cp),
            mate=None if mate is None else int(mate),
            depth=int(depth),
            seconds=None,
            format="alliot",
        )
    return None


def brace_comments(movetext: str) -> str:
    """The movetext with Alliot's comments in braces, also where they stand bare."""
    # One letter is found much faster than two, and most games have no bracket.
    return _BARE_ALLIOT.sub(r"{\1}", movetext) if "(" in movetext and ",(" in movetext else movetext


def _signed(sign: str, amount: int) -> int:
    return -amount if sign == "-" else amount
