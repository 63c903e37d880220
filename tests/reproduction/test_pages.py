"""Pages and their templates do not part: the words of a page are those of its template."""

import re
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import pytest

from assay.reproduction import coverage
from assay.reproduction.alliot2017 import page as alliot2017
from assay.reproduction.difatta2009 import page as difatta2009
from assay.reproduction.ferreira2012 import page as ferreira2012
from assay.reproduction.regan2011 import depth_page
from assay.reproduction.regan2011 import page as regan2011
from assay.validation import accuracy_page, evaluated_page, reliability_page, traits_page

DOCS = Path(__file__).resolve().parents[2] / "docs"


PLACE = re.compile(r"\{\{ (\w[^}]*) \}\}")


TEMPLATES = {
    ferreira2012.PAGE: ferreira2012.TEMPLATE,
    difatta2009.PAGE: difatta2009.TEMPLATE,
    difatta2009.TOGA_PAGE: difatta2009.TOGA_TEMPLATE,
    regan2011.PAGE: regan2011.TEMPLATE,
    depth_page.PAGE: depth_page.TEMPLATE,
    alliot2017.PAGE: alliot2017.TEMPLATE,
    "reproduction/alliot-figures.md": files(alliot2017.__package__) / "alliot-figures.md.jinja",
    "coverage.md": files(coverage.__name__) / "coverage.md.jinja",
    "traits.md": traits_page.TEMPLATE,
    "reliability.md": reliability_page.TEMPLATE,
    "accuracy.md": accuracy_page.TEMPLATE,
    "evaluated.md": evaluated_page.TEMPLATE,
}


def filled_in(template: str, page: str) -> dict[str, str] | None:
    """What stands on the page in the places of the template; None where the words differ."""
    words = PLACE.split(template)[::2]
    found = re.fullmatch("(.*?)".join(map(re.escape, words)), page, re.DOTALL)
    return None if found is None else dict(zip(PLACE.findall(template), found.groups(), strict=True))


@pytest.mark.parametrize("page", TEMPLATES)
def test_the_words_of_a_page_are_those_of_its_template(page: str) -> None:
    template: Traversable = TEMPLATES[page]
    numbers = filled_in(template.read_text(encoding="utf-8"), (DOCS / page).read_text(encoding="utf-8"))
    assert numbers is not None
    assert all("{" not in text for text in numbers.values())


def test_other_words_are_noticed() -> None:
    assert filled_in("c is {{ c }}.\n", "c is 1.1.\n") == {"c": "1.1"}
    assert filled_in("c is {{ c }}.\n", "c was 1.1.\n") is None
