"""Tests that a method of one's own can be put to: the contract that every method of assay keeps.

Needs pytest, which assay itself does not: `pip install assay-chess[testing]`.
"""

import pytest

# Before the module is imported: a failed assertion in it then shows its values, as in a test file.
pytest.register_assert_rewrite("assay.testing.move_models")

from assay.testing.decision_tables import make_decisions  # noqa: E402
from assay.testing.move_models import MoveModelContract, prepared  # noqa: E402

__all__ = ["MoveModelContract", "make_decisions", "prepared"]
