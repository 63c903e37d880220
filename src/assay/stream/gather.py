"""What a worker does with a block of games: read it, and add up the evidence of every player in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from assay.decisions.arrays import Ints
from assay.decisions.evaluation import evaluated_by
from assay.decisions.exclusions import TIME_CLASSES, Choice
from assay.decisions.grouping import By
from assay.pgn.reader import GameRecord, read_texts
from assay.stream.blocks import Block
from assay.stream.parts import moves_of, part_of
from assay.stream.sums import Part
from assay.stream.values import Positions

EVERY_TIME = Choice(frozenset(TIME_CLASSES))
"""Each time class has a source of values, and a scale, of its own: so none is left out."""

_LICHESS = "https://lichess.org/"


@dataclass(frozen=True)
class Asked:
    """What decides the sums, besides the games."""

    by: By = By.PLAYER
    choice: Choice = EVERY_TIME

    @property
    def words(self) -> str:
        """For telling one run from another."""
        return f"{self.by} {sorted(self.choice.times)} {self.choice.min_turns}"


@dataclass
class Gathered:
    """What a block of games adds."""

    numbers: list[int]
    """Of the blocks."""
    parts: dict[str, Part] = field(default_factory=dict)
    """By source of the values."""
    games: int = 0
    fragments: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    clocks: Counter[str] = field(default_factory=Counter)
    doubts: Counter[str] = field(default_factory=Counter)
    """Games whose evaluations are not what they should be, by what is wrong (assay.pgn.wrong_evaluations)."""
    without: int = 0
    """Games without evaluations, among those that may be rated."""
    partly: int = 0
    """Games that lack the evaluation of a move after the opening, other than the last."""


def gather(block: Block, asked: Asked) -> Gathered:
    """The evidence of a block of games by source of the values, name and part."""
    batch = read_texts(block.texts, block.source)
    found = Gathered([block.number], games=len(batch.games), fragments=batch.fragments)
    found.doubts = Counter(batch.doubts.values())
    positions = Positions.of(batch)
    found.clocks = positions.wrong_clocks(batch.games)
    reasons = [asked.choice.reason(one.exclusion, one.n_plies, one.time_class) for one in batch.games]
    found.left_out = Counter(reason for reason in reasons if reason is not None)
    rated = np.array([reason is None for reason in reasons], dtype=bool)
    evaluated = positions.evaluated() > 0
    found.without = int((rated & ~evaluated).sum())
    for source, games in _by_source(batch.games, np.flatnonzero(rated & evaluated)).items():
        own = [batch.games[game] for game in games.tolist()]
        moves = moves_of(own, batch, positions.only(games), source)
        found.partly += moves.partly
        part = part_of(own, moves, source, asked.by)
        if part is not None:
            found.parts[source] = part
    return found


def _by_source(records: Sequence[GameRecord], games: Ints) -> dict[str, Ints]:
    """The places of some games by the source of their values."""
    found: dict[str, list[int]] = {}
    known: dict[tuple[str | None, ...], str] = {}
    for game in games.tolist():
        one = records[game]
        site = one.site or ""
        if site.startswith(_LICHESS) and "/broadcast" not in site:
            site = _LICHESS  # the rest is the game's own
        tags = (site, one.event, one.evaluator, one.time_class)
        if tags not in known:
            known[tags] = evaluated_by(*(tag or "" for tag in tags))
        found.setdefault(known[tags], []).append(game)
    return {source: np.array(some, dtype=np.int64) for source, some in found.items()}
