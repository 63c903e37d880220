"""Some rows of many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
S = TypeVar("S")


@dataclass(frozen=True)
class Paged(Generic[T]):
    """One page of rows."""

    rows: Sequence[T]
    page: int
    pages: int
    first: int
    """Number of the first row, from 1; 0 where there is none."""
    of_all: int

    def with_rows(self, rows: Sequence[S]) -> Paged[S]:
        """The same page with other rows in the places of its own."""
        return Paged(rows, self.page, self.pages, self.first, self.of_all)


def paged(rows: Sequence[T], page: str, size: int) -> Paged[T]:
    """The page that is asked for; the nearest one where there is none of that number."""
    pages = max(1, -(-len(rows) // size))
    number = min(max(int(page), 1), pages) if page.isascii() and page.isdigit() and len(page) < 10 else 1
    start = (number - 1) * size
    return Paged(rows[start : start + size], number, pages, start + 1 if rows else 0, len(rows))
