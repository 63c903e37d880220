"""Every forecaster by its name, for `--model` and for the backtest.

Models of moves take part by the names they have in `assay.models`, given the decisions to read.
"""

from collections.abc import Callable, Sequence

from assay.domain.decisions import Decisions
from assay.errors import InputError
from assay.models.company import ALONE, CompanyModel
from assay.models.registry import methods
from assay.models.results import AFTER_THE_FACT, SUBMITTED, Beta, ResultsModel
from assay.validation.baselines import Colour, Constant, Elo, Forecaster, Glicko2
from assay.validation.move_forecaster import MoveForecaster
from assay.validation.peers import BradleyTerry, TrueSkillThroughTime, WholeHistoryRating

DEFAULT_K = 24.0

# The peers are left out of it: each takes minutes on the games of the competition.
USUAL = (
    "company",
    "company-alone",
    "ferreira2010",
    "glicko2",
    "elo-normal",
    "elo-logistic",
    "colour",
    "constant",
)


def _factories(k: float, beta: Beta) -> dict[str, Callable[[], Forecaster]]:
    return {
        "company": CompanyModel,
        "company-alone": lambda: CompanyModel(ALONE, name="company-alone"),
        "ferreira2010": lambda: ResultsModel(beta),
        "ferreira2010-after": lambda: ResultsModel(AFTER_THE_FACT, name="ferreira2010-after"),
        "glicko2": Glicko2,
        "elo-normal": lambda: Elo("normal", k),
        "elo-logistic": lambda: Elo("logistic", k),
        "colour": Colour,
        "constant": Constant,
        "bradley-terry": BradleyTerry,
        "trueskill-through-time": TrueSkillThroughTime,
        "whole-history": WholeHistoryRating,
    }


_SCHEDULE = "uses who meets whom in the games to be forecast, which the others do not"
_TUNED = (
    "settings tuned on months 1 to 100 of the 2010 competition, so its errors on those games are too small"
)
CAVEATS = {
    "company": f"{_SCHEDULE}; {_TUNED}",
    "company-alone": _TUNED,
    "ferreira2010": _TUNED,
    "ferreira2010-after": "settings chosen when the results of the 2010 competition were known",
}
"""What must be said of a forecaster beside others."""


NAMES = tuple(_factories(DEFAULT_K, SUBMITTED))


def forecaster(
    name: str, *, k: float = DEFAULT_K, beta: Beta = SUBMITTED, decisions: Decisions | None = None
) -> Forecaster:
    """A new forecaster of that name.

    `k` is that of Elo, `beta` that of the model of Ferreira 2010; models of moves read `decisions`.
    """
    factories, readers = _factories(k, beta), methods()
    if name in factories:
        return factories[name]()
    if name not in readers:
        raise InputError(f"there is no model {name!r}: choose one of {', '.join((*NAMES, *readers))}")
    if decisions is None:
        raise InputError(f"{name} reads moves: give it a workspace whose games have been analysed")
    return MoveForecaster(readers[name](), decisions)


def caveats(names: Sequence[str], *, beta: Beta = SUBMITTED) -> list[str]:
    """A line for each of these forecasters that does not compare as an equal."""
    said = [name for name in names if name in CAVEATS and (name != "ferreira2010" or beta == SUBMITTED)]
    return [f"{name}: {CAVEATS[name]}" for name in said]


def forecasters(
    names: Sequence[str],
    *,
    k: float = DEFAULT_K,
    beta: Beta = SUBMITTED,
    decisions: Decisions | None = None,
) -> list[Forecaster]:
    """New forecasters of these names."""
    return [forecaster(name, k=k, beta=beta, decisions=decisions) for name in names]
