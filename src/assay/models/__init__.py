"""The published methods, on one contract.

Each is loaded when it is first used: whoever wants one method does not wait for the others, nor for the
compiler that some of them need. A method by its short name: `assay.models.registry`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

_HOMES = {
    "BayesModel": "assay.models.bayes",
    "ChoiceModel": "assay.models.choice.model",
    "CompanyModel": "assay.results.company",
    "ConformanceModel": "assay.models.conformance",
    "CovarianceModel": "assay.models.covariance",
    "DepthModel": "assay.models.depth.model",
    "EloMapping": "assay.models.elo_mapping",
    "GainModel": "assay.models.gain",
    "MarkovModel": "assay.models.markov",
    "ResultsModel": "assay.results.ferreira",
    "TraitsModel": "assay.models.traits.model",
}

__all__ = list(_HOMES)

if TYPE_CHECKING:
    from assay.models.bayes import BayesModel as BayesModel
    from assay.models.choice.model import ChoiceModel as ChoiceModel
    from assay.models.conformance import ConformanceModel as ConformanceModel
    from assay.models.covariance import CovarianceModel as CovarianceModel
    from assay.models.depth.model import DepthModel as DepthModel
    from assay.models.elo_mapping import EloMapping as EloMapping
    from assay.models.gain import GainModel as GainModel
    from assay.models.markov import MarkovModel as MarkovModel
    from assay.models.traits.model import TraitsModel as TraitsModel
    from assay.results.company import CompanyModel as CompanyModel
    from assay.results.ferreira import ResultsModel as ResultsModel


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'assay.models' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
