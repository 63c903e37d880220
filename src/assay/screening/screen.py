"""The screening: games in, everyone by how unusual the play is for the rating out.

Who can be screened, and how far their rating is to be trusted:

| situation | rule |
|---|---|
| unrated | not screened, and named as such; there is nothing to compare the moves with |
| a rating that is plainly wrong | not screened: below 1000 or above 3000 |
| a rating beyond the mileposts | screened, with a note: the agents there are extended along straight lines |
| ratings of one player that differ by more than 100 | the error of the rating is 150 instead of 60 |
| juniors, comebacks, stale ratings | games do not show them: `unsure` names them, the error is 150 then |
| fewer than 20 turns | not screened |
| fast games | not screened unless asked for (`--time`), with a note: there are no norms for them |
| preparation | left out: turns 1 to 8, and positions that three players or more had |
| decided positions, repetitions | left out |
| endgames | screened; more is expected of everyone there (assay.screening.statistics) |
| one game | screened, and never named |
| norms of another recipe, or none | screened, and nobody is named: the error rates were not measured |
| nearly everyone to one side | screened, and nobody is named: the scale is shifted |
| one value per position | screened by the statistics that methods read from it; agreement is not known |
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.answers.screening import (
    ABOVE,
    BELOW,
    BY_SEQUENCE,
    BY_Z,
    LEVEL,
    SEQUENCE,
    Screened,
    ScreenedGame,
    Screening,
)
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.grouping import By, check_by
from assay.decisions.names import choose_players, find_player
from assay.decisions.time_control import CLASSICAL
from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.models.base import recipe_of
from assay.models.intervals import q_values
from assay.rating.calibration import Calibration, find_calibration
from assay.rating.evidence import Group, decisions_by_reason, game_in_words, groups_of
from assay.rating.group_ratings import Rater
from assay.rating.pipeline import malformed_notes
from assay.rating.priors import RATING_ERROR
from assay.rating.scale import scale_of, what_it_takes
from assay.screening.norms import LEAST_P, Groups, Norms, any_norms, find_norms
from assay.screening.sequence import Bettor, outcomes_of
from assay.screening.statistics import (
    BY_METHOD,
    COUNTED,
    COUNTED_NAMES,
    NAMES,
    Turns,
    expected_of,
    not_prepared,
    rules,
)
from assay.screening.z_scores import (
    ELO,
    combined_z,
    elo_z,
    named_by_evidence,
    two_sided,
    z_by_methods,
    z_by_turns,
)
from assay.source import Evaluations, Source, Valuation

SCREENED_BY = (By.PLAYER, By.EVENT, By.GAME)
"""What can be screened apart."""

FULL = "standard"
"""The recipe of the second stage."""

TOGETHER = "all"
"""The statistics that decide as one: what p and q are made from."""

CREDIBLE = 0.9
"""Probability that the turns shown contain the one from which on, if the game is such a one."""

LEAST_TURNS = 20
"""Fewer turns than this are not screened unless asked for."""

LOWEST, HIGHEST = 1000.0, 3000.0
"""Ratings beyond these are plainly wrong."""

UNSURE = 150.0
"""Error of the rating of somebody whose strength may have moved on since."""

MOVED = 100.0
"""Where the ratings of one player in these games differ by more, strength is moving."""

BEYOND = 50.0
"""Points beyond the outermost milepost from which on a note says that the scale is extended."""

NO_AGREEMENT = (
    "One value per position: agreement with the engine is not known, nor the test in sequence; z is by "
    "losses (error) and by the rating by moves (elo), and p by the latter."
)

NOT_MEASURED = (
    "How honest games of this source vary was not measured: error rates are not known, and nobody is named."
)

FEWEST_GAMES = 2
"""Nobody is named by fewer games."""

SHIFT, FEWEST_PLAYERS = 1.0, 5
"""Nobody is named where the median z of a field of so many players is further from zero."""

_NO_RATING = "no rating in these games"
_UNREADABLE = "no method can read these moves"
_NOTHING: Callable[..., None] = lambda *_: None  # noqa: E731
_EQUAL = COUNTED_NAMES.index("equal")


def screen_source(
    source: Source,
    valuation: Valuation,
    *,
    players: Sequence[str] | None = None,
    by: str = By.PLAYER,
    least: int = LEAST_TURNS,
    error: float = RATING_ERROR,
    unsure: Sequence[str] = (),
    full: bool = False,
    calibration: Calibration | None = None,
    progress: Callable[..., None] = _NOTHING,
) -> Screening:
    """Screen everyone in a source of games; show some where `players` are named.

    With `full`, those who stand out are tested again with more search.
    """
    decisions = Decisions.concat(source.decisions(valuation, trace=True, at_once=True, progress=progress))
    if not len(decisions):
        raise InputError("no decisions to screen: check the games")
    whom, decisions = choose_players(decisions, players or [])
    shown = None if players is None else [who.player for who in whom]
    doubted = [find_player(name, decisions.players) for name in unsure]
    settings: dict[str, Any] = {"by": by, "least": least, "error": error, "unsure": doubted}
    screening = _screening(source, decisions, calibration, **settings)
    if full:
        screening = replace(screening, full=_again(source, valuation, screening, progress, **settings))
    if shown is not None:
        chosen = tuple(screened for screened in screening.players if screened.player in shown)
        screening = replace(screening, players=chosen)
    return screening


def _screening(
    source: Source, decisions: Decisions, calibration: Calibration | None, **settings: Any
) -> Screening:
    recipe_id = recipe_of(decisions)
    recorded = source.about(recipe_id)
    calibration = calibration or find_calibration(recipe_id)
    names = (recorded["engine"]["name"], recorded["recipe"]["name"]) if recorded else None
    if calibration is None:
        engine, recipe = names or ("unknown engine", recipe_id or "unknown recipe")
        takes = what_it_takes(engine, recipe, recipe_id)
        raise InputError(f"nothing to hold the moves against: {takes.removeprefix('No Elo: ')}")
    source.check_published(scale_of(calibration), "screening")
    screening = screen_decisions(
        decisions, calibration, find_norms(recipe_id), dates=source.dates(), **settings
    )
    return replace(screening, engine=names[0], recipe=names[1]) if names else screening


def _again(
    source: Source,
    valuation: Valuation,
    first: Screening,
    progress: Callable[..., None],
    **settings: Any,
) -> Screening | None:
    """Screen those who stand out with more search; None where that is done already or nobody does."""
    # Whoever would be named, had error rates been measured and games been enough.
    names = sorted({screened.player for screened in first.players if screened.flag or screened.q <= LEVEL})
    if not names:
        valuation.say("nobody stands out, so nobody is tested again")
        return None
    if first.recipe == FULL:
        valuation.say(f"these values are those of {FULL} already: nobody is tested again")
        return None
    # Whatever the first look went by, the second asks the engine.
    deeper = replace(valuation, recipe=FULL, evaluations=Evaluations.ENGINE)
    pieces = source.decisions(deeper, players=names, trace=True, at_once=True, progress=progress)
    decisions = Decisions.concat(pieces)
    if recipe_of(decisions) == first.recipe_id:
        valuation.say("these values are in a file and cannot be made anew: nobody is tested again")
        return None
    # They were picked out of everyone: the field is that of the first look.
    return _screening(source, decisions.select(player=names), None, tested=first.field, **settings)


def screen_decisions(
    decisions: Decisions,
    calibration: Calibration,
    norms: Norms | None,
    *,
    by: str = By.PLAYER,
    least: int = LEAST_TURNS,
    error: float = RATING_ERROR,
    unsure: Sequence[str] = (),
    dates: Mapping[str, str] | None = None,
    tested: int | None = None,
) -> Screening:
    """Screen every player of decisions, or their events or games.

    Decisions must have been read with their trace, unless positions have one value. `unsure` are players
    whose rating is not to be trusted; `dates` those of the games, for the order of play; `tested` how many
    were looked at in all, where these are some of them. Without `norms` those of another recipe are used.
    """
    check_by(by, SCREENED_BY)
    appearances = Appearances.of(decisions)
    # Evaluations in the comments of games are of the moves played alone.
    one_value = not decisions.traced.any() and bool((decisions.n_options <= 1).all())
    measured = norms is not None and (bool(norms.shapes) if one_value else norms.turns is not None)
    notes: list[str] = []
    if one_value:
        turns, counts = None, appearances.size.astype(np.int64)
        time_classes: Sequence[str] = ()  # the calibration was chosen by it
        notes += [NO_AGREEMENT] if measured else [NO_AGREEMENT, NOT_MEASURED]
    else:
        calibration.check(appearances.recipe_id)
        turns = _turns(decisions, calibration)
        counts = np.bincount(appearances.place(turns.decisions), minlength=len(appearances))
        names = turns.decisions.names("time_class")
        time_classes = [names[code] for code in np.unique(turns.decisions.codes("time_class")) if code >= 0]
    groups, errors, left_out, moving = _choose(appearances, counts, by, least, error, unsure)
    reference = np.array([appearances.elo[group.rows].mean() for group in groups])
    notes += _situations(reference, calibration.mileposts, time_classes, sorted(set(moving)))
    field = None
    if turns is None:
        z = _z_by_methods(appearances, calibration, norms, groups, reference, errors)
        evidence = np.zeros(len(groups))
        readable = np.isfinite(z[:, ELO])
        left_out |= {groups[place].title: _UNREADABLE for place in np.flatnonzero(~readable)}
    else:
        used = norms if norms is not None and measured else any_norms()
        field = _Field(appearances, turns, calibration, used, groups, errors, reference, dates or {})
        z, evidence = field.z, np.exp([bets.running[-1] for bets in field.bets])
        readable = np.ones(len(groups), bool)
        if not measured:
            notes.append(
                f"How honest games vary was measured with another recipe ({used.about['recipe']} with "
                f"{used.about['engine']}) and is taken over from there: error rates here were not measured, "
                "and nobody is named."
            )
    n = max(tested or 0, int(readable.sum()))
    middle = float(np.median(z[readable, -1])) if readable.any() else 0.0
    # Those who are tested again were picked: they are all to one side.
    shifted = tested is None and readable.sum() >= FEWEST_PLAYERS and abs(middle) > SHIFT
    if shifted:
        notes.append(
            f"Most play is {ABOVE if middle > 0 else BELOW} the ratings (median z {middle:+.1f}): ratings or "
            "values have another scale here, and nobody is named."
        )
    least_p = norms.least_p if norms is not None and measured else LEAST_P[-1]
    exact = two_sided(z[:, -1])
    exact_q = q_values(np.where(readable, exact, np.nan), n)
    p, q = np.maximum(exact, least_p), np.maximum(exact_q, least_p)
    in_sequence = named_by_evidence(evidence, BY_SEQUENCE, n)
    players = []
    for place in np.flatnonzero(readable).tolist():
        group, flag = groups[place], None
        if measured and not shifted and len(group.rows) >= FEWEST_GAMES:
            if exact_q[place] <= BY_Z:
                flag = ABOVE if z[place, -1] > 0 else BELOW
            elif in_sequence[place]:
                flag = SEQUENCE
        screened = Screened(
            player=group.player,
            group=group.label,
            about=group.about,
            games=len(group.rows),
            decisions=int(counts[group.rows].sum()),
            reference=float(reference[place]),
            rating_error=errors[place],
            z=dict(zip((*NAMES, TOGETHER), z[place].tolist(), strict=True)),
            observed={},
            expected={},
            p=float(p[place]),
            q=float(q[place]),
            least_p=least_p,
            bonferroni=min(n * float(p[place]), 1.0),
            alike=n * float(p[place]) / 2,
            evidence=float(evidence[place]) if field else math.nan,
            flag=flag,
        )
        players.append(field.with_statistics(place, screened) if field else screened)
    # Those who are named first, then by p, and by z where p is as small as can be shown.
    players.sort(key=lambda entry: (not entry.flag, entry.p, -abs(entry.z[TOGETHER]), entry.title))
    notes += malformed_notes(decisions_by_reason(decisions))
    about = calibration.about
    return Screening(
        engine=about.get("engine", "unknown engine"),
        recipe=about.get("recipe", appearances.recipe_id or "unknown recipe"),
        recipe_id=appearances.recipe_id,
        by=by,
        players=tuple(players),
        field=n,
        left_out=left_out,
        rates=() if norms is None else norms.rates,
        sequence={} if norms is None else norms.sequence,
        notes=tuple(notes),
    )


def _turns(decisions: Decisions, calibration: Calibration) -> Turns:
    if calibration.agents is None:
        raise InputError(
            "this calibration has no simulated players by Elo: make it anew with assay calibrate"
        )
    usable = decisions.filter(*rules(), not_prepared())
    if not len(usable):
        raise InputError(
            "no turn of these games can be screened: they need the engine's lines of every depth (assay "
            "analyse), turns after the eighth, and positions that are not decided"
        )
    return Turns.of(usable)


# Who is screened ---------------------------------------------------------------------------------------


def _choose(
    appearances: Appearances, turns: Ints, by: str, least: int, error: float, unsure: Sequence[str]
) -> tuple[list[Group], list[float], dict[str, str], list[str]]:
    """Choose the groups that can be screened, with the errors of their ratings, and say why others cannot."""
    chosen, errors, left_out, moving = [], [], {}, []
    for group in groups_of(appearances, by):
        rated = group.rows[np.isfinite(appearances.elo[group.rows]) & (turns[group.rows] > 0)]
        elo = appearances.elo[group.rows]
        reason = not_screened(elo, int(turns[rated].sum()), least)
        if reason is not None:
            left_out[group.title] = reason
            continue
        allowed = rating_error(elo, group.player in unsure, error)
        if allowed > error:
            moving.append(group.player)
        chosen.append(replace(group, rows=rated))
        errors.append(allowed)
    if chosen:
        return chosen, errors, left_out, moving
    if set(left_out.values()) == {_NO_RATING}:
        raise InputError(
            "nobody can be screened: none of these games has ratings (WhiteElo, BlackElo), and there is "
            "nothing to hold the moves against"
        )
    shown = "; ".join(f"{title}: {reason}" for title, reason in list(left_out.items())[:3])
    raise InputError(f"nobody can be screened ({shown}): give more games, or lower --min-decisions")


def not_screened(elo: Floats, turns: int, least: int) -> str | None:
    """Say why appearances with these ratings cannot be screened; None where they can."""
    published = elo[np.isfinite(elo)]
    if not len(published):
        return _NO_RATING
    wrong = published[(published < LOWEST) | (published > HIGHEST)]
    if len(wrong):
        return f"a rating of {wrong[0]:.0f} is plainly wrong: correct it in the games"
    return f"{turns} turns, fewer than {least}" if turns < least else None


def rating_error(elo: Floats, unsure: bool, usual: float = RATING_ERROR) -> float:
    """Return how far the strength may be from the rating, as a standard deviation."""
    published = elo[np.isfinite(elo)]
    moving = len(published) > 0 and float(np.ptp(published)) > MOVED
    return max(usual, UNSURE) if unsure or moving else usual


def _situations(
    reference: Floats, mileposts: Floats, time_classes: Sequence[str], moving: Sequence[str]
) -> list[str]:
    """Return what must be said of the players and games at hand."""
    notes = []
    low, high = mileposts.min() - BEYOND, mileposts.max() + BEYOND
    beyond = int(np.count_nonzero((reference < low) | (reference > high)))
    if beyond:
        notes.append(
            f"{beyond:,} of them are rated beyond {mileposts.min():.0f} to {mileposts.max():.0f}, where the "
            "norms were measured: what is expected there is drawn on along straight lines."
        )
    fast = sorted(set(time_classes) - CLASSICAL)
    if fast:
        notes.append(
            f"Games of other time classes ({', '.join(fast)}) are held against classical play: moves made in "
            "less time are worse, so play below rating means nothing there, and play above it is missed."
        )
    if moving:
        shown = ", ".join(moving[:3]) + (f" and {len(moving) - 3:,} more" if len(moving) > 3 else "")
        notes.append(
            f"Ratings that are not sure any more, or not yet (error {UNSURE:.0f} instead of "
            f"{RATING_ERROR:.0f}): {shown}."
        )
    return notes


# What they show ----------------------------------------------------------------------------------------


def _z_by_methods(
    appearances: Appearances,
    calibration: Calibration,
    norms: Norms | None,
    groups: Sequence[Group],
    reference: Floats,
    errors: Sequence[float],
) -> Floats:
    """Return z of games with one value per position: shape (groups, STATISTICS and one)."""
    rows = [group.rows for group in groups]
    values = z_by_methods(Rater(appearances, calibration), rows, reference, error=errors)
    if norms is not None and norms.shapes:
        sizes = np.array([appearances.size[group].sum() for group in rows])
        values = norms.standard(
            values, Groups(np.array([float(len(group)) for group in rows]), sizes, reference)
        )
    z = np.full((len(rows), len(NAMES)), np.nan)
    z[:, [NAMES.index(statistic.name) for statistic in BY_METHOD]] = values
    return np.column_stack((z, combined_z(z)))


class _Field:
    """The groups that are tested by turns, with the test in sequence."""

    def __init__(
        self,
        appearances: Appearances,
        turns: Turns,
        calibration: Calibration,
        norms: Norms,
        groups: Sequence[Group],
        errors: Sequence[float],
        reference: Floats,
        dates: Mapping[str, str],
    ) -> None:
        assert calibration.agents is not None
        assert norms.turns is not None
        self.appearances, self.norms, self.groups, self.errors = appearances, norms, groups, errors
        spread = norms.turns
        place = appearances.place(turns.decisions)
        # What is not rated is not screened: its turns are held against any rating, and not looked at.
        elo = np.where(np.isfinite(appearances.elo), appearances.elo, float(calibration.mileposts.mean()))
        self.evidence = expected_of(turns, place, elo, calibration.agents, spread.curves).evidence()
        rows = [group.rows for group in groups]
        by_elo = elo_z(Rater(appearances, calibration), rows, reference, error=errors)
        z = z_by_turns(self.evidence, rows, norms, by_elo, reference, error=errors)
        self.z = np.column_stack((z, combined_z(z)))
        form = float(spread.form[_EQUAL])
        kappa = 1 / max(float(spread.dispersion[_EQUAL]), 1.0)
        deviation = math.hypot(max(errors), form)
        self.outcomes = outcomes_of(turns, elo[place], calibration.agents, spread.curves, deviation)
        self.bettors = [Bettor(self.outcomes.elo, error, form, kappa) for error in errors]
        # Appearances in the order of play: by date, as far as known, then as they came; and their turns.
        games = appearances.games()
        self.order = [
            sorted(group.tolist(), key=lambda row: (dates.get(games[row], ""), int(appearances.first[row])))
            for group in rows
        ]
        by_appearance = np.argsort(place, kind="stable")
        ends = np.searchsorted(place[by_appearance], np.arange(len(appearances) + 1))
        self.game_rows = [
            [by_appearance[ends[row] : ends[row + 1]] for row in appearances_of_group]
            for appearances_of_group in self.order
        ]
        self.bets = [
            bettor.follow(self.outcomes, rows_of_games)
            for bettor, rows_of_games in zip(self.bettors, self.game_rows, strict=True)
        ]
        self.turn_numbers = (turns.decisions.numbers("ply") // 2 + 1).astype(np.int64)

    def with_statistics(self, index: int, screened: Screened) -> Screened:
        """Add the means over turns, and the games of somebody who is named."""
        sums = self.evidence.only(self.groups[index].rows)
        seen = sums.observed.sum(axis=0) / screened.decisions
        due = (sums.observed - sums.apart).sum(axis=0) / screened.decisions
        games = self._games(index) if screened.flag is not None else ()
        return replace(screened, observed=_means(seen), expected=_means(due), each_game=games)

    def _games(self, index: int) -> tuple[ScreenedGame, ...]:
        """Return the games of somebody who is named, in the order of play."""
        order, appearances = self.order[index], self.appearances
        rows = [np.array([row]) for row in order]
        nothing = np.full(len(rows), np.nan)
        error = self.errors[index]
        z = combined_z(
            z_by_turns(self.evidence, rows, self.norms, nothing, appearances.elo[order], error=error)
        )
        evidence = np.exp(self.bets[index].games)
        named = named_by_evidence(evidence, LEVEL)
        ids = appearances.games()

        def first_turn(turns: Ints) -> tuple[int, int, int]:
            chance = self.bettors[index].beginning(self.outcomes, turns)
            return beginning_region(chance, self.turn_numbers[turns])

        return tuple(
            ScreenedGame(
                game=ids[row],
                about=game_in_words(appearances.decisions, int(appearances.first[row])),
                turns=len(turns),
                z=float(z[place]),
                evidence=float(evidence[place]),
                named=bool(named[place]),
                first_turn=first_turn(turns) if named[place] else None,
            )
            for place, (row, turns) in enumerate(zip(order, self.game_rows[index], strict=True))
        )


def beginning_region(chance: Floats, numbers: Ints) -> tuple[int, int, int]:
    """Return the likeliest turn between the ends of the shortest set that holds CREDIBLE probability."""
    order = np.argsort(-chance)
    enough = int(np.searchsorted(np.cumsum(chance[order]), CREDIBLE)) + 1
    inside = numbers[order[:enough]]
    return int(inside.min()), int(numbers[order[0]]), int(inside.max())


def _means(columns: Floats) -> dict[str, float]:
    """Return means over turns as they are printed: shares and pawns lost, without weighed statistics."""
    return {
        statistic.name: value if statistic.share else -value
        for statistic, value in zip(COUNTED, columns.tolist(), strict=True)
        if statistic.weight is None
    }
