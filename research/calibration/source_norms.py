"""Norms of honest games that contain evaluations, with their error rates: one file for each source.

    python -m research source-norms SHARED [SOURCE ...] [--work FOLDER] [--norms FOLDER]

Players are split in three. A calibration is made from one third, norms from the second as that calibration
sees it, and the last third is judged. Of FIDE games it is also measured how often honest players are beyond
a threshold of whom more is known than the rating (juniors, seniors, ratings that have moved), with the usual
error of the rating and with the error that `--unsure` takes.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import FIDE_CLASSICAL, evaluated_by
from assay.decisions.exclusions import Choice
from assay.decisions.profile import ProfileStack
from assay.files import write_text
from assay.models.appearances import Appearances
from assay.rating.calibration import Calibration, find_calibration
from assay.rating.group_ratings import Rater
from assay.rating.priors import RATING_ERROR
from assay.screening.norms import Groups, Norms
from assay.screening.screen import LEAST_TURNS, MOVED, UNSURE
from assay.screening.statistics import BY_METHOD
from assay.screening.z_scores import z_by_methods
from assay.workspace import Workspace
from assay.workspace.assemble import assemble_annotated
from research import command
from research.calibration.evaluated import (
    TEACHINGS,
    Teaching,
    evidence_of,
    fit_teaching,
    read_teaching,
    usable,
)
from research.calibration.screening_norms import document, fit_source_norms
from research.evidence.screening.trials import GAMES, rates_of

SITUATION_THRESHOLDS = (1.645, 2.326)

AGES = ((0, 13), (14, 17), (65, 120))


@dataclass(frozen=True, eq=False)
class Facts:
    """What is known of every appearance besides its moves and its rating; NaN where it is not."""

    age: Floats
    earlier: Floats
    """The player's rating less that of the last year before in which these games have one."""
    later: Floats
    """The player's rating in the next year in which these games have one, less this one."""

    def kinds(self) -> dict[str, Mask]:
        """Which appearances are of which kind of player, by its name."""
        by_age = {_years(low, high): (self.age >= low) & (self.age <= high) for low, high in AGES}
        return {
            **by_age,
            f"rated {MOVED:.0f} or more higher in a later year": self.later >= MOVED,
            f"rated {MOVED:.0f} or more lower in a later year": self.later <= -MOVED,
            "a rating that had not moved by a point for a year or more": self.earlier == 0,
        }


def _years(low: int, high: int) -> str:
    return (
        f"up to {high} years"
        if not low
        else f"{low} years or more"
        if high >= 120
        else f"{low} to {high} years"
    )


def moved(player: Ints, year: Floats, elo: Floats) -> tuple[Floats, Floats]:
    """How far each appearance's rating is from the player's in the year before, and in the next, of these.

    The rating of a year is that of its first appearance, in the order of the rows.
    """
    earlier, later = np.full(len(player), np.nan), np.full(len(player), np.nan)
    ratings: dict[int, dict[float, float]] = {}
    for who, when, rating in zip(player.tolist(), year.tolist(), elo.tolist(), strict=True):
        ratings.setdefault(who, {}).setdefault(when, rating)
    for row, (who, when) in enumerate(zip(player.tolist(), year.tolist(), strict=True)):
        before = [other for other in ratings[who] if other < when]
        after = [other for other in ratings[who] if other > when]
        if before:
            earlier[row] = elo[row] - ratings[who][max(before)]
        if after:
            later[row] = ratings[who][min(after)] - elo[row]
    return earlier, later


def kinds_of(facts: Facts, groups: Sequence[Ints]) -> dict[str, Mask]:
    """Which groups are of which kind: by their first game."""
    first = np.array([rows[0] for rows in groups])
    return {name: mask[first] for name, mask in facts.kinds().items()}


def situation_rates(
    kinds: Mapping[str, Mask], games: Floats, by_error: Mapping[float, Floats], independent: float
) -> Iterator[dict[str, Any]]:
    """Shares of groups of each kind beyond thresholds, for each error of the rating."""
    for n in np.unique(games):
        for name, mask in kinds.items():
            of_kind = mask & (games == n)
            for error, z in by_error.items():
                scores = z[of_kind & np.isfinite(z)]
                for threshold in SITUATION_THRESHOLDS:
                    if len(scores):
                        yield {
                            "kind": name,
                            "games": int(n),
                            "error": error,
                            "threshold": threshold,
                            "above": round(float((scores > threshold).mean()), 6),
                            "below": round(float((scores < -threshold).mean()), 6),
                            "groups": round(len(scores) / independent),
                        }


