"""Makes the quantiles that percentiles are read from: numbers only, shipped with the package.

    python -m research populations fide LIST.csv.zst MONTH            FIDE's list, of that month (2025-09)
    python -m research populations games SHARED [JOBS]                evaluated games, streamed
    python -m research populations mileposts WORKSPACE                analysed milepost games, each side

The list has the columns std and inactive. SHARED is the folder of development
files: the tables are of the games that calibrations are made from (research.calibration.evaluated).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from assay.decisions.decisions import Decisions
from assay.decisions.elo import before_march_2024
from assay.files import write_text
from assay.insights.standing import KINDS as MEASURES
from assay.insights.standing import LEAST, by_game
from assay.models.appearances import Appearances, Mileposts
from assay.rating.measures import (
    FEWEST_PLAYERS,
    LEVEL,
    RATING,
    Population,
    quantiles_of,
)
from assay.workspace import Workspace
from research import command

PLACE = Path(__file__).resolve().parents[2] / "src" / "assay" / "data" / "calibrations"
FEWER = 20
"""Decisions that players have at least in bands where too few have more."""


def fide(path: Path, month: str) -> list[Population]:
    """Quantiles of the standard ratings of the active players."""
    rows = pyarrow.csv.read_csv(pa.CompressedInputStream(str(path), "zstd"))
    rows = rows.filter(pc.equal(pc.fill_null(rows["inactive"], 0), 0))
    # Some rows of the list have another title in the place of a rating.
    rating = np.array([float(text) for text in rows["std"].to_pylist() if text and text.isdigit()])
    rating = rating[rating > 0]
    words = f"active players with a FIDE rating, standard, {month}, on the scale before March 2024"
    quantiles = {RATING: quantiles_of(before_march_2024(rating)) or []}
    return [Population("fide", words, len(rating), quantiles, part={"kind": "standard"})]


def games(shared: Path, jobs: int) -> list[Population]:
    """Quantiles of what the methods measure, of players of evaluated games: on the scales that are known.

    Players count whose ratings are where their scale has mileposts: beyond them some are computers.
    """
    from assay.rating.measures import populations
    from assay.rating.stream import stream
    from research.calibration.evaluated import TEACHINGS

    paths = sorted({shared / name for entry in TEACHINGS for name in entry.files})
    sums = stream(paths, keep=False, jobs=jobs).evidence
    within = {entry.source: (entry.lowest, entry.highest) for entry in TEACHINGS}
    by_source = {source: sums[source] for source in within if source in sums}
    tables = populations(by_source, within=within)
    # Where few have many games, better those of one game each than nobody: the words say how many moves.
    fewer = populations(by_source, FEWER, within)
    bands = {
        source: [sum(entry.source == source for entry in several) for several in (tables, fewer)]
        for source in by_source
    }
    # Those of all bands together, too, where the bands are mostly of these.
    tables = [entry for entry in tables if entry.band or 2 * bands[entry.source][0] >= bands[entry.source][1]]
    there = {(entry.source, entry.band) for entry in tables}
    return tables + [entry for entry in fewer if (entry.source, entry.band) not in there]


def mileposts(decisions: Decisions, source: str) -> list[Population]:
    """Quantiles of what one side of a milepost game measures, by level."""
    appearances = Appearances.of(decisions)
    mileposts = Mileposts.of(appearances)
    level = np.full(len(appearances), -1, np.int64)
    level[mileposts.rows] = mileposts.milepost
    of_decision = level[appearances.place(decisions)]
    tables = []
    for number, elo in enumerate(mileposts.centuries):
        values, _ = by_game(decisions.take(np.flatnonzero(of_decision == number)))
        quantiles = {name: known for name in values if (known := quantiles_of(values[name])) is not None}
        if quantiles:
            tables.append(
                Population(
                    source=source,
                    words="classical games, each side by itself, of players rated",
                    players=len(values["accuracy"]),
                    quantiles=quantiles,
                    rises={name: kind.rises for name, kind in MEASURES.items()},
                    band=(elo, elo),
                    part={LEVEL: str(elo)},
                    least=LEAST,
                )
            )
    return tables


def main(words: Sequence[str]) -> None:
    """Write one of the files."""
    names = {"fide": "fide-list.json", "games": "populations.json", "mileposts": "mileposts.json"}
    parser = command("populations", __doc__)
    parser.add_argument("what", choices=names)
    parser.add_argument("path", type=Path)
    parser.add_argument("last", nargs="?", default="1", metavar="MONTH|JOBS")
    given = parser.parse_args(words)
    if given.what == "mileposts":
        workspace = Workspace(given.path)
        recipe_id = workspace.recipe_id()
        tables = mileposts(workspace.decisions(recipe_id), recipe_id)
    else:
        tables = fide(given.path, given.last) if given.what == "fide" else games(given.path, int(given.last))
    place = PLACE / names[given.what]
    write_text(place, document(tables))
    print(f"{len(tables)} populations of {FEWEST_PLAYERS} players or more in {place}")


def document(tables: Sequence[Population]) -> str:
    """Return populations as they are stored: one on each line."""
    lines = ",\n".join(json.dumps(table.document(), separators=(",", ":")) for table in tables)
    return f"[\n{lines}\n]\n"
