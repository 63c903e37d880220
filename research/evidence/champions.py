"""Champions by year beside what Alliot 2017 printed: docs/evidence/champions.md, and the front page picture.

    python -m research champions-page [--figures docs] [--workspace WORKSPACE] [--left-out]

Everything comes from data/champions.npz. With a workspace of champions' games also how the rating depends on
what differs between eras: openings, late moves, opponents. With --left-out (minutes) also how often the years
of each champion are covered by a prior that was fitted without the champion's published ratings.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from assay import Workspace
from assay.answers.comparisons import HeadToHeads, MatchForecast
from assay.answers.ratings import Forecast, Rating
from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.decisions.names import Who
from assay.figures.curves import Panel, Series, curves
from assay.figures.figure import Figure, write_figure
from assay.figures.intervals import Row, interval_figure
from assay.models.covariance import CovarianceModel, ResultVector
from assay.models.registry import make_model
from assay.models.traits.model import TraitsModel
from assay.rating.calibration import shipped
from assay.rating.careers import Careers, career_table, head_to_heads
from assay.rating.champions import BY_MOVES, CareerPrior, Champions, champions, looks_of
from assay.rating.comparisons import BY_RATING, forecast_between, forecast_matches, match_errors
from assay.rating.group_ratings import Rater
from assay.rating.pipeline import rate_decisions
from assay.report.figures import career_figure, champions_figure, versus_figure
from assay.reproduce import facts
from assay.reproduce.alliot2017 import championships
from research import command
from research.calibration.champions import CHAMPIONS, career_prior, classical_games, whole_games
from research.markdown import Tables, numbers_table, print_tables

PAPER = facts("alliot2017")

DECADES = ((1970, 1979), (1980, 1989), (1990, 1999), (2000, 2009), (2010, 2029), (1970, 2029))
ERAS = ((1850, 1919), (1920, 1949), (1950, 1979), (1980, 1999), (2000, 2029), (1850, 2029))
"""Periods of a table, the last of them all the others together."""

WINDOW = 5
"""Years of a window."""

SELECTED = ("Capablanca, Jose Raul", "Fischer, Robert James", "Kasparov, Gary", "Carlsen,Magnus")
"""Players whose conformance is drawn (Figures 16 and 17)."""

OPPONENTS = ((0, 2499), (2500, 2599), (2600, 2699), (2700, 3000))

PUBLISHED = "Beside published ratings"
CONFORMANCE = "Best years by conformance (Table 7)"
HEADS = "Head-to-heads in the best years, beside Tables 7 to 9"
MATCHES = "Title matches forecast from the years before (Table 5)"
ERRORS = "Errors of these forecasts"
OPENINGS = "Without the first eight moves"
CUTS = "Openings and late moves"

WORDS = {
    "Best years by the rating by moves": """\
{games:,} games, {decisions:,} moves of {years} player-years: of every champion and year the first
classical games in an order that a hash decides, analysed by {engine} with `{recipe}`. The best year is
one of those with 500 moves or more. "That year alone" is by its own moves from a flat prior; the rating
also rests on the prior below. A rating above the end of the scale, 2800, is printed as that end; forecasts
use the estimate. Fast, blindfold, simultaneous and exhibition games, play-offs and games with computers are
left out by words in the names of event, place and players (research/calibration/champions.py). Years with
few games have wide ranges of their own.""",
    "The prior": """\
A year is expected near the player's other years, near champions born at about the same time, and near
champions of that age. Standard deviations in points, and the years over which they change, by maximum
likelihood of the moves of all years and the published ratings of some: birth {cohort:.0f} over
{cohort_years:.0f} years, age {age:.0f} over {age_years:.0f}, a champion's career {career:.0f} over
{career_years:.0f}. What moves show that is not strength: {form:.0f} for a player, over
{form_years:.0f} years.""",
    PUBLISHED: """\
![Rating by moves less published rating, by champion](images/champions_published.svg)

What the moves of one player show beyond strength lasts for years, so the years of a player miss or hit
together: coverage by decade rests on few players. A difference that changes over the decades is what is
called inflation ([Regan 2011](paper_regan2011_periods.md)), or a change in how champions play.""",
    "A prior fitted without the champion": """\
