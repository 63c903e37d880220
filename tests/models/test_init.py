"""`assay.models` loads what is used, and no more."""

import subprocess
import sys

import pytest

import assay.models
from assay.models.base import MoveModel
from assay.models.registry import methods


def loaded_by(code: str) -> set[str]:
    """The modules that are there after some code has run in a new interpreter."""
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(run.stdout.split())


@pytest.mark.parametrize(
    "code", ["import assay, assay.models", "from assay.models.registry import methods; list(methods())"]
)
def test_names_are_known_without_loading_the_methods(code: str) -> None:
    loaded = loaded_by(code)
    assert not {"numba", "scipy.stats"} & loaded
    assert not {name for name in loaded if name.startswith("assay.models.gain")}


def test_a_method_that_needs_no_compiler_does_not_load_it() -> None:
    loaded = loaded_by("from assay.models import GainModel; GainModel()")
    assert "assay.models.gain.model" in loaded
    assert not {"numba", "scipy.stats", "assay.models.choice.model"} & loaded


def test_every_exported_name_is_there() -> None:
    assert dir(assay.models) == assay.models.__all__ == sorted(assay.models.__all__)
    assert all(getattr(assay.models, name).__name__ == name for name in assay.models.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        assay.models.Nonsense  # noqa: B018


def test_every_exported_method_is_registered() -> None:
    exported = [getattr(assay.models, name) for name in assay.models.__all__]
    readers = {one for one in exported if issubclass(one, MoveModel)}
    assert readers == set(methods().values())
