"""What arrays hold, by name: the types that every module writes in its signatures."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Values = npt.NDArray[np.int32]
"""Evaluations: centipawns, with mates beyond them (assay.decisions.evaluation)."""
Codes = npt.NDArray[np.int16]
"""Moves, as assay.decisions.moves encodes them."""
Hashes = npt.NDArray[np.uint64]
"""Of position keys (assay.store.replay)."""
