"""What the comments of a block of games say, as flat arrays: one value, and one clock, for each position.

The same numbers as the tables of an import give, without the tables: nothing is stored here, and moves that
are not read need not be replayed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.decisions import evaluation
from assay.decisions.arrays import Floats, Ints
from assay.decisions.clocks import move_times
from assay.pgn.reader import Batch, GameRecord
from assay.store.endings import ending_values
from assay.store.replay import last_boards


@dataclass(frozen=True, eq=False)
class Positions:
    """The positions of the games of a block, one more than moves: those of game i from `offsets[i]` on."""

    offsets: Ints
    value: Floats
    """Mover's view; NaN where nobody evaluated the position."""
    clock: Floats
    elapsed: Floats

    @classmethod
    def of(cls, batch: Batch) -> Positions:
        """What the comments of all games say."""
        plies = np.array([record.n_plies for record in batch.games], dtype=np.int64)
        offsets = np.concatenate(([0], np.cumsum(plies + 1)))
        value, clock, elapsed = (np.full(int(offsets[-1]), np.nan) for _ in range(3))
        if batch.plain is not None:
            said = batch.plain
            place = offsets[said.game] + said.position
            value[place] = evaluation.from_columns(said.cp, said.mate)
            clock[place], elapsed[place] = said.clock, said.elapsed
        for game, record in enumerate(batch.games):
            for one in batch.said.get(record.game_id, ()):
                place = offsets[game] + one.position
                if one.mate is not None:
                    value[place] = evaluation.from_mate(one.mate)
                elif one.cp is not None:
                    value[place] = evaluation.from_cp(one.cp)
                clock[place] = np.nan if one.clock is None else one.clock
                elapsed[place] = np.nan if one.elapsed is None else one.elapsed
        return cls(offsets, value, clock, elapsed)

    def evaluated(self) -> Ints:
        """How many positions of each game have a value."""
        sums = np.concatenate(([0], np.cumsum(~np.isnan(self.value))))
        return np.diff(sums[self.offsets])

    def only(self, games: Ints) -> Positions:
        """Those of some games, in this order."""
        lengths = np.diff(self.offsets)[games]
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        rows = np.arange(offsets[-1]) + np.repeat(self.offsets[games] - offsets[:-1], lengths)
        return Positions(offsets, self.value[rows], self.clock[rows], self.elapsed[rows])

    def wrong_clocks(self, records: Sequence[GameRecord]) -> Counter[str]:
        """How many clocks tell nothing, by what is wrong with them (assay.store.comments)."""
        if np.isnan(self.clock).all() and np.isnan(self.elapsed).all():
            return Counter()
        is_move = np.ones(len(self.value), dtype=bool)
        is_move[self.offsets[:-1]] = False  # what a clock shows stands behind the move
        times = move_times(
            self.clock[is_move],
            self.elapsed[is_move],
            np.diff(self.offsets) - 1,
            [record.time_control for record in records],
        )
        found = {"backwards": times.backwards, "absurd": times.absurd}
        return Counter({name: n for name, n in found.items() if n})

    def settle(self, records: Sequence[GameRecord]) -> None:
        """Give last positions that nobody evaluated their value by the rules, where those ended the game."""
        last = self.offsets[1:] - 1
        unknown = np.flatnonzero(np.isnan(self.value[last]))
        if not len(unknown):
            return
        moves = [records[game].moves for game in unknown.tolist()]
        lengths = np.array([len(one) for one in moves], dtype=np.int64)
        fens = [records[game].start_fen for game in unknown.tolist()]
        boards = last_boards(np.concatenate(moves), lengths, fens if any(fens) else None)
        self.value[last[unknown]] = ending_values(boards.states, boards.turns)
