"""The page of trials: every number comes from a trial, and what is absent is not passed over."""

import json

import pytest

from assay.errors import InputError
from research.evidence.reliability import SUITES, TOO_LATE, most_failures, read_trials, tables


def line(suite: str, kind: str = "pgn", **outcomes: int) -> str:
    return json.dumps({"suite": suite, "kind": kind, "seed": 7, "outcomes": outcomes})


def test_what_was_tried_is_counted() -> None:
    lines = [line("files", read=700, PgnError=300, InputError=234)]
    lines += [line(suite, "some kind", identical=5, aside=6) for suite in SUITES[1:]]
    text = str(dict(tables(read_trials(lines))))
    assert "| PGN, plain and packed | 1,234 | 700 | 534 |" in text
    assert text.count("| some kind | 11 | 5 identical; 6 aside |") == len(SUITES) - 1
    assert text.count("11 trials, none failed") == len(SUITES) - 1


def test_a_run_that_was_done_before_its_kill_is_none() -> None:
    lines = [line(suite, read=1) for suite in SUITES]
    lines.append(
        json.dumps({"suite": "kills", "kind": "x", "seed": 7, "outcomes": {TOO_LATE: 5, "killed": 2}})
    )
    text = dict(tables(read_trials(lines)))["kills"]
    assert "| x | 2 | 2 killed |" in text
    assert "3 trials, none" in text


def test_a_suite_that_left_nothing_makes_no_page() -> None:
    with pytest.raises(InputError, match="nothing is known of links"):
        read_trials(line(suite, read=1) for suite in SUITES if suite != "links")


@pytest.mark.parametrize(("tried", "bound"), [(1, "95 %"), (100, "3 %"), (3000, "0.1 %")])
def test_none_of_n_says_less_than_three_in_n(tried: int, bound: str) -> None:
    assert most_failures(tried) == bound
