"""Named rules against a slow reading of the rows."""

from collections.abc import Callable

import pyarrow as pa

from assay.decisions.decisions import Decisions
from assay.decisions.rules import (
    after_turn,
    among_lines,
    choice_of_two,
    evaluated,
    has_gain,
    not_forced,
    not_repeated,
    rated,
    within,
)


def slow_rule(decisions: Decisions, keep: Callable[[dict[str, object]], bool]) -> list[bool]:
    return [keep(row) for row in decisions.to_table().to_pylist()]


def test_rules_keep_what_they_say() -> None:
    decisions = Decisions.from_table(
        pa.Table.from_pylist(
            [
                {
                    "player": "Ann",
                    "moves": ["a", "b"][: 1 + i % 2],
                    "cp": [50 * i, 0][: 1 + i % 2],
                    "game_id": "g",
                    "played": "a" if i % 3 else "b",
                    "ply": i,
                    "n_legal": 1 + i % 4,
                    "repetition": i % 5 // 4,
                    "after": None if i % 7 == 0 else 10,
                    "n_lines": 1,
                    "exclusion": "too_short" if i % 6 == 5 else None,
                }
                for i in range(40)
            ]
        )
    )
    for rule, keep in (
        (after_turn(8), lambda r: r["ply"] >= 16),
        (not_forced(), lambda r: r["n_legal"] > 1),
        (not_repeated(), lambda r: r["repetition"] == 0),
        (within(300), lambda r: abs(r["before"]) <= 300),
        (evaluated(), lambda r: r["played"] in r["moves"]),
        (among_lines(), lambda r: r["played"] in r["moves"][: r["n_lines"]]),
        (has_gain(), lambda r: r["after"] is not None),
        (choice_of_two(), lambda r: len(r["moves"]) > 1),
        (rated(), lambda r: r["exclusion"] is None),
        (rated(include=["too_short"]), lambda r: True),
        (after_turn(5) & ~within(300), lambda r: r["ply"] >= 10 and abs(r["before"]) > 300),
        (after_turn(15) | within(100), lambda r: r["ply"] >= 30 or abs(r["before"]) <= 100),
    ):
        assert rule(decisions).tolist() == slow_rule(decisions, keep), rule.name
    assert str(after_turn(8) & ~within(300)) == "after turn 8 and not (within 300 cp)"
    both = decisions.filter(after_turn(8), within(1000))
    assert len(both) == len(decisions.filter(after_turn(8) & within(1000)))
