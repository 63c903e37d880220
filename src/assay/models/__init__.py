"""The published methods, on one contract."""

from assay.models.conformance import ConformanceModel
from assay.models.covariance import CovarianceModel
from assay.models.elo_mapping import EloMapping
from assay.models.markov import MarkovModel

__all__ = ["ConformanceModel", "CovarianceModel", "EloMapping", "MarkovModel"]
