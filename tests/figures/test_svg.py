"""Elements of SVG: untrusted text, and how wide it is."""

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from assay.figures.svg import element, markup, short, shortened, text_width, titled


@given(st.text(st.characters(codec=None), max_size=40))
def test_any_text_makes_markup_that_can_be_read(text: str) -> None:
    """Control characters and halves of surrogate pairs too, which no XML may hold."""
    root = element(None, "svg", text, aria_label=text)
    titled(root, text)
    written = markup(root).encode("utf-8")
    read = ElementTree.fromstring(written)
    assert read.get("aria-label") == root.get("aria-label")


def test_text_and_attributes_are_escaped() -> None:
    made = markup(element(None, "text", "<script>&", class_='"><b>'))
    assert "<script>" not in made
    assert "<b>" not in made
    assert ElementTree.fromstring(made).text == "<script>&"


def test_templates_take_markup_as_it_is() -> None:
    made = markup(element(None, "svg"))
    assert made.__html__() == "<svg />"


def test_coordinates_are_short() -> None:
    assert [short(value) for value in (1.0, 1.26, -0.04, 300)] == ["1", "1.3", "0", "300"]


def test_wide_letters_are_wide() -> None:
    assert text_width("iii", 12) < text_width("aaa", 12) < text_width("WWW", 12) < text_width("象象象", 12)
    assert text_width("e\N{COMBINING ACUTE ACCENT}", 12) == text_width("e", 12)


@given(st.text(max_size=60), st.integers(0, 8))
def test_a_shortened_text_fits(text: str, end: int) -> None:
    room = 120.0
    made = shortened(text, 12, room, end)
    assert text_width(made, 12) <= room


def test_what_fits_is_left_alone_and_the_end_is_kept() -> None:
    assert shortened("Ann", 12, 100) == "Ann"
    long = shortened("A name without an end to it@1972", 12, 130, end=5)
    assert long.startswith("A name")
    assert long.endswith("…@1972")
