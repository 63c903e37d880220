"""The public class, and the public names of the package."""

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


def test_tables_are_open_to_readers(workspace: Workspace, examples: Path) -> None:
    workspace.import_games(examples)
    assert workspace.table_games.count() == 13
    assert repr(workspace) == f"Workspace({str(workspace.path)!r})"
    names = {name for name in vars(workspace) if name.startswith("table_")}
    assert names == {f"table_{schema.name}" for schema in TABLES if schema.name != "decisions"}
