"""Killed at random moments, and begun again: the tables are those of a run left in peace."""

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.workspace import Workspace
from assay.workspace.repair import State, examine
from examples.engines import scripted_engine
from examples.interrupted import (
    SHORT,
    analyse_in_small_parts,
    import_in_small_parts,
    killed,
    leftovers,
    moment,
    remove_a_player,
    seconds_of,
    tables,
)
from examples.trials import TIMES, chance_of, keep, tries

pytestmark = pytest.mark.timeout(max(300, 60 * TIMES))
SOONER = 0.7
"""A kill that came too late makes the next sooner: the machine was busier when the run was timed."""
KILLS_OF_IMPORT, KILLS_OF_ANALYSIS, KILLS_OF_REMOVAL = 2, 1, 2


def damaged(path: Path) -> list[str]:
    """What a reader would complain of."""
    found = examine(Workspace(path, check=False))
    return [one.sentence for one in found if one.state not in (State.WHOLE, State.UNVERIFIED)]


def whole(path: Path) -> bool:
    """Whether every part is there and has its checksum."""
    return all(one.state is State.WHOLE for one in examine(Workspace(path)))


def rows(path: Path, table: str) -> int:
    return sum(one.rows or 0 for one in examine(Workspace(path, check=False)) if one.table == table)


def stage(found: int, all_: int) -> str:
    return "before the first row" if not found else "after the last row" if found == all_ else "between"


def kill_and_go_on(
    name: str, few: int, make: Callable[[Path], tuple[Callable[..., None], tuple[Any, ...]]], table: str
) -> Callable[[Path], Counter[str]]:
    """Kill a run once or more, go on in peace, and compare with a run that was never disturbed."""

    def run(tmp_path: Path) -> Counter[str]:
        peaceful = tmp_path / "peaceful.assay"
        work, arguments = make(peaceful)
        seconds = seconds_of(work, arguments)
        expected, all_ = tables(peaceful), rows(peaceful, table)
        assert all_ > 10
        kills: Counter[str] = Counter()
        for number in range(tries(few)):
            chance = chance_of(name, number)
            path = tmp_path / f"{number}.assay"
            work, arguments = make(path)
            while not killed(work, arguments, moment(chance, seconds)):
                seconds *= SOONER
                shutil.rmtree(path)
                work, arguments = make(path)
            for more in reversed(range(chance.choice((1, 1, 2, 3)))):
                assert not damaged(path)
                kills[f"killed {stage(rows(path, table), all_)}"] += 1
                if not more or not killed(work, arguments, moment(chance, seconds)):
                    break
            seconds_of(work, arguments)
            assert tables(path) == expected, f"{name}, number {number}"
            assert whole(path)
            assert not leftovers(path)
            shutil.rmtree(path)
        return kills

    return run


def test_an_import(tmp_path: Path, examples: Path) -> None:
    run = kill_and_go_on(
        "import", KILLS_OF_IMPORT, lambda path: (import_in_small_parts, (path, examples)), "games"
    )
    kills = run(tmp_path)
    assert kills.total() >= tries(KILLS_OF_IMPORT)
    keep("kills", "import", kills)


def test_an_analysis(tmp_path: Path) -> None:
    games = tmp_path / "games.pgn"
    games.write_text(SHORT)
    imported = Workspace(tmp_path / "imported.assay")
    imported.import_games(games)
    engine = scripted_engine(tmp_path)

    def make(path: Path) -> tuple[Callable[..., None], tuple[Any, ...]]:
        shutil.copytree(imported.path, path)
        return analyse_in_small_parts, (path, engine)

    kills = kill_and_go_on("analysis", KILLS_OF_ANALYSIS, make, "analyses")(tmp_path)
    assert kills.total() >= tries(KILLS_OF_ANALYSIS)
    keep("kills", "analysis", kills)


def test_a_removal_is_whole_or_not_at_all(tmp_path: Path, examples: Path) -> None:
    full = Workspace(tmp_path / "full.assay")
    full.import_games(examples)
    name = full.games()["white"][0].as_py()
    removed = tmp_path / "removed.assay"
    shutil.copytree(full.path, removed)
    seconds = seconds_of(remove_a_player, (removed, name))
    before, after = tables(full.path), tables(removed)
    assert before != after
    outcomes: Counter[str] = Counter()
    for number in range(tries(KILLS_OF_REMOVAL)):
        path = tmp_path / f"{number}.assay"
        shutil.copytree(full.path, path)
        done = not killed(remove_a_player, (path, name), moment(chance_of("removal", number), seconds))
        found = tables(path)
        assert found in (before, after)
        assert not done or found == after
        with Workspace(path).writing():  # the next writer finishes what is in force, and changes nothing else
            pass
        assert tables(path) == found
        assert whole(path)
        if not done:
            outcomes["killed, nothing was removed" if found == before else "killed, all was removed"] += 1
        else:
            outcomes["was done before the kill"] += 1
        shutil.rmtree(path)
    keep("kills", "removal", outcomes)
