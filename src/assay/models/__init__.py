"""The published methods, on one contract."""

from assay.models.bayes import BayesModel
from assay.models.elo_mapping import EloMapping

__all__ = ["BayesModel", "EloMapping"]
