"""Makes pages of docs/ that need no engine (`python -m assay.reproduction` makes the others of the papers).

    python scripts/make_pages.py tables                                      docs/tables.md, from the schemas
    python scripts/make_pages.py accuracy WORKSPACE [--engine stockfish]     docs/accuracy.md, in some minutes
    python scripts/make_pages.py depth WORKSPACE                             docs/depth.md, in some minutes
    python scripts/make_pages.py traits WORKSPACE                            docs/traits.md, in a minute
    python scripts/make_pages.py evaluated SHARED [--work FOLDER]            docs/evaluated.md, in ten minutes
    python scripts/make_pages.py reliability [--files 150] [--times 6]       docs/reliability.md, in minutes
    python scripts/make_pages.py screening WORKSPACE            docs/screening.md, norms, in ten minutes
    python scripts/make_pages.py screening-sources SHARED [SOURCE ...]       norms of evaluated games for it
    python scripts/make_pages.py gain-events WORKSPACE          docs/reproduction/gain-events.md, in a minute
    python scripts/make_pages.py choice-periods WORKSPACE       docs/reproduction/choice-periods.md, likewise
    python scripts/make_pages.py alliot-figures FOLDER          docs/reproduction/alliot-figures.md, likewise

The WORKSPACE of accuracy, depth, traits, screening and choice-periods holds the games that
scripts/pick_mileposts.py and scripts/pick_unequal.py picked; that of gain-events holds the events of Ferreira
2012. FOLDER holds championship-years.parquet and mileposts.parquet.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from assay.domain.decisions import Decisions
from assay.domain.evaluators import FIDE_CLASSICAL
from assay.domain.exclusions import OF_GAMES, Choice
from assay.domain.interchange import REQUIRED
from assay.domain.schema import SCHEMA_VERSION, TABLES, TRACE_COLUMNS
from assay.markdown import render, write_pages
from assay.models.appearances import Appearances
from assay.rating.files import find_calibration
from assay.rating.priors import RATING_ERROR
from assay.reproduction.alliot2017.figures import pages as alliot_figures
from assay.reproduction.ferreira2012.history import page as gain_events
from assay.reproduction.regan2011.depth_page import depth_page
from assay.reproduction.regan2011.periods import page as choice_periods
from assay.screening.page import measured_pages
from assay.screening.situations import UNSURE
from assay.screening.source_norms import fit_source_norms
from assay.screening.source_situations import Facts, kinds_of, moved, situation_rates
from assay.screening.source_trial import PARTS, SourceTrial, judged, kept_out, parts_of, source_rates
from assay.validation.accuracy_page import accuracy_page
from assay.validation.evaluated import (
    TEACHINGS,
    Teaching,
    evidence_of,
    fit_teaching,
    read_teaching,
    usable,
)
from assay.validation.evaluated_page import evaluated_page
from assay.validation.reliability_page import read_trials, reliability_page
from assay.validation.traits_page import traits_page
from assay.workspace import Workspace
from assay.workspace.players import games_with_players

REPRODUCTIONS = {"gain-events": gain_events, "choice-periods": choice_periods}
ROOT = Path(__file__).resolve().parent.parent
FIDE_LIST = "data/lists/fide-2025-09.csv.zst"


def tables_page() -> str:
    context = {
        "version": SCHEMA_VERSION,
        "tables": TABLES,
        "trace_columns": TRACE_COLUMNS,
        "required": REQUIRED,
        "reasons": OF_GAMES,
    }
    return render(Path(__file__).with_name("tables.md.jinja"), context)


def tried(files: int, times: float, seed: int) -> str:
    """The page of what the tests of hostile files and faults met, with so many cases of each."""
    with tempfile.TemporaryDirectory() as folder:
        trials = Path(folder) / "trials.jsonl"
        given = {
            "ASSAY_TRIALS": str(trials),
            "ASSAY_FUZZ_CASES": str(files),
            "ASSAY_FUZZ_SEED": str(seed),
            "ASSAY_FAULTS_TIMES": str(times),
            "ASSAY_FAULTS_SEED": str(seed),
        }
        tests = [str(ROOT / "tests" / name) for name in ("fuzz", "faults")]
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--rootdir", str(ROOT), *tests]
        if subprocess.run(
            command, env=os.environ | given, cwd=ROOT, stdout=sys.stderr, check=False
        ).returncode:
            sys.exit("a trial failed: there is no page until what it found is mended")
        lines = trials.read_text(encoding="utf-8").splitlines()
    return reliability_page(read_trials(lines), f"--files {files} --times {times:g} --seed {seed}")


def source_norms(shared: Path, work: Path, wanted: list[str]) -> dict[str, str]:
    """Norms of honest games that bring their evaluations, one file for each source."""
    found = {}
    for teaching in TEACHINGS:
        ships = find_calibration(teaching.source)
        if (wanted and teaching.source not in wanted) or ships is None:
            continue
        decisions = read_teaching(teaching, shared, work)
        appearances, stacks = evidence_of(decisions)
        parts = parts_of(appearances, usable(appearances, teaching))
        fewer = replace(teaching, fewest=teaching.fewest // PARTS)  # of a third as many games
        calibrations = [fit_teaching(fewer, appearances, stacks, rows) for rows in parts]
        at_events = teaching.source == FIDE_CLASSICAL
        trial = SourceTrial(teaching.source, appearances, stacks, parts, calibrations, at_events)
        whole = judged(appearances, stacks, trial.every_group(), ships)
        rows = np.concatenate(parts)
        norms = replace(
            fit_source_norms(teaching.source, whole.departure, whole.known),
            rates=tuple(source_rates(*kept_out(trial.judged, trial.norms))),
            situations=tuple(situations(trial, facts_of(teaching, shared, work, appearances)))
            if at_events
            else (),
            about={
                "scale": teaching.scale,
                "values": teaching.values,
                "games": len(np.unique(appearances.game[rows])),
                "players": len(np.unique(appearances.player[rows])),
                "groups": "of one player at one event" if at_events else "of one player",
                "made_by": "python scripts/make_pages.py screening-sources SHARED",
            },
        )
        place = f"../src/assay/screening/norms/sources/{teaching.source}.json"
        found[place] = json.dumps(norms.document(), indent=1) + "\n"
    return found


def facts_of(teaching: Teaching, shared: Path, work: Path, appearances: Appearances) -> Facts:
    """Ages of players by FIDE's list, and how their ratings moved from year to year."""
    rows = pyarrow.csv.read_csv(pa.CompressedInputStream(str(shared / FIDE_LIST), "zstd"))
    birth = dict(zip(rows["fideid"].to_pylist(), rows["birth"].to_pylist(), strict=True))
    born = {}
    for name in teaching.files:
        folder = Workspace(work / f"{Path(name).name}.assay").folder
        games = games_with_players(folder, None, Choice.parse("all"))
        for side in ("white", "black"):
            pairs = zip(games[side].to_pylist(), games[f"{side}_fide"].to_pylist(), strict=True)
            born |= {player: birth[number] for player, number in pairs if birth.get(number)}
    years = appearances.numbers("year")
    age = np.array(
        [year - born.get(who, np.nan) for who, year in zip(appearances.players(), years, strict=True)]
    )
    return Facts(age, *moved(appearances.player, years, appearances.elo))


