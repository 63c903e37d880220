"""Numbers as the page writes them."""

import math

from research.papers.alliot2017.numbers import percent, three, two


def test_numbers_that_are_not_there_are_blank() -> None:
    assert (percent(0.123), percent(0.1234, 1), two(1.005), three(0.1)) == ("12", "12.3", "1.00", "0.100")
    assert {percent(math.nan), two(math.nan), three(math.nan)} == {""}
