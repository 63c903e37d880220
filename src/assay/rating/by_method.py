"""One method by itself, from decisions to an answer: what `assay method bayes` and `choice` are asked."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

from assay.answers.answer import Rows, plain
from assay.answers.ratings import Rating
from assay.decisions.decisions import Decisions
from assay.decisions.grouping import COLUMNS, By
from assay.decisions.names import parse_years
from assay.errors import InputError
from assay.models.appearances import too_few
from assay.models.base import recipe_of
from assay.models.bayes import (
    DISPERSION,
    NOT_PROOF,
    BayesModel,
    Hypothesis,
    Skill,
    apparent_skill,
    apparent_skill_by,
    band,
    log_probability,
    mileposts,
    results_apart,
    training_curve,
)
from assay.models.choice.model import ChoiceModel
from assay.models.choice.tables import (
    milepost_table,
    milepost_tables,
    period_labels,
    projections_of,
    rate_groups,
)
from assay.models.elo_mapping import ScalarMapping
from assay.models.gain import GainModel, compare_stacks, cross_tables
from assay.rating.calibration import Calibration, find_calibration
from assay.rating.evidence import game_in_words
from assay.rating.pipeline import ratings_of
from assay.rating.scale import needed_scale, notes_on, scale_of_mileposts, scale_of_recipe
from assay.rating.spread import LEAST_FORM

# Gain ----------------------------------------------------------------------------------------------------

MANY_LINES = (
    "These analyses have several lines. Gain follows ratings more closely with one (--recipe single): the "
    "mean gain of a game correlates with Elo by .53, with the ten lines of standard by .47."
)


def has_one_line(decisions: Decisions) -> bool:
    """Whether the engine listed one line of most positions: the search that gain was made for."""
    lines = decisions.numbers("n_lines")
    return bool(np.nanmedian(np.where(lines > 0, lines, np.nan)) == 1) if (lines > 0).any() else False


def engine_by_player(model: GainModel, decisions: Decisions, note: str = "") -> Rows:
    """Table 4 of Ferreira 2012: each player against the engine, and what that makes of its strength."""
    rows: list[dict[str, Any]] = []
    summary = []
    for table in cross_tables(decisions, model, resamples=0):
        columns = table.elos, table.perceived.ratings, table.against_engine, table.to_engine
        for player, elo, perceived, expectation, difference in zip(table.players, *columns, strict=True):
            row = {"event": table.title, "player": player, "elo": elo, "perceived": perceived}
            row |= {"expectation": expectation, "difference": difference}
            row |= {"engine_by_elo": elo - difference, "engine_by_perceived": perceived - difference}
            rows.append({name: float(x) if isinstance(x, float) else x for name, x in row.items()})
        by_elo, by_perceived = table.engine_strength
        if not math.isnan(by_elo):
            summary.append(
                f"{table.title}: {by_elo:.0f} by ratings, {by_perceived:.0f} by perceived strength."
            )
    if not summary:
        raise InputError("no player here has a rating to find the engine's strength by: give rated games")
    note = "\n".join(["Strength of the engine (Algorithm 3), not Elo:", *summary, *filter(None, [note])])
    headings = {"elo": "Elo", "engine_by_elo": "engine by Elo", "engine_by_perceived": "engine by perceived"}
    return Rows("The engine's strength by each player", rows, note=note, headings=headings, cell=_rounded)


def _rounded(name: str, value: Any) -> object:
    if not isinstance(value, float):
        return value
    return "" if math.isnan(value) else f"{value:.3f}" if name == "expectation" else f"{value:.0f}"


def gain_pairs(model: GainModel, decisions: Decisions, by: By, note: str = "") -> Rows:
    """Table 2 of Ferreira 2012: everyone, at every event or in every year, against everyone."""
    stacks = {}
    for player, of_player in model.select(decisions)[0].by("player"):
        if by is By.PLAYER:
            stacks[str(player)] = model.profiles_by(of_player)
        else:
            for part, rows in of_player.by(COLUMNS[by]):
                stacks[f"{player}@{part}"] = model.profiles_by(rows)
    if len(stacks) < 2:
        raise InputError("a table of pairs needs two players, or one player twice: --by event or --by year")
    pairs = []
    for first, second in permutations(stacks, 2):
        comparison = compare_stacks(stacks[first], stacks[second], model)
        row = {"player": first, "opponent": second, "expectation": comparison.expectation}
        row |= {"expectation_low": comparison.low, "expectation_high": comparison.high}
        names = ("difference", "difference_low", "difference_high")
        pairs.append(row | dict(zip(names, comparison.differences, strict=True)))
    cells = {(row["player"], row["opponent"]): _difference(row) for row in pairs}
    people = [{"": name, **{other: cells.get((name, other), "") for other in stacks}} for name in stacks]
    title = "Perceived rating difference of the row over the column, with its 95% interval"
    return Rows(title, pairs, note=note, people=people)


def _difference(row: Mapping[str, Any]) -> str:
    value, low, high = (row[f"difference{end}"] for end in ("", "_low", "_high"))
    return f"{value:+z.0f}\n{low:+z.0f} to {high:+z.0f}"


# Bayes ---------------------------------------------------------------------------------------------------


def chosen_decisions(decisions: Decisions, game: str | None, band_text: str | None) -> Decisions:
    """The decisions of a game, or of a composite player of a band of ratings, where one is asked for."""
    if game is not None:
        decisions = _non_empty(decisions.select(game=game), f"game '{game}'")
    if band_text is not None:
        low, high = _pair(band_text, "--band 2390:2410")
        decisions = _non_empty(band(decisions, low, high), f"games between players rated {band_text}")
    return decisions


def _non_empty(decisions: Decisions, wanted: str) -> Decisions:
    if not len(decisions):
        raise InputError(f"there are no moves of {wanted} here: check the spelling")
    return decisions


def _pair(text: str, example: str) -> tuple[float, float]:
    try:
        low, high = (float(part) for part in text.split(":"))
    except ValueError:
        raise InputError(f"'{text}' is not a range: write it like {example}") from None
    return low, high


def scale_for(model: BayesModel, decisions: Decisions, mileposts: Path | None) -> Calibration | None:
    """The Elo scale: of the milepost decisions given, else of the recipe, if it has a calibration."""
    recipe_id = recipe_of(decisions)
    if mileposts is None:
        return scale_of_recipe(model, recipe_id)
    return scale_of_mileposts(model, recipe_id, Decisions.read(mileposts))


def hypothesis(
    text: str, model: BayesModel, decisions: Decisions, calibration: Calibration | None
) -> Hypothesis:
    """A described player: an Elo, c=1.2, c=1:2 or engine.

    A player of some Elo may have a good or a bad day: by how much, the calibration of the recipe shows.
    """
    if text == "engine":
        return Hypothesis.engine()
    try:
        if text.startswith("c=") and ":" in text:
            return Hypothesis.between(*_pair(text.removeprefix("c="), "c=1:2"))
        if text.startswith("c="):
            return Hypothesis.at(float(text.removeprefix("c=")))
        elo = float(text)
    except ValueError:
        raise InputError(
            f"'{text}' does not describe a player: give an Elo, c=1.2, c=1:2 or engine"
        ) from None
    mapping = None if calibration is None else calibration.mappings.get(model.name)
    if not isinstance(mapping, ScalarMapping):
        raise InputError(
            f"to describe a player by Elo {text}, use a recipe with a calibration (assay calibrate) or "
            "--mileposts; or give a skill as c=1.2"
        )
    return Hypothesis.rated(elo, mapping, _strays(model, decisions, elo))


def _strays(model: BayesModel, decisions: Decisions, elo: float) -> float:
    """Form and variation of games in Elo; where the recipe has no calibration, the least form alone."""
    calibration = find_calibration(recipe_of(decisions))
    profile = model.profile(decisions)
    if calibration is None or model.name not in calibration.mappings or profile.decisions <= 0:
        return LEAST_FORM
    spread = calibration.spread
    return spread.beyond_chance(model.name, elo, profile.decisions, DISPERSION, profile.games)


def skills_by(
    model: BayesModel, decisions: Decisions, by: By, curve: bool, *, within: float, adaptive: bool = False
) -> tuple[list[Skill], tuple[str, ...]]:
    """What was asked for, and what its labels are called.

    `within` is how far a milepost reaches; `adaptive` has the posterior by the paper's adaptive grid.
    """
    heads: tuple[str, ...] = ("of",)
    if curve:
        skills, heads = training_curve(model, decisions), ("first",)
    elif by is By.ALL:
        skills = [apparent_skill(model, decisions)]
    elif by is By.MILEPOST:
        skills, heads = [skill for _, skill in mileposts(model, decisions, within)], ("milepost",)
        if not skills:
            raise InputError(too_few(1, 0))
    else:
        heads = tuple(dict.fromkeys((COLUMNS[By.PLAYER], COLUMNS[by])))
        skills = apparent_skill_by(model, decisions, *heads)
        if by is By.GAME:
            skills, heads = _named_games(skills), (COLUMNS[By.PLAYER], "game")
        elif by is By.YEAR:
            skills = sorted(skills, key=lambda skill: skill.label)
    return [replace(skill, adaptive=True) for skill in skills] if adaptive else skills, heads


def _named_games(skills: Sequence[Skill]) -> list[Skill]:
    """Single games by opponent, event and year; by their id as well where that leaves two alike."""
    labels = [(skill.label[0], game_in_words(skill.decisions, int(skill.rows[0]))) for skill in skills]
    times = Counter(labels)
    named = []
    for skill, (player, words) in zip(skills, labels, strict=True):
        alike = times[player, words] > 1 or not words
        parts = (words, f"game {skill.label[1]}" if alike else "")
        named.append(replace(skill, label=(player, ", ".join(filter(None, parts)))))
    return named


def skills(
    model: BayesModel,
    decisions: Decisions,
    posteriors: Sequence[Skill],
    heads: Sequence[str],
    calibration: Calibration | None = None,
) -> Rows:
    """One posterior a row: mean, deviation, 95% region, and Elo through a calibration, as `rate` has it."""
    notes: list[str] = []
    if calibration is None:
        rows = [_row(heads, skill, None) for skill in posteriors]
    else:
        parts = [skill.decisions.take(skill.rows) for skill in posteriors]
        ratings = ratings_of(parts, decisions, calibration, model.name)
        rows = [_row(heads, *pair, any(ratings)) for pair in zip(posteriors, ratings, strict=True)]
        notes = notes_on(calibration)
        if not any(ratings):
            notes = ["No Elo: of parts of games it has not been measured how much they vary."]
    title = "Apparent skill c: posterior from a flat prior"
    return _skills(model, decisions, title, rows, intervals="\n".join(notes))


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


def skill_by_result(model: BayesModel, decisions: Decisions) -> Rows:
    """Single games won, drawn and lost (Table III)."""
    title = "Apparent skill in single games, by their result"
    return _skills(model, decisions, title, results_apart(model, decisions))


def skill_sequence(model: BayesModel, decisions: Decisions, player: Hypothesis) -> Rows:
    """How probable the moves are for a described player."""
    profile = model.profile(decisions)
    log = log_probability(profile, player)
    row = {
        "player": player.name,
        "decisions": round(profile.decisions),
        "log10 probability": log / math.log(10),
        "probability of a move": math.exp(log / profile.decisions),
    }
    return _skills(model, decisions, "Probability of just these moves", [row])


def skill_ratio(model: BayesModel, decisions: Decisions, first: Hypothesis, second: Hypothesis) -> Rows:
    """Which of two described players fits the moves better, and what that is not."""
    profile = model.profile(decisions)
    log_ratio = log_probability(profile, first) - log_probability(profile, second)
    row = {
        "first": first.name,
        "second": second.name,
        "decisions": round(profile.decisions),
        "log ratio": log_ratio,
        "log10 ratio": log_ratio / math.log(10),
    }
    title = "Log likelihood ratio: above zero, the first describes these moves better"
    return _skills(model, decisions, title, [row], **{"not": NOT_PROOF})


def _skills(
    model: BayesModel, decisions: Decisions, title: str, rows: Sequence[dict[str, Any]], **notes: str
) -> Rows:
    """Numbers by the method bayes, with its rules, and what became of played moves outside the lines.

    Notes are `not`, what a likelihood ratio does not prove, and `intervals`, the caveats of the Elo scale.
    """
    if not rows:
        raise InputError(f"none of these decisions passes the rules of {model.name}: choose other games")
    counted, left_out = model.select(decisions)
    outside = int((counted.played_index >= counted.numbers("n_lines")).sum())
    omitted = ", ".join(f"{count:,.0f} not '{rule}'" for rule, count in left_out.items() if count)
    note = f"{model.outside_note.capitalize()} ({outside:,} here). Left out: {omitted or 'none'}."
    document = {
        "method": "bayes",
        "settings": model.settings,
        "outside": model.outside_note,
        "outside_counted": outside,
        "left_out": dict(left_out),
        **{name: text for name, text in notes.items() if text},
        "rows": list(rows),
    }
    lines = "\n".join(filter(None, (note, *notes.values())))
    return Rows(title, rows, note=lines, document=document, people=[_with_intervals(row) for row in rows])


_ENDS = {"low": ("high", "95% of c"), "elo_low": ("elo_high", "95% of Elo")}
"""The lower end of an interval: where its upper end is, and the heading of both in one column."""


def _with_intervals(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row for people: both ends of an interval in one cell."""
    shown = {}
    for name, value in row.items():
        if name in _ENDS:
            high, heading = _ENDS[name]
            shown[heading] = f"{_cell(name, value)} to {_cell(high, row[high])}"
        elif name not in ("game_id", "high", "elo_high"):
            shown["Elo" if name == "elo" else name] = _cell(name, value)
    return shown


