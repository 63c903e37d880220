"""What is published works by itself: the wheel, built from the source archive, in its own environment."""

import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

from assay import __version__
from assay.engine.engines import find_engine
from assay.errors import EngineError

ROOT = Path(__file__).resolve().parent.parent
# What the settings of the source archive name, and what hatchling adds.
PARTS = {
    ".ci",
    ".gitignore",
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "PKG-INFO",
    "README.md",
    "benchmarks",
    "constraints.txt",
    "docs",
    "pyproject.toml",
    "research",
    "scripts",
    "src",
    "tests",
}
KINDS = {
    ".ipynb",
    ".bib",
    ".py",
    ".md",
    ".html",
    ".css",
    ".csv",
    ".jinja",
    ".js",
    ".json",
    ".npz",
    ".parquet",
    ".pgn",
    ".png",
    ".svg",
    ".toml",
    ".txt",
    ".cff",
}

# What comes with extras only: as if it were not there.
WITHOUT_EXTRAS = """
import sys

EXTRAS = {"choix", "dask", "distributed", "duckdb", "pytest", "resvg_py", "starlette", "trueskillthroughtime"}
EXTRAS |= {"uvicorn", "whr", "yaml", "zstandard"}


class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Absent())
"""

# The first turns of the bundled game: fewer are too short to be rated, more would keep the engine longer.
TWENTY_TURNS = """
from importlib.resources import files
from pathlib import Path
import chess.pgn
with (files("assay") / "data" / "examples" / "game_of_the_century.pgn").open() as example:
    game = chess.pgn.read_game(example)
last = game
while last.ply() < 40:
    last = last.next()
last.variations.clear()
Path("games.pgn").write_text(f"{game}\\n")
"""


def run(*command, **options):
    """Run a command away from the source tree; its output."""
    words = [str(word) for word in command]
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(words, env=surroundings, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def source_archive(tmp_path_factory):
    place = tmp_path_factory.mktemp("source")
    run(sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", place, ROOT, cwd=place)
    [archive] = place.iterdir()
    return archive


@pytest.fixture(scope="module")
def wheel(source_archive, tmp_path_factory):
    place = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    run(*pip, "--wheel-dir", place, source_archive, cwd=place)
    [made] = place.iterdir()
    return made


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The programs of an environment that has the wheel and its dependencies, but no extras."""
    place = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", "--without-pip", place / "venv")
    programs = place / "venv" / "bin"
    pip = [sys.executable, "-m", "pip", "--python", programs / "python", "--disable-pip-version-check"]
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=place)
    [packages] = (place / "venv" / "lib").glob("python*/site-packages")
    # They come after the environment's own packages. The link to the source tree that lies beside them is a
    # .pth file too, and Python does not follow those of a folder that was added so.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    (packages / "sitecustomize.py").write_text(WITHOUT_EXTRAS)
    code = "import assay; print(assay.__file__)"
    assert run(programs / "python", "-c", code, cwd=place).strip() == str(packages / "assay" / "__init__.py")
    return programs


def test_what_is_published_has_sound_metadata(source_archive, wheel):
    said = run(sys.executable, "-m", "twine", "check", "--strict", source_archive, wheel)
    assert said.count("PASSED") == 2


def test_nothing_but_the_project_is_in_the_source_archive(source_archive):
    with tarfile.open(source_archive) as archive:
        paths = [Path(*Path(name).parts[1:]) for name in archive.getnames()]
    assert {path.parts[0] for path in paths} == PARTS
    deep = [path for path in paths if len(path.parts) > 1]
    assert {path.suffix for path in deep if path.parts[0] in ("src", "docs")} <= KINDS | {".typed"} - {".cff"}
    assert not [path for path in deep if "__pycache__" in path.parts]


def test_the_wheel_has_every_file_of_the_package(wheel):
    source = ROOT / "src"
    files = {path.relative_to(source) for path in source.rglob("*") if path.is_file()}
    expected = {str(path) for path in files if "__pycache__" not in path.parts and path.suffix != ".pyc"}
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == {name for name in expected if ".egg-info/" not in name}
    assert {"assay/py.typed", "assay/data/examples/island.pgn"} <= names


def test_the_installed_program_says_its_version(installed, tmp_path):
    assert run(installed / "assay", "--version", cwd=tmp_path).strip() == __version__


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.timeout(3600)  # against a hang; how long it takes depends on what else the machine does
def test_the_installed_program_rates_the_example(installed, tmp_path):
    """With the example, the calibration and the report's templates of the wheel, from any folder."""
    try:
        find_engine()
    except EngineError as error:
        pytest.skip(f"needs a real engine: {error}")
    assert "all" in run(installed / "assay", "doctor", cwd=tmp_path)
    run(installed / "python", "-c", TWENTY_TURNS, cwd=tmp_path)
    # Two methods show that the calibration is there as well as all would, and `quick` as well as `standard`.
    choice = ("--recipe", "quick", "--method", "gain", "--method", "conformance")
    page = tmp_path / "report.html"
    said = run(installed / "assay", "rate", "games.pgn", *choice, "--json", "--report", page, cwd=tmp_path)
    answer = json.loads(said)
    assert {one["player"] for one in answer["players"]} == {"Byrne, Donald", "Fischer, Robert James"}
    assert all(one["decisions"] == 12 for one in answer["players"])
    if answer["engine"] == "Stockfish 15.1":  # the one that a calibration ships for
        assert answer["calibrated"]
        assert all(one["combined"]["low"] < one["combined"]["high"] for one in answer["players"])
    assert "Fischer, Robert James" in page.read_text(encoding="utf-8")
