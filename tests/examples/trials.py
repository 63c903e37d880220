"""How often something is tried, from which seed, and a note of what came of it.

A few seconds in every run of the tests, the same cases every time. `make faults` multiplies them by
ASSAY_FAULTS_TIMES and begins at ASSAY_FAULTS_SEED. Where ASSAY_TRIALS names a file, each test adds a line of
JSON to it: docs/evidence/reliability.md is made of them.
"""

import json
import os
import random
from collections import Counter
from pathlib import Path

TIMES = float(os.environ.get("ASSAY_FAULTS_TIMES", "1"))
SEED = int(os.environ.get("ASSAY_FAULTS_SEED", "0"))


def tries(few: int) -> int:
    """How often to try what is tried a few times in every run."""
    return max(1, round(few * TIMES))


def chance_of(name: str, number: int) -> random.Random:
    """What decides one try; the same for the same seed."""
    return random.Random(f"{name} {SEED} {number}")


def keep(suite: str, kind: str, outcomes: Counter[str], seed: int = SEED) -> None:
    """Add a line to the file of trials, where there is one."""
    if path := os.environ.get("ASSAY_TRIALS"):
        line = {"suite": suite, "kind": kind, "seed": seed, "outcomes": dict(sorted(outcomes.items()))}
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
