"""Engines that fail, and what becomes of a run: time-outs, restart, retry, positions put aside."""

import dataclasses
import subprocess
import sys
import textwrap

import pytest

from assay.analysis import uci
from assay.analysis.backlog import analyse
from assay.analysis.engines import EngineConfig, find_engine, open_engine, same_engine
from assay.analysis.recipe import NAMED, EngineIdentity
from assay.errors import EngineError, InputError, MachineError

from .conftest import contents, running, wait_until

RECIPE = dataclasses.replace(NAMED["standard"], lines=3)
ITALIAN = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3"  # in the first game, before it mates


def test_a_wrong_path_is_one_clear_error():
    with pytest.raises(EngineError, match="no engine '/no/such/engine'"):
        find_engine("/no/such/engine")


def test_the_engine_is_looked_for_in_order(monkeypatch, tmp_path):
    for name in ("stockfish", "other"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("ASSAY_ENGINE", raising=False)
    assert find_engine() == str(tmp_path / "stockfish")
    monkeypatch.setenv("ASSAY_ENGINE", str(tmp_path / "other"))
    assert find_engine() == str(tmp_path / "other")
    assert find_engine(str(tmp_path / "stockfish")) == str(tmp_path / "stockfish")
    monkeypatch.setattr("assay.analysis.engines._PLACES", (str(tmp_path),))
    monkeypatch.setenv("PATH", "")
    assert find_engine("other") == str(tmp_path / "other")


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

    monkeypatch.setattr(uci.subprocess, "Popen", Ended)
    with pytest.raises(EngineError, match=r"not a working UCI engine \(.* has died\)"):
        open_engine(EngineConfig(str(path)), RECIPE)


def test_a_file_that_is_no_program(tmp_path):
    path = tmp_path / "program"
    path.write_bytes(b"\x7fELF nothing")
    path.chmod(0o755)
    with pytest.raises(EngineError, match="not a working UCI engine"):
        open_engine(EngineConfig(str(path)), RECIPE)


def test_an_engine_without_lines_is_refused_unless_depth_limits(scripted):
    engine = scripted("--fault", "no_lines")
    with pytest.raises(EngineError, match="recipe limited by depth"):
        open_engine(engine, RECIPE)
    session, identity = open_engine(engine, dataclasses.replace(RECIPE, nodes=None, depth=4))
    session.close()
    assert not identity.lines


def test_settings_that_the_engine_lacks_are_refused(scripted):
    with pytest.raises(EngineError, match="no setting 'Contempt'"):
        open_engine(scripted(), dataclasses.replace(RECIPE, settings=(("Contempt", "1"),)))
    with pytest.raises(EngineError, match="at most 1024"):
        open_engine(scripted(), dataclasses.replace(RECIPE, hash_mb=4096))
    with pytest.raises(InputError, match="Syzygy"):
        open_engine(dataclasses.replace(scripted(), syzygy="/no/such/folder"), RECIPE)


def test_another_engine_on_another_machine_is_refused():
    one = EngineIdentity("Stockfish 15.1", "a.nnue", ())
    with pytest.raises(MachineError, match=r"Stockfish 16, not the same .* \(they differ in name\)"):
        same_engine(one, dataclasses.replace(one, name="Stockfish 16"), "node7")


@pytest.mark.parametrize("walk", [False, True])
@pytest.mark.parametrize("fault", ["die", "hang", "garbage", "nonsense", "none", "illegal", "one_line"])
def test_passing_faults_change_nothing(games, make_tables, scripted, tmp_path, fault, walk):
    recipe = dataclasses.replace(RECIPE, walk=walk)
    expected = make_tables("expected")
    analyse(games, *expected, recipe=recipe, engine=scripted(), jobs=1)
    disturbed = make_tables("disturbed")
    engine = scripted("--fault", fault, "--times", 2, "--state", tmp_path / "state", patience=5.0)
    report = analyse(games, *disturbed, recipe=recipe, engine=engine, jobs=2)
    assert report.failures == []
    assert contents(disturbed) == contents(expected)


@pytest.mark.parametrize("walk", [False, True])
def test_a_position_that_fails_three_times_is_put_aside(games, make_tables, scripted, walk):
    recipe = dataclasses.replace(RECIPE, walk=walk)
    engine = scripted("--fault", "die", "--only", ITALIAN)
    tables = make_tables("tables")
    report = analyse(games, *tables, recipe=recipe, engine=engine, jobs=2)
    assert [failure.position_key.startswith(ITALIAN) for failure in report.failures] == [True]
    assert "has died" in report.failures[0].reason
    assert report.done == report.missing - 1
    again = analyse(games, *tables, recipe=recipe, engine=scripted(), jobs=1)
    assert (again.missing, again.done) == (1, 1)


def test_a_run_without_hope_ends_with_the_reason(games, make_tables, scripted):
    with pytest.raises(EngineError, match=r"20 positions in a row failed, .*has died"):
        analyse(games, *make_tables("t"), recipe=RECIPE, engine=scripted("--fault", "die"), jobs=2)


def test_no_engine_outlives_a_killed_parent(scripted):
    engine = scripted()
    mark = f"--mark {engine.path}"
    program = textwrap.dedent(
        f"""
        import sys, time
        from assay.analysis.uci import UciSession
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
