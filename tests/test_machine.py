import os

import pytest

from assay.machine import return_memory, usable_cores


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system binds no process to cores")
def test_a_process_bound_to_one_core_has_one() -> None:
    before = os.sched_getaffinity(0)
    assert usable_cores() == len(before)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert usable_cores() == 1
    finally:
        os.sched_setaffinity(0, before)


def test_where_there_is_no_affinity_all_cores_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert usable_cores() == 7
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert usable_cores() == 1


def test_memory_is_given_back_where_that_can_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    return_memory()
    asked: list[str] = []
    monkeypatch.setattr("ctypes.CDLL", lambda name: asked.append("C library"))  # one without the call
    monkeypatch.setattr("sys.platform", "linux")
    return_memory()
    monkeypatch.setattr("sys.platform", "darwin")
    return_memory()
    assert asked == ["C library"]
