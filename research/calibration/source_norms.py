"""Norms of honest games that contain evaluations, with their error rates: one file for each source.

    python -m research source-norms SHARED [SOURCE ...] [--work FOLDER] [--norms FOLDER]

Players are split in three. A calibration is made from one third, norms from the second as that calibration
sees it, and the last third is judged. Of FIDE games it is also measured how often honest players are beyond
a threshold of whom the age is known, or whose rating has not moved, with the usual error of the rating and
with that of players who are not sure; how far whole events are from their ratings; and the held-out z of
groups of one event are kept (research/evidence/screening/honest-events.npz): opens are drawn from them.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from assay.answers.screening import LEAST_TURNS, LEVEL, share_interval
from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.evaluation import FIDE_CLASSICAL
from assay.decisions.exclusions import Choice
from assay.files import write_text
from assay.models.appearances import Appearances
from assay.rating.calibration import Calibration, find_calibration
from assay.rating.group_ratings import Rater
from assay.screening.fide_list import OLD, YOUNG
from assay.screening.norms import SHIFT, Groups, Norms, Tail, find_norms
from assay.screening.screen import MORE, MOVED
from assay.screening.z_scores import z_by_elo
from assay.workspace import Workspace
from research import command
from research.calibration.evaluated import (
    TEACHINGS,
    Teaching,
    evidence_of,
    fit_teaching,
    is_held_out,
    read_teaching,
    usable,
)
from research.calibration.screening_norms import document, fit_source_norms
from research.evidence.screening.honest import (
    GAMES,
    OPENS,
    PLAYERS,
    SIZES,
    counted_opens,
    rates_of,
)
from research.markdown import numbers_table

NORMS = Path(__file__).resolve().parents[2] / "src" / "assay" / "data" / "norms" / "sources"
EVENTS = Path(__file__).resolve().parents[1] / "evidence" / "screening" / "honest-events.npz"
FIDE_LIST = "data/lists/fide-2025-09.csv.zst"

METHOD = "traits"
"""What ratings by moves are taken from."""

PARTS = 3
OFF = 100.0
"""Points that published ratings of everyone are raised by, to see whether that is noticed."""

MOST_OF_ONE, MOST = 20, 12_000
"""At most so many groups of one player, and of each number of games in each part."""

BANDS = ((600, 1400), (1400, 1800), (1800, 2100), (2100, 2400), (2400, 3400))
THRESHOLDS = (1.645, 2.326, 2.576, 3.09)
"""One-sided 5 in 100, 1 in 100, 5 in 1,000 and 1 in 1,000."""

FEWEST_GROUPS, FEWEST_IN_EVENT = 25, 5
"""An event shows a shift where so many players have groups; fewer groups show nothing of a kind of player."""


def main(words: Sequence[str]) -> None:
    """Write the norms of each source."""
    parser = command("source-norms", __doc__)
    parser.add_argument("shared", type=Path)
    parser.add_argument("sources", nargs="*", help="without any: all that have norms")
    parser.add_argument("--work", type=Path, help="folder that games are imported into, and kept")
    parser.add_argument("--norms", type=Path, default=NORMS, help="folder that the norms are written to")
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        for teaching in TEACHINGS:
            calibration = find_calibration(teaching.source)
            place = given.norms / f"{teaching.source}.json"
            if calibration is None or not (
                teaching.source in given.sources or (not given.sources and place.exists())
            ):
                continue
            norms, by_kind = norms_from(teaching, calibration, given.shared, given.work or Path(folder))
            before = find_norms(teaching.source)
            # What `screening` has measured with the norms before stays until it is run again.
            norms = replace(norms, power=before.power if before else ())
            write_text(place, json.dumps(document(norms), indent=1) + "\n")
            print(f"{place}\n\n{kinds_of_players(by_kind)}")


def norms_from(
    teaching: Teaching, ships: Calibration, shared: Path, work: Path
) -> tuple[Norms, list[dict[str, Any]]]:
    """The norms of one source, for the calibration that ships, and error rates by kinds of players."""
    appearances, stacks = evidence_of(read_teaching(teaching, shared, work))
    some = {METHOD: stacks[METHOD]}
    parts = parts_of(appearances, usable(appearances, teaching))
    fewer = replace(teaching, fewest=teaching.fewest // PARTS)  # of a third as many games
    calibrations = [fit_teaching(fewer, appearances, some, rows, events=False) for rows in parts]
    of_fide = teaching.source == FIDE_CLASSICAL
    groups = [
        [group for n in SIZES for group in groups_of_one_player(appearances, rows, n, of_fide)]
        for rows in parts
    ]
    every = [group for of_part in groups for group in of_part]
    known = Groups.of(appearances.size, every, np.array([appearances.elo[rows].mean() for rows in every]))

    def z_of(calibration: Calibration, chosen: Sequence[Ints], more: float = 0.0, off: float = 0.0) -> Floats:
        used = stacks if calibration is ships else some
        rater = Rater(appearances, calibration, stacks=used)
        reference = np.array([appearances.elo[rows].mean() for rows in chosen])
        return z_by_elo(rater, chosen, reference + off, more=more)

    part = np.repeat(np.arange(PARTS), [len(of_part) for of_part in groups])
    in_norms = np.isin(known.games, GAMES)
    event = np.array([event_of(appearances, rows) for rows in every])
    held_out = np.array([held_out_games(appearances, rows) for rows in every]) & of_fide
    # A part is judged by the next part's calibration and by the norms of the one after it.
    raw, z, z_unsure, z_off = np.full((4, len(every)), np.nan)
    for number, judged in enumerate(part == number for number in range(PARTS)):
        calibration, third = calibrations[(number + 1) % PARTS], (number + 2) % PARTS
        teach, own = np.flatnonzero((part == third) & in_norms), [every[k] for k in np.flatnonzero(judged)]
        shape = fit_source_norms(
            teaching.source, z_of(calibration, [every[k] for k in teach]), known.only(teach)
        ).shape
        assert shape is not None
        here = known.only(judged)
        raw[judged] = z_of(calibration, own)
        z[judged] = shape.standard(raw[judged], here.wide, here.narrow)
        if of_fide:
            z_unsure[judged] = shape.standard(z_of(calibration, own, MORE), here.wide, here.narrow)
            moved = replace(here, reference=here.reference + OFF)
            z_off[judged] = shape.standard(z_of(calibration, own, off=OFF), moved.wide, moved.narrow)
    # What ships is made from games that the calibrations have not seen: with those of its own they vary less.
    teach = np.flatnonzero(in_norms & ~held_out)
    norms = fit_source_norms(teaching.source, raw[teach], known.only(teach))
    rates: list[Mapping[str, Any]] = []
    for n in GAMES:
        of_number = np.isfinite(z) & (known.games == n)
        rates += rates_of(z[of_number], known.reference[of_number], n, THRESHOLDS, 1, BANDS)
    tails = tuple(Tail.of(n, z[known.games == n]) for n in SIZES)
    norms = replace(norms, rates=tuple(rates), tails=tails, about=about(teaching, appearances, parts))
    if not of_fide:
        return norms, []
    # Events that neither the calibration nor the norms have seen, judged by what ships.
    shipped = np.full(len(every), np.nan)
    assert norms.shape is not None
    new = np.flatnonzero(held_out)
    there = known.only(new)
    shipped[new] = norms.shape.standard(z_of(ships, [every[k] for k in new]), there.wide, there.narrow)
    keep_events(known.games, event, z=z, off=z_off, shipped=shipped)
    kinds = kinds_of(appearances, every, teaching, shared, work)
    return with_opens(norms), list(situations(kinds, known.games, {0.0: z, MORE: z_unsure}))


def about(teaching: Teaching, appearances: Appearances, parts: Sequence[Ints]) -> dict[str, Any]:
    """What the norms rest on."""
    rows = np.concatenate(parts)
    return {
        "scale": teaching.scale,
        "values": teaching.values,
        "games": len(np.unique(appearances.game[rows])),
        "players": len(np.unique(appearances.player[rows])),
        "made_by": "python -m research source-norms SHARED",
    }


def parts_of(appearances: Appearances, among: Ints, seed: int = 0) -> list[Ints]:
    """Appearances split in three by player."""
    players = np.unique(appearances.player[among])
    part = np.zeros(players.max() + 1, np.int64)
    part[np.random.default_rng(seed).permutation(players)] = np.arange(len(players)) % PARTS
    return [among[part[appearances.player[among]] == number] for number in range(PARTS)]


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
        groups += [run for run in runs if _screened(appearances, run)][:MOST_OF_ONE]
    return [groups[place] for place in np.sort(rng.permutation(len(groups))[:MOST])]


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


# Events ------------------------------------------------------------------------------------------------


def event_of(appearances: Appearances, rows: Ints) -> int:
    """The event that all of these games are of; -1 where there are several."""
    events = np.unique(appearances.codes("event")[rows])
    return int(events[0]) if len(events) == 1 else -1


def held_out_games(appearances: Appearances, rows: Ints) -> bool:
    """Whether any of these games is of an event that no calibration is made from."""
    names = [*appearances.names("event"), ""]
    return any(is_held_out(names[code]) for code in appearances.codes("event")[rows])


def keep_events(games: Floats, event: Ints, **z: Floats) -> None:
    """Write the held-out z of honest groups with the event of each, -1 for several, without any name.

    `off` are those with published ratings that are OFF higher, `shipped` those of held-out events by the
    calibration and the norms that ship.
    """
    read = np.isfinite(z["z"])
    codes = np.unique(event)
    code = np.where(event < 0, -1, np.searchsorted(codes, event))
    kept: dict[str, Any] = {name: values.astype(np.float16) for name, values in z.items()}
    kept |= {"games": games.astype(np.int8), "event": code.astype(np.int16)}
    np.savez_compressed(EVENTS, **{name: values[read] for name, values in kept.items()})


def open_fields(
    norms: Norms,
    games: int,
    opens: int = OPENS,
    players: int = PLAYERS,
    *,
    judged: str = "z",
    first: int = 0,
) -> Iterator[tuple[Floats, Norms]]:
    """Draw opens of honest players with so many games each: z of whole events, one after another by chance.

    Players of one event deviate together, and both players of a game are among them: so they do here. Groups
    over several events come one by one. Norms of each have the tail of the groups outside of it.
    """
    with np.load(EVENTS) as kept:
        of_number = (kept["games"] == games) & np.isfinite(kept[judged])
        by_thirds, z = (kept[name][of_number].astype(np.float64) for name in ("z", judged))
        event = kept["event"][of_number].astype(np.int64)
    event = np.where(event < 0, -1 - np.arange(len(event)), event)
    for seed in range(first, first + opens):
        order = np.random.default_rng(seed).permutation(np.unique(event))
        rows = np.concatenate([np.flatnonzero(event == code) for code in order])[:players]
        yield z[rows], replace(norms, tails=(Tail.of(games, np.delete(by_thirds, rows)),))


def with_opens(norms: Norms) -> Norms:
    """Norms with how far events are shifted, from how many games on players are named, and how often."""
    with np.load(EVENTS) as kept:
        z, event, games = kept["z"].astype(np.float64), kept["event"], kept["games"]
    shift = [(n, event_shift(z[games == n], event[games == n])) for n in SIZES]
    norms = replace(norms, shift=shift)
    counted = [counted_opens(open_fields(norms, n), n) for n in SIZES]
    # From so many games on no more opens have somebody than LEVEL allows and chance explains; never by one.
    high = [each["games"] for each in counted if share_interval(each["named"], each["opens"])[0] > LEVEL]
    return replace(norms, opens={"naming": max([1, *high]) + 1, "by_games": counted})


def shift_rates(norms: Norms, points: Sequence[float] = (0, 100, 200, 300)) -> Iterator[list[object]]:
    """How many honest events are called shifted, by games: as they are, and if ratings were so much higher.

    Events are those with FEWEST_IN_EVENT players or more with so many games. What OFF points do to each z is
    known; more points are taken to do as much each.
    """
    with np.load(EVENTS) as kept:
        z, off, event, games = (kept[name].astype(np.float64) for name in ("z", "off", "event", "games"))
    for n in SIZES:
        codes, counts = np.unique(event[(games == n) & (event >= 0)], return_counts=True)
        events = codes[counts >= FEWEST_IN_EVENT]
        rows = [np.flatnonzero((games == n) & (event == code)) for code in events]
        called = [
            np.mean([norms.shifted(z[of] + more / OFF * (off[of] - z[of]), n) for of in rows])
            for more in points
        ]
        yield [n, len(rows), int(np.median([len(of) for of in rows])), *(f"{100 * x:.0f}" for x in called)]


def event_shift(z: Floats, event: Ints) -> float:
    """Standard deviation of what the z of players of one event have in common."""
    products, weights = [], []
    for code in np.unique(event[event >= 0]):
        own = z[event == code]
        if (n := len(own)) >= FEWEST_IN_EVENT:
            products.append((own.sum() ** 2 - np.square(own).sum()) / (n * (n - 1)))
            weights.append(n)
    return float(np.sqrt(max(np.average(products, weights=weights), 0.0))) if products else SHIFT[0][1]


# Kinds of players --------------------------------------------------------------------------------------


def kinds_of(
    appearances: Appearances, groups: Sequence[Ints], teaching: Teaching, shared: Path, work: Path
) -> dict[str, Mask]:
    """Which groups are of juniors, seniors, and of players whose rating has not moved for a year."""
    rows = pa.csv.read_csv(pa.CompressedInputStream(str(shared / FIDE_LIST), "zstd"))
    birth = dict(zip(rows["fideid"].to_pylist(), rows["birth"].to_pylist(), strict=True))
    born: dict[str, float] = {}
    for name in teaching.files:
        games = Workspace(work / f"{Path(name).name}.assay").games(None, Choice.parse("all"))
        for side in ("white", "black"):
            pairs = zip(games[side].to_pylist(), games[f"{side}_fide"].to_pylist(), strict=True)
            born |= {player: birth[number] for player, number in pairs if birth.get(number)}
    year = appearances.numbers("year")
    age = np.array(
        [when - born.get(who, np.nan) for who, when in zip(appearances.players(), year, strict=True)]
    )
    first = np.array([rows_of[0] for rows_of in groups])
    still = unmoved(appearances.player, year, appearances.elo)
    return {
        "up to 13 years": age[first] <= 13,
        f"14 to {YOUNG} years": (age[first] >= 14) & (age[first] <= YOUNG),
        f"{OLD} years or more": age[first] >= OLD,
        "a rating that has not moved by a point for a year or more": still[first],
    }


def unmoved(player: Ints, year: Floats, elo: Floats) -> Mask:
    """Whether each appearance's rating is that of the player in an earlier year of these games."""
    ratings: dict[int, dict[float, float]] = {}
    for who, when, rating in zip(player.tolist(), year.tolist(), elo.tolist(), strict=True):
        ratings.setdefault(who, {}).setdefault(when, rating)
    same = []
    for who, when, rating in zip(player.tolist(), year.tolist(), elo.tolist(), strict=True):
        before = [other for other in ratings[who] if other < when]
        same.append(bool(before) and ratings[who][max(before)] == rating)
    return np.array(same)


