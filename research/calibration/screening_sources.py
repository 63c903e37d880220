"""Norms of honest games that bring their evaluations, measured: for `python -m research screening-sources`.

Calibrations of sources are made by research.calibration.evaluated; this adds the screening to them.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import FIDE_CLASSICAL, evaluated_by
from assay.decisions.exclusions import Choice
from assay.models.appearances import Appearances
from assay.rating.calibration import Calibration, find_calibration
from assay.rating.priors import RATING_ERROR
from assay.screening.situations import UNSURE
from assay.screening.source_norms import READ, SourceNorms, fit_source_norms
from assay.workspace import Workspace
from assay.workspace.comments import assemble_annotated
from research.calibration.evaluated import (
    TEACHINGS,
    Teaching,
    evidence_of,
    fit_teaching,
    read_teaching,
    usable,
)
from research.evidence.screening.source_situations import Facts, kinds_of, moved, situation_rates
from research.evidence.screening.source_trial import (
    PARTS,
    SourceTrial,
    groups_of_one_player,
    judged,
    kept_out,
    parts_of,
    source_rates,
)

CLASSICAL_TIME = "classical"
FIDE_LIST = "data/lists/fide-2025-09.csv.zst"


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
        norms = fit_source_norms(teaching.source, whole.departure, whole.known)
        special: list[dict[str, Any]] = []
        if at_events:
            special += situations(trial, facts_of(teaching, shared, work, appearances))
            special += in_less_time(teaching, work, ships, norms)
        norms = replace(
            norms,
            rates=tuple(source_rates(*kept_out(trial.judged, trial.norms))),
            situations=tuple(special),
            about={
                "scale": teaching.scale,
                "values": teaching.values,
                "games": len(np.unique(appearances.game[rows])),
                "players": len(np.unique(appearances.player[rows])),
                "groups": "of one player at one event" if at_events else "of one player",
                "made_by": "python -m research screening-sources SHARED",
            },
        )
        place = f"../src/assay/data/norms/sources/{teaching.source}.json"
        found[place] = json.dumps(norms.document(), indent=1) + "\n"
    return found


def facts_of(teaching: Teaching, shared: Path, work: Path, appearances: Appearances) -> Facts:
    """Ages of players by FIDE's list, and how their ratings moved from year to year."""
    rows = pyarrow.csv.read_csv(pa.CompressedInputStream(str(shared / FIDE_LIST), "zstd"))
    birth = dict(zip(rows["fideid"].to_pylist(), rows["birth"].to_pylist(), strict=True))
    born: dict[str, float] = {}
    for name in teaching.files:
        folder = Workspace(work / f"{Path(name).name}.assay")
        games = folder.games(None, Choice.parse("all"))
        for side in ("white", "black"):
            pairs = zip(games[side].to_pylist(), games[f"{side}_fide"].to_pylist(), strict=True)
            born |= {player: birth[number] for player, number in pairs if birth.get(number)}
    years = appearances.numbers("year")
    age = np.array(
        [year - born.get(who, np.nan) for who, year in zip(appearances.players(), years, strict=True)]
    )
    return Facts(age, *moved(appearances.player, years, appearances.elo))


def fast_games(teaching: Teaching, work: Path, time_class: str) -> Decisions:
    """Games of another time class by the same evaluator, as if they were of the teaching's."""
    found = []
    for name in teaching.files:
        workspace = Workspace(work / f"{Path(name).name}.assay")
        games = workspace.games(None, Choice.parse("all"))
        tags = games.select(["site", "event", "evaluator"]).to_pylist()
        own = [
            kind == time_class
            and evaluated_by(tag["site"] or "", tag["event"] or "", tag["evaluator"] or "", CLASSICAL_TIME)
            == teaching.source
            for tag, kind in zip(tags, games["time_class"].to_pylist(), strict=True)
        ]
        annotations = workspace.table_annotations.read()
        found.append(assemble_annotated(games.filter(pa.array(own)), annotations, teaching.source))
    return Decisions.concat(found)


def in_less_time(
    teaching: Teaching, work: Path, ships: Calibration, norms: SourceNorms
) -> Iterator[dict[str, Any]]:
    """How often honest players of fast games are beyond thresholds, held against classical play."""
    for time_class in ("rapid", "blitz"):
        appearances, stacks = evidence_of(fast_games(teaching, work, time_class))
        rows = np.flatnonzero((appearances.elo >= teaching.lowest) & (appearances.elo < teaching.highest))
        groups = groups_of_one_player(appearances, rows, 1)
        own = judged(appearances, stacks, groups, ships)
        z = norms.standard(own.departure, own.known)[:, READ.index("elo")]
        everyone = {f"{time_class} games, as if classical": np.ones(len(groups), dtype=bool)}
        yield from situation_rates(everyone, own.known.games, {RATING_ERROR: z}, 1)


def situations(trial: SourceTrial, facts: Facts) -> Iterator[dict[str, Any]]:
    """How often honest players of some kind are beyond thresholds, with two errors of their ratings."""
    kinds = [kinds_of(facts, groups) for groups in trial.groups]
    of_some = [np.any(list(one.values()), axis=0) for one in kinds]
    usual, known = kept_out(trial.judged, trial.norms)
    doubted = trial.again(of_some, UNSURE)
    places = list(trial.judged)
    by_error = {RATING_ERROR: usual, UNSURE: np.concatenate([doubted[place] for place in places])}
    masks = {name: np.concatenate([kinds[j][name] for _, j in places]) for name in kinds[0]}
    return situation_rates(masks, known.games, by_error, PARTS - 1)
