"""The tables of docs/traits.md: what each kind of feature adds, and how far the opponent shows.

    python -m research traits WORKSPACE [--recipe standard]

WORKSPACE is the one that the calibration is made from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from assay.decisions.arrays import Floats, Ints, Mask
from assay.models.appearances import Appearances, assign_folds
from assay.models.mileposts import Mileposts
from assay.models.traits.features import (
    FEATURES,
    OF_BOTH,
    OF_DEPTHS,
    OF_LOSSES,
    OF_POSITIONS,
    OF_RANKS,
    OF_SWINGS,
    OPENING,
)
from assay.models.traits.model import EQUAL, MOST_WEIGHT, TraitsModel, fit_weights, means_of
from assay.rating.calibration import FOLDS
from assay.workspace import Workspace
from research import command_on_workspace
from research.evidence.accuracy import whole_games
from research.markdown import PLAIN, RIGHT, Tables, print_tables, table

WEIGHTS = (1.0, 2.0, MOST_WEIGHT, 4.0, 6.0)
"""How often each appearance against another than an equal is counted, to compare."""

_MOVES = (*OF_LOSSES, *OF_RANKS)
_OPENING_AT = len(FEATURES)

KINDS: dict[str, tuple[str, ...]] = {
    "what moves lose": OF_LOSSES,
    "and how they rank": _MOVES,
    "and their worth at smaller depths": (*_MOVES, *OF_DEPTHS, *OF_SWINGS),
    "or how hard positions were": (*_MOVES, *OF_POSITIONS, *OF_BOTH),
    "all after the opening": FEATURES,
}


def main(words: Sequence[str]) -> None:
    """Print the tables; takes a minute."""
    given = command_on_workspace("traits", __doc__).parse_args(words)
    workspace = Workspace(given.workspace)
    print_tables(tables(Appearances.of(whole_games(workspace, workspace.recipe_id(given.recipe)))))


def tables(appearances: Appearances) -> Tables:
    """Each table of the page with its title."""
    stack = appearances.stack(TraitsModel())
    reference = Mileposts.of(appearances, {"traits": stack})
    means = means_of(np.asarray(stack.evidence)[reference.rows])
    unequal = np.abs(reference.opponent - reference.elo) > EQUAL
    yield (
        "Games",
        f"{len(set(reference.game.tolist()))} games, {len(reference.rows)} appearances, {unequal.sum()} of "
        f"them against others than equals; {len(FEATURES)} features after the opening, {len(OPENING)} in it",
    )
    heads = ("features", "number", "equals", "others than equals", "drawn to the opponent")
    yield "Kinds of features: R²", table(heads, _kinds(means, reference), (PLAIN, *[RIGHT] * 4))
    yield "Weight of games against others than equals", _opponents(means, reference)
    yield "Features that count most", _weights(means, reference)


def _columns(names: Sequence[str], opening: bool) -> list[int]:
    places = [FEATURES.index(name) for name in names]
    return [*places, *range(_OPENING_AT, _OPENING_AT + len(OPENING))] if opening else places


def _folds(reference: Mileposts) -> Ints:
    rng = np.random.default_rng(0)
    return assign_folds(reference.game, reference.player, reference.milepost, FOLDS, rng)


def _kinds(means: Floats, reference: Mileposts) -> Iterable[tuple[str, ...]]:
    choices = [(name, _columns(signs, opening=False)) for name, signs in KINDS.items()]
    choices.append(("all, and the opening", _columns(FEATURES, opening=True)))
    equal = np.abs(reference.opponent - reference.elo) <= EQUAL
    for name, columns in choices:
        _, apart = fit_weights(means[:, columns], reference.elo, reference.opponent, _folds(reference))
        cells = [_explained(apart, reference.elo, kind) for kind in (equal, ~equal)]
        yield name, str(len(columns)), *cells, _drawn(apart, reference)


def _explained(ratings: Floats, elo: Floats, among: Mask) -> str:
    if among.sum() < 3:
        return ""
    return f"{np.corrcoef(ratings[among], elo[among])[0, 1] ** 2:.2f}"


def _drawn(ratings: Floats, reference: Mileposts) -> str:
    """Points by which the rating of one game moves for each hundred that the opponent is stronger."""
    slope, error = drawn_to_opponent(ratings, reference)
    return f"{slope:+.0f} ± {error:.0f}"


def drawn_to_opponent(ratings: Floats, reference: Mileposts) -> tuple[float, float]:
    """The same as numbers: the slope of the error, in points, and its standard error."""
    unequal = np.abs(reference.opponent - reference.elo) > EQUAL
    per_point, start = np.polyfit(reference.elo, ratings, 1)
    error = (ratings - start) / per_point - reference.elo
    chosen = unequal & np.isfinite(reference.opponent)
    if chosen.sum() < 10:
        return float("nan"), float("nan")
    ahead = (reference.opponent - reference.elo)[chosen] / 100
    matrix = np.column_stack((np.ones(len(ahead)), ahead, (reference.elo[chosen] - 2000) / 100))
    solved = np.linalg.lstsq(matrix, error[chosen], rcond=None)[0]
    left = error[chosen] - matrix @ solved
    variance = np.linalg.inv(matrix.T @ matrix)[1, 1] * left.var(ddof=3)
    return float(solved[1]), float(np.sqrt(variance))


def _opponents(means: Floats, reference: Mileposts) -> str:
    """By how much games against others than equals count for more: errors of single games, and the pull."""
    unequal = np.abs(reference.opponent - reference.elo) > EQUAL
    rows = []
    for most in WEIGHTS:
        _, apart = fit_weights(means, reference.elo, reference.opponent, _folds(reference), most)
        apart_in_elo = np.polyval(np.polyfit(apart, reference.elo, 1), apart)
        error = np.abs(apart_in_elo - reference.elo)
        both = [float(error[kind].mean()) for kind in (~unequal, unequal)]
        name = f"{most:g}{', as shipped' if most == MOST_WEIGHT else ''}"
        rows.append((name, *(f"{value:.0f}" for value in (*both, np.mean(both))), _drawn(apart, reference)))
    heads = ("times", "against equals", "against others", "mean of both", "points per 100 of the opponent")
    return table(heads, rows, (PLAIN, *[RIGHT] * 4))


def _weights(means: Floats, reference: Mileposts, most: int = 12) -> str:
    """The features that count most, by how far one deviation of a game's mean moves the answer."""
    weights, _ = fit_weights(means, reference.elo, reference.opponent, _folds(reference))
    moves = weights.weight * np.nanstd(means, axis=0) * reference.elo.std()
    names = [*FEATURES, *(f"{name} (opening)" for name in OPENING)]
    order = np.argsort(-np.abs(moves))[:most]
    rows = [(names[place], f"{moves[place]:+.0f}") for place in order]
    return table(("feature", "points for one deviation"), rows, (PLAIN, RIGHT))
