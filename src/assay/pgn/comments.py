"""Evaluations and clocks in the comments of a game.

A comment after n moves is, in lichess's convention, about the position after them: `[%eval 0.25,20]` is its
evaluation in pawns from White's view (`#-3` a mate) with an optional depth, `[%clk 1:30:05]` what the player
who moved has left, `[%emt 0:00:12]` how long the move took. Comments of engine matches (cutechess) and of
Alliot's database are about the move played, so about the position before it.

Games from a server have one comment behind each move and nothing else in it. The Rust reader gives the text
of each, and `read_commands` reads those of many games at once. A game with anything out of the ordinary (two
comments behind a move, one before the first, a command twice in one, comments of engine matches, letters that
are not ASCII) is read by `read_annotations`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.evaluation import from_cp, from_mate
from assay.decisions.schema import ANNOTATIONS

if TYPE_CHECKING:
    import chess

    from assay.pgn.san import Mainline

_COMMAND = re.compile(r"\[%(eval|clk|emt)\s+([^\]\s]+)\s*\]")
_EVALUATION = re.compile(r"(?:#([+-]?\d{1,4})|([+-]?\d{1,5}(?:\.\d+)?))(?:,(\d{1,3}))?")
_DURATION = re.compile(r"(?:(\d{1,3}):)?(\d{1,3}):(\d{1,2}(?:\.\d+)?)|(\d{1,6}(?:\.\d+)?)")
_CUTECHESS = re.compile(
    r"([+-]?)(?:M(\d{1,4})|(\d{1,4}\.\d{1,3}))/(\d{1,3})(?:,?\s+(\d{1,7}(?:\.\d+)?)\s*s)?"
)
_ALLIOT = re.compile(
    r"(?:#(-?\d{1,4})|(-?\d{1,6})),(\d{1,3}),\d{1,3},\d+,(\d{1,9}),(\d{1,6}),\((\d{1,6}),(\d{1,3})\)"
)
# As the paper prints it, without the braces of a comment.
_BARE_ALLIOT = re.compile(rf"(?<![\d,#-])({_ALLIOT.pattern})")


@dataclass
class Annotation:
    """The content of one comment; evaluations from the view of the position's mover."""

    position: int
    cp: int | None = None
    mate: int | None = None
    depth: int | None = None
    clock: float | None = None
    elapsed: float | None = None
    moves: list[str] | None = None
    option_cp: list[int | None] | None = None
    option_mate: list[int | None] | None = None
    seconds: float | None = None
    dmean: int | None = None
    dmax: int | None = None
    ddmax: int | None = None
    format: str = "lichess"


@dataclass(frozen=True)
class MoveComment:
    """A comment on the move before it, mover's view; exactly one of cp and mate is given."""

    cp: int | None
    mate: int | None
    depth: int
    seconds: float | None
    """That the player took."""
    format: str
    search: tuple[float, int, int, int] | None = None
    """Alliot's seconds of the search, dmean, dmax and ddmax."""

    @property
    def value(self) -> int:
        """Its evaluation as one number."""
        return from_cp(self.cp) if self.cp is not None else from_mate(self.mate or 0)


def mentions_annotations(movetext: str) -> bool:
    """Whether the comments of this game are worth reading."""
    return "[%" in movetext or (
        "{" in movetext and (_ALLIOT.search(movetext) or _CUTECHESS.search(movetext)) is not None
    )


def brace_comments(movetext: str) -> str:
    """The movetext with Alliot's comments in braces, where none is."""
    # One letter is found much faster than two, and most games have no bracket.
    bare = "(" in movetext and ",(" in movetext and "{" not in movetext
    return _BARE_ALLIOT.sub(r"{\1}", movetext) if bare else movetext


def read_annotations(line: Mainline, moves: list[str], start_fen: str | None = None) -> list[Annotation]:
    """Annotations of a game, by position, from the comments on its legal moves (UCI)."""
    white_to_move = start_fen is None or " w" in start_fen
    by_position: dict[int, Annotation] = {}
    for position, texts in enumerate(line.comments[: len(moves) + 1]):
        annotation = _read_commands(texts, position, 1 if white_to_move == (position % 2 == 0) else -1)
        if annotation is not None:
            by_position[position] = annotation
    _add_move_comments(by_position, line, moves, start_fen)
    return [by_position[position] for position in sorted(by_position)]


