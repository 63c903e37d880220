"""When to stop a search: the adaptive rule of Alliot 2017, section 2.3, as functions of numbers.

Evaluations are in centipawns. Time is in the paper's minutes, of which a search has four at most; with a
smaller budget, or one counted in nodes, a minute is a quarter of that budget.
"""

from collections.abc import Sequence

BUDGET_MINUTES = 4.0
"""The paper's limit for one position; the budget of a recipe stands for this many minutes."""

_LEAST_MINUTES = 1.0
_MOST_MINUTES = 3.0


def decided_minutes(e0: float, e1: float, e2: float) -> float | None:
    """Condition 2: minutes after which a search may stop in a game that leans one way; None if it does not.

    The evaluations are those of three successive positions, each from its mover's view, so that an
    advantage that stays with one player has alternating signs.
    """
    if not (e0 * e1 < 0 and e1 * e2 < 0):
        return None
    return 4 * max(100, (1000 - min(abs(e0), abs(e1), abs(e2))) / 3) / 400


def stable_minutes(e0: float, e1: float, e2: float) -> float:
    """Condition 3: minutes after which a search may stop whose last three depths gave these evaluations.

    As printed, the signs of successive depths alternate: 53, -63, 57 are three evaluations that differ by
    at most 10.
    """
    return 4 * (10 + max(abs(e0 + e1), abs(e0 - e2), abs(e1 + e2))) / 40


def may_stop(minutes: float, depths: Sequence[float], neighbours: Sequence[float]) -> bool:
    """Whether the search stops now, the lines of one more depth being complete.

    `depths` are the evaluations of the complete depths so far, all from the mover's view as UCI gives them;
    `neighbours` those of the two positions that follow in the game, nearest first, each from its mover's
    view (the game is walked backwards, so they are known).
    """
    if minutes < _LEAST_MINUTES:
        return False
    if minutes >= _MOST_MINUTES:
        return True
    if len(depths) >= 1 and len(neighbours) >= 2:
        decided = decided_minutes(depths[-1], neighbours[0], neighbours[1])
        if decided is not None and minutes > decided:
            return True
    if len(depths) < 3:
        return False
    # UCI keeps one view at all depths; the printed formula alternates.
    return minutes > stable_minutes(depths[-3], -depths[-2], depths[-1])