def situations(trial: SourceTrial, facts: Facts) -> Iterator[dict[str, object]]:
    """How often honest players of some kind are beyond thresholds, with two errors of their ratings."""
    kinds = [kinds_of(facts, groups) for groups in trial.groups]
    of_some = [np.any(list(one.values()), axis=0) for one in kinds]
    places = list(trial.judged)
    by_error = {
        error: np.concatenate([found[place] for place in places])
        for error in (RATING_ERROR, UNSURE)
        for found in [trial.again(of_some, error)]
    }
    masks = {name: np.concatenate([kinds[j][name] for _, j in places]) for name in kinds[0]}
    games = np.concatenate([trial.judged[place].known.games for place in places])
    return situation_rates(masks, games, by_error, PARTS - 1)


def made(given: argparse.Namespace) -> dict[str, str]:
    """The page that was asked for, with its figures, by their names below docs/."""
    if given.page == "tables":
        return {"tables.md": tables_page()}
    if given.page == "reliability":
        return {"reliability.md": tried(given.files, given.times, given.seed)}
    if given.page == "accuracy":
        return {"accuracy.md": accuracy_page(Workspace(given.workspace), given.recipe, given.engine)}
    if given.page == "depth":
        return {"depth.md": depth_page(Workspace(given.workspace).decisions(given.recipe, trace=True))}
    if given.page == "traits":
        return {"traits.md": traits_page(Workspace(given.workspace), given.recipe)}
    if given.page == "screening":
        other = None if given.other is None else (Workspace(Path(given.other[0])), given.other[1])
        return measured_pages(Workspace(given.workspace), given.recipe, given.kept, other)
    if given.page == "screening-sources":
        with tempfile.TemporaryDirectory() as folder:
            return source_norms(given.shared, given.work or Path(folder), given.sources)
    if given.page == "evaluated":
        with tempfile.TemporaryDirectory() as folder:
            return {"evaluated.md": evaluated_page(given.shared, given.work or Path(folder))}
    if given.page == "alliot-figures":
        names = ("championship-years", "mileposts")
        return alliot_figures(*(Decisions.read(given.folder / f"{name}.parquet") for name in names))
    decisions = Workspace(given.workspace).decisions(given.recipe)
    return {f"reproduction/{given.page}.md": REPRODUCTIONS[given.page](decisions)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    pages = parser.add_subparsers(dest="page", required=True)
    pages.add_parser("tables")
    trials = pages.add_parser("reliability")
    trials.add_argument("--files", type=int, default=150, help="files of each kind")
    trials.add_argument("--times", type=float, default=6, help="how many times the faults of `make test`")
    trials.add_argument("--seed", type=int, default=0)
    accuracy = pages.add_parser("accuracy")
    screening = pages.add_parser("screening")
    screening.add_argument("--kept", type=Path, default=None, help="folder that keeps calibrations of folds")
    screening.add_argument("--other", nargs=2, default=None, help="workspace and recipe id of another engine")
    for page in (accuracy, pages.add_parser("depth"), pages.add_parser("traits"), screening):
        page.add_argument("workspace", type=Path)
        page.add_argument("--recipe", default="standard")
    accuracy.add_argument("--engine", default=None)
    for name in REPRODUCTIONS:
        of_paper = pages.add_parser(name)
        of_paper.add_argument("workspace", type=Path)
        of_paper.add_argument("--recipe", default="standard")
    evaluated = pages.add_parser("evaluated")
    evaluated.add_argument("shared", type=Path)
    evaluated.add_argument("--work", type=Path, default=None, help="where games are imported into, and kept")
    sources = pages.add_parser("screening-sources")
    sources.add_argument("shared", type=Path)
    sources.add_argument("sources", nargs="*", help="of assay.domain.evaluators; else all")
    sources.add_argument("--work", type=Path, default=None, help="where games are imported into, and kept")
    drawn = pages.add_parser("alliot-figures")
    drawn.add_argument("folder", type=Path)
    given = parser.parse_args()
    for path in write_pages(given.docs, made(given)):
        print(path)


if __name__ == "__main__":
    main()