def _cell(name: str, value: Any) -> Any:
    if not isinstance(value, float):
        return "" if value is None else value
    return (
        f"{value:z.0f}" if name.startswith("elo") else f"{value:z.4f}" if abs(value) < 10 else f"{value:.1f}"
    )


# Choice --------------------------------------------------------------------------------------------------

_FITTED = ("group", "games", "decisions", "s", "s_low", "s_high", "c", "c_low", "c_high", "published")
_RATED = ("group", "games", "decisions", "s", "c", "elo", "low", "high", "published", "difference")


_PROJECTED = {
    "projected": "projected",
    "actual": "actual",
    "deviation, model": "model_deviation",
    "deviation, games": "games_deviation",
    "variance ratio": "variance_ratio",
}
"""What people see of a projection, by heading."""


def choice_fit(model: ChoiceModel, decisions: Decisions, method: str, c: float | None) -> Rows:
    """Fitted s and c, and what the fitted agent projects beside what was played."""
    fit = model.fit(decisions, method, c=c)
    shown = projections_of(model, decisions, fit.s, fit.c)
    estimate = model.resampled(model.profiles_by(decisions)) if method == "percentile" and c is None else None
    projections = {
        name: plain({"variance_ratio": projection.ratio} | asdict(projection))
        for name, projection in shown.items()
    }
    numbers = {"method": method, "s": fit.s, "c": fit.c}
    interval = {name: [estimate[name].low, estimate[name].high] for name in ("s", "c")} if estimate else None
    between = f"; {estimate.note}: s {estimate['s']}, c {estimate['c']}" if estimate else ""
    people = [
        {"": name, **{head: _four_places(projections[name][key]) for head, key in _PROJECTED.items()}}
        for name in ("mm", "ad", "M_1", "M_2", "M_3", "M_4", "M_5", "Q_fit")
        if name in projections
    ]
    return Rows(
        f"s = {fit.s:.3f}, c = {fit.c:.3f} ({method}, {fit.decisions:,} decisions{between})",
        [{**numbers, **row} for row in projections.values()],
        note="Ratio: variance over resampled games by variance with independent turns. "
        "Q_fit: projected is what chance alone would give.",
        document={
            **numbers,
            "decisions": fit.decisions,
            "interval": interval,
            "projections": list(projections.values()),
        },
        people=people,
    )


