"""The published methods, on one contract."""

from assay.models.bayes import BayesModel
from assay.models.choice import ChoiceModel
from assay.models.company import CompanyModel
from assay.models.conformance import ConformanceModel
from assay.models.covariance import CovarianceModel
from assay.models.elo_mapping import EloMapping
from assay.models.gain import GainModel
from assay.models.markov import MarkovModel
from assay.models.results import ResultsModel

__all__ = [
    "BayesModel",
    "ChoiceModel",
    "CompanyModel",
    "ConformanceModel",
    "CovarianceModel",
    "EloMapping",
    "GainModel",
    "MarkovModel",
    "ResultsModel",
]
