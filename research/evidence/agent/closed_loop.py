"""Whether ratings give agents their Elo back, and whether their results follow it.

    python -m research.evidence.agent.round_robin FOLDER
    assay rate FOLDER --by game --json > rated.json
    python -m research.evidence.agent.closed_loop rated.json FOLDER/games.pgn

The Elo that each agent was set to stands in the games where published ratings do, so it is the reference of
every row; ratings do not use it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import chess.pgn
import numpy as np
from scipy.optimize import minimize_scalar

from assay.decisions.arrays import Floats
from assay.decisions.elo import expectation
from assay.errors import InputError

RESAMPLES = 1000
RESULTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}


def covered(rated: Mapping[str, Any]) -> Floats:
    """Reference, rating, low and high of each row that has all of them."""
    rows = [
        [row["reference"], row["combined"]["elo"], row["combined"]["low"], row["combined"]["high"]]
        for row in rated["players"]
        if row.get("combined") and row.get("reference")
    ]
    if not rows:
        raise InputError(
            "no row of this file has both a rating and a reference: rate games of agents by game"
        )
    return np.array(rows, np.float64)


def by_level(rows: Floats) -> list[dict[str, float]]:
    """For each true Elo and for all: how many, mean error, root mean square error, share covered."""
    levels = [*np.unique(rows[:, 0]), None]
    found = []
    for level in levels:
        chosen = rows if level is None else rows[rows[:, 0] == level]
        error = chosen[:, 1] - chosen[:, 0]
        inside = (chosen[:, 2] <= chosen[:, 0]) & (chosen[:, 0] <= chosen[:, 3])
        found.append(
            {
                "elo": float("nan") if level is None else float(level),
                "n": len(chosen),
                "mean_error": float(error.mean()),
                "deviation": float(error.std(ddof=1)) if len(error) > 1 else float("nan"),
                "rmse": float(np.sqrt(np.square(error).mean())),
                "width": float((chosen[:, 3] - chosen[:, 2]).mean()),
                "covered": float(inside.mean()),
            }
        )
    return found


def results_of(path: Path) -> Floats:
    """White's Elo less Black's, and White's result, of each game."""
    rows = []
    with path.open(encoding="utf-8") as file:
        while (tags := chess.pgn.read_headers(file)) is not None:
            if tags["Result"] in RESULTS:
                ahead = float(tags["WhiteElo"]) - float(tags["BlackElo"])
                rows.append([ahead, RESULTS[tags["Result"]]])
    if not rows:
        raise InputError(f"there is no game with a result in {path}")
    return np.array(rows)


def slope(games: Floats) -> float:
    """By which factor of the Elo difference the results follow the Elo curve best; 1 where they follow it."""

    def lost(factor: float) -> float:
        share = np.clip(expectation(factor * games[:, 0]), 1e-12, 1 - 1e-12)
        return -float(games[:, 1] @ np.log(share) + (1 - games[:, 1]) @ np.log(1 - share))

    return float(minimize_scalar(lost, bounds=(-2.0, 8.0), method="bounded").x)


def slope_interval(games: Floats, resamples: int = RESAMPLES, seed: int = 0) -> tuple[float, float]:
    """95%, from resampled games."""
    rng = np.random.default_rng(seed)
    found = [slope(games[rng.integers(0, len(games), len(games))]) for _ in range(resamples)]
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)


def page(rows: Floats, games: Floats) -> str:
    """Both answers, in Markdown."""
    lines = [
        "| true Elo | intervals | mean error | deviation | rmse | mean width | covered |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in by_level(rows):
        name = "all" if np.isnan(one["elo"]) else f"{one['elo']:.0f}"
        lines.append(
            f"| {name} | {one['n']} | {one['mean_error']:+.0f} | {one['deviation']:.0f} | {one['rmse']:.0f} "
            f"| {one['width']:.0f} | {100 * one['covered']:.1f}% |"
        )
    low, high = slope_interval(games)
    lines += [
        "",
        f"{len(games)} games; their results follow {slope(games):.2f} ({low:.2f} to {high:.2f}) times",
    ]
    lines += ["the difference of Elo."]
    return "\n".join(lines)


def main(arguments: Sequence[str], say: Callable[[str], None] = print) -> int:
    """Print the tables."""
    if len(arguments) != 2:
        say("python -m research.evidence.agent.closed_loop RATED.json GAMES.pgn")
        return 2
    rated = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    say(page(covered(rated), results_of(Path(arguments[1]))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