The prior above was fitted with the published ratings of the years that it is compared with. Here it is
fitted anew without those of each champion in turn.""",
    "Each year expected from all other years": """\
How the moves of a year look, less what all other years let expect of it, divided by the standard
deviation of that difference: z.""",
    CONFORMANCE: """\
![Conformance by year, Figures 16 and 17](images/champions_conformance.svg)

Share of moves that lose at most 0.3 pawns, pondered (Alliot 2017, section 4.2.3), each year by itself,
with the 95% interval of independent moves. The best of many years is partly luck.""",
    HEADS: """\
![Everyone against everyone by covariance](images/champions_covariance.svg)

![Everyone against everyone by Markov matrices](images/champions_markov.svg)

The best year is the one with most victories over all years of all others. With so few games of a year
it is partly luck.""",
    MATCHES: """\
![Title matches forecast from the years before](images/champions_matches.svg)

Percent of the points for the winner, who is listed first. No method uses anything later than the year
before the match. `elo` is by the ratings that the paper prints. `bayes`, `choice` and `depth` are of each
year the mean of several sets of games, weighted by their moves, which is approximate; gain is not measured,
because only the champions' own moves were analysed.""",
    ERRORS: """\
Mean and standard error. Methods that differ by less than two standard errors are not separated by 17
matches.""",
    OPENINGS: """\
Openings known by heart are good moves that need no strength. How the moves of single years look, without
the first eight moves less with them, in points: mean and standard deviation over the player-years.""",
    CUTS: """\
The same games rated without some of their moves, less with all of them: champions by the moves alone,
from a flat prior, mean over the champions with five games or more, weighted by games. Until the 1990s
games were adjourned after some five hours, usually beyond move 40, and analysed at home; which games were
is not recorded, so the moves beyond move 40 stand for it. A cut changes what games look like in every era:
compare the eras, not a row with nothing.""",
    "By the opponents' rating": """\
Champions in games with both published ratings, by the moves alone: flat prior, mean over the champions
with five games or more, weighted by games.""",
}
"""What stands above each table."""


def family(player: str) -> str:
    """The family name."""
    return player.partition(",")[0]


def percent(value: float, digits: int = 0) -> str:
    """A share in percent."""
    return "" if math.isnan(value) else f"{100 * value:.{digits}f}"


def spanned(value: float, low: float, high: float) -> str:
    """A share in percent with its interval."""
    return f"{percent(value)} ({percent(low)} to {percent(high)})"


def by_period(
    periods: Sequence[tuple[int, int]], years: Sequence[int | None], cells: Any
) -> list[tuple[object, ...]]:
    """A row for each period with years in it: its name, how many these are, and `cells` of their places."""
    when, rows = np.array(years), list[tuple[object, ...]]()
    for first, last in periods:
        places = np.flatnonzero((when >= first) & (when <= last))
        if len(places):
            name = "all" if (first, last) == periods[-1] else f"{first} to {last}"
            rows.append((name, len(places), *cells(places)))
    return rows


def careers_table(roster: Champions) -> str:
    """The best year of each champion by the rating by moves."""
    rows = []
    for key in map(roster.best_year, roster.players):
        rated, every = roster.ratings[key], roster.rows(Who(key.player))
        assert rated.combined is not None
        assert rated.moves_only is not None
        games = sum(roster.ratings[roster.keys[row]].games for row in every)
        years = roster.years(key.player)
        rows.append(
            (
                rated.combined.elo,
                key.player,
                f"{years[0]} to {years[-1]}",
                f"{games} of {roster.record(every)['games']:.0f}",
                key.year,
                rated.combined.shown,
                rated.combined.range,
                f"{rated.moves_only.shown} ({rated.moves_only.range})",
                "" if math.isnan(rated.reference) else f"{rated.reference:.0f}",
            )
        )
    rows.sort(key=lambda row: -row[0])
    heads = ("champion", "years", "games", "best year", "rating", "95% range", "that year alone", "published")
    return numbers_table(heads, [row[1:] for row in rows])


Compared = Sequence[tuple[Who, Rating, float]]
"""Years of which both are there: who, the rating by moves, the mean published rating."""


