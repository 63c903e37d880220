"""What commands answer, and the three ways of printing it."""

import csv
import io
import json
import math
from typing import Any

import pytest

from assay.cli.answers.base import Made, Rows, Table, facts, plain, print_answer, said_once, sentence

FOUND = [{"player": "Ann", "c": 1.23456, "n": 3}, {"player": "=Bob", "c": math.nan, "n": 4}]


def shown(capsys: pytest.CaptureFixture[str], answer: Any, **how: bool) -> tuple[str, str]:
    print_answer(answer, **how)
    said = capsys.readouterr()
    return said.out, said.err


def test_rows_are_the_same_in_json_and_in_csv(capsys: pytest.CaptureFixture[str]) -> None:
    answer = Rows("Skill", FOUND, remarks=["a remark"])
    out, err = shown(capsys, answer, as_json=True)
    assert json.loads(out) == [FOUND[0], {"player": "=Bob", "c": None, "n": 4}]
    assert err == ""
    out, err = shown(capsys, answer, as_csv=True)
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
    (table,) = Rows("Skill", FOUND, ("player", "c")).tables()
    assert list(table.rows) == [["Ann", "1.235"], ["=Bob", ""]]


def test_columns_that_a_row_lacks_are_empty(capsys: pytest.CaptureFixture[str]) -> None:
    answer = Made(list, lambda: [{"a": 1}, {"b": 2}], list)
    assert shown(capsys, answer, as_csv=True)[0] == "a,b\n1,\n,2\n"
    assert Rows("none", []).rows() == []


def test_json_goes_before_csv(capsys: pytest.CaptureFixture[str]) -> None:
    answer = Made(lambda: {"a": 1}, lambda: [{"b": 2}], lambda: [Table("t", ("c",), [("3",)])])
    assert json.loads(shown(capsys, answer, as_json=True, as_csv=True)[0]) == {"a": 1}
    assert shown(capsys, answer, as_csv=True)[0] == "b\n2\n"
    assert "3" in shown(capsys, answer)[0]


def test_single_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    numbers = {"games": 12, "put_aside": ["x", "y"]}
    answer = facts("Done", numbers, [("games", "12")], "a note")
    assert answer.document() == numbers
    assert answer.rows() == [{"what": "games", "value": 12}, {"what": "put_aside", "value": 2}]
    assert "a note" in shown(capsys, answer)[0]


def test_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    answer = sentence("3 positions were found", {"positions": 3})
    assert shown(capsys, answer)[0] == "3 positions were found\n"
    assert shown(capsys, answer, as_csv=True)[0] == "what,value\npositions,3\n"


def test_what_several_methods_say_is_one_note() -> None:
    notes = [
        "bayes: too few lines",
        "a year is short",
        "choice: too few lines",
        "bayes: too few lines",
        "x: y",
    ]
    assert said_once(notes) == ["bayes, choice: too few lines", "a year is short", "x: y"]


def test_what_is_not_known_is_null() -> None:
    assert plain({"a": math.nan, "b": 0.0, "c": "nan", "d": None}) == {
        "a": None,
        "b": 0.0,
        "c": "nan",
        "d": None,
    }


def test_a_number_that_json_has_not_is_an_error_not_a_bad_file(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        print_answer(Made(lambda: {"a": math.inf}, list, list), as_json=True)
    assert capsys.readouterr().out == ""
