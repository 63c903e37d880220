"""Asking what a command asks: its own function, with the defaults of its options, without the command line.

So a page's JSON is what the command prints with --json, to the letter.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from typer.models import ParameterInfo


def ask(command: Callable[..., Any], **given: Any) -> Any:
    """The answer of a command, asked with some of its parameters; the others are as if left out."""
    function = inspect.unwrap(command)
    parameters = inspect.signature(function).parameters
    unknown = sorted(set(given) - set(parameters))
    if unknown:
        raise TypeError(f"{function.__name__} takes no {unknown[0]}")
    whole = {name: _default(one) for name, one in parameters.items() if name not in given}
    return function(**whole, **given)


def _default(parameter: inspect.Parameter) -> Any:
    value = parameter.default
    if isinstance(value, ParameterInfo):
        value = value.default
    if value is inspect.Parameter.empty or value is ...:
        raise TypeError(f"{parameter.name} must be given")
    return value
