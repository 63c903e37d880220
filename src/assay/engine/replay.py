"""The positions of games, from their moves.

Joining games with analyses needs the key of every position. python-chess takes about 30 microseconds for
one, which for a million decisions is half a minute; the compiled loops here take about a second. They play
moves that are known to be legal, so they need no move generator. Keys are the first four fields of
python-chess's `board.fen()`: the en passant square is named only where a legal capture exists.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from assay.decisions.arrays import Codes, Hashes, Ints, encode_moves
from assay.decisions.compiled import njit
from assay.errors import InputError, printable

_MAX_KEY = 82  # 64 squares, 7 slashes, side, castling, en passant, 3 blanks
_STATE = 66  # 64 squares, castling rights, en passant square
_LETTERS = np.frombuffer(b".PNBRQKpnbrqk", dtype=np.uint8)
_KNIGHT = np.array([(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)])
_RAYS = np.array([(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)])

# Which castling rights (1 K, 2 Q, 4 k, 8 q) are lost when a move touches a square.
_TOUCHED = np.zeros(64, dtype=np.int8)
_TOUCHED[[0, 4, 7, 56, 60, 63]] = [2, 3, 1, 8, 12, 4]

_BACK_RANK = [4, 2, 3, 5, 6, 3, 2, 4]
_STANDARD = np.zeros(_STATE, dtype=np.int8)
_STANDARD[:8], _STANDARD[8:16], _STANDARD[48:56], _STANDARD[64:] = _BACK_RANK, 1, 7, (15, -1)
_STANDARD[56:64] = np.array(_BACK_RANK) + 6


@dataclass(frozen=True)
class Replay:
    """The positions of games, one more than moves: those of game i at `offsets[i]` up to `offsets[i + 1]`."""

    keys: pa.Array
    offsets: Ints
    repetition: npt.NDArray[np.int16]
    hashes: Hashes
    """Of the keys: of twenty million different positions two share one with a probability of 1e-5."""


def replay(moves: pa.Array, start_fens: Iterable[str | None] | None = None) -> Replay:
    """Positions of the games whose moves (a list column of UCI strings, all legal) are given."""
    lists = moves.combine_chunks() if isinstance(moves, pa.ChunkedArray) else moves
    lengths = np.diff(lists.offsets.to_numpy()).astype(np.int64)
    return replay_codes(encode_moves(lists.flatten()), lengths, start_fens)


def replay_codes(codes: Codes, lengths: Ints, start_fens: Iterable[str | None] | None = None) -> Replay:
    """The same from codes of the moves, one game after another, and the number of moves of each."""
    states, turns = _start_boards(codes, lengths, start_fens)
    offsets = np.concatenate(([0], np.cumsum(lengths + 1)))
    text = np.empty(int(offsets[-1]) * _MAX_KEY, dtype=np.uint8)
    ends = np.zeros(int(offsets[-1]) + 1, dtype=np.int64)
    repetition = np.zeros(int(offsets[-1]), dtype=np.int16)
    hashes = np.empty(int(offsets[-1]), dtype=np.uint64)
    _replay(codes, offsets, states, turns, text, ends, repetition, hashes)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(text[: ends[-1]])]
    keys = pa.Array.from_buffers(pa.large_string(), len(ends) - 1, buffers)
    short = keys if ends[-1] > 2**31 - 1 else keys.cast(pa.string())
    return Replay(short, offsets, repetition, hashes)


def hash_keys(keys: pa.Array) -> Hashes:
    """The hash that `Replay` has of each of these keys."""
    long = keys.cast(pa.large_string())
    _, ends, text = long.buffers()
    hashes = np.empty(len(long), dtype=np.uint64)
    if len(long):
        places = np.frombuffer(ends, dtype=np.int64)[long.offset : long.offset + len(long) + 1]
        _hash_all(np.frombuffer(text or b"", dtype=np.uint8), places, hashes)
    return hashes


def _start_boards(
    codes: Codes, lengths: Ints, start_fens: Iterable[str | None] | None
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """The first position of each game, as the loops hold it, and whose turn it is: 1 for White."""
    if (codes < 0).any():
        raise InputError("a game contains a move that is not in UCI notation: import the games again")
    states = np.tile(_STANDARD, (len(lengths), 1))
    turns = np.ones(len(lengths), dtype=np.int8)
    for index, fen in enumerate(start_fens or ()):
        if fen is not None:
            states[index], turns[index] = _parse(fen)
    return states, turns


def _parse(fen: str) -> tuple[npt.NDArray[np.int8], int]:
    import chess

    try:
        board = chess.Board(fen)
    except ValueError:  # not by an import, which refuses such games
        raise InputError(
            f"a game begins with '{printable(fen)[:80]}', which is not a position in FEN: something else has "
            "changed the table of games; import them again, into a new workspace"
        ) from None
    state = np.zeros(_STATE, dtype=np.int8)
    for square, piece in board.piece_map().items():
        state[square] = piece.piece_type + (0 if piece.color else 6)
    castling = board.castling_xfen()
    state[64] = sum(bit for bit, letter in ((1, "K"), (2, "Q"), (4, "k"), (8, "q")) if letter in castling)
    state[65] = board.ep_square if board.has_legal_en_passant() and board.ep_square is not None else -1
    return state, int(board.turn)


@njit()
def _replay(codes, offsets, starts, turns, text, ends, repetition, hashes):  # type: ignore[no-untyped-def]
    """Play every game, writing the key of each position behind the last one in `text`."""
    move = 0
    for game in range(len(offsets) - 1):
        state = starts[game]
        white = turns[game] == 1
        for position in range(offsets[game], offsets[game + 1]):
            ends[position + 1] = _write_key(state, white, text, ends[position])
            hashes[position] = _hash(text, ends[position], ends[position + 1])
            for earlier in range(offsets[game], position):
                if hashes[earlier] == hashes[position]:
                    repetition[position] += 1
            if position + 1 < offsets[game + 1]:
                _play(state, codes[move], white)
                move += 1
                white = not white


@njit()
def _play(state, code, white):  # type: ignore[no-untyped-def]
    """Play one legal move."""
    origin, target, promotion = code & 63, (code >> 6) & 63, code >> 12
    piece = state[origin]
    kind = piece if white else piece - 6
    if kind == 1 and target == state[65]:
        state[target - 8 if white else target + 8] = 0
    state[target] = piece if promotion == 0 else promotion + (1 if white else 7)
    state[origin] = 0
    if kind == 6 and abs(target - origin) == 2:
        rook_from, rook_to = (target + 1, target - 1) if target > origin else (target - 2, target + 1)
        state[rook_to] = state[rook_from]
        state[rook_from] = 0
    state[64] &= ~(_TOUCHED[origin] | _TOUCHED[target])
    state[65] = -1
    if kind == 1 and abs(target - origin) == 16 and _en_passant_is_legal(state, target, white):
        state[65] = (origin + target) // 2


@njit()
def _en_passant_is_legal(state, target, white):  # type: ignore[no-untyped-def]
    """Whether the pawn that has just gone two squares to `target` can be taken in passing."""
    own_pawn, enemy_pawn = (1, 7) if white else (7, 1)
    passed = target - 8 if white else target + 8
    legal = False
    for side in (-1, 1):
        file = target % 8 + side
        if 0 <= file <= 7 and state[target + side] == enemy_pawn:
            state[target], state[target + side], state[passed] = 0, 0, enemy_pawn
            legal = legal or not _king_is_attacked(state, not white)
            state[target], state[target + side], state[passed] = own_pawn, enemy_pawn, 0
    return legal


@njit()
def _king_is_attacked(state, white):  # type: ignore[no-untyped-def]
    """Whether the king of the given side stands in check."""
    king = 0
    while king < 64 and state[king] != (6 if white else 12):
        king += 1
    if king == 64:  # compiled code checks no bounds
        return False
    enemy = 6 if white else 0
    file, rank = king % 8, king // 8
    for step in range(8):
        f, r = file + _KNIGHT[step, 0], rank + _KNIGHT[step, 1]
        if 0 <= f <= 7 and 0 <= r <= 7 and state[8 * r + f] == enemy + 2:
            return True
    for ray in range(8):
        f, r, distance = file + _RAYS[ray, 0], rank + _RAYS[ray, 1], 1
        while 0 <= f <= 7 and 0 <= r <= 7 and state[8 * r + f] == 0:
            f, r, distance = f + _RAYS[ray, 0], r + _RAYS[ray, 1], distance + 1
        if 0 <= f <= 7 and 0 <= r <= 7:
            kind = state[8 * r + f] - enemy
            slider = 4 if ray < 4 else 3
            pawn = ray >= 4 and distance == 1 and (r > rank) == white
            if kind == slider or kind == 5 or (distance == 1 and kind == 6) or (pawn and kind == 1):
                return True
    return False


@njit()
def _write_key(state, white, text, end):  # type: ignore[no-untyped-def]
    """Write the first four fields of the FEN at `end`; return the new end."""
    for rank in range(7, -1, -1):
        empty = 0
        for file in range(8):
            piece = state[8 * rank + file]
            if piece == 0:
                empty += 1
                continue
            if empty:
                text[end] = 48 + empty
                end += 1
                empty = 0
            text[end] = _LETTERS[piece]
            end += 1
        if empty:
            text[end] = 48 + empty
            end += 1
        text[end] = 47 if rank else 32  # a slash, after the last rank a blank
        end += 1
    text[end], text[end + 1] = (119 if white else 98), 32  # w or b
    end += 2
    for bit in range(4):
        if state[64] & (1 << bit):
            text[end] = (75, 81, 107, 113)[bit]  # K, Q, k, q
            end += 1
    if state[64] == 0:
        text[end] = 45
        end += 1
    text[end] = 32
    if state[65] < 0:
        text[end + 1] = 45
        return end + 2
    text[end + 1] = 97 + state[65] % 8
    text[end + 2] = 49 + state[65] // 8
    return end + 3


@njit()
def _hash_all(text, ends, hashes):  # type: ignore[no-untyped-def]
    """The hash of every key; key i is from `ends[i]` to `ends[i + 1]`."""
    for index in range(len(hashes)):
        hashes[index] = _hash(text, ends[index], ends[index + 1])


@njit()
def _hash(text, start, end):  # type: ignore[no-untyped-def]
    """FNV-1a of one key."""
    value = np.uint64(14695981039346656037)
    for index in range(start, end):
        value = (value ^ np.uint64(text[index])) * np.uint64(1099511628211)
    return value
