"""Published number beside ours, for everything that can be recomputed from what the papers print."""

import math
import pkgutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

from assay.errors import InputError
from assay.validation import published


@dataclass(frozen=True)
class Reproduction:
    """One published number, the one computed, and how far they may be apart."""

    paper: str
    item: str
    published: float
    computed: float
    tolerance: float
    note: str = ""

    @property
    def ok(self) -> bool:
        """Whether the two agree within the tolerance. A bound is inclusive, up to rounding of floats."""
        return math.isfinite(self.computed) and abs(self.published - self.computed) <= self.tolerance + 1e-9

    def as_row(self) -> dict[str, Any]:
        """For programs."""
        return {**asdict(self), "ok": self.ok}


def papers() -> dict[str, ModuleType]:
    """The modules of published numbers, by the short name of the paper."""
    names = sorted(module.name for module in pkgutil.iter_modules(published.__path__))
    modules = [import_module(f"{published.__name__}.{name}") for name in names]
    return {module.PAPER: module for module in modules}


def reproduce(paper: str | None = None) -> list[Reproduction]:
    """Recompute the published numbers of one paper or of all."""
    return list(_rows(paper))


def _rows(paper: str | None) -> Iterator[Reproduction]:
    known = papers()
    if paper is not None and paper not in known:
        raise InputError(f"no published numbers of '{paper}': choose one of {', '.join(known)}")
    for name, module in known.items():
        if paper in (None, name):
            yield from module.rows()
