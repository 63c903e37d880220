"""A served folder for tests: pages asked without a network, games analysed by an engine that plays a part."""

import dataclasses
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from examples.engines import scripted_engine
from examples.gain_examples import annotated_pgn
from examples.served import HOSTILE

try:
    import httpx2  # noqa: F401
    import starlette  # noqa: F401
except ModuleNotFoundError:  # the extra `web` is not installed
    collect_ignore_glob = ["test_*.py", "pages/*"]

RECIPE = 'base = "standard"\nlines = 3\nnodes = 1000\nhash_mb = 1\n'
ADDRESS = "http://127.0.0.1"


@pytest.fixture(scope="session")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an engine that plays a part, and a recipe for it."""
    folder = tmp_path_factory.mktemp("kitchen")
    engine = scripted_engine(folder).path
    assert engine is not None
    Path(engine).rename(folder / "engine")
    (folder / "few.toml").write_text(RECIPE)
    return folder


@pytest.fixture(scope="session")
def analysed(tmp_path_factory: pytest.TempPathFactory, kitchen: Path) -> Path:
    """A folder whose workspace has a game, analysed, and one by somebody with a hostile name, not rated."""
    from assay.workspace import Workspace

    folder = tmp_path_factory.mktemp("served")
    tags = f'[White "{HOSTILE}"]\n[Black "Ann"]\n[Event "{HOSTILE}"]\n[Date "1999.01.02"]\n[Result "1-0"]\n'
    short = f"{tags}\n1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0\n"
    pgn = folder / "two.pgn"
    pgn.write_text(f'[Date "1956.10.17"]\n{annotated_pgn()}\n{short}')
    workspace = Workspace(folder / "games.assay")
    workspace.import_games(pgn)
    workspace.analyse(_recipe(kitchen), engine=str(kitchen / "engine"), jobs=1)
    return folder


@pytest.fixture(scope="session")
def calibrations(analysed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The calibration that ships, as if it were of the engine that plays a part: for its looks."""
    from assay.rating.calibration import all_shipped
    from assay.workspace import Workspace

    folder = tmp_path_factory.mktemp("calibrations")
    shipped = next(one for one in all_shipped() if one.agents is not None)
    (recipe_id,) = Workspace(analysed / "games.assay").recipes()
    made = dataclasses.replace(shipped, recipe_id=recipe_id)
    made.write(folder / f"{recipe_id}.npz")
    return folder


def _recipe(kitchen: Path) -> Any:
    from assay.engine.recipe import find_recipe

    return find_recipe(str(kitchen / "few.toml"))


@pytest.fixture
def served(tmp_path: Path, kitchen: Path) -> Iterator[Callable[..., Any]]:
    """A function that serves a folder, or a copy of an example; it answers as the server would."""
    from starlette.testclient import TestClient

    from assay.web.server import make_app
    from assay.web.site import Options, Site

    opened = []

    def serve(
        example: Path | None = None, *, hosts: Any = ("127.0.0.1",), token: str | None = None, **options: Any
    ) -> Any:
        folder = tmp_path / f"served{len(opened)}"
        if example is not None:
            shutil.copytree(example, folder)
        chosen = {
            "recipe": str(kitchen / "few.toml"),
            "engine": str(kitchen / "engine"),
            "jobs": 1,
            **options,
        }
        site = Site(folder, Options(**chosen))
        client = TestClient(
            make_app(site, hosts=hosts, token=token), base_url=ADDRESS, follow_redirects=False
        )
        client.site = site
        opened.append(client)
        client.__enter__()
        return client

    yield serve
    for client in opened:
        client.__exit__(None, None, None)
