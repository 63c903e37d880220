"""Shell completion: it installs, and it completes commands, options and their values."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ASSAY = Path(sys.executable).with_name("assay")


def run(home: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HOME": str(home), **variables}
    return subprocess.run(
        [str(ASSAY), *arguments], capture_output=True, text=True, env=environment, timeout=120, check=False
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("assay ra", "rate"),
        ("assay rate --by ", "event"),
        ("assay method ba", "bayes"),
        ("assay rate --rep", "--report"),
    ],
)
def test_a_line_is_completed(line: str, expected: str, tmp_path: Path) -> None:
    place = str(len(line.split(" ")) - 1)
    done = run(tmp_path, _ASSAY_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=place)
    assert done.returncode == 0
    assert expected in done.stdout.split()


def test_it_installs(tmp_path: Path) -> None:
    # From a shell, as users do: which one it is, is read from the parent processes, and a test may have none.
    command = ["bash", "-c", f"'{ASSAY}' --install-completion; exit $?"]
    environment = {**os.environ, "HOME": str(tmp_path), "SHELL": "/bin/bash"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    installed = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any("_assay_completion" in path.read_text() for path in installed)
