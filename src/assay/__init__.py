"""Assay rates chess players by the moves they play.

The names below are the public ones. They are loaded when first used, so that `import assay` and
`assay --help` do not wait for numpy and pyarrow.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

__all__ = ["AssayError", "Calibration", "Decisions", "Ratings", "Study", "Workspace", "__version__", "models"]

_HOMES = {
    "AssayError": "assay.errors",
    "Calibration": "assay.rating.calibration",
    "Decisions": "assay.decisions.decisions",
    "Ratings": "assay.answers.ratings",
    "Study": "assay.study",
    "Workspace": "assay.workspace",
}

if TYPE_CHECKING:
    from assay import models as models
    from assay.answers.ratings import Ratings as Ratings
    from assay.decisions.decisions import Decisions as Decisions
    from assay.errors import AssayError as AssayError
    from assay.rating.calibration import Calibration as Calibration
    from assay.study import Study as Study
    from assay.workspace import Workspace as Workspace


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name == "models":
        return import_module("assay.models")
    raise AttributeError(f"module 'assay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
