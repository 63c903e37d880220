"""The screening itself: decisions in, everyone by how unusual the play is for the rating out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.answers.screening import ABOVE, BELOW, LEVEL, SEQUENCE, Screened, ScreenedGame
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.grouping import By, check_by
from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.rating.calibration import Calibration
from assay.rating.evidence import Group, game_in_words, groups_of
from assay.rating.priors import RATING_ERROR
from assay.rating.rater import Rater
from assay.screening.departures import departures, elo_departures, together
from assay.screening.evidence import Evidence, evidence_of
from assay.screening.multiplicity import (
    bonferroni,
    expected_alike,
    false_discovery,
    named_by_evidence,
    two_sided,
)
from assay.screening.norms import ALL, Norms
from assay.screening.preparation import not_prepared
from assay.screening.sequence import Bets, Bettor, Outcomes, outcomes_of
from assay.screening.situations import LEAST_TURNS, not_screened, rating_error, situation_notes
from assay.screening.turns import STATISTICS, Turns, rules

SCREENED_BY = (By.PLAYER, By.EVENT, By.GAME)
"""What can be screened apart."""

TOGETHER = "all"
"""The statistics that decide as one: what p and q are made from."""

CREDIBLE = 0.9
"""Probability that the turns said hold the one from which on, if the game is such a one."""


@dataclass(frozen=True)
class Found:
    """Everyone who could be screened, and what must be said with it."""

    players: tuple[Screened, ...]
    left_out: Mapping[str, str]
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Field:
    """The groups that are tested, with everything that is known of them."""

    appearances: Appearances
    groups: Sequence[Group]
    errors: Sequence[float]
    reference: Floats
    evidence: Evidence
    z: Floats
    """Shape (groups, ALL and one)."""
    bets: Sequence[Bets]
    outcomes: Outcomes
    bettors: Sequence[Bettor]
    game_rows: Sequence[Sequence[Ints]]
    """The turns of each game of each group, in the order of play."""
    order: Sequence[Ints]
    """The appearances of each group, in the order of play."""
    turn_numbers: Ints
    """Which turn of its game each of the turns is."""


def screen_decisions(
    decisions: Decisions,
    calibration: Calibration,
    norms: Norms,
    *,
    by: str = By.PLAYER,
    least: int = LEAST_TURNS,
    error: float = RATING_ERROR,
    unsure: Sequence[str] = (),
    dates: Mapping[str, str] | None = None,
    tested: int | None = None,
) -> Found:
    """Every player of some decisions, or their events or games, most unusual first.

    Decisions must have been read with their trace. `unsure` are players whose rating is not to be trusted;
    `dates` those of the games, for the order of play; `tested` how many were looked at in all, where these
    are some of them.
    """
    check_by(by, SCREENED_BY)
    calibration.check(Appearances.of(decisions).recipe_id)
    if calibration.agents is None:
        raise InputError("this calibration has no agents by Elo: make it anew with assay calibrate")
    kept = decisions.filter(*rules(), not_prepared())
    if not len(kept):
        raise InputError(
            "no turn of these games can be screened: they need the engine's lines of every depth (assay "
            "analyse), turns after the eighth, and positions that are not decided"
        )
    appearances = Appearances.of(decisions)
    turns = Turns.of(kept)
    place = appearances.place(kept)
    counts = np.bincount(place, minlength=len(appearances))
    groups, errors, left_out, moving = chosen_groups(appearances, counts, by, least, error, unsure)
    field = _tested(appearances, turns, place, calibration, norms, groups, errors, dates or {})
    notes = situation_notes(
        field.reference.tolist(), calibration.mileposts, time_classes_of(kept), sorted(set(moving))
    )
    return Found(_screened(field, norms, tested), left_out, notes)


def chosen_groups(
    appearances: Appearances, turns: Ints, by: str, least: int, error: float, unsure: Sequence[str]
) -> tuple[list[Group], list[float], dict[str, str], list[str]]:
    """The groups that can be screened with the errors of their ratings, and why others cannot."""
    chosen, errors, left_out, moving = [], [], {}, []
    for group in groups_of(appearances, by):
        rated = group.rows[np.isfinite(appearances.elo[group.rows]) & (turns[group.rows] > 0)]
        elo = appearances.elo[group.rows]
        why = not_screened(elo, int(turns[rated].sum()), least)
        if why is not None:
            left_out[group.title] = why
            continue
        own = rating_error(elo, group.player in unsure, error)
        if own > error:
            moving.append(group.player)
        chosen.append(replace(group, rows=rated))
        errors.append(own)
    if not chosen:
        raise InputError(_nobody(left_out))
    return chosen, errors, left_out, moving


def _nobody(left_out: Mapping[str, str]) -> str:
    """Why nobody could be screened."""
    reasons = set(left_out.values())
    if reasons == {"no rating in these games"}:
        return (
            "nobody can be screened: none of these games has ratings (WhiteElo, BlackElo), and there is "
            "nothing to hold the moves against"
        )
    shown = "; ".join(f"{title}: {why}" for title, why in list(left_out.items())[:3])
    return f"nobody can be screened ({shown}): give more games, or lower --min-decisions"


def _tested(
    appearances: Appearances,
    turns: Turns,
    place: Ints,
    calibration: Calibration,
    norms: Norms,
    groups: Sequence[Group],
    errors: Sequence[float],
    dates: Mapping[str, str],
) -> _Field:
    assert calibration.agents is not None
    # What is not rated is not screened: its turns are held against any rating, and not looked at.
    elo = np.where(np.isfinite(appearances.elo), appearances.elo, float(calibration.mileposts.mean()))
    evidence = evidence_of(turns, place, elo, calibration.agents, norms.curves)
    rows = [group.rows for group in groups]
    reference = np.array([elo[one].mean() for one in rows])
    rater = Rater(appearances, calibration)
    by_elo = elo_departures(rater, rows, reference, error=errors)
    single = departures(evidence, rows, norms, by_elo, reference, error=errors)
    form = float(norms.form[STATISTICS.index("equal")])
    deviation = math.hypot(max(errors), form)
    outcomes = outcomes_of(turns, elo[place], calibration.agents, norms.curves, deviation)
    kappa = 1 / max(float(norms.dispersion[STATISTICS.index("equal")]), 1.0)
    of_appearance = _rows_of(place, len(appearances))
    order = [_in_order(appearances, one, dates) for one in rows]
    game_rows = [[of_appearance[row] for row in one] for one in order]
    bettors = [Bettor(outcomes.elo, error, form, kappa) for error in errors]
    return _Field(
        appearances=appearances,
        groups=groups,
        errors=errors,
        reference=reference,
        evidence=evidence,
        z=np.column_stack((single, together(single))),
        bets=[bettor.follow(outcomes, own) for bettor, own in zip(bettors, game_rows, strict=True)],
        outcomes=outcomes,
        bettors=bettors,
        game_rows=game_rows,
        order=order,
        turn_numbers=(turns.decisions.numbers("ply") // 2 + 1).astype(np.int64),
    )


def _rows_of(place: Ints, n: int) -> list[Ints]:
    """The turns of each appearance, as they come."""
    order = np.argsort(place, kind="stable")
    ends = np.searchsorted(place[order], np.arange(n + 1))
    return [order[ends[one] : ends[one + 1]] for one in range(n)]


def _in_order(appearances: Appearances, rows: Ints, dates: Mapping[str, str]) -> Ints:
    """Appearances in the order of play: by date, as far as known, then as they came."""
    names = appearances.names("game_id")
    first = appearances.first[rows]
    keys = [
        (dates.get(names[appearances.game[row]], ""), int(at)) for row, at in zip(rows, first, strict=True)
    ]
    return rows[sorted(range(len(rows)), key=lambda index: keys[index])]


def time_classes_of(kept: Decisions) -> list[str]:
    """The time classes of some decisions."""
    names = kept.names("time_class")
    return [names[code] for code in np.unique(kept.codes("time_class")) if code >= 0]


# Answers -----------------------------------------------------------------------------------------------


def _screened(field: _Field, norms: Norms, tested: int | None) -> tuple[Screened, ...]:
    evidence = np.exp([one.highest for one in field.bets])
    found = []
    each = answered(
        field.appearances, field.groups, field.errors, field.evidence.turns, field.z, evidence, tested
    )
    for index, one in enumerate(each):
        some = field.evidence.only(field.groups[index].rows)
        seen = some.observed.sum(axis=0) / one.decisions
        due = (some.observed - some.apart).sum(axis=0) / one.decisions
        games = _games(field, index, norms) if one.flag is not None else ()
        found.append(replace(one, observed=_means(seen), expected=_means(due), each_game=games))
    return in_order(found)


def answered(
    appearances: Appearances,
    groups: Sequence[Group],
    errors: Sequence[float],
    turns: Ints,
    z: Floats,
    evidence: Floats,
    tested: int | None = None,
) -> list[Screened]:
    """Every group with how unusual it is in this field, in the order of the groups; no statistics yet."""
    departure = z[:, -1]
    n = max(tested or 0, len(groups))
    p = two_sided(departure)
    q, strict, alike = false_discovery(p, n), bonferroni(p, n), expected_alike(departure, n)
    in_sequence = named_by_evidence(np.nan_to_num(evidence, nan=0.0), LEVEL, n)
    found = []
    for index, group in enumerate(groups):
        flag = None
        if q[index] <= LEVEL:
            flag = ABOVE if departure[index] > 0 else BELOW
        elif in_sequence[index]:
            flag = SEQUENCE
        found.append(
            Screened(
                player=group.player,
                group=group.label,
                about=group.about,
                games=len(group.rows),
                decisions=int(turns[group.rows].sum()),
                reference=float(appearances.elo[group.rows].mean()),
                rating_error=errors[index],
                z=dict(zip((*ALL, TOGETHER), z[index].tolist(), strict=True)),
                observed={},
                expected={},
                p=float(p[index]),
                q=float(q[index]),
                bonferroni=float(strict[index]),
                alike=float(alike[index]),
                evidence=float(evidence[index]),
                flag=flag,
            )
        )
    return found


def in_order(found: Sequence[Screened]) -> tuple[Screened, ...]:
    """Those who are named first, then by p."""
    return tuple(sorted(found, key=lambda one: (one.flag is None, one.p, one.title)))


def _means(columns: Floats) -> dict[str, float]:
    """Means over turns as they are printed: shares, and pawns lost."""
    means = dict(zip(STATISTICS, columns.tolist(), strict=True))
    means["error"] = -means["error"]
    del means["hard"], means["critical"]
    return means


def _games(field: _Field, index: int, norms: Norms) -> tuple[ScreenedGame, ...]:
    """The games of somebody who is named, in the order of play."""
    rows = [np.array([row]) for row in field.order[index]]
    elo = field.appearances.elo[field.order[index]]
    nothing = np.full(len(rows), np.nan)
    single = departures(field.evidence, rows, norms, nothing, elo, error=field.errors[index])
    z = together(single)
    evidence = np.exp(field.bets[index].games)
    named = named_by_evidence(evidence, LEVEL)
    ids = field.appearances.names("game_id")
    found = []
    for place, row in enumerate(field.order[index]):
        turns = field.game_rows[index][place]
        found.append(
            ScreenedGame(
                game=ids[field.appearances.game[row]],
                about=game_in_words(field.appearances.decisions, int(field.appearances.first[row])),
                turns=len(turns),
                z=float(z[place]),
                evidence=float(evidence[place]),
                named=bool(named[place]),
                first_turn=_beginning(field, index, turns) if named[place] else None,
            )
        )
    return tuple(found)


def _beginning(field: _Field, index: int, turns: Ints) -> tuple[int, int, int]:
    """Earliest, likeliest and latest turn of a game from which on moves may be taken."""
    chance = field.bettors[index].beginning(field.outcomes, turns)
    return beginning_region(chance, field.turn_numbers[turns])


def beginning_region(chance: Floats, numbers: Ints) -> tuple[int, int, int]:
    """The likeliest turn, and the ends of the shortest set that holds so much probability."""
    order = np.argsort(-chance)
    enough = int(np.searchsorted(np.cumsum(chance[order]), CREDIBLE)) + 1
    inside = numbers[order[:enough]]
    return int(inside.min()), int(numbers[order[0]]), int(inside.max())
