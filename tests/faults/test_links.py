"""Workspaces from anyone, with links to elsewhere in random places: nothing outside is written."""

import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.engine.engines import EngineConfig
from assay.errors import AssayError
from assay.workspace import Workspace
from assay.workspace.repair import repair
from examples import SIMULATED
from examples.interrupted import RECIPE
from examples.links import FILES, FOLDERS, content, outside_of
from examples.trials import TIMES, chance_of, keep, tries

pytestmark = pytest.mark.timeout(max(300, 60 * TIMES))
WORKSPACES = 6


def plant(path: Path, outside: Path, chance: random.Random) -> None:
    """One to four links in the place of files and folders of a workspace, there or to come."""
    there = [str(one.relative_to(path)) for one in sorted(path.rglob("*"))]
    for name in chance.sample([*there, *FILES, *FOLDERS], chance.choice((1, 1, 2, 4))):
        link = path / name
        if not link.parent.is_dir() or link.parent.is_symlink():
            continue
        if link.is_dir() and not link.is_symlink():
            shutil.rmtree(link)
        else:
            link.unlink(missing_ok=True)
        link.symlink_to(chance.choice((outside, outside / "victim", outside / "games", outside / "new")))


def test_no_link_is_written_through(
    analysed: Path, engine: EngineConfig, tmp_path: Path, copy: Callable[[Path, int], Path]
) -> None:
    outside = outside_of(tmp_path)
    before = content(outside)
    outcomes: Counter[str] = Counter()
    for number in range(tries(WORKSPACES)):
        chance = chance_of("links", number)
        path = copy(analysed, number)
        plant(path, outside, chance)

        def remove(path: Path = path) -> None:
            opened = Workspace(path)
            opened.remove(opened.plan_removal(players=["Fischer"]))

        steps: list[Callable[[], object]] = [
            lambda path=path: Workspace(path).import_games(SIMULATED, aliases={"A": "B"}),
            lambda path=path: repair(Workspace(path, check=False), lambda _: None),
            remove,
        ]
        if chance.random() < 0.2:
            steps.append(lambda path=path: Workspace(path).analyse(RECIPE, engine=engine, jobs=1, limit=2))
        chance.shuffle(steps)
        for step in steps:
            try:
                step()
                outcomes["done inside the workspace"] += 1
            except AssayError:
                outcomes["refused in a sentence"] += 1
            assert content(outside) == before, f"links, number {number}"
        shutil.rmtree(path)
    keep("links", "import, repair, removal and analysis of a workspace with links", outcomes)
