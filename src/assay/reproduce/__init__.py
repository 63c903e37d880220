"""Published number beside ours, for everything that can be recomputed from what the papers print.

Each row names what it shows. *Inference*: functions that rate players in production (a posterior, a fit, a
stationary vector, a cross-correlation) find the number from what is printed. *Arithmetic*: all else, that is
the paper's formulas on its own numbers, printed numbers beside each other, and properties that hold by
construction. A row in doubt counts as arithmetic. A simulated player of a printed skill that is found again
reproduces nothing of the paper: the skill is expected, not published.
"""

import json
import pkgutil
from importlib import import_module
from importlib.resources import files
from types import ModuleType
from typing import Any

from assay.answers.results import Reproduction
from assay.errors import InputError


def facts(paper: str) -> dict[str, Any]:
    """The printed numbers of a paper."""
    place = files("assay") / "data" / "papers" / f"{paper}.json"
    numbers: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
    return numbers


def papers() -> dict[str, ModuleType]:
    """The modules of this package by the name of their paper."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return {name: import_module(f"{__name__}.{name}") for name in names}


def reproduce(paper: str | None = None) -> list[Reproduction]:
    """Recompute the published numbers of one paper or of all."""
    modules = papers()
    if paper is not None and paper not in modules:
        raise InputError(f"no published numbers of '{paper}': choose one of {', '.join(modules)}")
    return [row for name, module in modules.items() if paper in (None, name) for row in module.rows()]
