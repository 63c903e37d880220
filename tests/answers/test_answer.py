"""What commands answer, and the three ways of printing it."""

import csv
import io
import json
import math
from importlib import import_module
from typing import Any

import pyarrow as pa
import pytest

from assay.answers.answer import (
    Answer,
    Facts,
    Rows,
    duration,
    elo,
    number,
    points,
)
from assay.cli.output import show

FOUND = [{"player": "Ann", "c": 1.23456, "n": 3}, {"player": "=Bob", "c": math.nan, "n": 4}]


def shown(capsys: pytest.CaptureFixture[str], answer: Any, **how: bool) -> tuple[str, str]:
    show(answer, **how)
    said = capsys.readouterr()
    return said.out, said.err


def test_rows_are_the_same_in_json_and_in_csv(capsys: pytest.CaptureFixture[str]) -> None:
    answer = Rows("Skill", FOUND, remarks=["a remark"])
    out, err = shown(capsys, answer, json=True)
    assert json.loads(out) == [FOUND[0], {"player": "=Bob", "c": None, "n": 4}]
    assert err == ""
    out, err = shown(capsys, answer, csv=True)
    assert list(csv.reader(io.StringIO(out))) == [
        ["player", "c", "n"],
        ["Ann", "1.23456", "3"],
        ["'=Bob", "", "4"],
    ]
    assert err == "a remark\n"


def test_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    answer = Facts("3 positions were found", {"positions": 3})
    assert shown(capsys, answer)[0] == "3 positions were found\n"
    assert shown(capsys, answer, csv=True)[0] == "what,value\npositions,3\n"


def test_a_number_that_json_has_not_is_an_error_not_a_bad_file(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        show(Facts("t", {"a": math.inf}), json=True)
    assert capsys.readouterr().out == ""


# How numbers stand in tables and in JSON.


@pytest.mark.parametrize("value", [-0.4, -0.0, 0.0, 0.4])
def test_zero_has_no_minus(value: float) -> None:
    assert elo(value) == "0"
    assert elo(value, signed=True) == "+0"
    assert str(number(value / 10_000, 1)) == "0.0"


def test_points_as_chess_players_write_them() -> None:
    assert [points(value) for value in (0, 0.5, 1, 5.5, math.nan)] == ["0", "½", "1", "5½", "–"]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(12.34, "12.3 s"), (119.9, "119.9 s"), (300, "5 min"), (7800, "2 h 10 min"), (273_600, "3 d 4 h")],
)
def test_times_as_people_say_them(seconds: float, said: str) -> None:
    assert duration(seconds) == said


# Notebooks ----------------------------------------------------------------------------------------------


def test_an_answer_in_a_notebook_is_short_and_harmless() -> None:
    many = [{"player": f"<b>{n}\x1b[31m", "elo": 1000 * n} for n in range(300)]
    answer = Rows("A <title>", many, note="one\ntwo & three")
    assert repr(answer).splitlines() == [
        "A <title>",
        "player     elo",
        *(f"{f'<b>{n} [31m':9}  {1000 * n:,}" for n in range(10)),
        "... and 290 more rows",
    ]
    html = answer._repr_html_()
    assert html.count("<tr>") == 201
    assert "<td>&lt;b&gt;1 [31m</td><td>1,000</td>" in html
    assert html.endswith("<p>... and 100 more rows</p><p>one</p><p>two &amp; three</p>")
    assert repr(Facts("nothing to do", {})) == "nothing to do"


def test_every_answer_has_the_short_form() -> None:
    """A dataclass would print all of its fields."""
    for name in ("comparisons", "insights", "live", "prepared", "ratings", "results", "screening"):
        import_module(f"assay.answers.{name}")
    kinds, found = [Answer], set()
    while kinds:
        found.update(more := kinds.pop().__subclasses__())
        kinds += more
    ours = [kind for kind in found if kind.__module__.startswith("assay.")]
    assert len(ours) > 20
    assert all(kind.__repr__ is Answer.__repr__ for kind in ours)


def test_any_library_that_reads_arrow_takes_an_answer() -> None:
    answer = Rows("Skill", FOUND)
    assert pa.RecordBatchReader.from_stream(answer).read_all().equals(answer.table())
