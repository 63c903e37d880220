"""How hard every decision was: what players of some Elos lose there, and find."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from assay.answers.insights import Band, Performance
from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.decisions import Decisions
from assay.decisions.measures import loss
from assay.decisions.rules import Rule, choice_of_two, evaluated, loss_known, rated, traced
from assay.errors import InputError
from assay.models.complexity import complexity, indicators
from assay.models.depth.agents import LIMIT
from assay.models.depth.expected import FINE, Expected, expected
from assay.models.depth.likelihood import Positions, probabilities
from assay.rating.calibration import Calibration, find_calibration
from assay.rating.references import lost_expectation
from assay.workspace.export import Shares

ELOS = (1500, 2000, 2500)
"""Players that every decision is held against."""


def rules(*, trace: bool = True) -> tuple[Rule, ...]:
    """Moves of any turn with a choice and a known loss; with a trace, where that is wanted."""
    plain = (rated(), evaluated(), loss_known(), choice_of_two())
    return (*plain, traced()) if trace else plain


def expected_of(decisions: Decisions, calibration: Calibration, elo: float) -> Expected:
    """What players of this Elo lose in each decision, and find; losses as the mileposts have them."""
    if (source := calibration.carried_from) is not None:
        raise InputError(
            f"lessons compare with what players of known Elo choose by the values of {source.get('engine')}, "
            f"and only the ratings were carried over to this engine: analyse with {source.get('recipe')} and "
            f"{source.get('engine')}"
        )
    if calibration.agents is None:
        raise InputError(
            "this calibration has no simulated players, who show how hard positions are: "
            "make it again from games with their trace (assay calibrate)"
        )
    raw = expected(decisions, calibration.agents, elo)
    return raw if calibration.losses is None else calibration.losses.drawn(raw, elo)


def difficulty(decisions: Decisions, calibration: Calibration) -> dict[str, Floats]:
    """Columns beside decisions, by name; NaN where a decision does not pass `rules`, reasons apart.

    `expected_loss_E` and `as_good_E` for each Elo E; `complexity_alliot` (the search's depth against its
    cost, 2017) and `complexity_guid_bratko` (2006).
    """
    rows = np.flatnonzero(np.logical_and.reduce([rule(decisions) for rule in rules()[1:]]))
    usable = decisions.take(rows)
    values: dict[str, Floats] = {}
    for elo in ELOS:
        asked = expected_of(usable, calibration, float(elo))
        values |= {f"expected_loss_{elo}": asked.loss, f"as_good_{elo}": asked.as_good}
    # Searches may not say how deep they went.
    deep = len(usable) and not np.isnan(usable.numbers("depth")).any()
    unknown = np.full(len(usable), np.nan)
    values["complexity_alliot"] = indicators(usable)["depth_time"] if deep else unknown
    values["complexity_guid_bratko"] = complexity(usable) if len(usable) else unknown
    columns = {name: np.full(len(decisions), np.nan) for name in values}
    for name, column in columns.items():
        column[rows] = values[name]
    return columns


def columns_of(recipe_id: str) -> Callable[[Decisions], dict[str, Floats]]:
    """What makes these columns for decisions of a recipe; refused where it has no calibration."""
    calibration = find_calibration(recipe_id)
    if calibration is None:
        raise InputError(
            f"how hard positions were is told by a calibration, and recipe {recipe_id} has none: analyse "
            "with standard and Stockfish 15.1, or make one (assay calibrate)"
        )
    return lambda decisions: difficulty(decisions, calibration)


def shares_of(recipe_id: str) -> Shares | None:
    """What gives the share of players of 1800 who play what was played; None without a calibration."""
    calibration = find_calibration(recipe_id)
    if calibration is None or calibration.agents is None:
        return None
    agent = calibration.agents.at(1800.0)

    def of(decisions: Decisions) -> Floats:
        shares = np.full(len(decisions), np.nan)
        rows = np.flatnonzero(np.logical_and.reduce([rule(decisions) for rule in rules()[1:]]))
        usable = decisions.take(rows)
        if len(usable):
            options = probabilities(Positions.of(usable), agent).options
            shares[rows] = options[usable.offsets[:-1] + usable.numbers("played_index").astype(np.int64)]
        return shares

    return Shares(1800, of)


BANDS: Mapping[str, tuple[float, float]] = {
    "easy": (0.0, 0.01),
    "middling": (0.01, 0.025),
    "hard": (0.025, 1.0),
}
"""Difficulty by the share of expectation that players of 2000 lose there on average."""

MISSED = 0.10
"""A move that loses so much of it missed something."""

RARE, COMMON = 0.25, 0.75
"""Found by few players of the same rating; missed by few."""


def performance(decisions: Decisions, player: str, elo: float, calibration: Calibration) -> Performance:
    """One player's decisions, with their trace, against what players of this Elo make of the positions."""
    usable = decisions.select(player=player).filter(*rules())
    if not len(usable):
        raise InputError(f"no decisions of {player} can be held against others: they have no trace")
    lost, same = lost_expectation(usable), expected_of(usable, calibration, elo)
    by_elo = {each: expected_of(usable, calibration, float(each)) for each in ELOS}
    exact = loss(usable, int(LIMIT)) == 0
    game = np.unique(usable.codes("game_id"), return_inverse=True)[1]
    hard = by_elo[2000].lost
    bands = [
        _band(name, (hard >= low) & (hard < high), lost, same, exact, game)
        for name, (low, high) in BANDS.items()
    ]
    solved = (same.fine <= RARE) & (lost <= FINE)
    return Performance(
        player=player,
        elo=elo,
        bands=tuple(band for band in bands if band is not None),
        accuracy=100 * float(1 - lost.mean()),
        accuracy_of={each: 100 * float(1 - asked.lost.mean()) for each, asked in by_elo.items()},
        hard_solved=int(solved.sum()),
        easy_missed=int(((lost >= MISSED) & (same.better >= COMMON)).sum()),
    )


def _band(name: str, rows: Mask, lost: Floats, same: Expected, exact: Mask, game: Ints) -> Band | None:
    chosen = np.flatnonzero(rows)
    if not len(chosen):
        return None
    apart = (lost - same.lost)[chosen]
    games = np.unique(game[chosen], return_inverse=True)[1]
    mean = float(apart.mean())
    n = int(games.max()) + 1
    # The variance of a mean of clusters: sums over games of what is left over.
    left = np.bincount(games, apart - mean)
    deviation = float(np.sqrt(np.square(left).sum() * (n / max(n - 1, 1)))) / len(chosen)
    reach = 1.96 * deviation if n >= 4 else float("nan")
    return Band(
        name=name,
        games=n,
        decisions=len(chosen),
        lost=100 * float(lost[chosen].mean()),
        expected=100 * float(same.lost[chosen].mean()),
        difference=100 * mean,
        low=100 * (mean - reach),
        high=100 * (mean + reach),
        found=float(exact[chosen].mean()),
        expected_found=float(same.best[chosen].mean()),
    )
