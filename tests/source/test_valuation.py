"""Where values come from, in words."""

import pytest

from assay.errors import InputError
from assay.source.valuation import Evaluations, Valuation


def test_from_plain_words() -> None:
    found = Valuation.of("file", ["too_short"], recipe="quick")
    assert found == Valuation("quick", include=("too_short",), evaluations=Evaluations.FILE)


def test_words_that_are_none() -> None:
    with pytest.raises(InputError, match="evaluations come from auto, file, engine, not 'oracle'"):
        Valuation.of("oracle")
