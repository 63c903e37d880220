"""The methods that read moves, by their short names: ours, and those that other packages bring.

A package names its method in the entry point group `assay.methods` (its short name, and where its class is);
it is then rated, forecast and tested as ours are. Nothing is loaded before it is used.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from inspect import isabstract
from typing import Any

from assay.errors import InputError
from assay.models.base import MoveModel

GROUP = "assay.methods"
"""The entry point group in which other packages name their methods."""

OURS = {
    "bayes": "assay.models.bayes:BayesModel",
    "choice": "assay.models.choice.model:ChoiceModel",
    "conformance": "assay.models.conformance:ConformanceModel",
    "covariance": "assay.models.covariance:CovarianceModel",
    "depth": "assay.models.depth.model:DepthModel",
    "gain": "assay.models.gain.model:GainModel",
    "markov": "assay.models.markov:MarkovModel",
    "traits": "assay.models.traits.model:TraitsModel",
}


class Methods(Mapping[str, type[MoveModel]]):
    """Every method by its short name, sorted; the class is loaded when it is asked for."""

    def __init__(self, homes: Mapping[str, EntryPoint]) -> None:
        self._homes = dict(sorted(homes.items()))

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)

    def __getitem__(self, name: str) -> type[MoveModel]:
        return _load(self._homes[name])


def methods() -> Methods:
    """Every method: ours, and those of the packages that are installed."""
    return _methods_on(tuple(sys.path))


def make_model(name: str, **settings: Any) -> MoveModel:
    """A method by its short name, with settings other than its own."""
    known = methods()
    if name not in known:
        raise InputError(f"there is no method '{name}': choose one of {', '.join(known)}")
    return known[name](**settings)


@cache
def _methods_on(path: tuple[str, ...]) -> Methods:
    """The methods that this search path has: reading what every installed package offers takes a while."""
    found = {name: EntryPoint(name, home, GROUP) for name, home in OURS.items()}
    for one in sorted(entry_points(group=GROUP), key=lambda one: (one.name, one.value)):
        other = found.setdefault(one.name, one)
        if other.value != one.value:
            raise InputError(
                f"{_package(one)} brings a method '{one.name}', a name that {_package(other)} has already: "
                "remove one of the two, or ask for another name"
            )
    return Methods(found)


def _load(one: EntryPoint) -> type[MoveModel]:
    """The class of a method, or what is wrong with it and whose it is."""
    try:
        found = one.load()
    except Exception as error:  # a package of someone else: anything may happen
        raise InputError(_broken(one, f"{type(error).__name__}: {error}")) from error
    if not (isinstance(found, type) and issubclass(found, MoveModel)):
        raise InputError(_broken(one, "it is not a class made from assay.models.base.MoveModel"))
    if isabstract(found):
        absent = ", ".join(sorted(found.__abstractmethods__))
        raise InputError(_broken(one, f"it does not fill the hooks {absent}"))
    if getattr(found, "name", None) != one.name:
        raise InputError(_broken(one, f"the class calls itself {getattr(found, 'name', None)!r}"))
    return found


def _broken(one: EntryPoint, why: str) -> str:
    return (
        f"the method '{one.name}' of {_package(one)} ({one.value}) cannot be used: {why}; "
        "repair the package or remove it"
    )


def _package(one: EntryPoint) -> str:
    return "assay itself" if one.dist is None else f"the package {one.dist.name} {one.dist.version}"
