"""A screening for people and for programs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.cli.answers.base import Row, Table
from assay.cli.answers.numbers import number
from assay.screening.answers import SIDES, interval_of

if TYPE_CHECKING:
    from assay.screening.answers import Screened, ScreenedGame, Screening

_SHOWN = 30
"""Rows of people's tables; programs get everyone."""

_AS_Z = ("hard", "critical", "elo")
"""The statistics whose z alone is shown: what they count has no plain share."""

EXPLANATIONS = (
    "Named is no verdict: it says that moves are unusual for the rating. A rating that lags behind "
    "(--unsure), a good week, preparation or chance can explain it; docs/screening.md says what the test "
    "cannot do."
)


@dataclass(frozen=True)
class ScreeningAnswer:
    """The answer of `assay screen`."""

    screening: Screening
    exit_code: int = 0

    @property
    def remarks(self) -> Sequence[str]:
        """What is said beside CSV."""
        return self.screening.notes

    def document(self) -> dict[str, Any]:
        """The whole answer as JSON has it."""
        return _document(self.screening)

    def rows(self) -> list[Row]:
        """One row for each player."""
        return [_row(one) for one in self.screening.players]

    def tables(self) -> Iterable[Table]:
        """Everyone, then the games of those who are named."""
        found = self.screening
        yield from _tables(found)
        if found.full is not None:
            yield from _tables(found.full, "Tested again: ")


def _document(found: Screening) -> dict[str, Any]:
    return {
        "engine": found.engine,
        "recipe": found.recipe,
        "recipe_id": found.recipe_id,
        "by": found.by,
        "screened": found.field,
        "players": [_player(one) for one in found.players],
        "left_out": dict(found.left_out),
        "error_rates": [_rate(one) for one in found.rates],
        "sequence": dict(found.sequence),
        "notes": list(found.notes),
        "full": None if found.full is None else _document(found.full),
    }


def _rate(one: Mapping[str, Any]) -> dict[str, Any]:
    intervals = {f"{side}_interval": [number(end, 6) for end in interval_of(one, side)] for side in SIDES}
    return {**one, **intervals}


def _player(one: Screened) -> dict[str, Any]:
    return {
        "player": one.player,
        "part": one.group,
        "about": one.about,
        "games": one.games,
        "decisions": one.decisions,
        "reference": number(one.reference, 1),
        "rating_error": one.rating_error,
        "z": {name: number(value, 3) for name, value in one.z.items()},
        "observed": _numbers(one.observed),
        "expected": _numbers(one.expected),
        "p": _small(one.p),
        "q": _small(one.q),
        "bonferroni": _small(one.bonferroni),
        "expected_alike": _small(one.alike),
        "evidence": _small(one.evidence),
        "flag": one.flag,
        "each_game": [_game(game) for game in one.each_game],
    }


def _game(game: ScreenedGame) -> dict[str, Any]:
    turns = dict(zip(("earliest", "likeliest", "latest"), game.first_turn or (None,) * 3, strict=True))
    return {
        "game": game.game,
        "about": game.about,
        "decisions": game.turns,
        "z": number(game.z, 3),
        "evidence": _small(game.evidence),
        "flag": game.named,
        "from_turn": turns if game.first_turn else None,
    }


def _row(one: Screened) -> Row:
    plain = _player(one)
    z, observed, expected = plain.pop("z"), plain.pop("observed"), plain.pop("expected")
    plain.pop("each_game")
    return {
        **plain,
        **{f"z_{name}": value for name, value in z.items()},
        **{f"observed_{name}": value for name, value in observed.items()},
        **{f"expected_{name}": value for name, value in expected.items()},
    }


def _numbers(found: Mapping[str, float]) -> dict[str, float | None]:
    return {name: number(value) for name, value in found.items()}


def _small(value: float) -> float | None:
    """Three digits of a number that may be very small, or large."""
    return float(f"{value:.3g}") if math.isfinite(value) else None


# For people --------------------------------------------------------------------------------------------


def _tables(found: Screening, before: str = "") -> Iterable[Table]:
    columns = ["player", "games", "turns", "Elo", "z", "p", "q", "alike", "named"]
    spare = 0
    rows = [_cells(one) for one in found.players[:_SHOWN]]
    title = f"{before}Play beside rating, most unusual first: {found.recipe} with {found.engine}"
    yield Table(title, columns, rows, _note(found), spare)
    shown = found.players[:_SHOWN]
    if any(math.isfinite(one.z["first"]) for one in shown):
        yield Table(
            "Observed and, in brackets, expected at that rating in these positions, in % of turns; z",
            ["player", "first", "z", "equal", "z", "three", "z", "lost", "z", "hard", "crit.", "elo"],
            [_statistics(one) for one in shown],
            "first: the engine's first move; equal: a move as good; three: one of its first three; lost: "
            "scaled error in hundredths of a pawn. Of hard (first moves, the hard ones counting more), crit. "
            "(first moves, the critical ones counting more) and elo (all methods together) the z, which is "
            "more for better play.",
        )
    for one in found.named:
        if one.each_game:
            yield _game_table(one)


