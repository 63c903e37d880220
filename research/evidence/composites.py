"""Whether slices hold what they promise, on real moves: players put together from games of known Elo.

    python -m research.evidence.composites WORKSPACE [--games 12]

reads the analysed games of a calibration's mileposts. What slices are compared with is learned from one half
of the games; from the other half players are put together, so many games each. *Honest* ones have all their
moves from one milepost: whatever stands out is chance. *Weak* ones have their endgames from a milepost 200 or
400 points below: how often is that found, and does the interval hold the truth? Eight halvings at random.
Halves hold few players of many games, so honest players of games *drawn anew* stand beside them.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.grouping import By
from assay.decisions.slices import slicing
from assay.errors import InputError
from assay.insights.slices import LEAST, RATE, differences
from assay.models.appearances import Appearances
from assay.models.depth.agents import AgentsByElo
from assay.models.depth.expected import slopes
from assay.models.depth.model import DepthModel
from assay.models.intervals import q_values
from assay.models.mileposts import Mileposts
from assay.rating.calibration import find_calibration
from assay.rating.references import SliceReference, SliceSums, fit_reference, sums_by_slice

CUTS = (By.PHASE, By.COLOUR, By.PIECES)
BELOW = (200, 400)
HALVINGS = 8
DRAWINGS = 200
_ENDGAME = 2


@dataclass(frozen=True, kw_only=True)
class Tally:
    """What was found of composite players of so many games."""

    games: int
    honest: int
    z: dict[str, Floats]
    """Differences of honest players by their deviation, for each kind of slices."""
    any_false: float
    """Share of honest players of whom anything stands out, each reported alone, by all three kinds."""
    drawn: int
    any_drawn: float
    """The same of players whose games are drawn anew, so many of them."""
    weak: dict[int, int]
    found: dict[int, float]
    mean: dict[int, float]
    """Mean of the endgame less the rest, in points of Elo."""
    held: dict[int, float]
    """Share of 95% intervals that hold the truth."""


class Composites:
    """Sums by appearance and slice, at the Elo of each player and at Elos above it."""

    def __init__(self, appearances: Appearances, agents: AgentsByElo) -> None:
        self.mileposts = Mileposts.of(appearances)
        rows = self.mileposts.rows
        place = np.full(len(appearances), -1, np.int64)
        place[rows] = np.arange(len(rows))
        kept = appearances.decisions.filter(*DepthModel().rules())
        place = place[appearances.place(kept)]
        own, place = kept.take(np.flatnonzero(place >= 0)), place[place >= 0]
        cuts = {by: slicing(own, by) for by in CUTS}
        self.sums: dict[tuple[By, int], SliceSums] = {}
        for above in (0, *BELOW):
            found = slopes(own, agents, self.mileposts.elo[place] + above)
            for by, cut in cuts.items():
                n = len(cut.names)
                self.sums[by, above] = sums_by_slice(
                    found.slope, found.information, place, len(rows), cut.slice, n
                )

    def tally(self, games: int, seed: int = 0, drawings: int = DRAWINGS) -> Tally:
        """Honest and weak players of so many games."""
        rng = np.random.default_rng(seed)
        z: dict[str, list[float]] = {by.value: [] for by in CUTS}
        alone: list[bool] = []
        weak: dict[int, list[tuple[bool, float, bool]]] = {below: [] for below in BELOW}
        for _ in range(HALVINGS):
            held_out, references = self._halve(rng)
            for milepost in range(len(self.mileposts)):
                dealt = self._dealt(milepost, held_out, games, rng)
                elo = float(self.mileposts.elos[milepost])
                for rows in dealt:
                    own = {by: _take(self.sums[by, 0], rows) for by in CUTS}
                    alone.append(_anything(own, elo, references, z))
            for below in BELOW:
                weak[below] += self._weak(below, held_out, games, references[By.PHASE], rng)
        drawn = [one for _ in range(drawings) for one in self._drawn(games, rng)]
        return Tally(
            games=games,
            honest=len(alone),
            z={by: np.array(values) for by, values in z.items()},
            any_false=float(np.mean(alone)),
            drawn=len(drawn),
            any_drawn=_mean(drawn),
            weak={below: len(found) for below, found in weak.items()},
            found={below: _mean([one[0] for one in found]) for below, found in weak.items()},
            mean={below: _mean([one[1] for one in found]) for below, found in weak.items()},
            held={below: _mean([one[2] for one in found]) for below, found in weak.items()},
        )

    def _halve(self, rng: np.random.Generator) -> tuple[Ints, dict[By, SliceReference]]:
        games = np.unique(self.mileposts.game)
        learned = np.isin(self.mileposts.game, rng.permutation(games)[: len(games) // 2])
        rows = np.flatnonzero(learned)
        references = {
            by: fit_reference(_take(self.sums[by, 0], rows), self.mileposts.elo[rows]) for by in CUTS
        }
        return np.flatnonzero(~learned), references

    def _dealt(self, milepost: int, among: Ints, games: int, rng: np.random.Generator) -> Ints:
        own = rng.permutation(among[self.mileposts.milepost[among] == milepost])
        return own[: len(own) // games * games].reshape(-1, games)

    def _drawn(self, games: int, rng: np.random.Generator) -> list[bool]:
        """One honest player of each level, with references: all from games that are drawn with replacement.

        Halves of so few games hold few players of many games who share none, and what their games happen to
        have too much of, the other half has too little of. So what is left over beside the lines is drawn
        from the games of all levels: there is nothing to find, and players are as many as wanted.
        """
        elos = self.mileposts.elo
        among = rng.integers(len(elos), size=len(elos) // 2)
        levels = rng.choice(elos, size=len(among))
        references = {by: fit_reference(self._left_over(by, among, levels), levels) for by in CUTS}
        answer = []
        for elo in self.mileposts.elos.tolist():
            rows = rng.integers(len(elos), size=games)
            own = {by: self._left_over(by, rows, np.full(games, elo)) for by in CUTS}
            answer.append(_anything(own, elo, references, {}))
        return answer

    def _left_over(self, by: By, rows: Ints, elo: Floats) -> SliceSums:
        """What these appearances show beside the line through all, put upon the line at other Elos."""
        sums, line = _take(self.sums[by, 0], rows), self._lines[by]
        there = np.stack([line.bias(one) for one in self.mileposts.elo[rows]])
        here = np.stack([line.bias(one) for one in elo])
        return replace(sums, slope=sums.slope + sums.information * (here - there))

    @cached_property
    def _lines(self) -> dict[By, SliceReference]:
        return {by: fit_reference(self.sums[by, 0], self.mileposts.elo) for by in CUTS}

    def _weak(
        self, below: int, among: Ints, games: int, reference: SliceReference, rng: np.random.Generator
    ) -> list[tuple[bool, float, bool]]:
        answer = []
        for milepost in range(below // 100, len(self.mileposts)):
            strong = self._dealt(milepost, among, games, rng)
            weak = self._dealt(milepost - below // 100, among, games, rng)
            for rows, others in zip(strong, weak, strict=False):
                sums = _with_endgames(
                    _take(self.sums[By.PHASE, 0], rows), _take(self.sums[By.PHASE, below], others)
                )
                found = differences(sums, float(self.mileposts.elos[milepost]), reference, 1.0)
                endgame = found[_ENDGAME]
                if endgame is None or sums.decisions[:, _ENDGAME].sum() < LEAST:
                    continue
                q = q_values([np.nan if one is None else one.p for one in found])[_ENDGAME]
                truth = -below * endgame.elo / endgame.against_rest
                answer.append(
                    (
                        bool(q <= RATE and endgame.elo < 0),
                        endgame.against_rest,
                        endgame.low <= truth <= endgame.high,
                    )
                )
        return answer


def _anything(
    own: Mapping[By, SliceSums],
    elo: float,
    references: Mapping[By, SliceReference],
    z: dict[str, list[float]],
) -> bool:
    """Whether anything stands out of one player, by all kinds of slices; differences are added to `z`."""
    p = []
    for by, sums in own.items():
        found = differences(sums, elo, references[by], 1.0)
        for one, n in zip(found, sums.decisions.sum(axis=0), strict=True):
            if one is not None and n >= LEAST:
                z.setdefault(by.value, []).append(one.elo / one.deviation)
                p.append(one.p)
    return bool((q_values(p) <= RATE).any())


def _mean(values: Sequence[float] | Mask) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


def _take(sums: SliceSums, rows: Ints) -> SliceSums:
    return SliceSums(sums.slope[rows], sums.information[rows], sums.decisions[rows])


def _with_endgames(sums: SliceSums, others: SliceSums) -> SliceSums:
    def put(own: Floats, other: Floats) -> Floats:
        return np.column_stack((own[:, :_ENDGAME], other[:, _ENDGAME]))

    return SliceSums(
        put(sums.slope, others.slope),
        put(sums.information, others.information),
        put(sums.decisions, others.decisions),
    )


def table(tallies: list[Tally]) -> str:
    """The tables of docs/insights.md."""
    lines = [
        "| games | honest players | beyond 95% by phase | by colour | by pieces | anything stands out "
        "| players drawn anew | anything stands out |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in tallies:
        beyond = " | ".join(f"{_mean(np.abs(one.z[by.value]) > 1.96):.1%}" for by in CUTS)
        lines.append(
            f"| {one.games} | {one.honest:,} | {beyond} | {one.any_false:.1%} | {one.drawn:,} | "
            f"{one.any_drawn:.1%} |"
        )
    lines += ["", "| games | endgame below | players | found | mean found | interval holds it |"]
    lines.append("|---|---|---|---|---|---|")
    for one in tallies:
        for below in BELOW:
            lines.append(
                f"| {one.games} | {below} | {one.weak[below]:,} | {one.found[below]:.0%} | "
                f"{one.mean[below]:+.0f} | {one.held[below]:.0%} |"
            )
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    """Print the tables."""
    from assay.workspace import Workspace

    parser = argparse.ArgumentParser(description="Composite players, to measure what slices find.")
    parser.add_argument("workspace")
    parser.add_argument("--games", type=int, nargs="*", default=[6, 12, 24])
    asked = parser.parse_args(arguments)
    workspace = Workspace(asked.workspace)
    recipe_id = workspace.recipe_id()
    calibration = find_calibration(recipe_id)
    if calibration is None or calibration.agents is None:
        raise InputError(f"recipe {recipe_id} has no calibration with agents: make one with assay calibrate")
    decisions = workspace.decisions(recipe_id, trace=True)
    composites = Composites(Appearances.of(decisions), calibration.agents)
    print(table([composites.tally(games) for games in asked.games]))


if __name__ == "__main__":
    main()
