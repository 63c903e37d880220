"""What an engine started ends with it, wherever it went."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from assay.engine.process import NAME, end_marked, marked, new_mark
from assay.engine.uci import UciSession

from .conftest import running, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]


def test_only_what_carries_the_mark_is_ended() -> None:
    one, other = new_mark(), new_mark()
    assert one != other
    processes = [subprocess.Popen(SLEEP, env={**os.environ, NAME: mark}) for mark in (one, other)]
    wait_until(lambda: marked(one) == [processes[0].pid] and marked(other) == [processes[1].pid])
    end_marked(one)
    assert processes[0].wait(10) < 0
    assert processes[1].poll() is None
    end_marked("")  # no mark, as on other systems, is not the mark of all
    assert processes[1].poll() is None
    end_marked(other)
    assert processes[1].wait(10) < 0
    assert not marked(one)


@pytest.mark.parametrize("end", ["close", "kill"])
def test_what_left_the_group_ends_with_the_engine(scripted, tmp_path: Path, end: str) -> None:
    mark = f"away-{tmp_path.name}-{end}"
    session = UciSession([scripted("--fork", mark, "--away").path])
    wait_until(lambda: running(mark))
    getattr(session, end)()
    wait_until(lambda: not running(mark))
    session.close()


@pytest.mark.parametrize("away", [[], ["--away"]])
def test_what_an_engine_forked_ends_when_we_are_killed(scripted, tmp_path: Path, away: list[str]) -> None:
    mark = f"killed-{tmp_path.name}-{len(away)}"
    engine = scripted("--fork", mark, *away)
    program = textwrap.dedent(
        f"""
        import time
        from assay.engine.uci import UciSession
        session = UciSession([{engine.path!r}])
        time.sleep(60)
        """
    )
    with subprocess.Popen([sys.executable, "-c", program]) as parent:
        wait_until(lambda: running(mark))
        parent.kill()
    wait_until(lambda: not running(mark))
    wait_until(lambda: not running(f"--mark {engine.path}"))


def test_nobody_watches_when_we_have_ended(scripted) -> None:
    program = textwrap.dedent(
        f"""
        from assay.engine import process as descendants
        from assay.engine.uci import UciSession
        UciSession([{scripted().path!r}]).close()
        [(token, process)] = descendants._watches.values()
        print(token, process.pid)
        """
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    token, number = done.stdout.split()
    assert int(number) not in running(token)
    assert done.stderr == ""
