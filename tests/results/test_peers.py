"""Forecasters of other packages."""

import importlib
from types import ModuleType

import numpy as np
import pytest

from assay.errors import InputError
from assay.results.baselines import forecaster
from assay.results.games import ResultGames


@pytest.mark.parametrize("name", ["bradley-terry", "trueskill-through-time", "whole-history"])
def test_a_missing_package_says_how_to_install_it(
    name: str, games: ResultGames, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(package: str) -> ModuleType:
        raise ModuleNotFoundError(package)

    monkeypatch.setattr("assay.results.baselines.import_module", missing)
    assert importlib.import_module("numpy") is np
    with pytest.raises(InputError, match=r"pip install 'assay-chess\[peers\]'"):
        forecaster(name).fit(games)
