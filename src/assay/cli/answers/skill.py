"""What `assay method bayes` answers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.answers.base import Row, Table
from assay.errors import InputError
from assay.rating.rate import ratings_of

if TYPE_CHECKING:
    from assay.answers.ratings import Rating
    from assay.decisions.decisions import Decisions
    from assay.models.bayes import BayesModel
    from assay.models.bayes_skill import Hypothesis, Skill
    from assay.rating.calibration import Calibration


def skills(
    model: BayesModel,
    decisions: Decisions,
    skills: list[Skill],
    heads: Sequence[str],
    *,
    calibration: Calibration | None = None,
) -> SkillAnswer:
    """One posterior a row: mean, deviation, 95% region, and Elo through a calibration, as `rate` has it."""
    from assay.rating.scale import notes_on

    notes: list[str] = []
    if calibration is None:
        rows = [_row(heads, one, None) for one in skills]
    else:
        ratings = ratings_of(
            [one.decisions.take(one.rows) for one in skills], decisions, calibration, model.name
        )
        rows = [_row(heads, one, rating, any(ratings)) for one, rating in zip(skills, ratings, strict=True)]
        notes = notes_on(calibration)
        if not any(ratings):
            notes = ["No Elo: of parts of games it has not been measured how far they stray."]
    title = "Apparent skill c: posterior from a flat prior"
    return SkillAnswer(model, decisions, title, rows, intervals="\n".join(notes))


def _row(heads: Sequence[str], skill: Skill, rating: Rating | None, on_scale: bool = False) -> dict[str, Any]:
    posterior = skill.posterior
    low, high = posterior.region()
    row: dict[str, Any] = dict(zip(heads, skill.label, strict=True))
    if "game" in row:  # in words; programs have its id as well
        row["game_id"] = skill.decisions.text("game_id")[int(skill.rows[0])]
    row |= {"games": round(skill.profile.games), "decisions": round(skill.profile.decisions)}
    row |= {"c": posterior.mean, "deviation": posterior.deviation, "low": low, "high": high}
    if rating is None and on_scale:
        row |= {"elo": None, "elo_low": None, "elo_high": None}
    elif rating is not None:
        row |= {"elo": rating.elo, "elo_low": rating.low, "elo_high": rating.high}
    return row


def results(model: BayesModel, decisions: Decisions) -> SkillAnswer:
    """Single games won, drawn and lost (Table III)."""
    from assay.models.bayes_skill import results_apart

    rows = [
        {
            "games": group.result,
            "players in games": group.players_in_games,
            "mean of c": group.mean,
            "spread of c": None if math.isnan(group.deviation) else group.deviation,
            "own deviation": group.own_deviation,
            "c of all moves": group.pooled.mean,
        }
        for group in results_apart(model, decisions)
    ]
    return SkillAnswer(model, decisions, "Apparent skill in single games, by their result", rows)


def sequence(model: BayesModel, decisions: Decisions, hypothesis: Hypothesis) -> SkillAnswer:
    """How probable the moves are for a described player."""
    from assay.models.bayes_skill import log_probability

    profile = model.profile(decisions)
    found = log_probability(profile, hypothesis)
    row = {
        "player": hypothesis.name,
        "decisions": round(profile.decisions),
        "log10 probability": found / math.log(10),
        "probability of a move": math.exp(found / profile.decisions),
    }
    return SkillAnswer(model, decisions, "Probability of just these moves", [row])


def versus(
    model: BayesModel,
    decisions: Decisions,
    hypotheses: tuple[Hypothesis, Hypothesis],
) -> SkillAnswer:
    """Which of two described players fits the moves better, and what that is not."""
    from assay.models.bayes_skill import likelihood_ratio

    ratio = likelihood_ratio(model.profile(decisions), *hypotheses)
    row = {
        "first": ratio.first,
        "second": ratio.second,
        "decisions": round(ratio.decisions),
        "log ratio": ratio.log_ratio,
        "log10 ratio": ratio.log10_ratio,
    }
    title = "Log likelihood ratio: above zero, the first describes these moves better"
    return SkillAnswer(model, decisions, title, [row], ratio.not_proof)


@dataclass(frozen=True)
class SkillAnswer:
    """Rows with what they rest on: the rules, and what became of moves outside the lines."""

    model: BayesModel
    decisions: Decisions
    title: str
    found: Sequence[Row]
    warning: str = ""
    intervals: str = ""
    remarks: Sequence[str] = ()
    exit_code: int = 0

    def __post_init__(self) -> None:
        if not self.found:
            raise InputError(
                f"none of these decisions passes the rules of {self.model.name}: choose other games"
            )

    def _left_out(self) -> tuple[dict[str, float], int]:
        """How many decisions each rule left out, and how many played moves are outside the lines."""
        kept, left_out = self.model.select(self.decisions)
        return left_out, int((kept.played_index >= kept.numbers("n_lines")).sum())

    def document(self) -> dict[str, Any]:
        """The whole answer as JSON has it."""
        left_out, outside = self._left_out()
        stamp: dict[str, Any] = {
            "method": self.model.name,
            "settings": self.model.settings,
            "outside": self.model.outside_note,
        }
        stamp |= {"outside_counted": outside, "left_out": left_out}
        named = (("not", self.warning), ("intervals", self.intervals))
        stamp |= {name: text for name, text in named if text}
        return {**stamp, "rows": list(self.found)}

    def rows(self) -> Sequence[Row]:
        """The rows."""
        return self.found

    def tables(self) -> Iterable[Table]:
        """One table."""
        left_out, outside = self._left_out()
        omitted = ", ".join(f"{count:,.0f} not '{rule}'" for rule, count in left_out.items() if count)
        note = f"{self.model.outside_note.capitalize()} ({outside:,} here). Left out: {omitted or 'none'}."
        shown = [_with_intervals(row) for row in self.found]
        notes = "\n".join(text for text in (note, self.intervals, self.warning) if text)
        yield Table(self.title, list(shown[0]), [list(row.values()) for row in shown], notes)


_ENDS = {"low": ("high", "95% of c"), "elo_low": ("elo_high", "95% of Elo")}
"""The lower end of an interval: where its upper end is, and the heading of both in one column."""


def _with_intervals(row: Row) -> dict[str, Any]:
    """A row for people: both ends of an interval in one cell."""
    shown = {}
    upper = {high for high, _ in _ENDS.values()}
    for name, value in row.items():
        if name == "game_id":
            continue
        if name in _ENDS:
            high, heading = _ENDS[name]
            shown[heading] = f"{_cell(name, value)} to {_cell(high, row[high])}"
        elif name not in upper:
            shown["Elo" if name == "elo" else name] = _cell(name, value)
    return shown


def _cell(name: str, value: Any) -> Any:
    if not isinstance(value, float):
        return "" if value is None else value
    return (
        f"{value:z.0f}" if name.startswith("elo") else f"{value:z.4f}" if abs(value) < 10 else f"{value:.1f}"
    )


def draw(path: Path, found: list[Skill], curve: bool) -> None:
    """Densities (Figure 1), or the training curve (Figure 2), to a file."""
    from assay.cli.output import write_figure
    from assay.report.methods import density_figure, training_figure

    write_figure(path, training_figure(found) if curve else density_figure(found))
