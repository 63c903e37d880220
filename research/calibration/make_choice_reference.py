"""Make the fixed reference set of positions on which `choice` compares players.

Takes the values of 25 decisions of each milepost from a file of decisions and writes them, without positions
or games, to the data of the package: `python make_choice_reference.py DECISIONS`. The set is fixed: made
again from other decisions it would change every rating.
"""

import sys
from pathlib import Path

import numpy as np

from assay.decisions.decisions import Decisions
from assay.models.choice.model import ChoiceModel

PER_MILEPOST = 25
TARGET = Path(__file__).resolve().parents[2] / "src/assay/data/choice_reference.csv"


def main(source: str) -> None:
    kept, _ = ChoiceModel().select(Decisions.read(source))
    milepost = np.round(kept.numbers("player_elo") / 100) * 100
    generator = np.random.default_rng(2011)
    legal, lines = kept.numbers("n_legal"), kept.numbers("n_lines").astype(int)
    rows = []
    for elo in np.unique(milepost):
        for row in np.sort(generator.choice(np.flatnonzero(milepost == elo), PER_MILEPOST, replace=False)):
            values = kept.values[kept.offsets[row] : kept.offsets[row] + lines[row]]
            floor = values[0] - 400
            rows.append(f"{int(legal[row])},{' '.join(map(str, np.maximum(values, floor).tolist()))}\n")
    TARGET.write_text("legal,values\n" + "".join(rows), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
