"""The published methods, on one contract."""

from assay.models.choice import ChoiceModel
from assay.models.elo_mapping import EloMapping

__all__ = ["ChoiceModel", "EloMapping"]
