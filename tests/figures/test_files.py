"""A figure into the file that someone named."""

import builtins
import importlib.util
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InputError, MachineError
from assay.figures import figure as files
from assay.figures.curves import Panel, Series, curves
from assay.figures.figure import Figure


@pytest.fixture
def figure() -> Figure:
    return replace(
        curves("A <b>title</b>", [Panel([Series("Ann", [1, 2], [1, 2])])]), about="made by </pre> me"
    )


def test_the_ending_says_what_is_written(figure: Figure, tmp_path: Path) -> None:
    for ending in (".svg", ".html", ".png", ".SVG"):
        files.write_figure(tmp_path / f"figure{ending}", figure)
    assert (tmp_path / "figure.svg").read_text(encoding="utf-8").startswith("<svg")
    assert (tmp_path / "figure.SVG").read_text() == (tmp_path / "figure.svg").read_text()
    assert (tmp_path / "figure.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")


def test_a_page_runs_nothing_and_says_what_made_it(figure: Figure) -> None:
    page = files.page(figure)
    assert "<script" not in page
    assert "default-src 'none'" in page
    assert "made by &lt;/pre&gt; me" in page
    assert "<title>A &lt;b&gt;title&lt;/b&gt;</title>" in page
    assert "What made it" not in files.page(replace(figure, about=""))


def test_a_picture_is_twice_as_large_as_the_figure(figure: Figure) -> None:
    width, height = struct.unpack(">II", files.picture(figure)[16:24])
    assert (width, height) == tuple(
        round(2 * float(str(figure.root.get(name)))) for name in ("width", "height")
    )


def test_words_are_in_the_picture() -> None:
    """Where a font is not found, resvg leaves text out and says nothing."""
    one, other = (files.picture(curves(title, [])) for title in ("A", "B"))
    assert one != other


@pytest.mark.parametrize("name", ["figure.gif", "figure", "figure.svg.txt", "svg"])
def test_other_endings_are_refused(figure: Figure, name: str, tmp_path: Path) -> None:
    for refuse in (
        lambda: files.check_figure(tmp_path / name),
        lambda: files.write_figure(tmp_path / name, figure),
    ):
        with pytest.raises(InputError, match="end its name in"):
            refuse()
    assert list(tmp_path.iterdir()) == []


def test_without_the_extra_a_picture_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = importlib.util.find_spec
    monkeypatch.setattr(files, "find_spec", lambda name: None if name == "resvg_py" else known(name))
    imported = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        assert name != "resvg_py"
        return imported(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match=r"pip install resvg-py"):
        files.check_figure(tmp_path / "figure.png")
    files.check_figure(tmp_path / "figure.svg")


def test_a_machine_without_fonts_is_told(figure: Figure, monkeypatch: pytest.MonkeyPatch) -> None:
    files._font.cache_clear()
    monkeypatch.setattr(files, "_FONTS", ("No Such Font",))
    with pytest.raises(MachineError, match="no font is installed"):
        files.picture(figure)
    files._font.cache_clear()
