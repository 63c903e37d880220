"""Every forecaster from results alone by its name, for `--model` and for the backtest."""

from collections.abc import Callable, Sequence

from assay.errors import InputError
from assay.results.baselines import Colour, Constant, Elo, Forecaster, Glicko2
from assay.results.company import ALONE, CompanyModel
from assay.results.fit import AFTER_THE_FACT, SUBMITTED, Beta, ResultsModel
from assay.results.peers import BradleyTerry, TrueSkillThroughTime, WholeHistoryRating

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


def forecaster(name: str, *, k: float = DEFAULT_K, beta: Beta = SUBMITTED) -> Forecaster:
    """A new forecaster of that name; `k` is that of Elo, `beta` that of the model of Ferreira 2010."""
    factories = _factories(k, beta)
    if name not in factories:
        raise InputError(f"there is no model {name!r}: choose one of {', '.join(NAMES)}")
    return factories[name]()


def caveats(names: Sequence[str], *, beta: Beta = SUBMITTED) -> list[str]:
    """A line for each of these forecasters that does not compare as an equal."""
    said = [name for name in names if name in CAVEATS and (name != "ferreira2010" or beta == SUBMITTED)]
    return [f"{name}: {CAVEATS[name]}" for name in said]
