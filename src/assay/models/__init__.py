"""The published methods, on one contract."""

from assay.models.bayes import BayesModel
from assay.models.company import CompanyModel
from assay.models.elo_mapping import EloMapping
from assay.models.results import ResultsModel

__all__ = ["BayesModel", "CompanyModel", "EloMapping", "GainModel", "ResultsModel"]
from assay.models.gain import GainModel
