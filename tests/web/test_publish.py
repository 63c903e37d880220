"""The pages as files: they need no server, lead nowhere else, and nothing of a hostile name is markup."""

import json
import re
import shutil
from html import unescape
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.web.publish import publish
from assay.web.site import Site
from examples.commands import sentence
from examples.served import HOSTILE


@pytest.fixture
def published(analysed: Path, tmp_path: Path) -> Path:
    shutil.copytree(analysed / "games.assay", tmp_path / "club.assay")
    assert publish(Site(tmp_path / "club.assay"), tmp_path / "site") >= 8
    return tmp_path / "site"


def test_pages_lead_to_each_other_and_nowhere_else(published: Path) -> None:
    files = {path.name for path in published.iterdir()}
    assert {"index.html", "players.html", "games.html", "tournament.html", "style.css", "board.js"} <= files
    for path in published.glob("*.html"):
        text = path.read_text(encoding="utf-8")
        names = [unescape(name) for name in re.findall(r'\b(?:href|src|action|data-\w+)="([^"]*)"', text)]
        leading = re.findall(r'\b(?:href|src)="([^"]*)"', text)
        assert {name.partition("#")[0] for name in leading} <= files | {""}, path
        assert not any(name.startswith(("/", "http:", "https:", "//")) for name in names), path
        assert not re.search(
            r"<form|data-pending|data-dead|may be searched|>Train |Compare with another", text
        )
        assert not re.search(r'<a class="[^"]*">', text), path  # a button that leads nowhere
        assert all(f'href="{page}.html"' in text for page in ("tournament", "players", "games")), path
        assert HOSTILE not in text
    for path in published.glob("*.js"):
        script = path.read_text(encoding="utf-8")
        assert not re.search(r'EventSource\("|fetch\(game|"/static', script), path


def test_a_game_has_its_board(published: Path) -> None:
    games = sorted(published.glob("game-*.html"))
    assert len(games) == 2
    for path in games:
        [data] = re.findall(r'id="board-data">(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)
        positions = json.loads(data)["positions"]
        assert positions[0]["fen"].startswith("rnbqkbnr/pppppppp")
        assert 'href="game-' in path.read_text(encoding="utf-8")
    assert (published / "piece-wK.svg").read_text().startswith("<svg")
    assert all(path.read_text().startswith('[Event "') for path in published.glob("game-*.pgn"))
    assert len(list(published.glob("game-*.pgn"))) == 2


def test_what_cannot_be_published(
    analysed: Path, tmp_path: Path, examples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").touch()
    with pytest.raises(InputError, match="is not an empty folder"):
        publish(Site(analysed / "games.assay"), tmp_path / "full")
    (tmp_path / "empty").mkdir()
    assert "analyse first" in sentence(capsys, "serve", tmp_path / "empty", "--export", tmp_path / "out")
    assert not (tmp_path / "out").exists()
