"""The published methods, on one contract."""

from assay.models.elo_mapping import EloMapping
from assay.models.markov import MarkovModel

__all__ = ["EloMapping", "MarkovModel"]
