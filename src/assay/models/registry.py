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
from typing import TYPE_CHECKING, Any

from assay.errors import InputError

if TYPE_CHECKING:
    from assay.models.base import MoveModel

GROUP = "assay.methods"
"""The entry point group in which other packages name their methods."""

OURS = {
    "bayes": "assay.models.bayes:BayesModel",
    "choice": "assay.models.choice.model:ChoiceModel",
    "conformance": "assay.models.conformance:ConformanceModel",
    "covariance": "assay.models.covariance:CovarianceModel",
    "depth": "assay.models.depth.model:DepthModel",
    "gain": "assay.models.gain:GainModel",
    "markov": "assay.models.markov:MarkovModel",
    "traits": "assay.models.traits.model:TraitsModel",
}


class Methods(Mapping[str, "type[MoveModel]"]):
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
    check_method(name)
    return methods()[name](**settings)


def check_method(name: str) -> None:
    """Refuse the name of a method that does not exist: InputError. Loads none."""
    if name not in methods():
        raise InputError(f"there is no method '{name}': choose one of {', '.join(methods())}")


@cache
def _methods_on(path: tuple[str, ...]) -> Methods:
    """The methods that this search path has: reading what every installed package offers takes a while."""
    homes = {name: EntryPoint(name, home, GROUP) for name, home in OURS.items()}
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        other = homes.setdefault(point.name, point)
        if other.value != point.value:
            raise InputError(
                f"{_package(point)} brings a method '{point.name}', a name that {_package(other)} has "
                "already: remove one of the two, or ask for another name"
            )
    return Methods(homes)


def _load(point: EntryPoint) -> type[MoveModel]:
    """The class of a method, or what is wrong with it and whose it is."""
    from assay.models.base import MoveModel  # numpy and more: a wrong name is refused without it

    try:
        method = point.load()
    except Exception as error:  # a package of someone else: anything may happen
        raise _broken(point, f"{type(error).__name__}: {error}") from error
    if not (isinstance(method, type) and issubclass(method, MoveModel)):
        raise _broken(point, "it is not a class made from assay.models.base.MoveModel")
    if isabstract(method):
        raise _broken(point, f"it does not fill the hooks {', '.join(sorted(method.__abstractmethods__))}")
    if getattr(method, "name", None) != point.name:
        raise _broken(point, f"the class calls itself {getattr(method, 'name', None)!r}")
    return method


def _broken(point: EntryPoint, why: str) -> InputError:
    return InputError(
        f"the method '{point.name}' of {_package(point)} ({point.value}) cannot be used: {why}; "
        "repair the package or remove it"
    )


def _package(point: EntryPoint) -> str:
    return "assay itself" if point.dist is None else f"the package {point.dist.name} {point.dist.version}"
