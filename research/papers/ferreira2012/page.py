"""Makes docs/reproduction/gain.md: Ferreira 2012 on real games.

    python -m research.papers ferreira2012 --events FOLDER --mileposts FILE --work FOLDER

`--events` holds london-classic-2011.pgn and candidates-2011.pgn, `--mileposts` is a file of decisions of
rated players, and `--work` keeps the workspaces: what is analysed there already is not analysed again.
"""

from __future__ import annotations

import argparse
from importlib.resources import as_file, files
from pathlib import Path

from assay.decisions.decisions import Decisions
from assay.reproduce import facts
from research.markdown import render
from research.papers.ferreira2012 import century, events
from research.papers.ferreira2012.mileposts import MilepostGains

PAGE = "reproduction/gain.md"
LONDON, CANDIDATES = "London Classic 2011", "Candidates 2011"
TEMPLATE = files(__package__) / "gain.md.jinja"


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the page is made from."""
    parser.add_argument("--events", type=Path, required=True, help="folder of the events' PGN files")
    parser.add_argument("--mileposts", type=Path, required=True, help="decisions of rated players")
    parser.add_argument("--work", type=Path, required=True, help="folder for the workspaces")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--note", default="", help="a sentence on the analyses, for the head of the page")


def make(given: argparse.Namespace) -> dict[str, str]:
    """The page, from games that are analysed where that is missing."""
    london = events.analysed(given.events / "london-classic-2011.pgn", given.work, given.jobs)
    candidates = events.analysed(given.events / "candidates-2011.pgn", given.work, given.jobs)
    with as_file(files("assay") / "data" / "examples" / "game_of_the_century.pgn") as game:
        games = {name: events.analysed(game, given.work, given.jobs, name) for name in century.RECIPES}
    mileposts = Decisions.read(given.mileposts)
    context = on_events(london, candidates, games) | on_mileposts(mileposts)
    note = f" {given.note}" if given.note else ""
    return {PAGE: render(TEMPLATE, {**context, "note": note})}


def on_events(london: Decisions, candidates: Decisions, games: dict[str, Decisions]) -> dict[str, object]:
    """What the page says of the paper's events and of its game."""
    printed = facts("ferreira2012")
    return {
        "london": events.summary(LONDON, london),
        "candidates": events.summary(CANDIDATES, candidates),
        "table_1": events.event(london, "event", printed["table_1"]),
        "table_3": events.event(candidates, "match", printed["table_3"]),
        "engine": events.engine_strengths({LONDON: london, CANDIDATES: candidates}),
        "century": century.game_of_the_century(games, [london, candidates]),
    }


def on_mileposts(decisions: Decisions) -> dict[str, object]:
    """What the page says of players of known rating."""
    found = MilepostGains(decisions)
    rank, slope = found.against_each_other()
    return {
        "milepost_games": len(decisions.games),
        "milepost_decisions": f"{len(decisions):,}",
        "mileposts": found.by_milepost(),
        "correlation": found.correlation_among_all(),
        "coverage": found.coverage(),
        "rank": f"{rank:.2f}",
        "slope": f"{slope:.1f}",
    }