def _read_commands(texts: list[str], position: int, sign: int) -> Annotation | None:
    """The commands of the comments on a position, whose mover's view is `sign` times White's."""
    annotation = Annotation(position)
    readable = False
    for command, argument in (match for text in texts for match in _COMMAND.findall(text)):
        if command == "eval":
            cp, mate, depth = _evaluation(argument)
            if cp is not None or mate is not None:
                annotation.cp = None if cp is None else sign * cp
                annotation.mate = None if mate is None else sign * mate
                annotation.depth = depth
                readable = True
        else:
            seconds = read_duration(argument)
            setattr(annotation, "clock" if command == "clk" else "elapsed", seconds)
            readable |= seconds is not None
    return annotation if readable else None


@lru_cache(65_536)
def _evaluation(text: str) -> tuple[int | None, int | None, int | None]:
    """Centipawns or mate, White's view, and depth, from the argument of `[%eval]`."""
    match = _EVALUATION.fullmatch(text)
    if match is None:
        return None, None, None
    mate, pawns, depth = match.groups()
    return (
        None if pawns is None else round(100 * float(pawns)),
        None if mate is None else int(mate),
        None if depth is None else int(depth),
    )


@lru_cache(65_536)
def read_duration(text: str) -> float | None:
    """Seconds from `h:mm:ss`, `mm:ss` or plain seconds; None if it is none of them."""
    match = _DURATION.fullmatch(text)
    if match is None:
        return None
    hours, minutes, seconds, plain = match.groups()
    if plain is not None:
        return float(plain)
    return 3600.0 * int(hours or 0) + 60.0 * int(minutes) + float(seconds)


def _add_move_comments(
    by_position: dict[int, Annotation], line: Mainline, moves: list[str], start_fen: str | None
) -> None:
    """Add the comments on the moves played and on their alternatives: options of the position before each."""
    import chess

    board: chess.Board | None = None
    for ply, move in enumerate(moves):
        played = next(filter(None, map(read_move_comment, line.comments[ply + 1])), None)
        before = by_position.get(ply)
        if played is None or (before is not None and (before.cp is not None or before.mate is not None)):
            continue  # nothing here, or lichess's convention has the value already; a clock alone has none
        board = board or (chess.Board(start_fen) if start_fen else chess.Board())
        while len(board.move_stack) < ply:
            board.push_uci(moves[len(board.move_stack)])
        options = {move: played}
        for written, comment in line.alternatives[ply]:
            other = read_move_comment(comment)
            if other is not None and (uci := _legal(board, written)) is not None:
                options.setdefault(uci, other)
        ranked = sorted(options.items(), key=lambda option: -option[1].value)
        annotation = by_position.setdefault(ply, Annotation(ply))
        annotation.cp, annotation.mate = ranked[0][1].cp, ranked[0][1].mate
        annotation.depth, annotation.format = played.depth, played.format
        annotation.moves = [name for name, _ in ranked]
        annotation.option_cp = [option.cp for _, option in ranked]
        annotation.option_mate = [option.mate for _, option in ranked]
        if (search := ranked[0][1].search) is not None:
            annotation.seconds, annotation.dmean, annotation.dmax, annotation.ddmax = search
        if played.seconds is not None:
            behind = by_position.setdefault(ply + 1, Annotation(ply + 1, format=played.format))
            behind.elapsed = played.seconds


