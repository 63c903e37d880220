"""Measure, calibrate or reproduce: `python -m research NAME ...`, or `python -m research NAME --help`.

Tables are printed as Markdown; the words around them are in docs/.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

from assay.errors import AssayError

COMMANDS = {
    "reproduce": ("research.papers:main", "tables of the papers from games: docs/evidence"),
    "choice-simulation": ("research.papers.regan2011_simulation:main", "agents of known s and c"),
    "mileposts": ("research.calibration.mileposts:main", "pick games of rated players"),
    "sides": ("research.calibration.mileposts:sides", "pick games below 1500 and between unequal players"),
    "calibration-evidence": ("research.calibration.evidence:main", "research/calibration/*.npz, of games"),
    "calibrations": ("research.calibration.evidence:calibrations", "data/calibrations, from these files"),
    "agents-fit": ("research.calibration.evidence:agents_fit", "docs/evidence/simulated_players.md, by Elo"),
    "results-by-moves": ("research.calibration.results_by_moves:main", "how far results follow moves"),
    "evaluated-scales": ("research.calibration.evaluated:main", "data/calibrations of evaluated games"),
    "source-norms": ("research.calibration.source_norms:main", "data/norms/sources, of evaluated games"),
    "populations": ("research.calibration.populations:main", "data/calibrations: populations, FIDE's list"),
    "choice-reference": ("research.calibration.choice_reference:main", "data/choice_reference.csv"),
    "example-event": ("research.calibration.example_event:main", "data/examples/island.pgn"),
    "champions-pick": ("research.calibration.champions:pick_main", "pick games of the champions to analyse"),
    "champions": ("research.calibration.champions:main", "data/champions.npz, of their analyses"),
    "champions-prior": ("research.calibration.champions:prior_main", "the same after a change of the scale"),
    "champions-page": ("research.evidence.champions:main", "docs/evidence/champions.md, and the picture"),
    "bridge-positions": ("research.calibration.bridges:positions", "data/bridges, the positions that ship"),
    "bridge-analyse": ("research.calibration.bridges:analyse", "the same by another engine"),
    "bridge-versions": ("research.calibration.bridges:versions", "data/calibrations of other versions"),
    "bridge-renew": ("research.calibration.bridges:renew", "the same after the native scales"),
    "bridge-check": ("research.calibration.bridges:check", "docs/evidence/engines.md, on held-out games"),
    "accuracy": ("research.evidence.accuracy:main", "docs/evidence/accuracy.md"),
    "evaluated": ("research.evidence.evaluated:main", "docs/evidence/evaluated.md"),
    "screening": ("research.evidence.screening.page:main", "docs/evidence/screening.md, and data/norms"),
    "taken-moves": ("research.evidence.screening.taken_moves:main", "moves of other searches, for power"),
    "formulas": ("research.evidence.formulas:main", "README.md: Elo formulas of other programs"),
    "coverage": ("research.evidence.coverage:main", "docs/evidence/coverage.md"),
    "live": ("research.evidence.live:main", "docs/evidence/live.md, games under way"),
    "round-robin": ("research.evidence.agent:main", "docs/evidence/simulated_players.md, games of agents"),
    "closed-loop": (
        "research.evidence.agent:closed_loop",
        "docs/evidence/simulated_players.md, their ratings",
    ),
    "reliability": ("research.evidence.reliability:main", "docs/evidence/reliability.md"),
    "pages": ("research.pages:main", "references, index, numbers.json and charts of docs"),
}


def main(words: Sequence[str]) -> int:
    """Run one command; the exit code."""
    name, *rest = words or ["--help"]
    if name not in COMMANDS:
        print(__doc__)
        print("\n".join(f"  {name:20}{makes}" for name, (_, makes) in COMMANDS.items()))
        return 0 if name in ("-h", "--help") else 2
    module, function = COMMANDS[name][0].split(":")
    try:
        getattr(import_module(module), function)(rest)
    except AssayError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
