"""Decisions in pieces of whole games, each let go after it was read, and what is remembered of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import numpy as np

from assay.decisions.decisions import Decisions
from assay.decisions.exclusions import Exclusion
from assay.decisions.rules import rated
from assay.models.base import recipe_of


class Pieces:
    """Reads pieces once, in order. What it knows of players, games and times is of those read so far."""

    def __init__(self, pieces: Iterable[Decisions]) -> None:
        self._left = iter(pieces)
        self._first = next((piece for piece in self._left if len(piece)), None)
        self._several = False
        self.recipe_id = "" if self._first is None else recipe_of(self._first)
        """The recipe of all of them."""
        self.players: set[str] = set()
        self.time_classes: set[str] = set()
        """Of the decisions that may be rated."""
        self.traced = False
        """Whether any of them came with the trace of its search."""
        self.left_out: Counter[str] = Counter()
        """How many games may not be rated, by reason."""
        self._moves: Counter[bool] = Counter()

    @property
    def without_value(self) -> float:
        """Which share of the moves of games that may be rated have no value."""
        return self._moves[True] / max(self._moves.total(), 1)

    @property
    def only(self) -> Decisions | None:
        """The first piece, where there was no other."""
        return None if self._several else self._first

    def read(self, players: Sequence[str] | None = None) -> Iterator[Decisions]:
        """The pieces, or what is in them of some players."""
        first = [] if self._first is None else [self._first]
        for piece in chain(first, self._left):
            if not len(piece):
                continue
            if self._first is not None and piece is not self._first:
                self._several, self._first = True, None
            self._remember(piece)
            yield piece if players is None else piece.select(player=players)

    def _remember(self, piece: Decisions) -> None:
        self.players |= set(piece.players)
        self.traced |= bool(piece.traced.any())
        kept = piece.filter(rated())
        names = kept.names("time_class")
        self.time_classes |= {names[code] for code in set(kept.codes("time_class").tolist()) if code >= 0}
        self.left_out.update(left_out_of(piece))
        names, codes = piece.names("exclusion"), piece.codes("exclusion")
        valueless = np.isin(
            codes, [k for k, name in enumerate(names) if name == Exclusion.NOT_ANALYSED.value]
        )
        self._moves.update({False: int((codes < 0).sum()), True: int(valueless.sum())})


def left_out_of(decisions: Decisions) -> dict[str, int]:
    """How many games of some decisions are not rated, by reason; for sources that keep no list of them."""
    names, reasons = decisions.names("exclusion"), decisions.codes("exclusion")
    games = decisions.codes("game_id")
    kept = np.unique(games[reasons < 0])
    pairs = np.unique(np.stack((games, reasons), axis=1)[reasons >= 0], axis=0)
    found = Counter(names[reason] for reason in pairs[~np.isin(pairs[:, 0], kept), 1].tolist())
    return dict(found)
