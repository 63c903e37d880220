"""Files with something wrong in them: read, or one sentence.

A few seconds by default, the same cases every time. `make fuzz` does minutes of new ones: ASSAY_FUZZ_SECONDS
for each kind of file, from ASSAY_FUZZ_SEED on. What fails is told with its kind, seed and number, by which
`case` makes the same bytes again.
"""

import os
import random
import time
from collections import Counter
from itertools import count
from pathlib import Path

import pytest

from assay.errors import AssayError
from examples.trials import keep

from .targets import TARGETS, Target

SEED = int(os.environ.get("ASSAY_FUZZ_SEED", "0"))
SECONDS = float(os.environ.get("ASSAY_FUZZ_SECONDS", "0"))
CASES = int(os.environ.get("ASSAY_FUZZ_CASES", "60"))
MOST_SECONDS = 30.0
"""In which one small file must be read."""


def case(target: Target, seed: int, number: int) -> bytes:
    """The bytes of one case."""
    return target.make(random.Random(f"{target.name} {seed} {number}"))


def _outcome(target: Target, path: Path) -> str:
    try:
        target.read(path)
        return "read"
    except AssayError as error:
        said = error
    assert 0 < len(str(said).strip()) < 2000
    return type(said).__name__


@pytest.mark.timeout(max(300, 3 * SECONDS))
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_what_is_read_is_read_or_refused(
    target: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    outcomes: Counter[str] = Counter()
    begun = time.monotonic()
    for number in count():
        if (number >= CASES) if not SECONDS else (time.monotonic() - begun > SECONDS):
            break
        path = tmp_path / f"case{number}{target.suffix}"
        path.write_bytes(case(target, SEED, number))
        start = time.process_time()
        try:
            outcomes[_outcome(target, path)] += 1
        except BaseException as error:
            error.add_note(f"{target.name}: ASSAY_FUZZ_SEED={SEED}, number {number}, kept as {path}")
            raise
        assert time.process_time() - start < MOST_SECONDS, f"{target.name}, seed {SEED}, number {number}"
        path.unlink()
    with capsys.disabled():
        if SECONDS:
            print(f"\n{target.name}: seed {SEED}, {outcomes.total():,} files, {dict(outcomes)}")
    keep("files", target.name, outcomes, SEED)
    # Neither all refused nor all read: else the changes change nothing, or everything.
    assert outcomes["read"] < outcomes.total()
    assert outcomes["read"] > 0
