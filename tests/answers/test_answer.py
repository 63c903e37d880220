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
    Row,
    Rows,
    Words,
    duration,
    elo,
    number,
    percent,
    plain,
    points,
    span,
    with_interval,
)
from assay.cli.output import show


class Both(Answer):
    """An answer that says another thing to everybody."""

    def __init__(self, document: Any, rows: list[Row]) -> None:
        self._document, self._rows = document, rows

    def to_dict(self) -> Any:
        return self._document

    def rows(self) -> list[Row]:
        return self._rows

    def words(self) -> list[Words]:
        return [Words("t", ("c",), [("3",)])]


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


def test_rows_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = shown(capsys, Rows("Skill", FOUND, ("player", "c"), "a note", headings={"c": "skill"}))
    assert "Skill" in out.splitlines()[0]
    assert "skill" in out
    assert "1.235" in out
    assert "nan" not in out
    assert "a note" in out
    (table,) = Rows("Skill", FOUND, ("player", "c")).words()
    assert list(table.rows) == [["Ann", "1.235"], ["=Bob", ""]]


def test_columns_that_a_row_lacks_are_empty(capsys: pytest.CaptureFixture[str]) -> None:
    answer = Both([], [{"a": 1}, {"b": 2}])
    assert shown(capsys, answer, csv=True)[0] == "a,b\n1,\n,2\n"
    assert Rows("none", []).rows() == []


def test_json_goes_before_csv(capsys: pytest.CaptureFixture[str]) -> None:
    answer = Both({"a": 1}, [{"b": 2}])
    assert json.loads(shown(capsys, answer, json=True, csv=True)[0]) == {"a": 1}
    assert shown(capsys, answer, csv=True)[0] == "b\n2\n"
    assert "3" in shown(capsys, answer)[0]


def test_single_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    numbers = {"games": 12, "put_aside": ["x", "y"]}
    answer = Facts("Done", numbers, [("games", "12")], "a note")
    assert answer.to_dict() == numbers
    assert answer.rows() == [{"what": "games", "value": 12}, {"what": "put_aside", "value": 2}]
    assert "a note" in shown(capsys, answer)[0]


def test_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    answer = Facts("3 positions were found", {"positions": 3})
    assert shown(capsys, answer)[0] == "3 positions were found\n"
    assert shown(capsys, answer, csv=True)[0] == "what,value\npositions,3\n"


def test_what_is_not_known_is_null() -> None:
    assert plain({"a": math.nan, "b": 0.0, "c": "nan", "d": None}) == {
        "a": None,
        "b": 0.0,
        "c": "nan",
        "d": None,
    }


def test_a_number_that_json_has_not_is_an_error_not_a_bad_file(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        show(Both({"a": math.inf}, []), json=True)
    assert capsys.readouterr().out == ""


# How numbers stand in tables and in JSON.


@pytest.mark.parametrize("value", [-0.4, -0.0, 0.0, 0.4])
def test_zero_has_no_minus(value: float) -> None:
    assert elo(value) == "0"
    assert elo(value, signed=True) == "+0"
    assert str(number(value / 10_000, 1)) == "0.0"


def test_numbers_for_json() -> None:
    assert [number(value) for value in (1.23456789, math.nan, math.inf, -math.inf)] == [
        1.2346,
        None,
        None,
        None,
    ]
    assert number(2400.04, 1) == 2400.0


def test_ratings_beyond_all_numbers() -> None:
    assert [elo(value) for value in (math.nan, math.inf, -math.inf)] == ["", "∞", "-∞"]
    assert [elo(value, signed=True) for value in (math.inf, -math.inf, 12.6)] == ["+∞", "-∞", "+13"]


def test_points_as_chess_players_write_them() -> None:
    assert [points(value) for value in (0, 0.5, 1, 5.5, math.nan)] == ["0", "½", "1", "5½", "–"]


def test_shares_and_intervals() -> None:
    assert (percent(0.555), percent(0.555, 1), percent(math.nan)) == ("56", "55.5", "")
    assert (span(0.25, 0.75), span(math.nan, math.nan)) == ("25 to 75", "")
    row = {"c": 1.0, "c_low": 0.5, "c_high": 1.5, "d": 2.0}
    assert (with_interval(row, "c"), with_interval(row, "d"), with_interval(row, "e")) == (
        "1 (0.5 to 1.5)",
        "2",
        "",
    )


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
    for name in ("comparisons", "insights", "live", "methods", "prepared", "ratings", "results", "screening"):
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
