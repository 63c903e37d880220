"""Pages of the documentation: words from a jinja template, tables from rows, written whole.

A template (`NAME.md.jinja`) lies beside the code whose numbers it shows. Its words stand in the template, its
numbers come as a context, so that a page says what was measured and nothing is filled in by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from assay.files import write_text

# Markdown, not HTML: nothing is escaped.
ENVIRONMENT = Environment(
    undefined=StrictUndefined,
    autoescape=False,
    keep_trailing_newline=True,
    trim_blocks=True,
    lstrip_blocks=True,
)

PLAIN, RIGHT = "---", "---:"
"""Cells of the rule below the heads of a table: columns as they come, and numbers to the right."""


def table(
    heads: Sequence[object], rows: Iterable[Sequence[object]], rule: str | Sequence[str] = PLAIN
) -> str:
    """A table; `rule` is the cell below each head, or one for every head. No line break at the end."""
    cells = [rule] * len(heads) if isinstance(rule, str) else rule
    return "\n".join([_line(heads), "|" + "|".join(cells) + "|", *(_line(row) for row in rows)])


def _line(cells: Iterable[object]) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def render(template: Traversable, context: Mapping[str, object]) -> str:
    """A template filled in. A name that the context lacks is an error."""
    return ENVIRONMENT.from_string(template.read_text(encoding="utf-8")).render(context)


def write_pages(folder: Path, pages: Mapping[str, str]) -> list[Path]:
    """Write pages (and their figures) by their names below a folder; returns where they are."""
    written = []
    for name, text in pages.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        write_text(place, text)
        written.append(place)
    return written
