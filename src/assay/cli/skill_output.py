"""How `assay skill` prints its answers: tables for people, JSON and CSV for programs."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.domain.decisions import Decisions
    from assay.models.apparent_skill import Skill
    from assay.models.bayes import BayesModel
    from assay.models.hypotheses import Hypothesis


def show_skills(
    model: "BayesModel",
    decisions: "Decisions",
    skills: "list[Skill]",
    heads: Sequence[str],
    as_json: bool,
    as_csv: bool,
) -> None:
    """One posterior a row: mean, deviation, 95% region, and Elo where there is a mapping."""
    from assay.models.bayes import RATING_INTERVAL

    rows = [_row(heads, one) for one in skills]
    note = "" if model.mapping is None else RATING_INTERVAL
    title = "Apparent skill c: posterior from a flat prior"
    _print(model, decisions, title, rows, as_json, as_csv, intervals=note)


def _row(heads: Sequence[str], skill: "Skill") -> dict[str, Any]:
    posterior = skill.posterior
    low, high = posterior.region()
    row: dict[str, Any] = dict(zip(heads, skill.label, strict=True))
    row |= {"games": round(skill.profile.games), "decisions": round(skill.profile.decisions)}
    row |= {"c": posterior.mean, "deviation": posterior.deviation, "low": low, "high": high}
    if skill.model.mapping is not None:
        rating = skill.rating
        row |= {"elo": rating.elo, "elo_low": rating.low, "elo_high": rating.high}
    return row


def show_results(model: "BayesModel", decisions: "Decisions", as_json: bool, as_csv: bool) -> None:
    """Single games won, drawn and lost (Table III)."""
    from assay.models.apparent_skill import results_apart

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
    _print(model, decisions, "Apparent skill in single games, by their result", rows, as_json, as_csv)


def show_sequence(
    model: "BayesModel", decisions: "Decisions", hypothesis: "Hypothesis", as_json: bool, as_csv: bool
) -> None:
    """How probable the moves are for a described player."""
    from assay.models.hypotheses import log_probability

    profile = model.profile(decisions)
    found = log_probability(profile, hypothesis)
    row = {
        "player": hypothesis.name,
        "decisions": round(profile.decisions),
        "log10 probability": found / math.log(10),
        "probability of a move": math.exp(found / profile.decisions),
    }
    _print(model, decisions, "Probability of just these moves", [row], as_json, as_csv)


def show_versus(
    model: "BayesModel",
    decisions: "Decisions",
    hypotheses: "tuple[Hypothesis, Hypothesis]",
    as_json: bool,
    as_csv: bool,
) -> None:
    """Which of two described players fits the moves better, and what that is not."""
    from assay.models.hypotheses import likelihood_ratio

    ratio = likelihood_ratio(model.profile(decisions), *hypotheses)
    row = {
        "first": ratio.first,
        "second": ratio.second,
        "decisions": round(ratio.decisions),
        "log ratio": ratio.log_ratio,
        "log10 ratio": ratio.log10_ratio,
    }
    title = "Log likelihood ratio: above zero, the first describes these moves better"
    _print(model, decisions, title, [row], as_json, as_csv, ratio.not_proof)


def _print(
    model: "BayesModel",
    decisions: "Decisions",
    title: str,
    rows: list[dict[str, Any]],
    as_json: bool,
    as_csv: bool,
    warning: str = "",
    intervals: str = "",
) -> None:
    """Rows with what they rest on: the rules, and what became of moves outside the lines."""
    from assay.cli.output import print_csv, print_json, print_table
    from assay.errors import InputError

    if not rows:
        raise InputError(f"none of these decisions passes the rules of {model.name}: check the selection")
    kept, left_out = model.select(decisions)
    outside = int((kept.played_index >= kept.numbers("n_lines")).sum())
    if as_json:
        stamp: dict[str, Any] = {
            "method": model.name,
            "settings": model.settings,
            "outside": model.outside_note,
        }
        stamp |= {"outside_counted": outside, "left_out": left_out}
        stamp |= {name: text for name, text in (("not", warning), ("intervals", intervals)) if text}
        print_json({**stamp, "rows": rows})
    elif as_csv:
        print_csv(rows, list(rows[0]))
    else:
        omitted = ", ".join(f"{count:,.0f} not '{rule}'" for rule, count in left_out.items() if count)
        note = f"{model.outside_note.capitalize()} ({outside:,} here). Left out: {omitted or 'none'}."
        cells = [[_cell(name, value) for name, value in row.items()] for row in rows]
        print_table(
            title, list(rows[0]), cells, "\n".join(text for text in (note, intervals, warning) if text)
        )


def _cell(name: str, value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return (
        f"{value:z.0f}" if name.startswith("elo") else f"{value:z.4f}" if abs(value) < 10 else f"{value:.1f}"
    )


def write_figure(path: Path, skills: "list[Skill]", curve: bool) -> None:
    """Densities (Figure 1), or the training curve (Figure 2), as one HTML file."""
    from assay.cli.output import say, write_text
    from assay.report.skill_figures import density_figure, self_contained, training_figure

    write_text(path, self_contained(training_figure(skills) if curve else density_figure(skills)))
    say(f"Figure written to {path}.")
