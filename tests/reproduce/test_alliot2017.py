"""The published numbers of Alliot 2017, recomputed."""

import numpy as np
import pytest

from assay.answers.results import Reproduction
from assay.reproduce import alliot2017 as alliot


@pytest.fixture(scope="module")
def rows() -> list[Reproduction]:
    return alliot.rows()


def test_every_published_number_is_found(rows: list[Reproduction]) -> None:
    assert [row.item for row in rows if not row.ok] == []
    assert len(rows) > 40


def test_rows_on_the_product_fail_when_the_product_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that compare printed numbers only are named so; the others go through the product."""
    monkeypatch.setattr(alliot, "regression_k", lambda decisions, **_: (1.0, -1.0))
    assert not any(row.ok for row in alliot._pondering())
    monkeypatch.setattr(alliot, "convolved_expectations", lambda white, *_: np.full((len(white),) * 2, 0.6))
    wrong = [row.item for row in alliot._tables() if not row.ok]
    assert wrong == [row.item for row in alliot._tables() if not row.item.startswith(alliot.ITSELF)]
    assert len(wrong) == 2


def test_the_printed_vector_is_not_that_of_the_printed_matrices(rows: list[Reproduction]) -> None:
    last = {row.item: row for row in rows}
    own = last["stationary vector of the printed matrices, class 1.8"]
    printed = last["printed stationary vector, class 1.8"]
    assert own.computed - printed.published > 0.15


def test_the_match_of_the_printed_matrices_is_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = list(alliot._match())
    assert [row.kind for row in rows] == ["inference"] * 3 + ["arithmetic"]
    assert all(row.ok for row in rows)
    monkeypatch.setattr(alliot, "outcomes", lambda *_: np.full((1, 3), 1 / 3))
    assert [row.ok for row in alliot._match()] == [False] * 3 + [True]