NORMS = Path(__file__).resolve().parents[2] / "src" / "assay" / "data" / "norms" / "sources"

PARTS = 3

MOST_OF_ONE = {1: 20, 5: 4, 9: 4}
"""At most so many groups of one player."""

MOST = {1: 12_000, 5: 2_000, 9: 2_000}
"""At most so many groups of each number of games in each part."""

BANDS = ((600, 1400), (1400, 1800), (1800, 2100), (2100, 2400), (2400, 3400))

THRESHOLDS = (1.645, 2.326, 2.576, 3.09)
"""One-sided 5 in 100, 1 in 100, 5 in 1,000 and 1 in 1,000."""

_ELO = [statistic.name for statistic in BY_METHOD].index("elo")


@dataclass(frozen=True, eq=False)
class Judged:
    """Groups of honest games, and how far they depart."""

    known: Groups
    departure: Floats
    """Shape (groups, BY_METHOD), before norms."""


def parts_of(appearances: Appearances, among: Ints, seed: int = 0) -> list[Ints]:
    """Appearances split in three by player."""
    players = np.unique(appearances.player[among])
    part = np.zeros(players.max() + 1, np.int64)
    part[np.random.default_rng(seed).permutation(players)] = np.arange(len(players)) % PARTS
    return [among[part[appearances.player[among]] == number] for number in range(PARTS)]


def groups_in(appearances: Appearances, rows: Ints, at_events: bool) -> list[Ints]:
    """Groups of one, five and nine games of one player each."""
    return [group for n in GAMES for group in groups_of_one_player(appearances, rows, n, at_events)]


def groups_of_one_player(
    appearances: Appearances, rows: Ints, n: int, at_events: bool = False, seed: int = 0
) -> list[Ints]:
    """Groups of n games of one player each, no game in two of them, with turns enough.

    With `at_events` they are of one event, as far as its games go; what is left over of a player's games
    makes groups over events. Whose rating moved too far within a group is screened by another rule.
    """
    rng = np.random.default_rng(seed)
    order = rng.permutation(rows)
    order = order[np.argsort(appearances.player[order], kind="stable")]
    event = appearances.codes("event")
    groups: list[Ints] = []
    for games in np.split(order, np.flatnonzero(np.diff(appearances.player[order])) + 1):
        if at_events:
            games = whole_events_first(games, event[games], n)
        runs = [games[start : start + n] for start in range(0, len(games) - n + 1, n)]
        groups += [run for run in runs if _screened(appearances, run)][: MOST_OF_ONE[n]]
    return [groups[place] for place in np.sort(rng.permutation(len(groups))[: MOST[n]])]


def whole_events_first(rows: Ints, event: Ints, n: int) -> Ints:
    """Games of one player so ordered that as many runs of n as can be are of one event."""
    whole, left = [], []
    for code in np.unique(event):
        games = rows[event == code]
        end = len(games) // n * n
        whole.append(games[:end])
        left.append(games[end:])
    return np.concatenate((*whole, *left))


def _screened(appearances: Appearances, rows: Ints) -> bool:
    """Whether these games of one player have turns enough, and one rating."""
    elo = appearances.elo[rows]
    return bool(appearances.size[rows].sum() >= LEAST_TURNS and elo.max() - elo.min() <= MOVED)


def judged(
    appearances: Appearances,
    stacks: Mapping[str, ProfileStack],
    groups: Sequence[Ints],
    calibration: Calibration,
    error: float = RATING_ERROR,
) -> Judged:
    """Groups judged by a calibration, their ratings trusted to some error."""
    rater = Rater(appearances, calibration, stacks=stacks)
    facts = Groups(
        np.array([float(len(rows)) for rows in groups]),
        np.array([appearances.size[rows].sum() for rows in groups]),
        np.array([appearances.elo[rows].mean() for rows in groups]),
    )
    return Judged(facts, z_by_methods(rater, groups, facts.reference, error=error))


