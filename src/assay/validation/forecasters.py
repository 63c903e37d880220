"""Forecasters of results and of moves by their names, for the backtest."""

from collections.abc import Sequence

from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.models.registry import methods
from assay.results.baselines import DEFAULT_K, NAMES, Forecaster, forecaster
from assay.results.ferreira import SUBMITTED, Beta
from assay.validation.move_forecaster import MoveForecaster


def forecasters(
    names: Sequence[str],
    *,
    k: float = DEFAULT_K,
    beta: Beta = SUBMITTED,
    decisions: Decisions | None = None,
) -> list[Forecaster]:
    """New forecasters of these names; models of moves read `decisions`."""
    return [
        forecaster(name, k=k, beta=beta) if name in NAMES else _move_forecaster(name, decisions)
        for name in names
    ]


def _move_forecaster(name: str, decisions: Decisions | None) -> Forecaster:
    readers = methods()
    if name not in readers:
        raise InputError(f"there is no model {name!r}: choose one of {', '.join((*NAMES, *readers))}")
    if decisions is None:
        raise InputError(f"{name} reads moves: give it a workspace whose games have been analysed")
    return MoveForecaster(readers[name](), decisions)
