"""`python -m assay` is the command."""

import subprocess
import sys

from assay import __version__


def test_python_dash_m() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "assay", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == __version__
