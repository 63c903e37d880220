"""The documentation is true: its examples run, its generated pages are current, its links lead somewhere."""

import ast
import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.cli import main
from examples import SIMULATED
from examples.pupil_games import pupil_games
from examples.server_games import evaluated_games
from research import pages

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
MADE = ("commands.md", "tables.md", "index.md")
PYTHON = re.compile(
    r"(?<!<!-- not run -->\n)(?<!<!-- coach -->\n)^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
PRINTED = re.compile(r"^prints\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OUTPUT = re.compile(r"(^<!-- output -->\n```text\n)\$ assay (.*?)\n(.*?)(^```$)", re.MULTILINE | re.DOTALL)
"""A command on example games, and what it prints; ASSAY_DOCS=write makes the pages anew."""
WRITTEN = [page for page in PAGES if page.parent.name not in ("evidence", "docs") and page.name not in MADE]
COMMANDS = re.compile(r"^<!-- tested -->\n```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINKS = re.compile(r"\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)")


def test_the_site_builds_without_a_warning_and_without_a_network(tmp_path: Path) -> None:
    """As `make docs` does it. Pages load nothing from elsewhere: no script, no style, no font."""
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", str(ROOT / "docs"), str(tmp_path)]
    built = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "TZ": "UTC"}
    )
    assert built.returncode == 0, built.stderr
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert not re.findall(r"""<(?:script|link|img)[^>]*(?:src|href)=["']https?:""", page)
    assert (tmp_path / "search.html").exists()
    reference = (tmp_path / "reference" / "api.html").read_text(encoding="utf-8")
    public = [f"assay.{name}" for name in assay.__all__ if name not in ("models", "__version__")]
    for name in [*public, *(f"assay.models.{name}" for name in assay.models.__all__)]:
        assert f'id="{name}"' in reference, name


def with_(pattern: re.Pattern[str]) -> pytest.MarkDecorator:
    pages = [page for page in PAGES if pattern.search(page.read_text(encoding="utf-8"))]
    return pytest.mark.parametrize("page", pages, ids=lambda page: page.name)


