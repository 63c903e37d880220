"""The moves of many games as codes: a tenth of what they take as text, so that hundreds of thousands fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from assay.decisions import move_codes
from assay.decisions.arrays import Codes, Ints, flat, list_offsets
from assay.store.replay import Replay, replay_codes


@dataclass(frozen=True, eq=False)
class GameLines:
    """Moves of game i at `offsets[i]` up to `offsets[i + 1]`, and the first position where it is unusual."""

    codes: Codes
    offsets: Ints
    starts: Mapping[int, str]

    @classmethod
    def of(cls, games: pa.Table | Iterable[pa.Table]) -> GameLines:
        """From tables of games with the columns `moves` and `start_fen`, which need not be there at once."""
        codes, lengths, starts = [np.zeros(0, np.int16)], [np.zeros(0, np.int64)], {}
        n_games = 0
        for some in [games] if isinstance(games, pa.Table) else games:
            if not some.num_rows:
                continue
            codes.append(move_codes.encode(flat(some["moves"])))
            lengths.append(np.diff(list_offsets(some["moves"])))
            for index, fen in enumerate(some["start_fen"].to_pylist()):
                if fen is not None:
                    starts[n_games + index] = fen
            n_games += some.num_rows
        offsets = np.concatenate(([0], np.cumsum(np.concatenate(lengths))))
        return cls(np.concatenate(codes), offsets, starts)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Ints:
        """Number of moves of each game."""
        return np.diff(self.offsets)

    def moves(self, game: int, plies: int) -> list[str]:
        """The first moves of a game, UCI."""
        first = int(self.offsets[game])
        found: list[str] = move_codes.decode(self.codes[first : first + plies]).to_pylist()
        return found

    def replay(self, games: Ints) -> Replay:
        """The positions of some games."""
        codes = [self.codes[self.offsets[game] : self.offsets[game + 1]] for game in games]
        fens = [self.starts.get(int(game)) for game in games] if self.starts else None
        return replay_codes(np.concatenate([np.zeros(0, np.int16), *codes]), self.lengths[games], fens)
