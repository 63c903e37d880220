"""Options of many decisions at once: flat arrays with offsets."""

from dataclasses import dataclass

import numpy as np

from assay.decisions.arrays import Codes, Floats, Ints, Values


@dataclass(frozen=True)
class Lists:
    """Options of many rows: flat move codes and values with offsets."""

    offsets: Ints
    codes: Codes
    values: Values

    @property
    def lengths(self) -> Ints:
        """Number of options of each row."""
        return np.diff(self.offsets)

    def take(self, rows: Ints) -> "Lists":
        """The lists of these rows; a negative row has none."""
        lengths = np.where(rows < 0, 0, self.lengths[np.maximum(rows, 0)] if len(self.offsets) > 1 else 0)
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        places = np.repeat(self.offsets[np.maximum(rows, 0)] - offsets[:-1], lengths) + np.arange(offsets[-1])
        return Lists(offsets, self.codes[places], self.values[places])

    def insert_last(self, rows: Ints, codes: Codes, values: Values) -> "Lists":
        """One more option at the end of each of these rows."""
        more = np.zeros(len(self.offsets) - 1, dtype=np.int64)
        more[rows] = 1
        at = self.offsets[rows + 1]
        offsets = self.offsets + np.concatenate(([0], np.cumsum(more)))
        return Lists(offsets, np.insert(self.codes, at, codes), np.insert(self.values, at, values))

    def find(self, wanted: Codes) -> Ints:
        """Index of the wanted code in the list of its row; -1 where it is not there."""
        row = np.repeat(np.arange(len(wanted)), self.lengths)
        hits = np.flatnonzero(self.codes == wanted[row])[::-1]  # reversed: the first hit of a row stays
        index = np.full(len(wanted), -1, dtype=np.int64)
        index[row[hits]] = hits - self.offsets[row[hits]]
        return index

    def first(self) -> Floats:
        """Value of the first option of each row; NaN where there is none."""
        some = self.lengths > 0
        value = np.full(len(some), np.nan)
        value[some] = self.values[self.offsets[:-1][some]]
        return value