def read_move_comment(text: str) -> MoveComment | None:
    """The comment of an engine match or of Alliot's database; None if it is neither."""
    if match := _CUTECHESS.match(text):
        minus, plies, pawns, depth, seconds = match.groups()
        sign = -1 if minus == "-" else 1
        return MoveComment(
            cp=None if pawns is None else sign * round(100 * float(pawns)),
            # Mates are counted in plies: the mover's end with an odd ply, the opponent's with an even one.
            mate=None if plies is None else sign * ((int(plies) + 1) // 2),
            depth=int(depth),
            seconds=None if seconds is None else float(seconds),
            format="cutechess",
        )
    if match := _ALLIOT.match(text):
        mate, cp, depth, milliseconds, dmean, dmax, ddmax = match.groups()
        values = (None if cp is None else int(cp), None if mate is None else int(mate))
        search = (int(milliseconds) / 1000, int(dmean), int(dmax), int(ddmax))
        return MoveComment(*values, depth=int(depth), seconds=None, format="alliot", search=search)
    return None


def _legal(board: chess.Board, written: str) -> str | None:
    """UCI of a move as written; None where it is not legal."""
    try:
        return board.parse_san(written).uci()
    except ValueError:
        return None


# Plain comments, many games at once.

VALUES = ("cp", "mate", "depth", "clock", "elapsed")
SEARCH = ("seconds", "dmean", "dmax", "ddmax")

_BLANK = r"[\s\x0b\x1c-\x1f]"  # what Python's \s is in ASCII
_USUAL = (
    rf"^{_BLANK}*"
    + "".join(
        rf"(?:\[%{name}{_BLANK}+(?P<{name}>[^\]\s\x00-\x1f\x7f-\x{{10FFFF}}]+){_BLANK}*\]{_BLANK}*)?"
        for name in ("eval", "clk", "emt")
    )
    + "$"
)
_UNUSUAL = rf"\[%(eval|clk|emt)|^{_BLANK}*[0-9#+M-]"
"""Of comments that are not usual: those with commands all the same, and those of engine matches."""


@dataclass(frozen=True, eq=False)
class Annotations:
    """Annotations of many games in columns, one row each, game by game; NaN for what one does not contain."""

    game: Ints
    """Which of the games that were read together."""
    position: Ints
    engine: npt.NDArray[np.object_]
    """The annotation itself where it is a comment of an engine match or of Alliot's database; else None."""
    cp: Floats
    mate: Floats
    depth: Floats
    clock: Floats
    elapsed: Floats

    @classmethod
    def of(cls, listed: Sequence[tuple[int, Annotation]]) -> Annotations:
        """From annotations with their games."""
        columns = (np.array([getattr(each, name) for _, each in listed], np.float64) for name in VALUES)
        engine = np.full(len(listed), None)
        engine[:] = [None if each.format == "lichess" else each for _, each in listed]
        game = np.array([game for game, _ in listed], np.int64)
        position = np.array([each.position for _, each in listed], np.int64)
        return cls(game, position, engine, *columns)

    def joined(self, other: Annotations) -> Annotations:
        """These rows and those of other games."""
        names = self.__dataclass_fields__
        return Annotations(*(np.concatenate((getattr(self, n), getattr(other, n))) for n in names))

    def table(self, game_ids: Sequence[str], games: Mask) -> pa.Table:
        """Rows of the table annotations, of some of the games."""
        rows = np.flatnonzero(games[self.game])
        types = {column.name: column.type for column in ANNOTATIONS.arrow}
        engine = self.engine[rows].tolist()
        columns = {
            "game_id": pa.array(game_ids, pa.string()).take(pa.array(self.game[rows])),
            "position": pa.array(self.position[rows], types["position"]),
            "format": pa.array([each.format if each else "lichess" for each in engine], pa.string()),
        }
        for name in VALUES:
            columns[name] = pa.array(getattr(self, name)[rows], from_pandas=True).cast(types[name])
        for name in ("moves", "option_cp", "option_mate", *SEARCH):
            options = [getattr(each, name) if each else None for each in engine] if any(engine) else None
            columns[name] = (
                pa.nulls(len(rows), types[name]) if options is None else pa.array(options, types[name])
            )
        return pa.table(columns).select(ANNOTATIONS.arrow.names)


def read_commands(comments: pa.Array) -> tuple[Floats, Mask]:
    """The VALUES of each comment, White's view; and whether it is unusual, left to `read_annotations`.

    Arguments are cut out of all comments at once, and each different one is read once.
    """
    values = np.full((len(VALUES), len(comments)), np.nan)
    usual = pc.extract_regex(comments, _USUAL)
    rows = pc.indices_nonzero(usual.is_valid()).to_numpy()
    for first, arguments in zip((0, 3, 4), usual.drop_null().flatten(), strict=True):
        coded = arguments.dictionary_encode()
        texts = coded.dictionary.to_pylist()
        read = (
            [_evaluation(text) for text in texts]
            if first == 0
            else [(read_duration(text),) for text in texts]
        )
        if any(read):
            table = np.array(read, np.float64).T
            values[first : first + len(table), rows] = table[:, coded.indices.to_numpy()]
    unusual = np.zeros(len(comments), dtype=bool)
    others = np.flatnonzero(pc.and_(comments.is_valid(), pc.invert(usual.is_valid())))
    unusual[others] = pc.match_substring_regex(comments.take(pa.array(others)), _UNUSUAL)
    return values, unusual


def plain_annotations(values: Floats, games: Ints, starts: Ints, lengths: Ints) -> Annotations:
    """Annotations of games whose comments, one per move, begin at `starts`; White moves first."""
    ply = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    columns = values[:, np.repeat(starts, lengths) + ply]
    rows = np.isfinite(columns).any(axis=0)
    game, ply, columns = np.repeat(games, lengths)[rows], ply[rows], columns[:, rows]
    columns[:2] *= np.where(ply % 2 == 0, -1.0, 1.0)  # behind White's move Black is the mover
    return Annotations(game, ply + 1, np.full(len(ply), None), *columns)


# Wrong evaluations, judged by the values themselves. Comments give values from White's view. Some programs
# write the mover's instead: consecutive values then change sign with every move. Some write a mate without
# its sign: one for White after values that are lost for White, in a game that Black won, of a file in which
# no mate has a sign. And some write what is not a value in pawns: a game whose first values are beyond ten
# pawns is not one that was played. The first two are put right, the third is not read; all are counted and
# told to the user.


MOVERS_VIEW = "movers_view"
UNSIGNED_MATES = "unsigned_mates"
ABSURD = "absurd"

_MEANINGS = {
    MOVERS_VIEW: "are from the mover's view, not White's: read so",
    UNSIGNED_MATES: "contain mates without a sign, against the values around them: taken as Black's",
    ABSURD: "are absurd (beyond ten pawns in the opening): not read",
}

_FEWEST = 10
"""Consecutive values that a judgement needs."""
_CLIP = 500.0
_FLAT = 30.0
"""Where values are nearer to zero than this, in centipawns, their sign shows nothing."""
_SURE = 0.5
"""Correlation of consecutive values beyond which there is no doubt."""
_LOST = -200
_MOST_USUAL, _OPENING = 1000.0, 24


def settle(annotations: Annotations, results: Floats, black_starts: Mask, judged: Mask) -> dict[int, str]:
    """Put the values of the judged games right in place. Returns what was wrong, by game.

    The even games of a file do not show their view: where more games are surely from the mover's view than
    from White's, they are taken for the former.
    """
    game, cp, mate, games = annotations.game, annotations.cp, annotations.mate, len(results)
    rows = judged[game] & (annotations.engine == None)  # noqa: E711

    def count(which: Mask) -> Ints:
        return np.bincount(game[rows & which], minlength=games)

    enough = count(np.isfinite(cp) | np.isfinite(mate)) >= _FEWEST
    opening = np.isfinite(cp) & (annotations.position < _OPENING)
    first = count(opening)
    absurd = enough & (first >= _FEWEST) & (2 * count(opening & (np.abs(cp) > _MOST_USUAL)) > first)
    for column in (cp, mate, annotations.depth):
        column[rows & absurd[game]] = np.nan
    white = np.where((annotations.position % 2 == 1) != black_starts[game], -1.0, 1.0)
    signed = bool((white * mate < 0)[rows].any())
    view = np.where(enough, _views(annotations, rows, games), 0)
    turned = view > 0
    if turned.sum() > (view < 0).sum():
        turned |= (view == 0) & (count(np.isfinite(cp) | np.isfinite(mate)) > 0)
    turn = rows & turned[game] & (white < 0)
    cp[turn] *= -1
    mate[turn] *= -1
    last = np.maximum.accumulate(np.where(np.isfinite(cp), np.arange(len(cp)), -1))
    before = np.where((last >= 0) & (game[last] == game), (white * cp)[last], 0.0)
    unsigned = rows & (enough & (results == 0.0))[game] & (white * mate > 0) & (before < _LOST)
    unsigned &= not signed
    mate[unsigned] *= -1
    doubts = dict.fromkeys(np.unique(game[unsigned]).tolist(), UNSIGNED_MATES)
    doubts |= dict.fromkeys(np.flatnonzero(turned).tolist(), MOVERS_VIEW)
    return doubts | dict.fromkeys(np.flatnonzero(absurd).tolist(), ABSURD)


def _views(annotations: Annotations, rows: Mask, games: int) -> Ints:
    """1 for games whose values are surely the mover's, -1 White's, 0 unsure.

    By the correlation of consecutive values: from the mover's view a value changes sign with every move, so
    that read as White's it does not.
    """
    game, cp = annotations.game, annotations.cp
    valued = np.isfinite(cp) & rows
    consecutive = (np.diff(game) == 0) & (np.diff(annotations.position) == 1)
    pairs = np.flatnonzero(consecutive & valued[1:] & valued[:-1])
    clipped = np.clip(np.nan_to_num(cp), -_CLIP, _CLIP)
    first, second = clipped[pairs], clipped[pairs + 1]
    n, squares, next_squares, products = (
        np.bincount(game[pairs], weights, minlength=games)
        for weights in (np.ones(len(pairs)), first * first, second * second, first * second)
    )
    size = np.sqrt(squares * next_squares)
    sure = (n >= _FEWEST) & (size >= n * _FLAT**2)
    correlation = np.divide(products, size, out=np.zeros(games), where=size > 0)
    return np.asarray(np.where(sure, (correlation > _SURE) * 1 - (correlation < -_SURE) * 1, 0), np.int64)


def doubts_in_words(doubts: Mapping[str, int]) -> list[str]:
    """A sentence for each kind of wrong evaluations, from how many games have it."""
    return [f"evaluations of {n:,} of the games {_MEANINGS[kind]}" for kind, n in sorted(doubts.items()) if n]
