"""Games as lichess exports them in JSON, one to a line, translated to PGN on the way to the reader.

Lines are untrusted: each has bounded size, values are checked, and what is not a game is passed over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, BinaryIO

from assay.errors import PgnError

MOST_LINE_BYTES = 4 << 20
_MOST_WITHOUT_GAME = 16 << 20
_BLOCK_BYTES = 1 << 16

BEGINNING = re.compile(rb'\s*\{\s*"id"\s*:')
"""How a file of such games begins; lichess's files of evaluations begin with `{"fen":`."""

_SAN = re.compile(r"[A-Za-z0-9+#=@-]{2,10}")
_UNFINISHED = ("created", "started", "aborted", "noStart", "unknownFinish")
_NOT_A_GAME = (ValueError, TypeError, KeyError, AttributeError, OverflowError, OSError, RecursionError)


def as_pgn(stream: BinaryIO) -> Iterator[bytes]:
    """The PGN of each game of a stream of JSON lines."""
    without = 0
    for line in _lines(stream):
        try:
            text = pgn_of(json.loads(line))
        except _NOT_A_GAME:
            without += len(line) + 1
            if without > _MOST_WITHOUT_GAME:
                raise PgnError(
                    f"{without >> 20} MB of JSON lines are not games of lichess: what came before was read"
                ) from None
            continue
        without = 0
        yield text.encode()


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """The lines of a stream; one that is too long comes cut, which is not JSON."""
    carry = b""
    while block := stream.read(_BLOCK_BYTES):
        *lines, carry = (carry + block).split(b"\n")
        yield from (line for line in lines if line.strip())
        if len(carry) > MOST_LINE_BYTES:
            yield carry
            carry = b"\x00"  # the rest of that line is not a line of its own
    if carry.strip():
        yield carry


def pgn_of(game: dict[str, Any]) -> str:
    """One game; KeyError, TypeError or ValueError where it is not one."""
    if isinstance(game.get("pgn"), str):
        return f"{game['pgn'].strip()}\n\n"
    moves = _moves(game)
    lines = [f'[{name} "{_escaped(value)}"]' for name, value in _tags(game).items() if value is not None]
    return "\n".join([*lines, "", " ".join([*moves, _result(game)]), "", ""])


def _tags(game: dict[str, Any]) -> dict[str, Any]:
    sides = {side: game["players"][side] for side in ("white", "black")}
    users = {side: player.get("user") or {} for side, player in sides.items()}
    names = {
        side: users[side].get("name")
        or (f"lichess AI level {sides[side]['aiLevel']}" if "aiLevel" in sides[side] else "?")
        for side in sides
    }
    created = datetime.fromtimestamp(game["createdAt"] / 1000, UTC) if "createdAt" in game else None
    clock = game.get("clock")
    standard = game.get("variant", "standard") in ("standard", "fromPosition")
    return {
        "Event": f"{'Rated' if game.get('rated') else 'Casual'} {game.get('speed', '')} game",
        "Site": f"https://lichess.org/{game['id']}",
        "Date": f"{created:%Y.%m.%d}" if created else "????.??.??",
        "White": names["white"],
        "Black": names["black"],
        "Result": _result(game),
        "UTCDate": f"{created:%Y.%m.%d}" if created else None,
        "UTCTime": f"{created:%H:%M:%S}" if created else None,
        "WhiteElo": sides["white"].get("rating"),
        "BlackElo": sides["black"].get("rating"),
        "WhiteTitle": users["white"].get("title"),
        "BlackTitle": users["black"].get("title"),
        "Variant": "Standard" if standard else game["variant"],
        "TimeControl": f"{int(clock['initial'])}+{int(clock['increment'])}" if clock else "-",
        "ECO": (game.get("opening") or {}).get("eco"),
        **({"FEN": game["initialFen"], "SetUp": "1"} if "initialFen" in game else {}),
    }


def _result(game: dict[str, Any]) -> str:
    if winner := game.get("winner"):
        return {"white": "1-0", "black": "0-1"}[winner]
    return "*" if game.get("status") in _UNFINISHED else "1/2-1/2"


def _moves(game: dict[str, Any]) -> list[str]:
    """The moves with their numbers; evaluations (white's view) and clocks stand behind them as in PGN."""
    moves = game["moves"].split()
    if not all(_SAN.fullmatch(move) for move in moves):
        raise ValueError("not moves")
    analysis, clocks = game.get("analysis") or [], game.get("clocks") or []
    black_first = game.get("initialFen", " w ").split()[1:2] == ["b"]
    words = []
    for ply, move in enumerate(moves):
        turn = ply + black_first
        words.append(f"{turn // 2 + 1}{'...' if turn % 2 else '.'} {move}")
        commands = []
        if ply < len(analysis):
            commands.append(_evaluation(analysis[ply]))
        if ply < len(clocks):
            seconds = int(clocks[ply]) // 100
            commands.append(f"[%clk {seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}]")
        if any(commands):
            words.append(f"{{ {' '.join(filter(None, commands))} }}")
    return words


def _evaluation(analysed: dict[str, Any]) -> str:
    if "mate" in analysed:
        return f"[%eval #{int(analysed['mate'])}]"
    return f"[%eval {int(analysed['eval']) / 100:.2f}]" if "eval" in analysed else ""


def _escaped(value: Any) -> str:
    """A value as it stands in a tag: no line end and no quote of it ends the tag."""
    if not isinstance(value, str | int):
        raise TypeError("not text")
    return " ".join(str(value)[:1000].split()).replace("\\", "\\\\").replace('"', '\\"')
