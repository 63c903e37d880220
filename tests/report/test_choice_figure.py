"""Sensitivity and consistency by Elo, drawn from mileposts whose numbers are known."""

from xml.etree import ElementTree

from assay.report.choice_figure import milepost_figure
from examples.choice_mileposts import milepost


def titles(svg: str) -> list[str]:
    return [one.text or "" for one in ElementTree.fromstring(svg).iter() if one.tag.endswith("title")]


def test_every_milepost_is_marked_in_every_panel() -> None:
    found = titles(milepost_figure({"then": [milepost(2300, 0.12), milepost(2400, 0.11)]}).svg())
    for elo, s in ((2300, "0.120"), (2400, "0.110")):
        assert f"then, {elo}: s_fit {s}" in found
        assert f"then, {elo}: c 0.500" in found
        assert any(text.startswith(f"then, {elo}: mm_actual 5") for text in found)
        assert f"then, {elo}: ad_actual 0.080" in found


def test_what_agents_project_has_no_marks() -> None:
    found = titles(milepost_figure({"then": [milepost(2300, 0.12)]}).svg())
    marks = {text.split(": ")[1].split()[0] for text in found if text.startswith("then, ")}
    assert marks == {"s_fit", "c", "mm_actual", "ad_actual"}


def test_periods_are_told_apart() -> None:
    text = milepost_figure({"then": [milepost(2300, 0.12)], "now": [milepost(2300, 0.09)]}).svg()
    assert ">then<" in text
    assert ">now<" in text
