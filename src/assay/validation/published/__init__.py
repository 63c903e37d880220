"""The papers' published numbers, one module and one JSON file per paper.

Each module has `PAPER`, the short name of the paper, and `rows()`, which recomputes what can be recomputed
from printed numbers. A new module is found by itself.
"""

import json
from importlib.resources import files
from typing import Any


def facts(name: str) -> dict[str, Any]:
    """The published numbers in `name`.json beside this file."""
    found: dict[str, Any] = json.loads(files(__name__).joinpath(f"{name}.json").read_text(encoding="utf-8"))
    return found
