"""Makes pages of docs/ that need no engine (`python -m research.papers` makes the others of the papers).

    python -m research tables                                      docs/tables.md, from the schemas
    python -m research accuracy WORKSPACE [--engine stockfish]     docs/accuracy.md, in some minutes
    python -m research depth WORKSPACE                             docs/depth.md, in some minutes
    python -m research traits WORKSPACE                            docs/traits.md, in a minute
    python -m research evaluated SHARED [--work FOLDER]            docs/evaluated.md, in ten minutes
    python -m research reliability [--files 150] [--times 6]       docs/reliability.md, in minutes
    python -m research screening WORKSPACE            docs/screening.md, norms, in twenty minutes
    python -m research screening-sources SHARED [SOURCE ...]       norms of evaluated games for it
    python -m research gain-events WORKSPACE          docs/reproduction/gain-events.md, in a minute
    python -m research choice-periods WORKSPACE       docs/reproduction/choice-periods.md, likewise
    python -m research alliot-figures FOLDER          docs/reproduction/alliot-figures.md, likewise

The WORKSPACE of accuracy, depth, traits, screening and choice-periods holds the games that
pick_mileposts.py and pick_unequal.py picked; that of gain-events holds the events of Ferreira
2012. FOLDER holds championship-years.parquet and mileposts.parquet.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from assay.decisions.decisions import Decisions
from assay.decisions.exclusions import OF_GAMES
from assay.decisions.interchange import REQUIRED
from assay.decisions.schema import SCHEMA_VERSION, TABLES, TRACE_COLUMNS
from assay.workspace import Workspace
from research.evidence.accuracy import accuracy_page
from research.evidence.evaluated_page import evaluated_page
from research.evidence.reliability import read_trials, reliability_page
from research.evidence.screening.page import measured_pages
from research.evidence.traits import traits_page
from research.markdown import render, write_pages
from research.papers.alliot2017.figures import pages as alliot_figures
from research.papers.ferreira2012.history import page as gain_events
from research.papers.regan2011.depth_page import depth_page
from research.papers.regan2011.periods import page as choice_periods

REPRODUCTIONS = {"gain-events": gain_events, "choice-periods": choice_periods}
ROOT = Path(__file__).resolve().parent.parent


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
        from research.calibration.screening_sources import source_norms

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
    sources.add_argument("sources", nargs="*", help="of assay.decisions.evaluation; else all")
    sources.add_argument("--work", type=Path, default=None, help="where games are imported into, and kept")
    drawn = pages.add_parser("alliot-figures")
    drawn.add_argument("folder", type=Path)
    given = parser.parse_args()
    for path in write_pages(given.docs, made(given)):
        print(path)


if __name__ == "__main__":
    main()
