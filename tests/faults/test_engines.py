"""Engines that die, hang or lie in random positions: put aside or tried again, and nothing false is kept."""

import os
import random
import shutil
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.answers.prepared import AnalysisReport
from assay.engine.engines import EngineConfig
from assay.workspace import Workspace
from examples.engines import engines_running, scripted_engine
from examples.interrupted import RECIPE, tables
from examples.trials import SEED, TIMES, chance_of, keep, tries

pytestmark = pytest.mark.timeout(max(300, 60 * TIMES))
RUNS = 2
"""`tests/engine/test_run.py` and `test_uci.py` meet every fault, once and in one place."""

KILLED = "it is killed from outside"
FAULTS: dict[str, tuple[str, ...]] = {
    "it dies": ("die",),
    "it reports what cannot be": ("mate", "mated", "nodes", "depth", "seldepth", "wdl", "negative"),
    KILLED: (),
    "it hangs": ("hang",),
    "it talks nonsense": ("nonsense", "none"),
    "it plays what is illegal": ("illegal",),
    "it leaves lines out": ("one_line",),
}
"""What an engine of tests/engine/scripted_engine.py does, in words."""


def hostile_engine(what: str, keys: list[str], folder: Path, chance: random.Random) -> EngineConfig:
    """One that fails in one position always, or a few times in any; or one that will be killed."""
    if what == KILLED:
        return scripted_engine(folder)
    fault = chance.choice(FAULTS[what])
    if chance.random() < 0.5:
        when = ("--only", chance.choice(keys))
    else:
        when = ("--times", str(chance.choice((1, 2))), "--state", str(folder / f"state{chance.random()}"))
    return scripted_engine(folder, "--fault", fault, *when, patience=0.5 if fault == "hang" else 20.0)


def killer(engine: EngineConfig, moments: list[int], chance: random.Random) -> Callable[..., None]:
    """What kills one process of an engine when so many positions are done."""

    def kill_one(report: AnalysisReport) -> None:
        if moments and report.done >= moments[0] and (found := engines_running(engine)):
            os.kill(chance.choice(found), signal.SIGKILL)
            moments.pop(0)

    return kill_one


def test_nothing_false_is_kept(
    imported: Path,
    analysed: Path,
    engine: EngineConfig,
    tmp_path: Path,
    copy: Callable[[Path, int], Path],
) -> None:
    expected = tables(analysed)
    keys = [row["position_key"] for row in expected["analyses"]]
    outcomes: dict[str, Counter[str]] = {}
    for number in range(tries(RUNS)):
        what = list(FAULTS)[(SEED + number) % len(FAULTS)]
        chance = chance_of(what, number)
        path = copy(imported, number)
        hostile = hostile_engine(what, keys, tmp_path, chance)
        moments = sorted(chance.sample(range(1, len(keys) - 4), 2)) if what == KILLED else []
        kill = killer(hostile, moments, chance)
        report = Workspace(path).analyse(RECIPE, engine=hostile, jobs=chance.choice((1, 2)), progress=kill)
        assert not moments
        aside = {failure.position_key for failure in report.failures}
        true = [row for row in expected["analyses"] if row["position_key"] not in aside]
        assert tables(path)["analyses"] == true, f"{what}, number {number}"
        if aside:
            Workspace(path).analyse(RECIPE, engine=engine, jobs=1)
        assert tables(path) == expected, f"{what}, number {number}"
        assert not engines_running(hostile)
        outcome = "put aside, the rest identical" if aside else "tried again, all identical"
        outcomes.setdefault(what, Counter())[outcome] += 1
        shutil.rmtree(path)
    for what, seen in outcomes.items():
        keep("engines", what, seen)
