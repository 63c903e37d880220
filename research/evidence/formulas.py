"""What the Elo formulas of other programs are worth on games of rated players: a table of the README.

    python -m research formulas WORKSPACE [--recipe standard] [--formula MODULE:FUNCTION]

WORKSPACE has the analysed games that `python -m research mileposts` picks. Every formula rates one side of
one game. The programs tuned their constants on other engines and depths, so each formula is shown as it is
printed and once more after a straight line, fitted on the other four fifths of the games. A formula of your
own is a function of `best` and `played` (centipawns, mover's view), `n_options` and `ply`, arrays over the
moves of one side. The rating by moves is that of a calibration from the other half of the games.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.models.appearances import Appearances
from assay.rating.accuracy import Summary, held_out
from assay.rating.group_ratings import COMBINED
from assay.workspace import Workspace
from research import command_on_workspace
from research.calibration.evidence import whole_games
from research.markdown import Tables, numbers_table, print_tables

LIMIT = 1000
"""Evaluations are cut at this many centipawns before a loss is taken, as the programs do."""

FOLDS = 5

Formula = Callable[[Floats, Floats, Ints, Ints], float]


def chesskit(best: Floats, played: Floats, n_options: Ints, ply: Ints) -> float:
    """Chesskit: an exponential of the average centipawn loss."""
    return float(3100 * np.exp(-0.01 * _losses(best, played).mean()))


def cara(best: Floats, played: Floats, n_options: Ints, ply: Ints) -> float:
    """CARA 2.8 with its default constants."""
    losses = _losses(best, played)
    opening = losses[ply < 20]
    worse_opening = 5 * (opening.mean() - losses.mean()) if len(opening) else 0.0
    blunders, mistakes = np.mean(losses > 200), np.mean((losses >= 100) & (losses <= 200))
    raw = 2800 - 8.5 * losses.mean() - 40 * (50 * blunders + 20 * mistakes) - max(0.0, worse_opening)
    raw = max(0.0, float(raw))
    return raw / 1.995 + 233 if raw < 2172 else raw / 0.33 - 5261


def lucas(best: Floats, played: Floats, n_options: Ints, ply: Ints) -> float:
    """Lucas Chess R6: a weighted mean of an Elo for every move that was a choice."""
    several = n_options > 1
    lost = (_winning(best) - _winning(played))[several].clip(0)
    kind = np.searchsorted([3.3, 7.5, 15.5], lost, side="right")
    most = np.array([3300, 1980, 990, 330])[kind]
    elo = (23.25 - lost / 10) * (most - 200) / 23.25 + 200
    elo = np.where(lost == 0, 3300, np.where(lost > 23.25, 200, elo))
    return float(np.average(elo, weights=np.array([1, 2, 6, 12])[kind])) if several.any() else np.nan


def _winning(values: Floats) -> Floats:
    """Values as Lucas Chess has them, from 0 to 100."""

    def curve(x: Floats | float) -> Floats:
        return np.asarray(200 / (1 + np.exp(-30 * np.asarray(x) / 10000)) - 100)

    cut = values.clip(-2000, 2000)
    return np.asarray(50 + 50 * np.sign(cut) * curve(np.abs(cut)) / curve(2000.0))


def _losses(best: Floats, played: Floats) -> Floats:
    return np.asarray((best.clip(-LIMIT, LIMIT) - played.clip(-LIMIT, LIMIT)).clip(0))


FORMULAS: dict[str, Formula] = {"Chesskit": chesskit, "CARA 2.8": cara, "Lucas Chess R6": lucas}


def main(words: Sequence[str]) -> None:
    """Print the table."""
    parser = command_on_workspace("formulas", __doc__)
    parser.add_argument("--formula", help="one more formula, as MODULE:FUNCTION")
    given = parser.parse_args(words)
    formulas = dict(FORMULAS)
    if given.formula:
        module, name = given.formula.split(":")
        formulas[name] = getattr(import_module(module), name)
    workspace = Workspace(given.workspace)
    decisions = whole_games(workspace, workspace.recipe_id(given.recipe))
    print_tables(tables(decisions, formulas, assay_error(decisions)))


def assay_error(decisions: Decisions) -> float:
    """The average error of the rating by moves of one game, rated through the other half of the games."""
    outcomes = held_out(Appearances.of(decisions))
    return Summary.of([each for each in outcomes if each.games == 1 and each.method == COMBINED]).mean_error


def tables(decisions: Decisions, formulas: dict[str, Formula], own: float | None = None) -> Tables:
    """The average error of every formula for one side of one game, as printed and after a fitted line."""
    elo, games, ratings = rate_sides(decisions, formulas)
    yield (
        "Sides",
        f"{len(elo)} sides of {len(set(games.tolist()))} games, published {elo.min():.0f} to {elo.max():.0f}",
    )
    guessing = np.abs(elo - elo.mean()).mean()
    rows = [("guessing the average", f"{guessing:.0f}", "", "")]
    for name, values in ratings.items():
        refitted = refit(values, elo, games)
        rows.append(
            (
                name,
                f"{np.abs(values - elo).mean():.0f}",
                f"{np.abs(refitted - elo).mean():.0f}",
                f"{np.corrcoef(values, elo)[0, 1]:.2f}",
            )
        )
    if own is not None:
        rows.append(("Assay", f"{own:.0f}", "", ""))
    heads = ("formula", "average error, points", "after a fitted line", "correlation")
    yield "One game, one side", numbers_table(heads, rows)


def rate_sides(decisions: Decisions, formulas: dict[str, Formula]) -> tuple[Floats, Ints, dict[str, Floats]]:
    """Published rating and game of every side, and what each formula makes of it."""
    decisions = decisions.take(
        np.flatnonzero((decisions.n_options > 0) & np.isfinite(decisions.numbers("player_elo")))
    )
    best, played, ply = decisions.best_value, decisions.played_value, decisions.numbers("ply").astype(int)
    side = 2 * decisions.codes("game_id") + ply % 2
    options, published = decisions.numbers("n_legal").astype(int), decisions.numbers("player_elo")
    sides = np.unique(side)
    rows = [np.flatnonzero((side == each) & np.isfinite(played)) for each in sides]
    ratings = {
        name: np.array([formula(best[at], played[at], options[at], ply[at]) for at in rows])
        for name, formula in formulas.items()
    }
    return np.array([published[at[0]] for at in rows]), sides // 2, ratings


def refit(values: Floats, elo: Floats, games: Ints) -> Floats:
    """The same through a straight line that is fitted on the games of the other folds."""
    refitted = np.empty_like(elo)
    folds = np.random.default_rng(0).integers(0, FOLDS, games.max() + 1)[games]
    for fold in range(FOLDS):
        inside = folds == fold
        line = np.polyfit(values[~inside], elo[~inside], 1)
        refitted[inside] = np.polyval(line, values[inside])
    return refitted