def _cells(one: Screened) -> list[object]:
    return [
        one.title,
        one.games,
        one.decisions,
        f"{one.reference:.0f}",
        _z(one.z["all"]),
        _p(one.p),
        _p(one.q),
        _count(one.alike),
        one.flag or "",
    ]


def _statistics(one: Screened) -> list[object]:
    cells: list[object] = [one.title]
    for name in ("first", "equal", "three"):
        cells += [f"{100 * one.observed[name]:.0f} ({100 * one.expected[name]:.0f})", _z(one.z[name])]
    lost = f"{100 * one.observed['error']:.1f} ({100 * one.expected['error']:.1f})"
    return [*cells, lost, *(_z(one.z[name]) for name in ("error", *_AS_Z))]


def _game_table(one: Screened) -> Table:
    rows = [
        [
            game.about or game.game,
            game.turns,
            _z(game.z),
            _evidence(game.evidence),
            "{1} ({0}-{2})".format(*game.first_turn) if game.first_turn else "",
        ]
        for game in one.each_game
    ]
    note = (
        "evidence: what a bet of 1 on unusual play in that game makes; over all games it was at most "
        f"{_evidence(one.evidence)}. From turn: only of games that stand out, at most 5% of them wrongly; "
        "the likeliest turn, and those that hold it with 90%."
    )
    return Table(f"The games of {one.title}", ["game", "turns", "z", "evidence", "from turn"], rows, note)


def _note(found: Screening) -> str:
    lines = [
        "z: the statistics that decide as one, in standard deviations of honest players, above the rating if "
        "positive; p: chance that an honest player of this rating departs as far; q: share of honest "
        f"players among all with that q or less; alike: honest players, of {found.field:,} screened, who "
        "would depart as far to the same side by chance. Named: q of 5% or less, or the test in sequence.",
    ]
    if found.field > 1 and found.players:
        strictest = min(one.bonferroni for one in found.players)
        lines.append(f"Bonferroni: the smallest p times {found.field:,} is {_p(strictest)}.")
    if found.named:
        lines.append(EXPLANATIONS)
    if rates := rates_line(found):
        lines.append(rates)
    if len(found.players) > _SHOWN:
        lines.append(f"{len(found.players) - _SHOWN:,} more players: see --csv or --json.")
    if found.left_out:
        shown = [f"{title} ({why})" for title, why in list(found.left_out.items())[:5]]
        more = f" and {len(found.left_out) - 5:,} more" if len(found.left_out) > 5 else ""
        lines.append(f"Not screened: {'; '.join(shown)}{more}.")
    return "\n".join([*lines, *found.notes])


def rates_line(found: Screening) -> str:
    """How often honest players were found beyond thresholds, for the numbers of games at hand."""
    if not found.rates:
        return ""
    games = sorted(one.games for one in found.players)
    middle = games[len(games) // 2] if games else 1
    known = sorted({one["games"] for one in found.rates})
    near = max((n for n in known if n <= middle), default=known[0])
    own = [one for one in found.rates if one["band"] == "all" and one["games"] == near]
    groups = own[0]["groups"]
    told = [one for one in found.rates_of_all() if one["games"] == near]
    parts = [
        f"beyond {one['threshold']:g}, nominal {100 * one['nominal']:.2g}%, {_share(one, 'above')} above and "
        f"{_share(one, 'below')} below"
        for one in told
    ]
    rarer = "" if len(told) == len(own) else " How often rarer ones occur cannot be told from so few."
    if not told:
        return f"Error rates: only {groups:,} honest groups were kept out.{rarer}"
    more = f" Groups of more than {near} games were not tried." if middle > max(known) else ""
    return (
        f"Measured on {groups:,} honest groups of {near} game{'s' if near > 1 else ''} kept out (in brackets "
        f"95% intervals): z {'; '.join(parts)}.{rarer}{more}"
    )


def _share(rate: Mapping[str, Any], side: str) -> str:
    low, high = interval_of(rate, side)
    return f"{100 * rate[side]:.2g}% ({100 * low:.2g} to {100 * high:.2g})"


def _z(value: float) -> str:
    return f"{value:+z.1f}" if math.isfinite(value) else "-"


def _p(value: float) -> str:
    return "-" if not math.isfinite(value) else f"{value:.2f}" if value >= 0.1 else f"{value:.1g}"


def _count(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}" if value >= 0.01 else f"{value:.0e}"


def _evidence(value: float) -> str:
    return f"{value:.0e}" if value >= 1e5 else f"{value:,.0f}" if value >= 10 else f"{value:.1f}"