class SourceTrial:
    """Every part of some appearances judged by calibrations of the others."""

    def __init__(
        self,
        source: str,
        appearances: Appearances,
        stacks: Mapping[str, ProfileStack],
        parts: Sequence[Ints],
        calibrations: Sequence[Calibration],
        at_events: bool = False,
    ) -> None:
        """Each of the calibrations was made from one part, in the same order."""
        self.appearances, self.stacks, self.calibrations = appearances, stacks, calibrations
        self.groups = [groups_in(appearances, rows, at_events) for rows in parts]
        self.judged = {
            (k, j): judged(appearances, stacks, self.groups[j], calibrations[k])
            for k in range(PARTS)
            for j in range(PARTS)
            if j != k
        }
        self.norms = norms_of(source, self.judged)

    def every_group(self) -> list[Ints]:
        """The groups of all parts."""
        return [rows for groups in self.groups for rows in groups]

    def again(self, chosen: Sequence[Mask], error: float) -> dict[tuple[int, int], Floats]:
        """Standard departures by `elo` of some groups of each part, with another error of their ratings."""
        scores = {}
        for (k, j), norms in self.norms.items():
            groups = [self.groups[j][place] for place in np.flatnonzero(chosen[j])]
            z = np.full(len(self.groups[j]), np.nan)
            if groups:
                groups_judged = judged(self.appearances, self.stacks, groups, self.calibrations[k], error)
                z[chosen[j]] = norms.standard(groups_judged.departure, groups_judged.known)[:, _ELO]
            scores[k, j] = z
        return scores


def norms_of(source: str, trial: Mapping[tuple[int, int], Judged]) -> dict[tuple[int, int], Norms]:
    """The norms that judge part j through the calibration of part k, at (k, j): of the part left over."""
    by_place = {}
    for k, j in trial:
        (third,) = set(range(PARTS)) - {k, j}
        by_place[k, j] = fit_source_norms(source, trial[k, third].departure, trial[k, third].known)
    return by_place


def held_out(
    trial: Mapping[tuple[int, int], Judged], norms: Mapping[tuple[int, int], Norms]
) -> tuple[Floats, Groups]:
    """Standard departures by `elo` of all held-out groups, each as often as it is judged."""
    z = [norms[place].standard(groups.departure, groups.known)[:, _ELO] for place, groups in trial.items()]
    names = ("games", "turns", "reference")
    columns = [np.concatenate([getattr(groups.known, name) for groups in trial.values()]) for name in names]
    return np.concatenate(z), Groups(*columns)


def source_rates(z: Floats, facts: Groups) -> list[Mapping[str, Any]]:
    """How often held-out groups are beyond thresholds, by number of games and band."""
    rates: list[Mapping[str, Any]] = []
    for n in GAMES:
        of_number = np.isfinite(z) & (facts.games == n)
        rates += rates_of(z[of_number], facts.reference[of_number], n, THRESHOLDS, PARTS - 1, BANDS)
    return rates


CLASSICAL_TIME = "classical"
FIDE_LIST = "data/lists/fide-2025-09.csv.zst"


def main(words: Sequence[str]) -> None:
    """Write the norms of each source."""
    parser = command("source-norms", __doc__)
    parser.add_argument("shared", type=Path)
    parser.add_argument("sources", nargs="*", help="without any: all")
    parser.add_argument("--work", type=Path, help="folder that games are imported into, and kept")
    parser.add_argument("--norms", type=Path, default=NORMS, help="folder that the norms are written to")
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        for teaching in TEACHINGS:
            calibration = find_calibration(teaching.source)
            if (given.sources and teaching.source not in given.sources) or calibration is None:
                continue
            norms = norms_from(teaching, calibration, given.shared, given.work or Path(folder))
            place = given.norms / f"{teaching.source}.json"
            write_text(place, json.dumps(document(norms), indent=1) + "\n")
            print(place)


