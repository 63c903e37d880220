"""What rows of `assay reproduce` prove: those that claim inference go through the product."""

import json

import pytest

from assay.answers.results import Reproduction, reproduced
from assay.reproduce import papers


def test_a_row_says_its_kind_after_its_item() -> None:
    (row,) = reproduced([Reproduction("paper", "item", 1.0, 1.1, 0.2, kind="inference")]).to_dict()
    assert list(row) == ["paper", "item", "kind", "published", "computed", "tolerance", "note", "ok"]
    assert json.dumps(row).startswith('{"paper": "paper", "item": "item", "kind": "inference"')


def test_a_row_without_a_kind_is_refused() -> None:
    with pytest.raises(TypeError, match="kind"):
        Reproduction("paper", "item", 1.0, 1.1, 0.2)  # type: ignore[call-arg]


def test_every_paper_is_found_by_its_folder() -> None:
    assert list(papers()) == ["alliot2017", "difatta2009", "ferreira2010", "ferreira2012", "regan2011"]
