"""The published methods, on one contract."""

from assay.models.elo_mapping import EloMapping
from assay.models.gain import GainModel

__all__ = ["EloMapping", "GainModel"]
