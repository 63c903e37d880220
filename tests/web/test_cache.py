import threading
from typing import Any

import pytest

from assay.errors import EngineError, InputError
from assay.web.cache import Cache, Cached, sentence_of


def never() -> Any:
    raise AssertionError("it is known already")


def test_an_answer_is_worked_out_once_for_each_state() -> None:
    cache = Cache()
    assert cache.get("a", 1, lambda: "one") == Cached("one", ready=True, fresh=True)
    assert cache.get("a", 1, never).value == "one"
    assert cache.get("a", 2, lambda: "two").value == "two"
    cache.close()


def test_who_has_no_patience_gets_what_there_was_before() -> None:
    cache, begun, go = Cache(), threading.Event(), threading.Event()
    cache.get("a", 1, lambda: "old")
    cache._entries["a"].seconds = 0.0  # it took no time, and needs no rest

    def slow() -> str:
        begun.set()
        go.wait(60)
        return "new"

    found = cache.get("a", 2, slow, patience=0.2)  # it is begun meanwhile: what there is stays the old one
    assert found == Cached("old", ready=True, fresh=False)
    assert cache.get("b", 2, lambda: go.wait(60), patience=0.0) == Cached()
    assert begun.wait(60)
    version = cache.version
    go.set()
    assert cache.get("a", 2, never).value == "new"
    assert cache.version > version
    cache.close()


def test_many_who_ask_at_once_have_it_worked_out_once() -> None:
    cache, calls, together = Cache(), [], threading.Barrier(8)

    def make() -> int:
        calls.append(1)
        return len(calls)

    def ask() -> None:
        together.wait(60)
        found.append(cache.get("a", 1, make).value)

    found: list[int] = []
    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [1] * 8
    cache.close()


def test_what_is_slow_keeps_nothing_else_waiting() -> None:
    cache, go = Cache(), threading.Event()
    for key in range(5):
        cache.get(key, 1, lambda: go.wait(60), patience=0.0, slow=True)
    assert cache.get("quick", 1, lambda: "here").value == "here"
    go.set()
    cache.close()


def test_the_newest_question_is_answered_first_and_pages_that_were_left_are_forgotten() -> None:
    cache, begun, go, order = Cache(), threading.Event(), threading.Event(), []

    def blocking() -> None:
        begun.set()
        go.wait(60)

    def ask(key: str, patience: float | None = 0.0) -> Cached:
        return cache.get(key, 1, lambda: order.append(key), patience=patience, slow=True)

    cache.get("running", 1, blocking, patience=0.0, slow=True)
    assert begun.wait(60)
    ask("open")
    for number in range(30):  # pages that are left at once
        ask(f"left {number}")
    ask("open")  # a page that is open asks again
    last = threading.Thread(target=ask, args=("last", None))
    last.start()
    while not cache._entries.get("last"):
        pass
    go.set()
    last.join(60)
    ask("at the end", None)
    assert order[:2] == ["last", "open"]
    assert "left 29" in order or "left 29" in cache._questions[True]
    assert "left 0" not in order
    assert ask("left 0", None).ready  # and is answered when it is asked again
    cache.close()


def test_nobody_waits_for_a_server_that_ends() -> None:
    cache, begun, go = Cache(), threading.Event(), threading.Event()

    def blocking() -> None:
        begun.set()
        go.wait(60)

    found: list[Cached] = []
    waiting = threading.Thread(target=lambda: found.append(cache.get("a", 1, blocking, slow=True)))
    waiting.start()
    assert begun.wait(60)
    cache.close()
    waiting.join(60)
    assert "is ending" in found[0].error
    assert all(thread.daemon for thread in threading.enumerate() if thread.name == "answers")
    go.set()


def test_errors_are_answers_of_one_sentence(capsys: Any) -> None:
    cache = Cache()

    def refused() -> None:
        raise InputError("there are no games")

    found = cache.get("a", 1, refused)
    assert (found.ready, found.ok, found.error) == (True, False, "there are no games")
    assert cache.get("a", 1, never).error == found.error
    assert "ZeroDivisionError" in cache.get("b", 1, lambda: 1 / 0).error
    assert "Traceback" in capsys.readouterr().err
    cache.close()


def test_no_more_is_kept_than_allowed() -> None:
    cache = Cache(most=3)
    for key in range(10):
        cache.get(key, 1, lambda: "x")
    assert len(cache._entries) <= 4
    assert cache.get(9, 1, never).value == "x"
    assert cache.get(0, 1, lambda: "again").value == "again"
    cache.close()


def test_an_answer_is_not_worked_out_anew_with_every_change() -> None:
    cache = Cache()
    cache.get("a", 1, lambda: "old")
    cache._entries["a"].seconds = 1e6  # it took long: it rests before it is worked out again
    assert cache.get("a", 2, never, patience=0.0) == Cached("old", ready=True, fresh=False)
    alarm = cache._entries["a"].alarm
    assert alarm is not None
    assert alarm.interval > 1e6
    alarm.cancel()
    version = cache.version
    alarm.function(*alarm.args)  # when it has rested, pages are told to ask again
    assert cache.version == version + 1
    assert cache.get("a", 2, lambda: "new").value == "new"  # but who waits gets what is true now
    cache._entries["a"].seconds = 1e6
    assert cache.get("a", 3, never, patience=0.0, rest=50.0).value == "new"
    alarm = cache._entries["a"].alarm
    assert alarm is not None
    assert alarm.interval <= 50.0  # a workspace that is quiet again is not waited for
    alarm.cancel()
    assert cache.get("a", 3, lambda: "newer", patience=60.0, rest=0.0).value == "newer"
    cache.close()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (EngineError("the engine died"), "the engine died"),
        (OSError(28, "No space left on device"), "the disk is full"),
        (PermissionError(13, "Permission denied", "/somewhere"), "/somewhere may not be read or written"),
        (MemoryError(), "not enough memory"),
    ],
)
def test_what_is_said(error: BaseException, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert said in sentence_of(error)
    assert capsys.readouterr().err == ""


def test_a_fault_of_ours_is_told_to_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert "(KeyError)" in sentence_of(KeyError("secret"))
    assert "KeyError: 'secret'" in capsys.readouterr().err