def _four_places(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else f"{value:.4f}"


def milepost_tables_of(
    model: ChoiceModel, decisions: Decisions, periods: Sequence[str] | None, width: int
) -> Mapping[str, list[dict[str, Any]]]:
    """The paper's table from games with ratings, of all games or by periods."""
    if periods:
        return milepost_tables(model, decisions, [_years(years) for years in periods], within=width)
    return {"all games": milepost_table(model, decisions, within=width)}


def choice_ratings(
    model: ChoiceModel,
    decisions: Decisions,
    scale: Decisions | None,
    by: str,
    periods: Sequence[str] | None,
    least: int,
    say: Callable[[str], None],
) -> Rows:
    """Players, or mileposts of periods or time controls, rated by the moves played, beside published ratings.

    Players of one rating are put together, not of all: s and c of a mixture are of a weaker player. On the
    scale of these games with ratings where they are given, else of the recipe's calibration, else of
    the decisions themselves. Where there is no scale, s and c of each with their intervals, and why.
    """
    recipe_id = recipe_of(decisions)
    calibration, why = None, ""
    if scale is not None:
        calibration = scale_of_mileposts(model, recipe_id, scale)
    else:
        try:
            # Calibrations are made with the tail of `rate`; s and c are those of the model asked for.
            usual = ChoiceModel(curve=model.curve, conversion=model.conversion)
            calibration = needed_scale(usual, recipe_id, decisions)
        except InputError as error:
            why = str(error)
    rated, left_out = rate_groups(
        model,
        decisions,
        _labels(decisions, by, periods),
        lambda parts: (
            [None] * len(parts)
            if calibration is None
            else ratings_of(parts, decisions, calibration, model.name)
        ),
        least,
    )
    for reason in dict.fromkeys(left_out.values()):
        names = [name for name, because in left_out.items() if because == reason]
        which = f" ({'; '.join(names)})" if len(names) <= 5 else ""
        say(f"left out: {len(names)} of {len(left_out) + len(rated)} groups{which}: {reason}")
    if not rated:
        raise InputError(f"there is no {by} to rate: give more games, or lower --min-decisions")
    if calibration is None:
        notes = [
            "s and c with their 95% intervals, by a bootstrap over games: smaller s, larger c are better.",
            why + ".",
        ]
        meaning: list[str] = []
    else:
        notes, meaning = notes_on(calibration), ["difference: intrinsic less published."]
    return Rows(
        f"{'Intrinsic ratings' if calibration else 'Sensitivity and consistency'} by {by}",
        rated,
        _RATED if calibration else _FITTED,
        "\n".join([*notes, *meaning]),
        _choice_cell,
        {"group": by},
        remarks=notes,
    )


def _labels(decisions: Decisions, by: str, periods: Sequence[str] | None) -> Sequence[str | None]:
    if by == By.PERIOD and not periods:
        raise InputError("give the periods to compare, such as --period 1991-1994 --period 2006-2009")
    if by == By.PERIOD:
        labels = period_labels(decisions, [_years(period) for period in periods or ()])
    else:
        labels = decisions.text(COLUMNS[By(by)])
    if by not in (By.PERIOD, By.TIME):
        return labels
    mileposts = 100 * np.rint(decisions.numbers("player_elo") / 100)
    return [
        None if label is None or math.isnan(elo) else f"{label} at {elo:.0f}"
        for label, elo in zip(labels, mileposts.tolist(), strict=True)
    ]


def _years(text: str) -> tuple[int, int]:
    years = parse_years(text)
    assert years is not None
    return years[0], years[-1]


def _choice_cell(name: str, value: Any) -> object:
    if value is None or name in ("group", "games", "decisions"):
        return value
    return f"{value:.3f}" if name[0] in "sc" else f"{value:z.0f}"
