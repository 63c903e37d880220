"""What the commands answer, number by number, on games and analyses that stay as they are.

`golden/data` was written by the code of 18 November 2026; a workspace and decisions of then stay readable.
`golden/answers` is what the commands answered then, or since a commit that says why an answer changed.
To make them anew after such a change: ASSAY_GOLDEN=write pytest tests/test_golden.py
"""

import gzip
import json
import math
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard

from assay.engine.engines import EngineConfig, planned_recipe_id
from assay.engine.recipe import find_recipe
from assay.rating.calibration import Calibration
from assay.workspace.workspace import Workspace
from examples.commands import run

HERE = Path(__file__).parent / "golden"
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
METHODS = ("gain", "bayes", "choice", "depth", "conformance", "covariance", "markov", "traits", "complexity")

WORKSPACE = {
    "status": "status W",
    "rate": "rate W",
    "rate-by-year": "rate W --by year",
    "rate-by-game": "rate W --by game",
    "rate-flat": "rate W --prior flat --player 2500",
    "rate-results": "rate W --with results",
    "rate-by-phase": "rate W --by phase",
    "rate-by-colour": "rate W --by colour",
    "screen": "screen W",
    "tournament": "tournament W",
    "career": "career W 2500",
    "forecast": "forecast W 2500 1600",
    "lesson": "lesson W --player 1900",
    "progress": "progress W --player 2200 --window 2",
    "compare": "compare W 2500 1600",
    "versus": "versus W --min-moves 50",
    **{f"method-{name}": f"method {name} W" for name in METHODS},
    "results-fit": "results fit W",
}
DECISIONS = {
    "decisions-rate": "rate D",
    "decisions-screen": "screen D",
}
MILEPOSTS = {
    "mileposts-rate": "rate M",
    "mileposts-rate-by-phase": "rate M --by phase",
    "mileposts-screen": "screen M",
    "mileposts-tournament": "tournament M",
}
EVALUATED = {
    "evaluated-rate": "rate E --evaluations file",
    "evaluated-flat": "rate E --evaluations file --prior flat",
    "evaluated-stream": "rate E --stream",
    "evaluated-screen": "screen E --evaluations file",
    "evaluated-results": "results fit E",
}

RECIPE_ID = "672593ce2551e878"


@pytest.fixture(scope="session")
def games(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The sources of games by the letter that stands for them in a command."""
    folder = tmp_path_factory.mktemp("golden")
    shutil.copytree(HERE / "data" / "tournament.assay", folder / "tournament.assay")
    return {
        "W": folder / "tournament.assay",
        "D": HERE / "data" / "decisions.parquet",
        "M": folder / "mileposts.parquet",
        "E": folder / "league.pgn",
    }


def agree(answer: Any, golden: Any, place: str = "") -> list[str]:
    """Where an answer is not the golden one: keys may be added, numbers differ by rounding only."""
    if isinstance(golden, dict):
        if not isinstance(answer, dict):
            return [f"{place}: {answer!r} is not an object"]
        missing = [f"{place}.{key} is missing" for key in golden if key not in answer]
        both = [key for key in golden if key in answer]
        return missing + [line for key in both for line in agree(answer[key], golden[key], f"{place}.{key}")]
    if isinstance(golden, list):
        if not isinstance(answer, list) or len(answer) != len(golden):
            return [f"{place}: another list"]
        pairs = enumerate(zip(answer, golden, strict=True))
        return [line for index, (a, b) in pairs for line in agree(a, b, f"{place}[{index}]")]
    if isinstance(golden, float) and isinstance(answer, int | float):
        near = math.isclose(answer, golden, rel_tol=1e-6, abs_tol=1e-6)
        return [] if near else [f"{place}: {answer}, not {golden}"]
    if place.rsplit(".", 1)[-1].split("[")[0] in ("notes", "note", "prior", "words", "order"):
        return []  # sentences for people, which may be written better
    return [] if answer == golden else [f"{place}: {answer!r}, not {golden!r}"]


def check(capsys: pytest.CaptureFixture[str], games: dict[str, Path], name: str, command: str) -> None:
    arguments = [str(games.get(word, word)) for word in command.split()]
    code, out, err = run(capsys, *arguments, "--json")
    assert code in (0, 1), err
    answer, path = json.loads(out), HERE / "answers" / f"{name}.json.gz"
    if os.environ.get("ASSAY_GOLDEN") == "write":
        path.write_bytes(gzip.compress(json.dumps(answer, indent=1).encode(), mtime=0))
    assert agree(answer, json.loads(gzip.decompress(path.read_bytes()))) == []


@pytest.mark.engine
@pytest.mark.parametrize("name", WORKSPACE)
def test_a_workspace(capsys: pytest.CaptureFixture[str], games: dict[str, Path], name: str) -> None:
    if planned_recipe_id(find_recipe("standard"), EngineConfig()) != RECIPE_ID:
        pytest.skip("needs Stockfish 15.1, by which the workspace was analysed")
    check(capsys, games, name, WORKSPACE[name])


@pytest.mark.parametrize("name", DECISIONS)
def test_decisions(capsys: pytest.CaptureFixture[str], games: dict[str, Path], name: str) -> None:
    check(capsys, games, name, DECISIONS[name])


def test_a_calibration_of_then_still_opens() -> None:
    calibration = Calibration.read(HERE / "data" / "calibration.npz")
    assert calibration.recipe_id == "evaluated-lichess-classical"
    assert tuple(calibration.mappings) == ("conformance", "covariance", "gain", "markov", "traits")
    assert calibration.spread.form == pytest.approx(np.full(5, 120.388), abs=0.001)
    assert calibration.model("traits").ready


@pytest.mark.skipif(not SHARED.exists(), reason="needs the games of development")
@pytest.mark.parametrize("name", MILEPOSTS)
def test_analysed_games(capsys: pytest.CaptureFixture[str], games: dict[str, Path], name: str) -> None:
    if not games["M"].exists():
        decisions = Workspace(SHARED / "analysed" / "mileposts-standard").decisions("standard", trace=True)
        decisions.select(game=decisions.games[::40]).write(games["M"])
    check(capsys, games, name, MILEPOSTS[name])


@pytest.mark.skipif(not SHARED.exists(), reason="needs the games of development")
@pytest.mark.parametrize("name", EVALUATED)
def test_evaluated_games(capsys: pytest.CaptureFixture[str], games: dict[str, Path], name: str) -> None:
    if not games["E"].exists():
        packed = (SHARED / "evaluated" / "lichess4545-season-23.pgn.zst").read_bytes()
        texts = zstandard.ZstdDecompressor().decompress(packed, 1 << 26).decode().split("[Event ")
        games["E"].write_text("[Event ".join(texts[:61]))
    check(capsys, games, name, EVALUATED[name])
