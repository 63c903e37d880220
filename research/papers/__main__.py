"""Makes the pages of docs/reproduction/ from real games: `python -m research.papers PAPER ...`.

Each paper's folder has a module `page` with what its pages are made from (`arguments`) and the pages
themselves (`make`). `--help` after a paper's name says what it needs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from assay.errors import AssayError
from assay.reproduce import papers
from research.markdown import write_pages


def parser() -> argparse.ArgumentParser:
    """One subcommand for each paper that has pages."""
    command = argparse.ArgumentParser(prog="python -m research.papers", description=__doc__)
    command.add_argument("--docs", type=Path, default=Path("docs"), help="folder that the pages go to")
    choices = command.add_subparsers(metavar="PAPER", required=True)
    for name in papers():
        if find_spec(f"research.papers.{name}.page") is None:
            continue
        page = import_module(f"research.papers.{name}.page")
        own = choices.add_parser(
            name, description=page.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        page.arguments(own)
        own.set_defaults(make=page.make)
    return command


def main(words: Sequence[str] | None = None) -> int:
    """Make the pages of one paper and name them; the exit code."""
    given = parser().parse_args(words)
    try:
        for path in write_pages(given.docs, given.make(given)):
            print(path)
    except AssayError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
