import threading
from typing import Any

from assay.errors import InputError
from assay.web.shelf import Found, Shelf


def never() -> Any:
    raise AssertionError("it is known already")


def test_an_answer_is_worked_out_once_for_each_state() -> None:
    shelf = Shelf()
    assert shelf.get("a", 1, lambda: "one") == Found("one", ready=True, fresh=True)
    assert shelf.get("a", 1, never).value == "one"
    assert shelf.get("a", 2, lambda: "two").value == "two"
    shelf.close()


def test_who_has_no_patience_gets_what_there_was_before() -> None:
    shelf, begun, go = Shelf(), threading.Event(), threading.Event()
    shelf.get("a", 1, lambda: "old")
    shelf._kept["a"].seconds = 0.0  # it took no time, and needs no rest

    def slow() -> str:
        begun.set()
        go.wait(60)
        return "new"

    found = shelf.get("a", 2, slow, patience=0.0)
    assert found == Found("old", ready=True, fresh=False)
    assert shelf.get("b", 2, lambda: go.wait(60), patience=0.0) == Found()
    assert begun.wait(60)
    version = shelf.version
    go.set()
    assert shelf.get("a", 2, never).value == "new"
    assert shelf.version > version
    shelf.close()


def test_many_who_ask_at_once_have_it_worked_out_once() -> None:
    shelf, calls, together = Shelf(), [], threading.Barrier(8)

    def make() -> int:
        calls.append(1)
        return len(calls)

    def ask() -> None:
        together.wait(60)
        found.append(shelf.get("a", 1, make).value)

    found: list[int] = []
    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [1] * 8
    shelf.close()


def test_what_is_slow_keeps_nothing_else_waiting() -> None:
    shelf, go = Shelf(), threading.Event()
    for key in range(5):
        shelf.get(key, 1, lambda: go.wait(60), patience=0.0, slow=True)
    assert shelf.get("quick", 1, lambda: "here").value == "here"
    go.set()
    shelf.close()


def test_errors_are_answers_of_one_sentence(capsys: Any) -> None:
    shelf = Shelf()

    def refused() -> None:
        raise InputError("there are no games")

    found = shelf.get("a", 1, refused)
    assert (found.ready, found.ok, found.error) == (True, False, "there are no games")
    assert shelf.get("a", 1, never).error == found.error
    assert "ZeroDivisionError" in shelf.get("b", 1, lambda: 1 / 0).error
    assert "Traceback" in capsys.readouterr().err
    shelf.close()


def test_no_more_is_kept_than_allowed() -> None:
    shelf = Shelf(most=3)
    for key in range(10):
        shelf.get(key, 1, lambda: "x")
    assert len(shelf._kept) <= 4
    assert shelf.get(9, 1, never).value == "x"
    assert shelf.get(0, 1, lambda: "again").value == "again"
    shelf.close()


def test_an_answer_is_not_worked_out_anew_with_every_change() -> None:
    shelf = Shelf()
    shelf.get("a", 1, lambda: "old")
    shelf._kept["a"].seconds = 1e6  # it took long: it rests before it is worked out again
    assert shelf.get("a", 2, never, patience=0.0) == Found("old", ready=True, fresh=False)
    alarm = shelf._kept["a"].alarm
    assert alarm is not None
    assert alarm.interval > 1e6
    alarm.cancel()
    version = shelf.version
    alarm.function(*alarm.args)  # when it has rested, pages are told to ask again
    assert shelf.version == version + 1
    assert shelf.get("a", 2, lambda: "new").value == "new"  # but who waits gets what is true now
    shelf.close()
