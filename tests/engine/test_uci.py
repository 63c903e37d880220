"""One running engine: what it must answer, and that it ends with us."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from assay.engine import uci
from assay.engine.engines import EngineConfig, open_engine
from assay.engine.trace import parse_line
from assay.engine.uci import EngineProcess, UciSession
from assay.errors import EngineError
from assay.workspace.analyses import analyse

from .conftest import RECIPE, contents, running, wait_until
from .scripted_engine import IMPOSSIBLE


@pytest.mark.parametrize(
    "content",
    [
        *(
            f"#!/bin/sh\n{body}\n"
            for body in ("exit 0", "cat", "yes", "echo uciok; sleep 60", "exec /no/such/thing")
        ),
        "\x7fELF nothing",
    ],
)
def test_a_program_that_is_not_uci(tmp_path, content):
    path = tmp_path / "program"
    path.write_text(content)
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

    monkeypatch.setattr(uci.subprocess, "Popen", Ended)
    with pytest.raises(EngineError, match=r"not a working UCI engine \(.* has died\)"):
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


# Engines that report what cannot be, or leave children: one position is put aside, the run goes on.

ONE_POSITION = "/4p2Q/"  # of the first game


@pytest.mark.parametrize("fault", list(IMPOSSIBLE))
def test_what_cannot_be_puts_one_position_aside(games, make_tables, scripted, fault: str) -> None:
    expected, found, first = make_tables("expected"), make_tables("found"), games.slice(0, 1)
    analyse(first, *expected, recipe=RECIPE, engine=scripted(), jobs=1)
    engine = scripted("--fault", fault, "--only", ONE_POSITION)
    report = analyse(first, *found, recipe=RECIPE, engine=engine, jobs=2)
    aside = {failure.position_key for failure in report.failures}
    assert aside
    assert all(ONE_POSITION in key for key in aside)
    assert all("which cannot be" in one.reason or "thousandths" in one.reason for one in report.failures)
    assert contents(found)[0] == [row for row in contents(expected)[0] if row["position_key"] not in aside]


@pytest.mark.parametrize(
    "line",
    [
        b"info depth 3 score mate 1000 nodes 1 pv e2e4",
        b"info depth 1000 score cp 99999999999999999999999999 nodes 1000000000000000 pv e2e4",
        b"info depth 0 score mate 0 pv e2e4",
    ],
)
def test_what_can_be_is_taken(line: bytes) -> None:
    assert parse_line(line) is not None


@pytest.mark.parametrize("end", ["close", "kill"])
def test_what_an_engine_forked_ends_with_it(scripted, tmp_path: Path, end: str) -> None:
    mark = f"child-of-{tmp_path.name}-{end}"
    session, _ = open_engine(scripted("--fork", mark), RECIPE)
    wait_until(lambda: running(mark))
    if end == "kill":
        session.kill()
        wait_until(lambda: not running(mark))
    session.close()
    wait_until(lambda: not running(mark))


def test_a_dead_engine_takes_its_children_along(scripted, tmp_path: Path) -> None:
    mark = f"orphan-of-{tmp_path.name}"
    engine = scripted("--fork", mark, "--fault", "die")
    session = UciSession([engine.path], patience=5)
    with pytest.raises(EngineError, match=r"has died|does not answer"):
        session.search("fen 8/8/8/8/8/k7/8/K6R w - - 0 1", "depth 1", n_lines=1, clear=True, ceiling=5)
    session.close()
    wait_until(lambda: not running(mark))


def test_a_pipe_that_has_ended_stays_ended() -> None:
    script = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"
    process = EngineProcess([sys.executable, "-c", script])
    assert process.read(0.05) is None
    process.write(b"one\n")
    assert process.read(10) == b"one\n"
    process.kill()
    assert process.read(10) == process.read(10) == b""
    process.close()
    process.kill()  # nothing is left to end, and no other process has its number


@pytest.mark.parametrize(
    "option", ["option name A type spin default 1 min 1 max " + "9" * 5000, "id name " + "x" * 100_000]
)
def test_a_handshake_of_any_size(tmp_path: Path, option: str) -> None:
    path = tmp_path / "engine"
    path.write_text(f"#!{sys.executable}\nprint({option!r})\nprint('uciok', flush=True)\ninput()\n")
    path.chmod(0o755)
    session = UciSession([str(path)])
    assert len(session.name) <= 200
    session.close()
