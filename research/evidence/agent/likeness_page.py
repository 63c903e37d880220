"""People and agents compared (research.evidence.agent.likeness), as Markdown tables.

    python -m research.evidence.agent.likeness_page WORKSPACE

Means over decisions have intervals from resampled games.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.decisions.arrays import Floats, Ints, Mask
from assay.rating.calibration import find_calibration
from assay.workspace import Workspace
from research.evidence.agent.likeness import BLUNDER, GOOD, OUTSIDE, Held, held_out, in_the_opening

RESAMPLES = 200
BANDS = ((1500, 1700), (1800, 2000), (2100, 2300), (2400, 2600), (2700, 2800))
DIFFICULTIES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Ends of classes of positions by the share of legal moves that are blunders."""
DECIDED = (0, 50, 150, 300, 1001)
"""Ends of classes of positions by their distance from level, in centipawns."""
_LONG_RUN = 10


class Resampled:
    """Means over decisions with intervals from resampled games."""

    def __init__(self, game: Ints, resamples: int = RESAMPLES, seed: int = 0) -> None:
        self._game, self._n = game, int(game.max()) + 1
        drawn = np.random.default_rng(seed).multinomial(self._n, np.full(self._n, 1 / self._n), resamples)
        self._weights = np.concatenate((np.ones((1, self._n)), drawn))

    def mean(self, values: npt.NDArray[Any], rows: Ints) -> Floats:
        """Mean, low and high."""
        total = np.bincount(self._game[rows], values[rows], minlength=self._n)
        count = np.bincount(self._game[rows], minlength=self._n)
        found = (self._weights @ total) / np.maximum(self._weights @ count, 1)
        return np.array([found[0], *np.quantile(found[1:], [0.025, 0.975])])


def runs(good: Mask | Sequence[bool], appearance: Ints) -> tuple[float, float]:
    """Mean length of runs of good moves, and the share of runs of ten or more; in order of play."""
    marks = np.asarray(good, bool)
    begin = marks & ~np.concatenate(([False], marks[:-1] & (appearance[1:] == appearance[:-1])))
    ends = marks & ~np.concatenate((marks[1:] & (appearance[1:] == appearance[:-1]), [False]))
    lengths = np.flatnonzero(ends) - np.flatnonzero(begin) + 1
    return float(lengths.mean()), float((lengths >= _LONG_RUN).mean())


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def page(held: Held, parts: Sequence[Callable[[Held, Resampled, Bands], str]] | None = None) -> str:
    """All tables, or some, in Markdown."""
    means, bands = Resampled(held.game), bands_of(held)
    chosen = parts or (predicted, ranks, losses, _decided, _difficulty, _runs)
    return "\n\n".join(part(held, means, bands) for part in chosen)


def bands_of(held: Held) -> Bands:
    """Decisions by the band of their milepost."""
    found = [
        (f"{low} to {high}", np.flatnonzero((held.century >= low) & (held.century <= high)))
        for low, high in BANDS
    ]
    return [(name, rows) for name, rows in found if len(rows)]


Bands = Sequence[tuple[str, Ints]]


def predicted(held: Held, means: Resampled, bands: Bands) -> str:
    """Likelihood of people's moves, and how many are foreseen."""

    def cells(rows: Ints) -> list[str]:
        shares = (held.predicted, held.first, np.exp(held.uniform))
        return [
            _shown(means.mean(held.log_likelihood, rows), "{:.3f}"),
            f"{held.uniform[rows].mean():.3f}",
            *(_shown(means.mean(100 * share, rows), "{:.1f}") for share in shares),
        ]

    columns = ("Elo", "decisions", "log-likelihood", "any move", "predicted %", "first move %", "any move %")
    return table(columns, [[name, str(len(rows)), *cells(rows)] for name, rows in _with_all(bands)])


def ranks(held: Held, means: Resampled, bands: Bands) -> str:
    """Places of moves among the engine's lines."""
    outside = held.rank == OUTSIDE
    classes = [*(held.rank == k for k in range(3)), (held.rank > 2) & ~outside, outside]
    return _pairs(
        ("first %", "second %", "third %", "other lines %", "outside %"),
        [100.0 * one for one in classes],
        [100 * held.rank_expected[:, k] for k in range(5)],
        means,
        bands,
    )


