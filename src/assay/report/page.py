"""What every page needs: templates, numbers as people read them, and what a report was made from and with.

Pages are those of the report and of `assay serve`: what they show is text, whoever wrote it.
"""

from __future__ import annotations

import base64
import hashlib
import math
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from assay.answers.answer import counted, points
from assay.errors import printable
from assay.figures.svg import page_style

MINUS = "\N{MINUS SIGN}"

LIBRARIES = ("chess", "numba", "numpy", "pyarrow", "scipy")
"""Those that can change a number; what only draws is not named."""


# Templates -----------------------------------------------------------------------------------------------


def page_templates(package: str) -> Environment:
    """Load the templates of a package: values are escaped, and a name that a page lacks is an error.

    The filter `for_pages` is for those who have no command line before them: a report has its command.
    """
    templates = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("assay.report")]),  # shared.html
        autoescape=True,
        finalize=_without_controls,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for word in (elo, counted, points):
        templates.filters[word.__name__] = word
    templates.filters["segment"] = lambda text: quote(str(text), safe="")
    templates.filters["shade"] = lambda strength: round(10 * float(strength))
    templates.filters["for_pages"] = str
    return templates


@cache
def report_templates() -> Environment:
    """Load the templates of reports, which contain their style and script."""
    templates = page_templates("assay.report")
    templates.globals["figure_style"] = lambda: Markup(page_style())
    templates.globals["asset"] = asset
    templates.globals["fingerprint"] = _fingerprint
    return templates


def asset(name: str) -> Markup:
    """Read a style sheet or script of the report, to stand in the page as it is."""
    return Markup((files("assay.report") / "templates" / name).read_text(encoding="utf-8"))


def _fingerprint(name: str) -> str:
    """Give the hash by which the page allows this script and no other to run."""
    digest = hashlib.sha256(str(asset(name)).encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _without_controls(value: Any) -> Any:
    """Remove control characters and overrides of direction from text."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


# Numbers -------------------------------------------------------------------------------------------------


def elo(value: float) -> str:
    """Write a rating, whole; a dash where it is not known."""
    return f"{value:.0f}".replace("-", MINUS) if math.isfinite(value) else "–"


def pawns(centipawns: float, digits: int = 2) -> str:
    """Write centipawns as pawns with a sign."""
    value = round(centipawns / 100, digits)
    return f"{value:+.{digits}f}".replace("-", MINUS) if value else f"{0:.{digits}f}"


# Provenance ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """Program, engine, recipe and counts behind a report: enough to make it again, and to compare two."""

    engine: str
    """Name and version of the engine, or where the evaluations come from."""
    recipe: Mapping[str, object]
    recipe_id: str
    games: int
    decisions: int
    settings: Mapping[str, object] = field(default_factory=dict)
    """The engine's settings: hash, threads, ..."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """How many games or decisions each reason left out."""
    command: str = ""
    """The command that makes the report again; empty where it was made from Python."""
    date: str = ""
    """When it was made; empty where two runs must give the same file."""
    assay: str = field(default_factory=lambda: installed("assay-chess"))
    versions: Mapping[str, str] = field(default_factory=lambda: versions())


def versions() -> dict[str, str]:
    """List Python and the libraries that compute, with their versions."""
    return {"python": platform.python_version(), **{name: installed(name) for name in LIBRARIES}}


def installed(package: str) -> str:
    """Give the installed version of a package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
