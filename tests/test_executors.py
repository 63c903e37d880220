"""Units of work in this process, in several, and on a cluster: the same answers."""

import os

import pytest

from assay.errors import MachineError
from assay.executors import (
    AHEAD,
    SPARE,
    Dask,
    Executor,
    Processes,
    Serial,
    executor_for,
    return_memory,
    usable_cores,
)


def square(number: int) -> int:
    return number * number


def broken(number: int) -> int:
    raise ValueError(str(number))


def answers(executor: Executor) -> list[int]:
    try:
        return sorted(executor.map(square, iter(range(20))))
    finally:
        executor.close()


def test_every_unit_is_answered() -> None:
    expected = sorted(one * one for one in range(20))
    assert answers(Serial()) == expected
    assert answers(Processes(2)) == expected


def test_few_units_are_held_at_once() -> None:
    drawn: list[int] = []
    pool = Processes(2)
    units = (drawn.append(one) or one for one in range(50))  # type: ignore[func-returns-value]
    next(pool.map(square, units))
    assert len(drawn) == 2 * AHEAD + SPARE
    pool.close()


def test_errors_of_a_unit_are_told() -> None:
    pool = Processes(2)
    with pytest.raises(ValueError, match="0"):
        list(pool.map(broken, [0]))
    pool.close()


def test_which_one() -> None:
    assert isinstance(executor_for(1), Serial)
    pool = executor_for(2)
    assert (type(pool), pool.workers) == (Processes, 2)
    pool.close()


def test_a_cluster_answers_every_unit() -> None:
    distributed = pytest.importorskip("distributed", reason="needs the extra 'cluster'")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as cluster:
        executor = Dask(cluster.scheduler_address)
        assert sorted(executor.map(square, iter(range(7)))) == [0, 1, 4, 9, 16, 25, 36]
        drawn: list[int] = []
        units = (drawn.append(one) or one for one in range(50))  # type: ignore[func-returns-value]
        assert next(executor.map(square, units)) in [one * one for one in range(50)]
        assert len(drawn) == AHEAD + SPARE + 1
        with pytest.raises(MachineError, match="ValueError"):
            list(executor.map(broken, [0]))
        executor.close()


def test_no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="needs the extra 'cluster'")
    monkeypatch.setattr("assay.executors._CONNECT_SECONDS", 0.2)
    with pytest.raises(MachineError, match="start the cluster first"):
        Dask("tcp://127.0.0.1:1")


# What the machine gives to this process.


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
