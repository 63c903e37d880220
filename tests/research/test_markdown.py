"""Pages of the documentation: tables, templates, and writing them."""

from pathlib import Path

import jinja2
import pytest

from research.markdown import PLAIN, RIGHT, render, table, write_pages


def test_a_table_has_heads_a_rule_and_rows() -> None:
    assert table(("player", "Elo"), [("Tal", 2700), ("Euwe", 2600)]) == (
        "| player | Elo |\n|---|---|\n| Tal | 2700 |\n| Euwe | 2600 |"
    )


def test_the_rule_aligns_columns() -> None:
    assert table(("a", "b"), [], (PLAIN, RIGHT)).splitlines()[1] == "|---|---:|"
    assert table(("a", "b"), [], " --- ").splitlines()[1] == "| --- | --- |"


def test_a_template_is_filled_in_and_nothing_is_escaped(tmp_path: Path) -> None:
    template = tmp_path / "page.md.jinja"
    template.write_text("# {{ title }}\n{% for x in rows %}\n- {{ x }}\n{% endfor %}\n", encoding="utf-8")
    assert render(template, {"title": "a < b & c", "rows": [1, 2]}) == "# a < b & c\n- 1\n- 2\n"


def test_a_name_that_the_context_lacks_is_an_error(tmp_path: Path) -> None:
    template = tmp_path / "page.md.jinja"
    template.write_text("{{ missing }}", encoding="utf-8")
    with pytest.raises(jinja2.UndefinedError, match="missing"):
        render(template, {})


def test_pages_are_written_below_a_folder(tmp_path: Path) -> None:
    written = write_pages(tmp_path / "docs", {"reproduction/gain.md": "words\n", "gain.svg": "<svg/>"})
    assert [path.read_text(encoding="utf-8") for path in written] == ["words\n", "<svg/>"]
    assert written[0] == tmp_path / "docs" / "reproduction" / "gain.md"