def compared_years(roster: Champions) -> Compared:
    """The years since 1970 with published ratings."""
    return [
        (key, player.combined, player.reference)
        for key, player in roster.ratings.items()
        if math.isfinite(player.reference) and player.combined and (key.year or 0) >= DECADES[0][0]
    ]


def differences(compared: Compared) -> tuple[str, str, str, str]:
    """Mean difference, mean error, percent covered, mean width."""
    apart = np.array([rating.elo - elo for _, rating, elo in compared])
    covered = float(np.mean([rating.low <= elo <= rating.high for _, rating, elo in compared]))
    width = np.mean([rating.high - rating.low for _, rating, _ in compared])
    return f"{apart.mean():+.0f}", f"{np.abs(apart).mean():.0f}", percent(covered), f"{width:.0f}"


DIFFERENCES = ("player-years", "rating less published", "average error", "95% range covers, %", "width")


def beside_published(roster: Champions) -> str:
    """How often the 95% range of a year contains the mean published rating of that year."""
    every = compared_years(roster)
    rows = by_period(
        DECADES, [key.year for key, _, _ in every], lambda at: differences([every[i] for i in at])
    )
    return numbers_table(("years", *DIFFERENCES), rows)


def published_figure(roster: Champions) -> Figure:
    """Rating less published by champion: the mean of the years, the lowest and the highest."""
    rows, every = [], compared_years(roster)
    for player in roster.players:
        years = [row for row in every if row[0].player == player]
        if years:
            apart = [rating.elo - elo for _, rating, elo in years]
            covered = sum(rating.low <= elo <= rating.high for _, rating, elo in years)
            words = f"{np.mean(apart):+.0f}; {covered} of {len(years)} years covered"
            rows.append(
                Row(family(player), float(np.mean(apart)), min(apart), max(apart), words, value=words)
            )
    title = "Rating by moves less published rating: mean, lowest and highest year"
    return interval_figure(title, rows, x_title="points", text="{:+.0f}".format)


def without_the_champion(roster: Champions) -> str:
    """The same of each champion by a prior that was fitted without the champion's published ratings."""
    every, rows = compared_years(roster), []
    pooled: list[tuple[Who, Rating, float]] = []
    for player in roster.players:
        years = [row for row in every if row[0].player == player]
        if years:
            other = copy(roster)
            other.results = {
                key: [*numbers[:4], 0, 0, *numbers[6:]] if key.player == player else numbers
                for key, numbers in roster.results.items()
            }
            other.model = career_prior(other)
            other.__dict__.pop("_covariances", None)
            ratings = other.rated([key for key, _, _ in years], BY_MOVES)
            compared = [
                (key, rated.combined, elo)
                for (key, _, elo), rated in zip(years, ratings, strict=True)
                if rated and rated.combined
            ]
            pooled += compared
            rows.append((family(player), len(years), *differences(compared)))
    rows.append(("all", len(pooled), *differences(pooled)))
    return numbers_table(("champion", *DIFFERENCES), rows)


def left_out_years(roster: Champions) -> str:
    """How the moves of each year look, beside what all other years let expect of it."""
    peak, deviation = roster.looks
    priors = [prior for prior in roster.priors(roster.keys).each if isinstance(prior, CareerPrior)]
    look, variance = np.array([(prior.look, prior.look_variance) for prior in priors]).T
    z = (peak - look) / np.sqrt(variance + np.square(deviation))
    seen = np.flatnonzero(np.isfinite(z))

    def cells(places: Any) -> tuple[str, ...]:
        of = z[seen][places]
        return percent(float((np.abs(of) < 1.96).mean())), f"{of.mean():+.2f}", f"{of.std():.2f}"

    rows = by_period(ERAS, [roster.keys[row].year for row in seen], cells)
    heads = ("years", "player-years", "within the 95% range, %", "mean of z", "standard deviation of z")
    return numbers_table(heads, rows)


