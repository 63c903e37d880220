"""The tree of errors: what its drawing says of parents and exit codes is so."""

import inspect
import re

import pytest

from assay import errors
from assay.errors import AssayError

DRAWN = re.findall(r"^([│├└─ ]*)(\w+Error)\b.*?(?:\(exit code (\d)\))?$", errors.__doc__ or "", re.MULTILINE)
CLASSES = dict(inspect.getmembers(errors, inspect.isclass))


def test_every_error_is_drawn() -> None:
    assert {name for _, name, _ in DRAWN} == set(CLASSES)


def test_parents_and_exit_codes_are_as_drawn() -> None:
    above = [AssayError]
    for lines, name, code in DRAWN[1:]:
        depth = len(lines) // 4
        found = CLASSES[name]
        assert found.__bases__ == (above[depth - 1],), name
        assert found.exit_code == int(code) if code else found.exit_code == above[depth - 1].exit_code, name
        above[depth:] = [found]


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_every_error_says_what_it_is(name: str) -> None:
    assert CLASSES[name].__doc__
    assert str(CLASSES[name]("one sentence")) == "one sentence"
