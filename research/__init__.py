"""How assay is measured, calibrated and checked against the papers: not part of the wheel."""

from __future__ import annotations

import argparse
from pathlib import Path


def command(name: str, words: str | None) -> argparse.ArgumentParser:
    """A parser of the command `python -m research NAME`; `words` is the docstring of its module."""
    return argparse.ArgumentParser(
        prog=f"python -m research {name}",
        description=words,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def command_on_workspace(name: str, words: str | None) -> argparse.ArgumentParser:
    """The same for a command that reads the analyses of a workspace."""
    parser = command(name, words)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--recipe", default="standard")
    return parser
