"""A whole figure: on its own, within a page, and its legend."""

from xml.etree import ElementTree

from assay.figures.figure import EDGE, Entry, Figure, blank, legend, legend_height

SVG = "{http://www.w3.org/2000/svg}"


def figure(title: str = "Title") -> Figure:
    return Figure(title, "What it shows", blank(title, "What it shows", 400, 300))


def test_alone_it_brings_its_style_along() -> None:
    root = ElementTree.fromstring(figure().svg())
    assert root.tag == f"{SVG}svg"
    assert [one.tag for one in root][:3] == [f"{SVG}title", f"{SVG}desc", f"{SVG}style"]
    assert root.get("role") == "img"
    assert root.get("viewBox") == "0 0 400 300"


def test_within_a_page_it_takes_the_style_of_the_page() -> None:
    assert "<style" not in figure().__html__()
    assert "xmlns" not in figure().__html__()


def test_the_look_for_pictures_knows_no_dark() -> None:
    assert "prefers-color-scheme" in figure().svg()
    assert "prefers-color-scheme" not in figure().light_svg()


def test_a_long_title_is_shortened_and_said_in_full() -> None:
    long = "A title " * 30
    root = figure(long).root
    heading = next(one for one in root.iter("text"))
    assert str(heading.text).endswith("…")
    assert heading.findtext("title") == long.strip() + " "


def test_the_legend_goes_on_in_the_next_row() -> None:
    entries = [Entry(f"Name number {number}", number) for number in range(9)]
    root = blank("T", "", 400, 300)
    legend(root, entries, 46, 400)
    names = [one for one in root.iter("text") if one.get("class") == "name"]
    rows = {one.get("y") for one in names}
    assert 1 < len(rows) < 9
    assert legend_height(entries, 400) == 20 * len(rows) + 6
    assert all(float(str(one.get("x"))) >= EDGE for one in names)
    assert legend_height([], 400) == 0


def test_a_sample_looks_like_its_line() -> None:
    root = blank("T", "", 400, 300)
    legend(
        root,
        [Entry("line", 1, marks=False), Entry("marks", 2, line=False), Entry("as forecast", 0, guide=True)],
        0,
        400,
    )
    kinds = [str(one.get("class")) for one in root.iter("line")]
    assert kinds == ["line-1 stroke", "guide"]
    assert [one.get("class") for one in root.iter("path")] == ["mark-2"]
