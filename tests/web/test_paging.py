import pytest

from assay.web.paging import paged


@pytest.mark.parametrize(
    ("page", "rows", "number"),
    [
        ("1", [0, 1, 2], 1),
        ("2", [3, 4, 5], 2),
        ("3", [6], 3),
        ("9", [6], 3),
        ("0", [0, 1, 2], 1),
        ("-1", [0, 1, 2], 1),
        ("x", [0, 1, 2], 1),
        ("²", [0, 1, 2], 1),
        ("9" * 5000, [0, 1, 2], 1),
    ],
)
def test_a_page_of_rows(page: str, rows: list[int], number: int) -> None:
    found = paged(range(7), page, 3)
    assert (list(found.rows), found.page, found.pages, found.of_all) == (rows, number, 3, 7)
    assert found.first == rows[0] + 1


def test_no_rows_are_one_empty_page() -> None:
    found = paged([], "1", 50)
    assert (found.pages, found.first, found.with_rows(["a"]).rows) == (1, 0, ["a"])