def situations(
    kinds: Mapping[str, Mask], games: Floats, by_error: Mapping[float, Floats]
) -> Iterator[dict[str, Any]]:
    """Shares of groups of each kind beyond thresholds, for what is added to the error of their ratings."""
    for name, mask in kinds.items():
        for n in GAMES:
            for more, z in by_error.items():
                scores = z[mask & (games == n) & np.isfinite(z)]
                if len(scores) >= FEWEST_GROUPS:
                    for threshold in THRESHOLDS[:2]:
                        yield {
                            "kind": name,
                            "games": n,
                            "more": more,
                            "threshold": threshold,
                            "above": round(float((scores > threshold).mean()), 6),
                            "below": round(float((scores < -threshold).mean()), 6),
                            "groups": len(scores),
                        }


def kinds_of_players(rates: Iterable[Mapping[str, Any]]) -> str:
    """Honest players of some kind beyond thresholds, with two errors of their ratings."""
    by_key: dict[tuple[object, ...], list[object]] = {}
    for rate in rates:
        key = (rate["kind"], rate["games"], rate["groups"])
        by_key.setdefault(key, list(key)).append(f"{100 * rate['above']:.1f} / {100 * rate['below']:.1f}")
    heads = [f"beyond {z}, {error}" for error in ("usual error", "more") for z in (1.645, 2.326)]
    return numbers_table(["players", "games", "groups", *heads], by_key.values())