def without_opening(roster: Champions) -> str:
    """How the moves of single years look without the opening, beside how they look with it."""
    calibration = roster.calibration
    assert calibration is not None
    model, sums = calibration.models["traits"], roster.sums(roster.keys, BY_MOVES)
    assert isinstance(model, TraitsModel)
    later = sums.evidence["traits"].copy()
    later[:, 1 + len(model.blocks[0].names) :] = 0.0
    rater = Rater(replace(sums, evidence={"traits": later}), calibration, methods=BY_MOVES)
    without, _ = looks_of(calibration, rater.raw([np.array([row]) for row in range(len(roster.keys))]))
    apart = without - roster.looks[0]
    seen = np.flatnonzero(np.isfinite(apart))
    rows = by_period(
        ERAS,
        [roster.keys[row].year for row in seen],
        lambda at: (f"{apart[seen][at].mean():+.0f}", f"{apart[seen][at].std():.0f}"),
    )
    return numbers_table(("years", "player-years", "mean", "standard deviation"), rows)


# The paper's tables --------------------------------------------------------------------------------------


def conformance_careers(roster: Champions) -> Careers:
    """Careers by conformance, each year by itself."""
    [careers] = roster.careers(["conformance"], forgetting=1e9)[0].values()
    return careers


def best_by_conformance(roster: Champions) -> str:
    """The best year and window of each champion by the share of moves that lose at most 0.3 pawns."""
    careers = conformance_careers(roster)

    def best(whom: Sequence[Who]) -> tuple[str, str, float]:
        shares = {who: careers.model.estimate(careers.profile(who))["conformance"] for who in whom}
        if not shares:
            return "", "", 0.0
        who = max(shares, key=lambda who: shares[who].value)
        share = shares[who]
        return who.when.replace("-", " to "), spanned(share.value, share.low, share.high), share.value

    rows = []
    for player in roster.players:
        active, years = [key for key in careers.active() if key.player == player], set(roster.years(player))
        windows = [
            Who(player, year, year + WINDOW - 1)
            for year in sorted(years)
            if years.issuperset(range(year, year + WINDOW))
        ]
        if active:
            rows.append((family(player), *best(active)[:2], *best(windows)))
    rows.sort(key=lambda row: -float(row[-1]))
    heads = ("champion", "best year", "conformance, %", "best five years", "conformance, %")
    return numbers_table(heads, [row[:-1] for row in rows])


def printed(table: Mapping[str, Sequence[float | None]]) -> tuple[list[str], Floats]:
    """Names and cells of a printed table of head-to-heads."""
    cells = np.array([[math.nan if cell is None else cell for cell in row] for row in table.values()])
    return list(table), cells


def best_against_best(roster: Champions) -> dict[str, tuple[str, HeadToHeads]]:
    """Everyone in the best year, by the name of the printed table: its title, and ours."""
    models = {
        "covariance_n0_0": ("Table 7, covariance n0=0", CovarianceModel(n0=0, vector=ResultVector(b=0.0))),
        "covariance_n0_32_b_2.4": ("Table 8, covariance n0=32", CovarianceModel()),
        "markov": ("Table 9, Markov", make_model("markov")),
    }
    tables, moves = {}, {key: roster.moves(key) for key in roster.keys}
    for name, (title, model) in models.items():
        table = head_to_heads(Careers(model, roster.profiles(model), moves=moves))
        tables[name] = title, replace(table.among(table.best_years()), method=model.name)
    return tables


def head_to_head_tables(tables: Mapping[str, tuple[str, HeadToHeads]]) -> str:
    """Our head-to-heads beside the printed ones: order, best years, how far cells are apart."""
    rows = []
    for key, (title, best) in tables.items():
        ours = [family(who.player) for who in best.keys]
        names, cells = printed(PAPER["head_to_head"][key])
        both = [name for name in names if name in ours]
        here, there = [ours.index(name) for name in both], [names.index(name) for name in both]
        mine = 100 * best.match[np.ix_(here, here)]
        theirs = (cells + 100 - cells.T)[np.ix_(there, there)] / 2
        off = ~np.eye(len(both), dtype=bool)
        apart, from_half = np.abs(mine - theirs)[off].mean(), np.abs(theirs - 50)[off].mean()
        years = ", ".join(f"{family(who.player)} {who.year}" for who in best.keys[:6])
        order = f"{spearmanr(here, there).statistic:.2f}"
        rows.append((title, len(both), order, f"{apart:.1f} ({from_half:.1f})", years))
    heads = (
        "table",
        "champions",
        "rank correlation with the printed order",
        "cells apart, points (printed cells from 50)",
        "our first six",
    )
    return numbers_table(heads, rows)


