"""The methods that read moves, by their short names. A method that is exported from assay.models is here."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from assay.errors import InputError
from assay.models.base import MoveModel


def methods() -> dict[str, type[MoveModel]]:
    """Every method by its short name, sorted."""
    models = import_module("assay.models")
    exported = [getattr(models, name) for name in models.__all__]
    found = [one for one in exported if isinstance(one, type) and issubclass(one, MoveModel)]
    return {one.name: one for one in sorted(found, key=lambda one: one.name)}


def make_model(name: str, **settings: Any) -> MoveModel:
    """A method by its short name, with settings other than its own."""
    known = methods()
    if name not in known:
        raise InputError(f"there is no method '{name}': choose one of {', '.join(known)}")
    return known[name](**settings)
