"""Games that the rules have ended: mate, stalemate, and too little material, told without an engine.

Loops are compiled: of a month of a server's games millions end in a mate whose position nobody evaluated, and
python-chess takes a quarter of a millisecond for each.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.decisions.arrays import Floats
from assay.decisions.compiled import njit
from assay.decisions.evaluation import MATE
from assay.store.replay import KNIGHT, RAYS, king_is_attacked

_MATE = float(MATE)


def ending_values(states: npt.NDArray[np.int8], turns: npt.NDArray[np.int8]) -> Floats:
    """The value of each position by the rules, mover's view; NaN where the game could go on.

    States and turns are those of assay.store.replay. Too little material is what python-chess takes for it:
    neither side could mate by any moves at all.
    """
    values = np.full(len(states), np.nan)
    _ending_values(states, turns, values)
    return values


@njit()
def _ending_values(states, turns, values):  # type: ignore[no-untyped-def]
    state = np.empty(states.shape[1], dtype=np.int8)
    for index in range(len(values)):
        state[:] = states[index]
        white = turns[index] == 1
        if not _has_legal_move(state, white):
            values[index] = -_MATE if king_is_attacked(state, white) else 0.0
        elif _cannot_win(state, True) and _cannot_win(state, False):
            values[index] = 0.0


@njit()
def _has_legal_move(state, white):  # type: ignore[no-untyped-def]
    """Whether the mover has any legal move. Who may castle may also move the king: castling is not tried."""
    if state[65] >= 0:
        return True  # a square is named only where taking in passing is legal
    own = 0 if white else 6
    for origin in range(64):
        kind = state[origin] - own
        if kind < 1 or kind > 6:
            continue
        if kind == 1:
            if _pawn_can_move(state, origin, white):
                return True
            continue
        file, rank = origin % 8, origin // 8
        for way in range(8):
            if (kind == 3 and way < 4) or (kind == 4 and way >= 4):
                continue
            step_f, step_r = (KNIGHT[way, 0], KNIGHT[way, 1]) if kind == 2 else (RAYS[way, 0], RAYS[way, 1])
            f, r = file + step_f, rank + step_r
            while 0 <= f <= 7 and 0 <= r <= 7:
                target = 8 * r + f
                taken = state[target]
                if own < taken <= own + 6:
                    break
                if _is_legal(state, origin, target, white):
                    return True
                if taken or kind == 2 or kind == 6:
                    break
                f, r = f + step_f, r + step_r
    return False


@njit()
def _pawn_can_move(state, origin, white):  # type: ignore[no-untyped-def]
    """Whether a pawn has a legal move, other than taking in passing."""
    ahead, enemy = (8, 6) if white else (-8, 0)
    target = origin + ahead
    if target < 0 or target > 63:  # no pawn of a real game stands there
        return False
    if state[target] == 0:
        if _is_legal(state, origin, target, white):
            return True
        first = origin // 8 == (1 if white else 6)
        if first and state[target + ahead] == 0 and _is_legal(state, origin, target + ahead, white):
            return True
    for side in (-1, 1):
        file = origin % 8 + side
        taken = state[target + side] if 0 <= file <= 7 else 0
        if enemy < taken <= enemy + 6 and _is_legal(state, origin, target + side, white):
            return True
    return False


@njit()
def _is_legal(state, origin, target, white):  # type: ignore[no-untyped-def]
    """Whether a move leaves the own king out of check."""
    piece, taken = state[origin], state[target]
    state[target], state[origin] = piece, 0
    legal = not king_is_attacked(state, white)
    state[origin], state[target] = piece, taken
    return legal


@njit()
def _cannot_win(state, white):  # type: ignore[no-untyped-def]
    """Whether a side could not mate by any moves of both: python-chess's `has_insufficient_material`."""
    own, enemy = (0, 6) if white else (6, 0)
    pieces, knights, helpers = 0, 0, 0
    bishops, light, dark, other_knights, pawns = 0, 0, 0, 0, 0
    for square in range(64):
        piece = state[square]
        if piece == 0:
            continue
        mine = own < piece <= own + 6
        kind = piece - (own if mine else enemy)
        pawns += kind == 1
        if kind == 3:
            bishops += mine
            if (square // 8 + square % 8) % 2:
                light += 1
            else:
                dark += 1
        if not mine:
            other_knights += kind == 2
            helpers += kind != 5 and kind != 6  # a queen or a king takes no square that could not be avoided
            continue
        if kind == 1 or kind == 4 or kind == 5:
            return False
        pieces += 1
        knights += kind == 2
    if knights:
        return pieces <= 2 and helpers == 0
    if bishops:
        return (light == 0 or dark == 0) and pawns == 0 and other_knights == 0
    return True
