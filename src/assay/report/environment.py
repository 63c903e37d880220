"""Templates of pages, the report's and those of `assay serve`: what they show is text, whoever wrote it."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from assay.decisions.text import printable


def page_templates(package: str) -> Environment:
    """The templates of a package: values are escaped, and a name that a page lacks is an error."""
    return Environment(
        loader=PackageLoader(package),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _shown(value: Any) -> Any:
    """Text without control characters and overrides of direction."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
