"""The tables of docs/evidence/evaluated.md: how well games that contain evaluations are rated.

    python -m research evaluated SHARED [SOURCE ...] [--work FOLDER] [--held-out]

SHARED holds the development files that the calibrations are made from; games are imported into workspaces
below
FOLDER. Players are split in two parts: each is rated through a calibration made from the games of the other.
FIDE
games are also rated by whole events. With --held-out those events are rated that are used nowhere else.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.decisions.profile import ProfileStack
from assay.models.appearances import Appearances
from assay.rating.calibration import Calibration, shipped
from assay.rating.group_ratings import COMBINED, Rater, rate_raw
from assay.rating.priors import PRIORS, Player, priors_for
from research import command
from research.calibration.evaluated import (
    FEWEST_DECISIONS,
    TEACHINGS,
    Teaching,
    evidence_of,
    fields_of,
    fit_teaching,
    read_teaching,
    training_rows,
)
from research.markdown import Tables, numbers_table, print_tables

GAMES = (1, 3, 10, 20)
MOST_GROUPS = 1500
JUDGED = tuple(prior for prior in PRIORS if prior != "rating")
BANDS = ((1000, 1800), (1800, 2100), (2100, 2400), (2400, 2900))
SIZES = ((4, 16), (16, 51), (51, 1000))
LEVELS = ((1000, 1900), (1900, 2100), (2100, 2300), (2300, 2500), (2500, 2600), (2600, 2900))


def main(words: Sequence[str]) -> None:
    """Print the tables."""
    parser = command("evaluated", __doc__)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--work", type=Path, help="folder that games are imported into, and kept")
    parser.add_argument("--held-out", action="store_true", help="rate the events that are used nowhere else")
    parser.add_argument("sources", nargs="*", help="without any: all")
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        work = given.work or Path(folder)
        for teaching in TEACHINGS:
            if not given.sources or teaching.source in given.sources:
                appearances, stacks = evidence_of(read_teaching(teaching, given.shared, work))
                print_tables(tables(teaching, appearances, stacks, given.held_out))


def tables(
    teaching: Teaching, appearances: Appearances, stacks: Mapping[str, ProfileStack], held_out: bool
) -> Tables:
    """Each table of one source with its title."""
    rows, event = training_rows(appearances), appearances.codes("event")
    if not held_out:
        yield f"{teaching.scale}, players apart", players_table(teaching, appearances, stacks)
    if not teaching.events:
        return
    if held_out:
        calibration = shipped(teaching.source)
        assert calibration is not None
        parts = [(calibration, np.setdiff1d(np.arange(len(appearances)), rows), rows)]
    else:
        # Half of the events that are not held out make a calibration for the other half.
        first = np.random.default_rng(1).random(event.max() + 1) < 0.5
        halves = [rows[side[event[rows]]] for side in (first, ~first)]
        parts = [
            (fit_teaching(teaching, appearances, stacks, used), rest, used)
            for used, rest in (halves, halves[::-1])
        ]
    kind = "held-out events" if held_out else "whole events"
    yield from event_tables(f"{teaching.scale}, {kind}", appearances, stacks, parts)


def players_table(teaching: Teaching, appearances: Appearances, stacks: Mapping[str, ProfileStack]) -> str:
    """Groups of games of one player, by the number of games and the prior."""
    rng = np.random.default_rng(0)
    chosen = training_rows(appearances) if teaching.events else np.arange(len(appearances))
    chosen = chosen[(appearances.size[chosen] >= FEWEST_DECISIONS) & np.isfinite(appearances.elo[chosen])]
    half = (rng.random(appearances.player.max() + 1) < 0.5)[appearances.player]
    outcomes: dict[tuple[int, str], list[Floats]] = {}
    for side in (half, ~half):
        calibration = fit_teaching(teaching, appearances, stacks, chosen[side[chosen]], events=False)
        within = (calibration.range.lowest - 50, calibration.range.highest + 50)
        rows = chosen[~side[chosen]]
        rows = rows[(within[0] <= appearances.elo[rows]) & (appearances.elo[rows] <= within[1])]
        for n in GAMES:
            groups = groups_of_players(appearances, rows, n, rng)
            for prior in JUDGED:
                rated = outcomes_of(appearances, stacks, calibration, groups, prior)
                outcomes.setdefault((n, prior), []).append(rated)
    return _table(("games", "prior"), {key: np.concatenate(parts) for key, parts in outcomes.items()})


def groups_of_players(appearances: Appearances, rows: Ints, n: int, rng: np.random.Generator) -> list[Ints]:
    """At most so many groups of n games of one player each, one group of every player."""
    order = rng.permutation(rows)
    order = order[np.argsort(appearances.player[order], kind="stable")]
    _, starts, counts = np.unique(appearances.player[order], return_index=True, return_counts=True)
    groups = [order[start : start + n] for start, many in zip(starts, counts, strict=True) if many >= n]
    return [groups[place] for place in rng.permutation(len(groups))[:MOST_GROUPS]]


def outcomes_of(
    appearances: Appearances,
    stacks: Mapping[str, ProfileStack],
    calibration: Calibration,
    groups: Sequence[Ints],
    prior: str,
    event: str | None = None,
) -> Floats:
    """Published rating, rating by moves, ends of its 95% interval and games of each group."""
    rater = Rater(appearances, calibration, stacks={name: stacks[name] for name in calibration.mappings})
    raw = rater.raw(groups)
    players = [
        Player(str(appearances.player[rows[0]]), event, len(rows), float(appearances.elo[rows].mean()))
        for rows in groups
    ]
    priors = priors_for(prior, calibration, players, raw, rater.methods)
    rated = rate_raw(calibration, raw, priors.each, ())
    lines = [
        (player.published, rating.elo, rating.low, rating.high, player.games)
        for player, ratings in zip(players, rated, strict=True)
        if (rating := ratings.get(COMBINED)) is not None
    ]
    return np.array(lines, np.float64).reshape(-1, 5)


def event_tables(
    title: str,
    appearances: Appearances,
    stacks: Mapping[str, ProfileStack],
    parts: Sequence[tuple[Calibration, Ints, Ints]],
) -> Tables:
    """Players of whole events by games, size and level of the event, published and printed rating.

    `parts` are calibrations with the rows that each rates and those that it was made from.
    """
    by_prior: dict[str, list[Floats]] = {prior: [] for prior in JUDGED}
    shared = []
    for calibration, rows, used in parts:
        shared += np.isin(np.unique(appearances.player[rows]), appearances.player[used]).tolist()
        for place, field in enumerate(fields_of(appearances, rows)):
            for prior, rated in by_prior.items():
                outcomes = outcomes_of(appearances, stacks, calibration, field, prior, f"event {place}")
                about = np.full((len(outcomes), 2), (len(field), outcomes[:, 0].mean()))
                rated.append(np.column_stack((outcomes, about)))
    together = {prior: np.concatenate(rated) for prior, rated in by_prior.items()}
    yield (
        f"{title}, players who have games among those that the calibration is from",
        f"{np.mean(shared):.0%}",
    )
    kinds = {"all": (0, 10**6)}
    kinds |= {f"{low} to {high} games": (low, high) for low, high in ((1, 1), (2, 3), (4, 6), (7, 99))}
    yield (
        f"{title}, by games",
        _table(
            ("games", "prior"),
            {
                (name, prior): rated[(rated[:, 4] >= low) & (rated[:, 4] <= high)]
                for name, (low, high) in kinds.items()
                for prior, rated in together.items()
            },
        ),
    )
    bands_by = {5: ("players of the event", SIZES), 6: ("mean published rating of the event", LEVELS)}
    bands_by |= {0: ("published rating", BANDS), 1: ("rating by moves", BANDS)}
    for column, (what, bands) in bands_by.items():
        yield (
            f"{title}, by {what}",
            _table(
                (what, "prior"),
                {
                    (f"{low} to {high - 1}", prior): rated[
                        (rated[:, column] >= low) & (rated[:, column] < high)
                    ]
                    for low, high in bands
                    for prior, rated in together.items()
                },
            ),
        )


def _table(heads: Sequence[str], outcomes: Mapping[tuple[object, str], Floats]) -> str:
    lines = []
    for key, rated in outcomes.items():
        if not len(rated):
            continue
        truth, elo, low, high = rated[:, :4].T
        covered = (low <= truth) & (truth <= high)
        lines.append(
            (
                *(*key, len(rated), f"{np.abs(elo - truth).mean():.0f}", f"{(elo - truth).mean():+.0f}"),
                *(f"{np.abs(truth - truth.mean()).mean():.0f}", f"{covered.mean():.1%}"),
                f"{(high - low).mean():.0f}",
            )
        )
    measured = ("players", "mean error", "bias", "guessing the average", "covered by 95%", "mean width")
    return numbers_table((*heads, *measured), lines)
