"""Honest games judged by what has not seen them, and how often groups of them are unusual.

Milepost games are split into folds by player (assay.models.appearances). Turns of a fold are judged by agents
and curves made from the other folds. The few numbers of the norms (five for each statistic) are fitted to all
of them. Composites of 5 and 9 games are of different players of one century, no game twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import ndtr

from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.models.appearances import Appearances, assign_folds
from assay.models.depth.agents import AgentsByElo, fit_agents
from assay.models.depth.model import DepthModel
from assay.rating.calibration import reference_of
from assay.screening.norms import Norms, Tail, rating_error
from assay.screening.statistics import Curves, Evidence, Turns, expected_of, rules
from assay.screening.z_scores import combined_z, judge, z_by_turns
from research.calibration.screening_norms import fit_curves, fit_turn_norms

FOLDS = 4
GAMES = (1, 5, 9)
BANDS = ((1400, 1800), (1800, 2100), (2100, 2400), (2400, 2900))

THRESHOLDS = (1.645, 2.326, 2.75, 3.09)
"""One-sided 5 in 100, 1 in 100, 3 in 1,000 and 1 in 1,000."""

DEALT = 24
"""How often games are dealt into composites."""

OPENS, PLAYERS = 200, 120

SIZES = tuple(range(1, 10))
"""Games of the groups whose tails are kept."""

SMALL_EVENTS = {5: 10, 9: 5}
"""Players of events, by games, in which honest games with the engine's lines are enough to name anybody."""


class HonestGames:
    """Appearances of honest players, every fold of them judged by the others."""

    def __init__(self, decisions: Decisions, seed: int = 0) -> None:
        """`seed` is that of the split into folds."""
        self.appearances = Appearances.of(decisions)
        self.turns = Turns.of(decisions.filter(*rules()))
        self.place = self.appearances.place(self.turns.decisions)
        self.elo = self.appearances.elo
        self._depth = {DepthModel.name: self.appearances.stack(DepthModel())}
        games = reference_of(self.appearances, self._depth)
        fold = np.full(len(self.appearances), -1)
        rng = np.random.default_rng(seed)
        fold[games.rows] = assign_folds(games.game, games.player, games.milepost, FOLDS, rng)
        # An appearance all of whose turns were decided has nothing to be judged by.
        fold[np.bincount(self.place, minlength=len(fold)) == 0] = -1
        self.rows = np.flatnonzero(fold >= 0)
        self._folds = []
        for number in range(FOLDS):
            others = np.flatnonzero((fold >= 0) & (fold != number))
            agents = self.agents(others)
            at = np.flatnonzero(fold[self.place] == number)
            turns = Turns.of(self.turns.decisions.take(at))
            curves = self.curves(agents, others)
            self._folds.append(
                (at, expected_of(turns, self.place[at], self.elo, agents, curves, rating_error(self.elo)))
            )

    def agents(self, rows: Ints) -> AgentsByElo:
        """The agents by Elo that some appearances give."""
        reference = reference_of(self.appearances, self._depth, among=rows)
        used = self._depth[DepthModel.name].only(reference.rows.tolist())
        return fit_agents(reference.elos, used.weighted(reference.membership))

    def curves(self, agents: AgentsByElo, rows: Ints) -> Curves:
        """The curves that the turns of some appearances give, with some agents."""
        elo = self.elo[self.place]
        among = np.isin(self.place, rows)
        projected = self.turns.project(agents, elo).take(np.flatnonzero(among))
        return fit_curves(projected, self.turns.observed()[among], elo[among])

    def evidence(self, played: Ints | None = None) -> Evidence:
        """Evidence of every appearance, by what has not seen it; of other moves where `played`."""
        parts = [expected.evidence(None if played is None else played[at]) for at, expected in self._folds]
        return Evidence(**{name: sum(vars(part)[name] for part in parts) for name in vars(parts[0])})

    def norms(self, source: str, agents: AgentsByElo) -> Norms:
        """The norms that ship, for agents made from all games."""
        evidence = self.evidence().only(self.rows)
        return fit_turn_norms(source, evidence, self.elo[self.rows], self.curves(agents, self.rows))

    def groups(
        self, n: int, dealt: int, among: Ints | None = None, width: float = 100, seed: int = 0
    ) -> list[Ints]:
        """Group n appearances of one century, no game twice in one; dealt so many times by chance."""
        among = self.rows if among is None else among
        if n == 1:
            return [np.array([row]) for row in among]
        rng = np.random.default_rng(seed)
        century = np.round(self.elo[among] / width)
        groups = []
        for _ in range(dealt):
            for hundred in np.unique(century):
                here = rng.permutation(among[century == hundred])
                _, first = np.unique(self.appearances.game[here], return_index=True)
                for rows in (here[np.sort(first)], np.delete(here, first)):
                    groups += [rows[i : i + n] for i in range(0, len(rows) - n + 1, n)]
        return groups

    def z(self, evidence: Evidence, groups: Sequence[Ints], norms: Norms) -> Floats:
        """Standard z by STATISTICS and together: shape (groups, STATISTICS and one)."""
        reference = np.array([self.elo[rows].mean() for rows in groups])
        z = z_by_turns(evidence, groups, norms, reference, rating_error(reference), alone=len(groups[0]) == 1)
        return np.column_stack((z, combined_z(z)))

    def rates(self, norms: Norms) -> Iterator[dict[str, Any]]:
        """Shares of honest groups beyond thresholds, by number of games and band."""
        evidence = self.evidence()
        for n in GAMES:
            groups = self.groups(n, DEALT)
            z = self.z(evidence, groups, norms)[:, -1]
            reference = np.array([self.elo[rows].mean() for rows in groups])
            yield from rates_of(z, reference, n, THRESHOLDS, 1 if n == 1 else DEALT)

    def tails(self, norms: Norms, among: Ints | None = None, sizes: Sequence[int] = SIZES) -> Iterator[Tail]:
        """How far from zero groups are, of all appearances or of some."""
        evidence = self.evidence()
        for n in sizes:
            dealt = 1 if n == 1 else DEALT
            yield Tail.of(n, self.z(evidence, self.groups(n, dealt, among), norms)[:, -1], dealt)

    def opens(self, norms: Norms, opens: int = OPENS) -> list[dict[str, Any]]:
        """Small events of composite players, each judged by the tail of the appearances outside of it."""
        evidence = self.evidence()

        def fields(n: int, players: int) -> Iterator[tuple[Floats, Norms]]:
            for seed in range(opens):
                every = self.groups(n, 1, seed=seed)
                chosen = np.random.default_rng(seed).permutation(len(every))[:players]
                event = [every[place] for place in chosen]
                others = np.setdiff1d(self.rows, np.concatenate(event))
                tails = tuple(self.tails(norms, others, [n]))
                yield self.z(evidence, event, norms)[:, -1], replace(norms, tails=tails)

        return [counted_opens(fields(n, players), n) for n, players in SMALL_EVENTS.items()]