@pytest.fixture
def place(tmp_path: Path, examples: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as a reader would have it: the example event in games.pgn."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(examples / "island.pgn", "games.pgn")
    return tmp_path


@with_(PYTHON)
def test_python_examples_run(page: Path, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = page.read_text(encoding="utf-8")
    names: dict[str, object] = {}
    for block in PYTHON.findall(text):
        exec(compile(block, str(page), "exec"), names)
    printed = capsys.readouterr().out
    for expected in PRINTED.findall(text):
        assert expected in printed


def test_the_calls_for_a_coach_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They want games with their trace, which the folder of the other examples does not have."""
    pupil_games(8).write(tmp_path / "games.parquet")
    study = assay.Study(tmp_path / "games.parquet")
    dates = {f"game{n}": f"2020-{1 + n:02}-05" for n in range(8)}
    monkeypatch.setattr(type(study.source), "dates", lambda _: dates)
    monkeypatch.setattr(assay, "Study", lambda _: study)
    text = (ROOT / "docs" / "guides" / "train.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    [block] = re.findall(r"^<!-- coach -->\n```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    exec(block, names)
    assert names["slices"].players[0].sentence
    assert names["against"].bands
    assert names["lesson"].moments
    assert len(names["progress"].periods) == 1
    assert names["among"].measures
    assert {"date", "seconds_before", "loss", "as_good_2000"} <= set(names["table"].column_names)


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")), ids=lambda page: page.name
)
def test_notebooks_run(page: Path, place: Path) -> None:
    """Cell by cell in one namespace, as a kernel does it; what a cell shows can be shown."""
    (place / "games.pgn").write_text(evaluated_games(12))
    names: dict[str, Any] = {}
    cells = [cell for cell in json.loads(page.read_text())["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 3
    for cell in cells:
        *statements, last = ast.parse("".join(cell["source"])).body
        shown = isinstance(last, ast.Expr)
        exec(compile(ast.Module([*statements, *([] if shown else [last])], []), str(page), "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), str(page), "eval"), names)
            assert len(getattr(value, "_repr_html_", value.__repr__ if value is not None else str)()) < 20_000
        assert cell["outputs"] == []


@with_(COMMANDS)
def test_commands_run(page: Path, place: Path) -> None:
    for block in COMMANDS.findall(page.read_text(encoding="utf-8")):
        for line in block.splitlines():
            words = shlex.split(line, comments=True)
            assert words[0] == "assay"
            assert main(words[1:]) == 0, line


@with_(LINKS)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINKS.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


@with_(OUTPUT)
def test_the_output_is_what_the_commands_print(
    page: Path,
    place: Path,
    examples: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On the analysed example event and the analysed games of simulated players: no engine is needed."""
    monkeypatch.setenv("COLUMNS", "80")
    shutil.copy(examples / "island.pgn", "island.pgn")
    shutil.copytree(examples / "sample", "island.pgn.assay")
    shutil.copy(SIMULATED, "tournament.pgn")
    shutil.copytree(ROOT / "tests" / "golden" / "data" / "tournament.assay", "tournament.pgn.assay")
    text = page.read_text(encoding="utf-8")

    def printed(match: re.Match[str]) -> str:
        assert main(shlex.split(match[2])) == 0
        lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
        return "\n".join([f"{match[1]}$ assay {match[2]}", *lines, match[4]])

    current = OUTPUT.sub(printed, text)
    if os.environ.get("ASSAY_DOCS") == "write":
        page.write_text(current, encoding="utf-8")
    assert text == current or os.environ.get("ASSAY_DOCS") == "write"


def test_the_demo_rates_the_example_and_counts_the_ranges(
    place: Path, examples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Over the analyses that ship, as a second `make demo` has them."""
    shutil.copytree(examples / "sample", place / "demo" / "island.pgn.assay")
    assert runpy.run_path(str(ROOT / "scripts" / "demo.py"))["demo"]() == 0
    printed = capsys.readouterr().out
    assert "Island championship 2012 · 28 games" in printed
    assert re.search(r"contains the published rating of [5-8] of 8 players", printed)
    assert (place / "demo" / "report.html").exists()


def test_the_readme_begins_with_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.index("make demo") < text.index("make test") < text.index("## ")


def test_pages_that_are_made_are_current() -> None:
    """`python -m research pages` makes them: references, index, numbers.json, numbers in pages, charts."""
    stale = [str(path.relative_to(ROOT)) for path, text in pages.made().items() if path.read_text() != text]
    assert stale == []


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.name)
def test_pages_are_short(page: Path) -> None:
    assert len(page.read_text(encoding="utf-8").splitlines()) <= 150


def test_the_help_of_every_command_begins_with_an_example() -> None:
    text = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## `(assay [a-z -]+)`\n\n```sh\n(.*?)\n```", text, re.MULTILINE)
    assert len(sections) == text.count("\n## `assay ") > 25
    for name, example in sections:
        assert example.startswith(name), name
    assert "<bool>" not in text


def test_new_tables_leave_the_words_of_their_sections(tmp_path: Path) -> None:
    page = tmp_path / "study.md"
    page.write_text(
        "# T\n\n- **Date:** 2020-01-01\n\n## A\n\nBefore.\n\n| x |\n|---|\n\nAfter.\n\n## B\n\n9%\n\nWords.\n"
    )
    pages.put_tables(page, "## A\n\n| y |\n|---|\n\n## B\n\n8%\n\n## C\n\n| z |\n")
    text = page.read_text()
    assert "2020" not in text
    assert text.endswith(
        "## A\n\nBefore.\n\n| y |\n|---|\n\nAfter.\n\n## B\n\n8%\n\nWords.\n\n## C\n\n| z |\n"
    )
