"""Gain on players of known rating: how it rises with Elo, and how intervals of single games hold."""

from __future__ import annotations

import numpy as np
from scipy.stats import spearmanr

from assay.decisions import measures
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.models.gain import distribution
from assay.models.gain.model import LIMIT, GainModel, running_strength
from assay.models.gain.tournament import perceived_ratings
from research.markdown import RIGHT, table

AFTER = (10, 20, 30)
"""Moves after which the intervals of single games are tried."""


class MilepostGains:
    """Gains of milepost games, their mileposts, and where they stand among the engine's and others'."""

    def __init__(self, decisions: Decisions) -> None:
        self.decisions = decisions
        self.milepost = 100 * np.rint(decisions.numbers("player_elo") / 100)
        self.gains = measures.gain(decisions, LIMIT)
        self.known = ~np.isnan(self.gains)
        self.elos = np.unique(self.milepost)
        self.side = decisions.codes("game_id") * 2 + decisions.codes("colour")

    def placed(self) -> dict[str, Floats]:
        """For each move the expectation against the peak and the measured engine, and the gain in pawns."""
        moves_of_engine = self.gains[self.known & (self.decisions.played_index == 0)]
        engines = {
            "peak": distribution.peak(LIMIT),
            "measured": distribution.histogram(moves_of_engine, LIMIT),
        }
        return {name: self.among(engine) for name, engine in engines.items()} | {
            "mean gain": self.gains / 100
        }

    def among(self, histogram: Floats) -> Floats:
        """Where each gain stands among those of a histogram, from 0 to 1."""
        places: Floats = (distribution.placements(histogram) / histogram.sum())[bins(self.gains)]
        return places

    def correlation(self, values: Floats) -> float:
        """Correlation of the moves of one game in this quantity."""
        known = self.known
        return correlation(values[known], self.side[known], self.milepost[known])

    def by_milepost(self) -> str:
        """The table by milepost: means, their rank correlation with Elo, correlation within games."""
        placed = self.placed()
        rows = [self.known & (self.milepost == elo) for elo in self.elos]
        found = {name: [float(one[row].mean()) for row in rows] for name, one in placed.items()}
        ranks = [spearmanr(self.elos, means).statistic for means in found.values()]
        lines = [
            (f"{elo:.0f}", *(f"{means[place]:.3f}" for means in found.values()))
            for place, elo in enumerate(self.elos)
        ]
        lines.append(("rank correlation", *(f"**{one:.2f}**" for one in ranks)))
        lines.append(("correlation", *(f"{self.correlation(one):.3f}" for one in placed.values())))
        heads = ("rating", "against the peak", "against the measured engine", "mean gain")
        return table(heads, lines, RIGHT)

    def correlation_among_all(self) -> str:
        """Correlation of the moves of one game, placed among the moves of all players."""
        everyone = distribution.histogram(self.gains[self.known], LIMIT)
        return f"{self.correlation(self.among(everyone)):.3f}"

    def coverage(self) -> str:
        """How often the interval of a single game holds the expectation of its milepost."""
        return "; ".join(
            f"after {moves} moves in {self.covered(engine, moves):.1%} ({engine})"
            for engine in ("peak", "measured")
            for moves in AFTER
        )

    def covered(self, engine: str, moves: int) -> float:
        """Share of the games in which the interval after so many moves holds the milepost's expectation."""
        model = GainModel(engine_profile=engine)
        if engine == "measured":
            model.measure_engine(self.decisions)
        placed = self.among(model.engine)
        inside = []
        for one in np.unique(self.side):
            rows = np.flatnonzero(self.side == one)
            if len(rows) >= moves:
                same = (self.milepost == self.milepost[rows[0]]) & self.known
                running = running_strength(self.gains[rows], model)
                truth = placed[same].mean()
                inside.append(running.low[moves - 1] <= truth <= running.high[moves - 1])
        return float(np.mean(inside))

    def against_each_other(self) -> tuple[float, float]:
        """Algorithm 2 between mileposts: rank correlation with Elo, and points of strength per 100 Elo."""
        code = np.searchsorted(self.elos, self.milepost)
        histograms = distribution.histograms(self.gains[self.known], code[self.known], len(self.elos), LIMIT)
        differences = distribution.rating_difference(distribution.expectations(histograms))
        perceived = perceived_ratings(differences, self.elos).ratings
        slope = np.polyfit(self.elos, perceived, 1)[0]
        return float(spearmanr(self.elos, perceived).statistic), float(100 * slope)


def bins(gains: Floats) -> Ints:
    """The bin of a histogram that each gain falls into."""
    return np.rint(np.nan_to_num(gains)).astype(np.int64) + 2 * LIMIT


def correlation(values: Floats, side: Ints, group: Floats) -> float:
    """Correlation of the moves of one game, from how far games stray from their group."""
    excess, pairs = 0.0, 0.0
    for one in np.unique(group):
        inside = group == one
        _, game = np.unique(side[inside], return_inverse=True)
        n = np.bincount(game)
        means = np.bincount(game, values[inside]) / n
        squares = n * (means - values[inside].mean()) ** 2 / values[inside].var()
        excess += float(np.sum(squares * len(n) / (len(n) - 1) - 1))
        pairs += float(np.sum(n - 1))
    return excess / pairs