def counted_opens(fields: Iterable[tuple[Floats, Norms]], games: int) -> dict[str, Any]:
    """In how many fields of honest players somebody is named, as assay.screening judges them.

    Each is given with norms whose tails have none of its games. Nobody is held back for too few games.
    """
    judged = [
        judge(z, np.full(len(z), float(games)), replace(norms, opens={"naming": 1})) for z, norms in fields
    ]
    return {
        "opens": len(judged),
        "players": int(np.median([len(field.p) for field in judged])),
        "games": games,
        "named": sum(bool(field.unusual.any()) for field in judged),
        "shifted": sum(field.shifted for field in judged),
    }


def rates_of(
    z: Floats,
    reference: Floats,
    games: int,
    thresholds: Sequence[float],
    independent: float,
    bands: Sequence[tuple[int, int]] = BANDS,
) -> Iterator[dict[str, Any]]:
    """Shares of honest groups whose z is beyond thresholds, in every band and in all."""
    named = [("all", -np.inf, np.inf), *((f"{low}-{high}", low, high) for low, high in bands)]
    for name, low, high in named:
        in_band = z[(reference >= low) & (reference < high)]
        if not len(in_band):
            continue
        for threshold in thresholds:
            yield {
                "games": games,
                "band": name,
                "threshold": threshold,
                "nominal": round(float(ndtr(-threshold)), 6),
                "above": round(float((in_band > threshold).mean()), 6),
                "below": round(float((in_band < -threshold).mean()), 6),
                "groups": round(len(in_band) / independent),
            }
