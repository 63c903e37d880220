import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from assay.report.environment import page_templates


@pytest.mark.parametrize("package", ["assay.report", "assay.web"])
def test_names_are_text(package: str) -> None:
    made = page_templates(package)
    shown = made.from_string("{{ name }}").render(name="<b>An\u202en\x1b[31m</b>")
    assert "<b>" not in shown
    assert "\u202e" not in shown
    assert "\x1b" not in shown
    assert made.from_string("{{ ours }}").render(ours=Markup("<b>5</b>")) == "<b>5</b>"


def test_what_a_page_lacks_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        page_templates("assay.report").from_string("{{ nothing }}").render()
