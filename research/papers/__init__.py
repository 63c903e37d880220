"""The papers' tables from real games, printed as Markdown for docs/evidence.

    python -m research reproduce --data FOLDER [--paper NAME] [--work FOLDER] [--jobs 2] [--figures FOLDER]

FOLDER has the workspace `analysed/mileposts-standard`, the decisions `analysed/championship-years.parquet`,
PGN files in `events` and the games of the competition in `results-2010`.
Events are analysed by the engine in workspaces below --work. What is missing is named and left out.
What needs no games is in `assay reproduce`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from assay.decisions.decisions import Decisions
from assay.decisions.exclusions import PART_OF_EVENT
from assay.errors import InputError
from assay.files import write_text
from assay.workspace import Workspace
from research import command
from research.markdown import print_tables

PAPERS = ("ferreira2012", "difatta2009", "regan2011", "alliot2017", "ferreira2010")


@dataclass(frozen=True)
class Games:
    """What the tables are made from. What is not there is an InputError."""

    data: Path
    work: Path | None = None
    jobs: int = 1
    figures: Path | None = None

    def path(self, name: str) -> Path:
        """A file or folder of the data."""
        place = self.data / name
        if not place.exists():
            raise InputError(f"{place} is missing")
        return place

    def decisions(self, name: str) -> Decisions:
        """Decisions of analysed games, by the name of their file."""
        return Decisions.read(self.path(f"analysed/{name}.parquet"))

    def mileposts(self) -> Decisions:
        """Decisions of milepost games: both players within 20 points of 1500, 1600, ..., 2800."""
        return Workspace(self.path("analysed/mileposts-standard")).decisions("standard", trace=True)

    def workspace(self, name: str) -> Workspace:
        """A workspace below the folder of workspaces, whose name is that of a PGN file."""
        if self.work is None:
            raise InputError(f"{name} is analysed in a workspace: give a folder for it with --work")
        return Workspace(self.work / name)

    def event(self, pgn: Path, recipe: str = "standard") -> Decisions:
        """Decisions of a PGN file, analysed where that is missing. Short and rapid games count."""
        workspace = self.workspace(pgn.stem)
        workspace.import_games(pgn)
        if unusable := workspace.none_may_be_rated(PART_OF_EVENT):
            raise InputError(unusable)
        run = workspace.analyse(recipe, jobs=self.jobs, include=PART_OF_EVENT)
        return workspace.decisions(run.recipe_id)

    def draw(self, name: str, svg: str) -> None:
        """Write a figure, where a folder for figures is given."""
        if self.figures is not None:
            write_text(self.figures / f"{name}.svg", svg)


def main(words: Sequence[str]) -> None:
    """Print the tables of one paper or of all."""
    parser = command("reproduce", __doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--paper", choices=PAPERS)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--figures", type=Path)
    given = parser.parse_args(words)
    games = Games(given.data, given.work, given.jobs, given.figures)
    for paper in PAPERS if given.paper is None else (given.paper,):
        print(f"# {paper}\n")
        for part in import_module(f"research.papers.{paper}").PARTS:
            try:
                print_tables(part(games))
            except InputError as error:
                print(f"{paper}, {part.__name__}: left out, {error}", file=sys.stderr)
