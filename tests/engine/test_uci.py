"""One running engine: what it must answer, and that it ends with us."""

import subprocess
import sys
import textwrap

import pytest

from assay.engine import process
from assay.engine.engines import EngineConfig, open_engine
from assay.errors import EngineError

from .conftest import RECIPE, running, wait_until


@pytest.mark.parametrize("body", ["exit 0", "cat", "yes", "echo uciok; sleep 60", "exec /no/such/thing"])
def test_a_program_that_is_not_uci(tmp_path, body):
    path = tmp_path / "program"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    with pytest.raises(EngineError, match=r"not a working UCI engine|cannot search"):
        open_engine(EngineConfig(str(path), patience=0.5, start_patience=0.5), RECIPE)


def test_a_program_that_has_ended_before_the_first_command(tmp_path, monkeypatch):
    """On a busy machine it may: what is said then must be the same."""
    path = tmp_path / "program"
    path.write_text("#!/bin/sh\nexit 0\n")
    path.chmod(0o755)

    class Ended(subprocess.Popen):
        def __init__(self, *words, **settings):
            super().__init__(*words, **settings)
            self.wait()

    monkeypatch.setattr(process.subprocess, "Popen", Ended)
    with pytest.raises(EngineError, match=r"not a working UCI engine \(.* has died\)"):
        open_engine(EngineConfig(str(path)), RECIPE)


def test_a_file_that_is_no_program(tmp_path):
    path = tmp_path / "program"
    path.write_bytes(b"\x7fELF nothing")
    path.chmod(0o755)
    with pytest.raises(EngineError, match="not a working UCI engine"):
        open_engine(EngineConfig(str(path)), RECIPE)


def test_no_engine_outlives_a_killed_parent(scripted):
    engine = scripted()
    mark = f"--mark {engine.path}"
    program = textwrap.dedent(
        f"""
        import sys, time
        from assay.engine.uci import UciSession
        session = UciSession([{engine.path!r}])
        print(session.pid, flush=True)
        time.sleep(60)
        """
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    with parent:
        engine_pid = int(parent.stdout.readline())
        wait_until(lambda: engine_pid in running(mark))
        parent.kill()
    wait_until(lambda: not running(mark))
