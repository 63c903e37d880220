"""The contract: what a source has not got is said in one sentence, or is nothing."""

from pathlib import Path

import pytest

from assay.errors import InputError
from assay.source.base import Source
from assay.source.valuation import Valuation


class Nothing(Source):
    def describe(self) -> str:
        return "nothing at all"


def test_what_a_source_has_not_got() -> None:
    source = Nothing(Path("somewhere/x"))
    assert source.name == "x"
    assert repr(source) == "Nothing('somewhere/x')"
    assert (source.workspace, source.place, source.recipe_id(Valuation())) == (None, None, None)
    assert (source.about("a"), source.dates(), source.left_out()) == ({}, {}, {})
    for ask in (source.games, source.analysed):
        with pytest.raises(InputError, match="nothing at all"):
            ask()
