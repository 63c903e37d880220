"""The fixed reference set of positions on which `choice` compares players.

    python -m research choice-reference DECISIONS

takes the values of 25 decisions of each milepost from a file of decisions and writes them, without positions
or games, to the data of the package. The set is fixed: made again from other decisions it would change every
rating.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from assay.decisions.decisions import Decisions
from assay.models.choice.model import ChoiceModel
from research import command

PER_MILEPOST = 25
TARGET = Path(__file__).resolve().parents[2] / "src/assay/data/choice_reference.csv"


def main(words: Sequence[str]) -> None:
    """Write the file."""
    parser = command("choice-reference", __doc__)
    parser.add_argument("decisions", type=Path)
    usable, _ = ChoiceModel().select(Decisions.read(parser.parse_args(words).decisions))
    milepost = np.round(usable.numbers("player_elo") / 100) * 100
    generator = np.random.default_rng(2011)
    legal, lines = usable.numbers("n_legal"), usable.numbers("n_lines").astype(int)
    rows = []
    for elo in np.unique(milepost):
        for row in np.sort(generator.choice(np.flatnonzero(milepost == elo), PER_MILEPOST, replace=False)):
            values = usable.values[usable.offsets[row] : usable.offsets[row] + lines[row]]
            floor = values[0] - 400
            rows.append(f"{int(legal[row])},{' '.join(map(str, np.maximum(values, floor).tolist()))}\n")
    TARGET.write_text("legal,values\n" + "".join(rows), encoding="utf-8")
