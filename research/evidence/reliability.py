"""What was tried against files, workspaces and engines, and what happened: docs/evidence/reliability.md.

    python -m research reliability [--files 150] [--times 6] [--seed 0]

runs the tests of `tests/fuzz` and `tests/faults` with more cases than usual. Each leaves a line of JSON for
one kind of trial. A test that fails leaves none, and then there is no table.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.errors import InputError
from research import command
from research.markdown import PLAIN, RIGHT, Tables, print_tables, table

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
    if absent := [suite for suite in SUITES if all(trial.suite != suite for trial in trials)]:
        raise InputError(f"nothing is known of {', '.join(absent)}: the page tells of all that is tried")
    return trials


def tables(trials: Iterable[Trial]) -> Tables:
    """What happened in each suite, with the share of failures that is excluded."""
    for suite in SUITES:
        of_suite = [trial for trial in trials if trial.suite == suite]
        tried = sum(trial.tried for trial in of_suite)
        rows = _files(of_suite) if suite == "files" else _outcomes(of_suite)
        yield suite, f"{rows}\n\n{tried:,} trials, none failed (fewer than {most_failures(tried)} would)."


def main(words: Sequence[str]) -> None:
    """Run the trials and print the tables; takes minutes."""
    parser = command("reliability", __doc__)
    parser.add_argument("--files", type=int, default=150, help="files of each kind")
    parser.add_argument("--times", type=float, default=6, help="how many times the faults of `make test`")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(words)
    root = Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory() as folder:
        trials = Path(folder) / "trials.jsonl"
        settings = {
            "ASSAY_TRIALS": str(trials),
            "ASSAY_FUZZ_CASES": str(given.files),
            "ASSAY_FUZZ_SEED": str(given.seed),
            "ASSAY_FAULTS_TIMES": str(given.times),
            "ASSAY_FAULTS_SEED": str(given.seed),
        }
        tests = [str(root / "tests" / name) for name in ("fuzz", "faults")]
        pytest = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--rootdir", str(root), *tests]
        run = subprocess.run(pytest, env=os.environ | settings, cwd=root, stdout=sys.stderr, check=False)
        if run.returncode:
            sys.exit("a trial failed: there are no tables until what it found is mended")
        print_tables(tables(read_trials(trials.read_text(encoding="utf-8").splitlines())))


def most_failures(tried: int) -> str:
    """The share of failures that is excluded with 95 % confidence where none of so many failed, in words.

    None of n failed: with a share p that has probability (1 - p)^n, which is 0.05 where p is about 3 / n.
    """
    return f"{100 * (1 - 0.05 ** (1 / tried)):.2g} %"


def _files(trials: Iterable[Trial]) -> str:
    order = list(KINDS)
    in_order = sorted(
        trials, key=lambda trial: order.index(trial.kind) if trial.kind in order else len(order)
    )
    rows = [
        (
            KINDS.get(trial.kind, trial.kind),
            f"{trial.tried:,}",
            f"{trial.outcomes.get('read', 0):,}",
            f"{trial.tried - trial.outcomes.get('read', 0):,}",
        )
        for trial in in_order
    ]
    return table(("file", "tried", "read", "refused in a sentence"), rows, (PLAIN, RIGHT, RIGHT, RIGHT))


def _outcomes(trials: Iterable[Trial]) -> str:
    rows = [
        (
            trial.kind,
            f"{trial.tried:,}",
            "; ".join(f"{n:,} {what}" for what, n in trial.outcomes.items() if what != TOO_LATE),
        )
        for trial in sorted(trials, key=lambda trial: trial.kind)
    ]
    return table(("what", "tried", "what happened"), rows, (PLAIN, RIGHT, PLAIN))