def title_matches(roster: Champions) -> list[MatchForecast]:
    """The seventeen matches, each from what is known of the years before it."""
    able, _ = roster.careers()
    rows = []
    for forecast in forecast_matches(championships(), list(able.values()), resamples=0):
        match = forecast.match
        whom = []
        for name in (match.first, match.second):
            player = roster.who(name).player
            whom.append(Who(player, max(year for year in roster.years(player) if year < match.year)))
        first, second = filter(None, roster.rated(whom, before=match.year))
        assert first.combined is not None
        assert second.combined is not None
        by_rating = {
            name: forecast_between(first.ratings[name], second.ratings[name])
            for name in BY_RATING
            if name != "traits" and name in first.ratings and name in second.ratings
        }
        moves = replace(forecast_between(first.combined, second.combined), method="rating by moves")
        forecasts = {"rating by moves": moves, **by_rating, **forecast.forecasts}
        rows.append(replace(forecast, forecasts=forecasts))
    return rows


def matches_table(rows: Sequence[MatchForecast]) -> str:
    """Every match: the actual share of the winner, and what was forecast."""

    def cell(forecast: Forecast | None) -> str:
        return "" if forecast is None else percent(forecast.expectation)

    names = ("conformance", "covariance", "markov", "bayes", "choice", "depth", "elo")
    lines = [
        (
            row.match,
            percent(row.match.actual),
            spanned(moves.expectation, moves.low, moves.high),
            *(cell(row.forecasts.get(name)) for name in names),
        )
        for row in rows
        if (moves := row.forecasts["rating by moves"])
    ]
    return numbers_table(("match", "actual", "rating by moves", *names), lines)


def errors_table(rows: Sequence[MatchForecast]) -> str:
    """Mean errors, and how far each method is from always half on the matches that both have."""
    lines = []
    for error in match_errors(rows):
        pairs = [
            (row.forecasts[error.method].expectation, row.match.actual)
            for row in rows
            if error.method in row.forecasts
        ]
        expected, actual = np.array(pairs).T
        gain = np.abs(0.5 - actual) - np.abs(expected - actual)
        better = f"{100 * gain.mean():+.1f} ± {100 * gain.std(ddof=1) / math.sqrt(len(gain)):.1f}"
        theirs = PAPER["mean_absolute_error_percent"].get(error.method, {})
        half = error.method == "half"
        lines.append(
            (
                "always half" if half else error.method,
                error.matches,
                f"{percent(error.error, 1)} ± {percent(error.deviation, 1)}",
                "" if half else better,
                theirs.get("all", theirs.get("with_elo", "")),
            )
        )
    heads = ("method", "matches", "mean error, %", "better than always half by, %", "paper's mean error, %")
    return numbers_table(heads, lines)


def matches_figure(rows: Sequence[MatchForecast]) -> Figure:
    """Actual scores of the winners, and what the years before let expect."""
    names, places = [str(row.match) for row in rows], list(range(1, len(rows) + 1))
    elo = [100 * row.forecasts["elo"].expectation if "elo" in row.forecasts else math.nan for row in rows]
    middle, low, high = (
        [100 * getattr(row.forecasts["rating by moves"], end) for row in rows]
        for end in ("expectation", "low", "high")
    )
    actual, by_moves = [100 * row.match.actual for row in rows], "rating by moves, 95% range"
    series = [
        Series("actual", places, actual, number=0, line=False, titles=names),
        Series(by_moves, places, middle, low, high, number=1, line=False, titles=names),
        Series("published ratings", places, elo, number=2, line=False, titles=names),
    ]
    panel = Panel(series, x_title="title match, 1935 to 2013", y_title="% of the winner", whole_x=True)
    return curves("Seventeen title matches, forecast from the years before", [panel])


def conformance_figure(roster: Champions) -> Figure:
    """Figures 16 and 17: conformance by year of four champions."""
    [careers] = roster.careers(["conformance"])[0].values()
    return career_figure({family(player): career_table(player, careers) for player in SELECTED}, bound=30)


# What differs between eras, from games --------------------------------------------------------------------


