"""The screening: games in, everyone by how unusual the play is for the rating out.

Who is screened, how far ratings are trusted and who is never named is in docs/understand/screening.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from assay.answers.screening import (
    ABOVE,
    BELOW,
    LEAST_TURNS,
    TOGETHER,
    Screened,
    ScreenedGame,
    ScreenedTurn,
    Screening,
)
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.grouping import By, check_by
from assay.decisions.names import find_player
from assay.decisions.time_control import CLASSICAL
from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.models.base import recipe_of
from assay.rating.calibration import REFERENCE, Calibration, find_calibration
from assay.rating.evidence import Group, decisions_by_reason, game_in_words, groups_of
from assay.rating.group_ratings import Rater
from assay.rating.pipeline import malformed_notes
from assay.rating.scale import scale_of, what_it_takes
from assay.screening.fide_list import unsure_players
from assay.screening.norms import Norms, find_norms, rating_error
from assay.screening.statistics import NAMES, PROJECTED, Turns, expected_of, not_prepared, rules
from assay.screening.z_scores import combined_z, judge, z_by_elo, z_by_turns
from assay.source import Evaluations, Source, Valuation

SCREENED_BY = (By.PLAYER, By.EVENT, By.GAME)
"""What can be screened apart."""

FULL = "standard"
"""The recipe of the second stage."""

LOWEST, HIGHEST = 1000.0, 3000.0
"""Ratings beyond these are plainly wrong."""

MORE = 140.0
"""Of a rating that is not to be trusted: standard deviation of the strength beside what is usual."""

MOVED = 100.0
"""Where the ratings of one player in these games differ by more, strength is moving."""

BEYOND = 50.0
"""Points beyond the outermost milepost from which on a note says that the scale is extended."""

MOST_TURNS = 12
"""Decisions that are listed of a player."""

STANDS_OUT = 1.96
"""z from which on players are tested again with more search: one honest player of 20."""

NO_AGREEMENT = (
    "One value per position: agreement with the engine is not known; z is by the rating by moves (elo)."
)

NOT_MEASURED = "How honest games vary was not measured with these values: there is no z, and nobody is named."

NO_OPENS = "How often honest events of this source would name somebody was not measured, and nobody is named."

_NO_RATING = "no rating in these games"
_UNREADABLE = "no method can read these moves"
_NOTHING: Callable[..., None] = lambda *_: None  # noqa: E731
_HARD, _SOUND = NAMES.index("hard"), NAMES.index("sound")


def screen_source(
    source: Source,
    valuation: Valuation,
    *,
    players: Sequence[str] | None = None,
    by: str = By.PLAYER,
    min_decisions: int = LEAST_TURNS,
    unsure: Sequence[str] = (),
    fide_list: Path | None = None,
    full: bool = False,
    detailed: str | None = None,
    calibration: Calibration | None = None,
    progress: Callable[..., None] = _NOTHING,
) -> Screening:
    """Screen everyone in a source of games; show some where `players` are named.

    With `full`, those who stand out are tested again with more search. The games and decisions of `detailed`
    are listed even if the player is not named. `unsure` are players whose rating is not to be trusted; others
    are found by a rating list (assay.screening.fide_list).
    """
    decisions = Decisions.concat(source.decisions(valuation, trace=True, at_once=True, progress=progress))
    if not len(decisions):
        raise InputError("no decisions to screen: check the games")
    everyone = decisions.players
    shown = None if players is None else [find_player(name, everyone) for name in players]
    listed, note = ((), "") if fide_list is None else unsure_players(fide_list, source.games())
    settings: dict[str, Any] = {
        "by": by,
        "least": min_decisions,
        "unsure": {*(find_player(name, everyone) for name in unsure), *listed},
        "detailed": detailed and find_player(detailed, everyone),
    }
    screening = _screening(source, decisions, calibration, **settings)
    if note:
        screening = replace(screening, notes=(*screening.notes, note))
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
    names = sorted({screened.player for screened in first.players if screened.stands_out})
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
    unsure: Iterable[str] = (),
    dates: Mapping[str, str] | None = None,
    tested: int | None = None,
    detailed: str | None = None,
) -> Screening:
    """Screen every player of decisions, or their events or games.

    Decisions must have been read with their trace, unless positions have one value. `unsure` are players
    whose rating is not to be trusted; `dates` those of the games, for the order of play; `tested` how many
    were looked at in all, where these are some of them. Without `norms` there is no z.
    """
    check_by(by, SCREENED_BY)
    appearances = Appearances.of(decisions)
    # Evaluations in the comments of games are of the moves played alone.
    one_value = not decisions.traced.any() and bool((decisions.n_options <= 1).all())
    measured = norms is not None and (norms.shape if one_value else norms.turns) is not None
    norms = norms if norms is not None and measured else Norms(source=appearances.recipe_id)
    field = (_ByElo if one_value else _ByTurns)(appearances, calibration, norms)
    groups, more, left_out = _choose(appearances, field.counts, by, least, frozenset(unsure))
    reference = np.array([appearances.elo[group.rows].mean() for group in groups])
    games = np.array([float(len(group.rows)) for group in groups])
    notes = [NO_AGREEMENT] if one_value and measured else []
    notes += _situations(reference, calibration.mileposts, field.time_classes, groups, more)
    z, together = field.z([group.rows for group in groups], reference, more)
    error = np.hypot(rating_error(reference), more)
    readable = np.isfinite(together)
    left_out |= {groups[place].title: _UNREADABLE for place in np.flatnonzero(~readable)}
    judged = judge(together, games, norms, tested)
    unnamed = ""
    if not norms.opens:
        unnamed = NO_OPENS if measured else NOT_MEASURED
    elif judged.shifted:
        middle = float(np.median(together[readable]))
        unnamed = (
            f"Most play is {ABOVE if middle > 0 else BELOW} the ratings (median z {middle:+.1f}): ratings or "
            "values have another scale here, and nobody is named."
        )
    n = max(tested or 0, int(readable.sum()))
    enough = readable & (games >= norms.naming)
    ids = appearances.games()
    players = []
    for place in np.flatnonzero(readable).tolist():
        group, rows = groups[place], groups[place].rows
        observed, expected = field.means(rows)
        side = ABOVE if together[place] > 0 else BELOW
        least_p, tail = norms.least_p(games[place]), norms.tail(games[place])
        p, q = (max(float(x[place]), least_p) if measured else math.nan for x in (judged.p, judged.q))
        by_statistic = {**dict(zip(field.names, z[place].tolist(), strict=True)), TOGETHER: together[place]}
        screened = Screened(
            player=group.player,
            group=group.label,
            about=group.about,
            games=len(rows),
            decisions=int(field.counts[rows].sum()),
            reference=float(reference[place]),
            rating_error=float(error[place]),
            z={name: float(value) if measured else math.nan for name, value in by_statistic.items()},
            p=p,
            q=q,
            least_p=least_p,
            honest=tail.groups if tail else 0,
            flag=side if judged.unusual[place] else None,
            stands_out=bool(abs(together[place]) >= STANDS_OUT),
            observed=observed,
            expected=expected,
        )
        if screened.flag or group.player == detailed:
            # In the order of play: by date, as far as known, then as they came.
            order = sorted(
                rows.tolist(), key=lambda row: ((dates or {}).get(ids[row], ""), appearances.first[row])
            )
            screened = replace(
                screened,
                each_game=field.games(np.array(order), more[place]) if measured else (),
                turns=field.turns_that_weigh(rows, side=1.0 if side == ABOVE else -1.0),
            )
        players.append((not screened.flag, np.nan_to_num(p), -abs(together[place]), group.title, screened))
    # Those who are named first, then by p, and by z where p is as small as can be shown.
    players.sort(key=lambda entry: entry[:4])
    about = calibration.about
    return Screening(
        engine=about.get("engine", "unknown engine"),
        recipe=about.get("recipe", appearances.recipe_id or "unknown recipe"),
        recipe_id=appearances.recipe_id,
        by=by,
        players=tuple(screened for *_, screened in players),
        field=n,
        naming=norms.opens.get("naming", 0),
        unnamed=unnamed,
        left_out=left_out,
        rates=norms.rates,
        opens=norms.opens,
        power=norms.power_in(int(np.median(games[enough])), n) if enough.any() else {},
        norms=norms.about,
        notes=(*notes, *malformed_notes(decisions_by_reason(decisions))),
    )


# Who is screened ---------------------------------------------------------------------------------------


def _choose(
    appearances: Appearances, turns: Ints, by: str, least: int, unsure: frozenset[str]
) -> tuple[list[Group], list[float], dict[str, str]]:
    """Choose the groups that can be screened, with what error their ratings have beside the usual one."""
    chosen, more, left_out = [], [], {}
    for group in groups_of(appearances, by):
        rated = group.rows[np.isfinite(appearances.elo[group.rows]) & (turns[group.rows] > 0)]
        elo = appearances.elo[group.rows]
        reason = not_screened(elo, int(turns[rated].sum()), least)
        if reason is not None:
            left_out[group.title] = reason
            continue
        chosen.append(replace(group, rows=rated))
        more.append(MORE if group.player in unsure or np.ptp(elo[np.isfinite(elo)]) > MOVED else 0.0)
    if chosen:
        return chosen, more, left_out
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
    return f"{turns} moves, fewer than {least}" if turns < least else None


def _situations(
    reference: Floats,
    mileposts: Floats,
    time_classes: Sequence[str],
    groups: Sequence[Group],
    more: Sequence[float],
) -> list[str]:
    """Return what must be said of the players and games at hand."""
    notes = []
    low, high = mileposts.min() - BEYOND, mileposts.max() + BEYOND
    beyond = int(np.count_nonzero((reference < low) | (reference > high)))
    if beyond:
        notes.append(
            f"{beyond:,} of them are rated beyond {mileposts.min():.0f} to {mileposts.max():.0f}, where the "
            "norms were measured: what is expected there is extended along straight lines."
        )
    fast = sorted(set(time_classes) - CLASSICAL)
    if fast:
        notes.append(
            f"Games of other time classes ({', '.join(fast)}) are compared with classical play: moves made "
            "in less time are worse, so play below rating means nothing there, and play above it is missed."
        )
    unsure = sorted({group.player for group, error in zip(groups, more, strict=True) if error})
    if unsure:
        shown = ", ".join(unsure[:3]) + (f" and {len(unsure) - 3:,} more" if len(unsure) > 3 else "")
        notes.append(f"Ratings that are not to be trusted ({MORE:.0f} points more error): {shown}.")
    return notes


# What they show ----------------------------------------------------------------------------------------


class _ByElo:
    """Games with one value per position: the rating by moves beside the published one."""

    names: tuple[str, ...] = ("elo",)
    time_classes: Sequence[str] = ()  # the calibration was chosen by it

    def __init__(self, appearances: Appearances, calibration: Calibration, norms: Norms) -> None:
        self.appearances, self.norms = appearances, norms
        self.counts = appearances.size.astype(np.int64)
        self.rater = Rater(appearances, calibration)

    def z(self, groups: Sequence[Ints], reference: Floats, more: Sequence[float]) -> tuple[Floats, Floats]:
        """Return z by every statistic, shape (groups, names), and the z that decides."""
        z = z_by_elo(self.rater, groups, reference, self.norms, more=more)
        return z[:, None], z

    def means(self, rows: Ints) -> list[dict[str, float]]:
        """Return means over turns, observed and expected, by statistic."""
        return [{}, {}]

    def games(self, rows: Ints, more: float) -> tuple[ScreenedGame, ...]:
        """Return games of one player, each by itself."""
        elo = self.appearances.elo[rows]
        z = self.z([np.array([row]) for row in rows], elo, [more] * len(rows))[1]
        ids = self.appearances.games()
        return tuple(
            ScreenedGame(
                game=ids[row],
                about=game_in_words(self.appearances.decisions, int(self.appearances.first[row])),
                turns=int(self.counts[row]),
                z=float(value),
            )
            for row, value in zip(rows, z, strict=True)
        )

    def turns_that_weigh(self, rows: Ints, side: float) -> tuple[ScreenedTurn, ...]:
        """Return the decisions of one player that weigh most to one side: of one value each, none."""
        return ()


class _ByTurns(_ByElo):
    """Games with the engine's lines: every turn beside what players of the rating choose there."""

    names = NAMES

    def __init__(self, appearances: Appearances, calibration: Calibration, norms: Norms) -> None:
        calibration.check(appearances.recipe_id)
        if (source := calibration.carried_from) is not None:
            raise InputError(
                f"screening compares with honest games analysed by {source.get('engine')}, and only "
                "the ratings were carried over to this engine: analyse with standard and "
                f"{source.get('engine')}"
            )
        if calibration.agents is None:
            raise InputError(
                "this calibration has no simulated players by Elo: make it anew with assay calibrate"
            )
        usable = appearances.decisions.filter(*rules(), not_prepared())
        if not len(usable):
            raise InputError(
                "no turn of these games can be screened: they need the engine's lines of every depth (assay "
                "analyse), turns after the eighth, and positions that are not decided"
            )
        turns = Turns.of(usable)
        # What is expected can be told of any recipe: by the curves of the reference.
        measured = norms if norms.turns else find_norms(REFERENCE)
        assert measured is not None
        self.appearances, self.norms = appearances, measured
        self.place = appearances.place(usable)
        self.counts = np.bincount(self.place, minlength=len(appearances))
        names = usable.names("time_class")
        self.time_classes = [names[code] for code in np.unique(usable.codes("time_class")) if code >= 0]
        # What is not rated is not screened: its turns are compared with any rating, and not looked at.
        elo = np.where(np.isfinite(appearances.elo), appearances.elo, float(calibration.mileposts.mean()))
        assert self.norms.turns is not None
        curves = self.norms.turns.curves
        self.expected = expected_of(turns, self.place, elo, calibration.agents, curves, rating_error(elo))
        self.evidence = self.expected.evidence()

    def z(self, groups: Sequence[Ints], reference: Floats, more: Sequence[float]) -> tuple[Floats, Floats]:
        """Return z by every statistic, shape (groups, names), and the z that decides."""
        error = np.hypot(rating_error(reference), more)
        z = z_by_turns(self.evidence, groups, self.norms, reference, error)
        return z, combined_z(z)

    def means(self, rows: Ints) -> list[dict[str, float]]:
        """Return means over turns, observed and expected: shares and pawns lost."""
        sums = self.evidence.only(rows)
        return [
            {
                name: abs(float(column[:, place].sum() / sums.turns.sum()))
                for place, name in enumerate(PROJECTED)
            }
            for column in (sums.observed, sums.observed - sums.apart)
        ]

    def turns_that_weigh(self, rows: Ints, side: float) -> tuple[ScreenedTurn, ...]:
        """Return the decisions of one player that weigh most to one side, by `hard`."""
        weight = side * self.expected.apart()[:, _HARD]
        mine = np.flatnonzero(np.isin(self.place, rows) & (weight > 0))
        decisions = self.expected.turns.decisions.take(mine[np.argsort(-weight[mine])[:MOST_TURNS]])
        share = self.expected.middle.expected[mine[np.argsort(-weight[mine])[:MOST_TURNS]], _SOUND]
        losses = decisions.best_value - decisions.played_value
        ply, keys, played = (
            decisions.numbers("ply"),
            decisions.text("position_key"),
            decisions.text("played"),
        )
        return tuple(
            ScreenedTurn(
                game=game_in_words(decisions, row),
                move=int(ply[row]) // 2 + 1,
                position=keys[row] or "",
                played=played[row] or "",
                best=decisions.options(row)[0][0],
                loss=float(losses[row]),
                share=float(share[row]),
            )
            for row in range(len(decisions))
        )
