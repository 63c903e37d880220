"""Figures of careers and head-to-heads, from rows whose numbers are known."""

import pytest

from assay.figures import files
from assay.models.losses.conformance import ConformanceModel
from assay.rating.careers import Careers, HeadToHeads, head_to_heads
from assay.report.careers import career_figure, versus_figure
from assay.testing import make_decisions


def year(number: int, *, active: bool = True) -> dict[str, object]:
    ends = {f"{name}_{end}": 0.5 for name in ("conformance", "conformance_0") for end in ("low", "high")}
    return {
        "year": number,
        "conformance": 0.625,
        "conformance_0": 0.5,
        **ends,
        "decisions": 80.0,
        "active": active,
    }


@pytest.fixture(scope="module")
def table() -> HeadToHeads:
    return head_to_heads(Careers(ConformanceModel(), make_decisions(games=10, plies=80), min_moves=10))


def test_every_year_is_told_at_both_bounds() -> None:
    text = career_figure({"Ann": [year(2001), year(2002)], "Bob": [year(2001)]}, bound=30).svg()
    for words in (
        "Ann, 2001: 62.5% of 80 moves",
        "Ann, 2002: 50.0% of 80 moves",
        "Bob, 2001: 62.5% of 80 moves",
    ):
        assert text.count(words) == 1
    assert "lose at most 0.3 pawns" in text


def test_years_with_few_moves_are_outlines() -> None:
    drawn = [career_figure({"Ann": [year(2001, active=one)]}, bound=30).svg() for one in (True, False)]
    assert drawn[0] != drawn[1]
    assert ["hollow: too few moves" in one for one in drawn] == [False, True]


def test_the_heat_map_has_everyone_against_everyone(table: HeadToHeads) -> None:
    shared, white = (versus_figure(table, "conformance", as_white=one).svg() for one in (False, True))
    assert "with colours shared" in shared
    assert "with White" in white
    first, second = table.keys[:2]
    assert str(first) in shared
    assert f"{100 * table.match[0, 1]:.1f}%" in shared
    assert str(second) in shared


def test_figures_are_single_files(table: HeadToHeads) -> None:
    for figure in (career_figure({"Ann": [year(2001)]}, 30), versus_figure(table, "conformance")):
        html = files.page(figure)
        assert "<script" not in html
        assert "Ann" in html