def norms_from(teaching: Teaching, ships: Calibration, shared: Path, work: Path) -> Norms:
    """The norms of one source, for the calibration that ships."""
    appearances, stacks = evidence_of(read_teaching(teaching, shared, work))
    parts = parts_of(appearances, usable(appearances, teaching))
    fewer = replace(teaching, fewest=teaching.fewest // PARTS)  # of a third as many games
    calibrations = [fit_teaching(fewer, appearances, stacks, rows, events=False) for rows in parts]
    at_events = teaching.source == FIDE_CLASSICAL
    trial = SourceTrial(teaching.source, appearances, stacks, parts, calibrations, at_events)
    whole = judged(appearances, stacks, trial.every_group(), ships)
    norms = fit_source_norms(teaching.source, whole.departure, whole.known)
    special: list[dict[str, Any]] = []
    if at_events:
        special += situations(trial, facts_of(teaching, shared, work, appearances))
        special += in_less_time(teaching, work, ships, norms)
    rows = np.concatenate(parts)
    return replace(
        norms,
        rates=tuple(source_rates(*held_out(trial.judged, trial.norms))),
        situations=tuple(special),
        about={
            "scale": teaching.scale,
            "values": teaching.values,
            "games": len(np.unique(appearances.game[rows])),
            "players": len(np.unique(appearances.player[rows])),
            "groups": "of one player at one event" if at_events else "of one player",
            "made_by": "python -m research source-norms SHARED",
        },
    )


def facts_of(teaching: Teaching, shared: Path, work: Path, appearances: Appearances) -> Facts:
    """Ages of players by FIDE's list, and how their ratings moved from year to year."""
    rows = pyarrow.csv.read_csv(pa.CompressedInputStream(str(shared / FIDE_LIST), "zstd"))
    birth = dict(zip(rows["fideid"].to_pylist(), rows["birth"].to_pylist(), strict=True))
    born: dict[str, float] = {}
    for name in teaching.files:
        games = Workspace(work / f"{Path(name).name}.assay").games(None, Choice.parse("all"))
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
    tables = []
    for name in teaching.files:
        workspace = Workspace(work / f"{Path(name).name}.assay")
        games = workspace.games(None, Choice.parse("all"))
        tags = games.select(["site", "event", "evaluator"]).to_pylist()
        of_source = [
            kind == time_class
            and evaluated_by(tag["site"] or "", tag["event"] or "", tag["evaluator"] or "", CLASSICAL_TIME)
            == teaching.source
            for tag, kind in zip(tags, games["time_class"].to_pylist(), strict=True)
        ]
        annotations = workspace.table_annotations.read()
        tables.append(assemble_annotated(games.filter(pa.array(of_source)), annotations, teaching.source))
    return Decisions.concat(tables)


def in_less_time(
    teaching: Teaching, work: Path, ships: Calibration, norms: Norms
) -> Iterator[dict[str, Any]]:
    """How often honest players of fast games are beyond thresholds, held against classical play."""
    for time_class in ("rapid", "blitz"):
        appearances, stacks = evidence_of(fast_games(teaching, work, time_class))
        rows = np.flatnonzero((appearances.elo >= teaching.lowest) & (appearances.elo < teaching.highest))
        groups = groups_of_one_player(appearances, rows, 1)
        fast = judged(appearances, stacks, groups, ships)
        z = norms.standard(fast.departure, fast.known)[:, _ELO]
        everyone = {f"{time_class} games, as if classical": np.ones(len(groups), dtype=bool)}
        yield from situation_rates(everyone, fast.known.games, {RATING_ERROR: z}, 1)


def situations(trial: SourceTrial, facts: Facts) -> Iterator[dict[str, Any]]:
    """How often honest players of some kind are beyond thresholds, with two errors of their ratings."""
    kinds = [kinds_of(facts, groups) for groups in trial.groups]
    of_some = [np.any(list(masks_of_part.values()), axis=0) for masks_of_part in kinds]
    usual, facts_of_groups = held_out(trial.judged, trial.norms)
    doubted = trial.again(of_some, UNSURE)
    places = list(trial.judged)
    by_error = {RATING_ERROR: usual, UNSURE: np.concatenate([doubted[place] for place in places])}
    masks = {name: np.concatenate([kinds[j][name] for _, j in places]) for name in kinds[0]}
    return situation_rates(masks, facts_of_groups.games, by_error, PARTS - 1)
