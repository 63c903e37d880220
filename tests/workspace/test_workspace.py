"""The public class, and the public names of the package."""

import inspect
import re
from pathlib import Path

import pytest

import assay
from assay.decisions.schema import TABLES
from assay.workspace import Workspace


def test_public_names() -> None:
    assert assay.__all__ == [
        "AssayError",
        "Calibration",
        "Decisions",
        "Ratings",
        "Study",
        "Workspace",
        "__version__",
        "models",
    ]
    for name in assay.__all__:
        assert getattr(assay, name) is not None
    assert dir(assay) == assay.__all__
    with pytest.raises(AttributeError):
        _ = assay.shoes


def test_the_class_is_a_thin_face_over_functions() -> None:
    """Every public method is one call: what it does is found in the module of that part."""
    methods = [one for name, one in inspect.getmembers(Workspace, inspect.isfunction) if name[0] != "_"]
    assert len(methods) >= 18
    for method in methods:
        body = inspect.getsource(method).split('"""')[-1]
        assert len(re.findall(r"^        \S", body, re.MULTILINE)) <= 2, method.__name__


def test_tables_are_open_to_readers(workspace: Workspace, examples: Path) -> None:
    workspace.import_games(examples)
    assert workspace.table_games.count() == 13
    assert repr(workspace) == f"Workspace({str(workspace.path)!r})"
    names = {name for name in vars(workspace) if name.startswith("table_")}
    assert names == {f"table_{schema.name}" for schema in TABLES if schema.name != "decisions"}