def losses(held: Held, means: Resampled, bands: Bands) -> str:
    """Mean loss, and shares of large ones."""
    return _pairs(
        ("mean loss, cp", f"{GOOD} or more %", f"{BLUNDER} or more %"),
        [held.loss, 100.0 * (held.loss >= GOOD), 100.0 * (held.loss >= BLUNDER)],
        [held.loss_expected, 100 * held.reached[:, 0], 100 * held.reached[:, 1]],
        means,
        bands,
    )


def _decided(held: Held, means: Resampled, bands: Bands) -> str:
    names = [f"{low} to {high}" for low, high in pairwise(DECIDED[:-1])] + [f"{DECIDED[-2]} and more"]
    kinds = (("people", held.loss), ("agent", held.loss_expected))
    return _by_class(names, np.abs(held.value), DECIDED, kinds, means, bands)


def _difficulty(held: Held, means: Resampled, bands: Bands) -> str:
    names = [f"{100 * low:.0f} to {100 * high:.0f}%" for low, high in pairwise(DIFFICULTIES)]
    kinds = (("people", 100.0 * (held.loss >= BLUNDER)), ("agent", 100 * held.reached[:, 1]))
    return _by_class(names, held.difficulty, DIFFICULTIES, kinds, means, bands)


def _by_class(
    names: Sequence[str],
    of: Floats,
    ends: Sequence[float],
    kinds: Sequence[tuple[str, npt.NDArray[Any]]],
    means: Resampled,
    bands: Bands,
) -> str:
    """Means of people and agents in classes of positions, each from one end to the next."""
    rows = []
    for name, members in bands:
        inside = [members[(of[members] >= low) & (of[members] < high)] for low, high in pairwise(ends)]
        rows += [
            [name, who, *(_shown(means.mean(values, one), "{:.1f}") if len(one) else "" for one in inside)]
            for who, values in kinds
        ]
    return table(["Elo", "who", *names], rows)


def _runs(held: Held, means: Resampled, bands: Bands) -> str:
    generator = np.random.default_rng(0)
    rows = []
    for name, members in bands:
        there = held.order[np.isin(held.order, members)]
        appearance = held.appearance[there]
        people = runs(held.loss[there] < GOOD, appearance)
        drawn = [runs(generator.random(len(there)) >= held.reached[there, 0], appearance) for _ in range(40)]
        low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
        mean = np.mean(drawn, axis=0)
        rows.append(
            [
                name,
                f"{people[0]:.2f}",
                f"{mean[0]:.2f} ({low[0]:.2f} to {high[0]:.2f})",
                f"{100 * people[1]:.1f}",
                f"{100 * mean[1]:.1f} ({100 * low[1]:.1f} to {100 * high[1]:.1f})",
            ]
        )
    return table(("Elo", "mean run, people", "agent", "ten or more %, people", "agent"), rows)


def _pairs(
    names: Sequence[str],
    people: Sequence[npt.NDArray[Any]],
    agent: Sequence[Floats],
    means: Resampled,
    bands: Bands,
) -> str:
    rows = [
        [name, who, *(_shown(means.mean(one, members), "{:.1f}") for one in values)]
        for name, members in bands
        for who, values in (("people", people), ("agent", agent))
    ]
    return table(["Elo", "who", *names], rows)


def _with_all(bands: Bands) -> Bands:
    return [*bands, ("all", np.concatenate([rows for _, rows in bands]))]


def _shown(found: Floats, form: str) -> str:
    value, low, high = (form.format(number) for number in found)
    return f"{value} ({low} to {high})"


def main(arguments: Sequence[str], say: Callable[[str], None] = print) -> int:
    """Print the tables."""
    if len(arguments) != 1:
        say("python -m research.evidence.agent.likeness_page WORKSPACE")
        return 2
    workspace = Workspace(Path(arguments[0]))
    recipe_id = workspace.recipe_id(None)
    decisions = workspace.decisions(recipe_id, trace=True)
    say(page(held_out(decisions)))
    calibration = find_calibration(recipe_id)
    if calibration is not None and calibration.agents is not None:
        say("\nIn the first turns:\n")
        say(page(in_the_opening(decisions, calibration.agents), (predicted, ranks, losses)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