def elo_by_player(decisions: Decisions, recipe_id: str) -> dict[str, tuple[float, float, int]]:
    """Rating by the moves alone, mean published rating and games of each champion with games enough."""
    rated = rate_decisions(decisions, shipped(recipe_id), prior="flat", methods=BY_MOVES)[0]
    return {
        player.player: (player.combined.elo, player.reference, player.games)
        for player in rated
        if player.combined and player.games >= 5
    }


def by_circumstance(workspace: Path) -> Tables:
    """Ratings of the games of a workspace without some moves, and by the opponents' ratings."""
    opened = Workspace(workspace)
    recipe_id = opened.recipe_id()
    decisions = opened.decisions(recipe_id, players=list(CHAMPIONS), trace=True)
    decisions = whole_games(decisions, list(classical_games(opened)))
    plies, years = decisions.numbers("ply"), decisions.numbers("year")
    rows = []
    for first, last in ERAS[:-1]:
        of_era = (years >= first) & (years <= last)
        every = elo_by_player(decisions.take(np.flatnonzero(of_era)), recipe_id)
        cells = []
        for counted in (plies >= 18, plies < 80):
            cut = elo_by_player(decisions.take(np.flatnonzero(of_era & counted)), recipe_id)
            both = sorted(set(cut) & set(every))
            weight = [every[player][2] for player in both]
            cells.append(f"{np.average([cut[p][0] - every[p][0] for p in both], weights=weight):+.0f}")
        games = sum(games for _, _, games in every.values())
        rows.append((f"{first} to {last}", games, len(every), *cells))
    heads = ("years", "games", "champions", "first nine moves left out", "moves after 40 left out")
    yield CUTS, numbers_table(heads, rows)
    opponents, elo = decisions.numbers("opponent_elo"), decisions.numbers("player_elo")
    by_opponents = []
    for low, high in OPPONENTS:
        chosen = decisions.take(np.flatnonzero((opponents >= low) & (opponents <= high) & np.isfinite(elo)))
        players = list(elo_by_player(chosen, recipe_id).values())
        apart = np.average([x - ref for x, ref, _ in players], weights=[games for *_, games in players])
        name = f"{low} to {high}" if low else f"below {high + 1}"
        by_opponents.append((name, len(set(chosen.text("game_id"))), len(players), f"{apart:+.0f}"))
    columns = ("opponents' published rating", "games", "champions", "rating by moves less published")
    yield "By the opponents' rating", numbers_table(columns, by_opponents)


def main(words: Sequence[str]) -> None:
    """Print the tables, and draw the figures."""
    parser = command("champions-page", __doc__)
    parser.add_argument("--figures", type=Path, help="the folder docs, for its figures")
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--left-out", action="store_true")
    given = parser.parse_args(words)
    roster = champions()
    matches, heads = title_matches(roster), best_against_best(roster)
    numbers = {**roster.header, **asdict(roster.model), "years": len(roster.keys)}

    def tables() -> Tables:
        yield "Best years by the rating by moves", careers_table(roster)
        yield "The prior", ""
        yield PUBLISHED, beside_published(roster)
        if given.left_out:
            yield "A prior fitted without the champion", without_the_champion(roster)
        yield "Each year expected from all other years", left_out_years(roster)
        yield CONFORMANCE, best_by_conformance(roster)
        yield HEADS, head_to_head_tables(heads)
        yield MATCHES, matches_table(matches)
        yield ERRORS, errors_table(matches)
        yield OPENINGS, without_opening(roster)
        if given.workspace is not None:
            yield from by_circumstance(given.workspace)

    print_tables((title, f"{WORDS[title].format(**numbers)}\n\n{text}".strip()) for title, text in tables())
    if given.figures is None:
        return
    for ending in ("svg", "png"):
        write_figure(given.figures / "images" / f"champions.{ending}", champions_figure(roster))
    figures = {
        "matches": matches_figure(matches),
        "conformance": conformance_figure(roster),
        "published": published_figure(roster),
        "covariance": versus_figure(heads["covariance_n0_32_b_2.4"][1]),
        "markov": versus_figure(heads["markov"][1]),
    }
    for name, figure in figures.items():
        write_figure(given.figures / "evidence" / "images" / f"champions_{name}.svg", figure)
