"""What was tried against files, workspaces and engines, how often, and what happened: docs/reliability.md.

`python -m research reliability` runs the tests of `tests/fuzz` and `tests/faults` with more cases
than usual. Each leaves a line of JSON for one kind of trial, and the page is made of these lines. A test that
fails leaves none, and then there is no page.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files

from assay.errors import InputError
from research.markdown import PLAIN, RIGHT, render, table

TEMPLATE = files(__package__) / "reliability.md.jinja"

KINDS = {
    "pgn": "PGN, plain and packed",
    "recipe": "recipes (TOML)",
    "calibration": "calibrations (`.npz`)",
    "results": "results (CSV)",
    "decisions": "decisions (Parquet)",
    "evaluations": "lichess's evaluations (JSON lines)",
    "spelling": "spelling files",
    "engine": "lines of an engine",
    "workspace": "`workspace.json`",
    "recipes": "`recipes.json` of a workspace, by an earlier assay",
    "summed": "`recipes.json` with its checksum",
    "settings": "`settings.toml` of a workspace",
}
"""The kinds of files, in words; more are shown by their names."""

SUITES = ("files", "kills", "damage", "links", "engines")


TOO_LATE = "was done before the kill"
"""The outcome of a trial that did not come to be."""


@dataclass(frozen=True)
class Trial:
    """One kind of trial: how often each outcome was seen."""

    suite: str
    kind: str
    seed: int
    outcomes: Mapping[str, int]

    @property
    def tried(self) -> int:
        """How often it was tried; a run that was done before its fault does not count."""
        return sum(n for what, n in self.outcomes.items() if what != TOO_LATE)


def read_trials(lines: Iterable[str]) -> list[Trial]:
    """Trials from lines of JSON; every suite must be among them."""
    trials = [Trial(**json.loads(line)) for line in lines]
    if absent := [suite for suite in SUITES if all(one.suite != suite for one in trials)]:
        raise InputError(f"nothing is known of {', '.join(absent)}: the page tells of all that is tried")
    return trials


def reliability_page(trials: Iterable[Trial], options: str) -> str:
    """The page, from trials that were made with these options of the command."""
    by_suite = {suite: [one for one in trials if one.suite == suite] for suite in SUITES}
    context = {
        "options": options,
        "python": platform.python_version(),
        "system": platform.system(),
        "files": _files(by_suite["files"]),
        "totals": {suite: f"{_total(found):,}" for suite, found in by_suite.items()},
        "bounds": {suite: most_failures(_total(found)) for suite, found in by_suite.items()},
        "tables": {suite: _outcomes(found) for suite, found in by_suite.items() if suite != "files"},
        "seeds": ", ".join(sorted({str(one.seed) for found in by_suite.values() for one in found})),
    }
    return render(TEMPLATE, context)


def most_failures(tried: int) -> str:
    """The share of failures that is excluded with 95 % confidence where none of so many failed, in words.

    None of n failed: with a share p that has probability (1 - p)^n, which is 0.05 where p is about 3 / n.
    """
    return f"{100 * (1 - 0.05 ** (1 / tried)):.2g} %"


def _total(trials: Iterable[Trial]) -> int:
    return sum(one.tried for one in trials)


def _files(trials: Iterable[Trial]) -> str:
    order = list(KINDS)
    known = sorted(trials, key=lambda one: order.index(one.kind) if one.kind in order else len(order))
    rows = [
        (
            KINDS.get(one.kind, one.kind),
            f"{one.tried:,}",
            f"{one.outcomes.get('read', 0):,}",
            f"{one.tried - one.outcomes.get('read', 0):,}",
        )
        for one in known
    ]
    return table(("file", "tried", "read", "refused in a sentence"), rows, (PLAIN, RIGHT, RIGHT, RIGHT))


def _outcomes(trials: Iterable[Trial]) -> str:
    rows = [
        (
            one.kind,
            f"{one.tried:,}",
            "; ".join(f"{n:,} {what}" for what, n in one.outcomes.items() if what != TOO_LATE),
        )
        for one in sorted(trials, key=lambda one: one.kind)
    ]
    return table(("what", "tried", "what happened"), rows, (PLAIN, RIGHT, PLAIN))
