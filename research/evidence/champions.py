"""Champions by year beside what Alliot 2017 printed: docs/evidence/champions.md, and the front page picture.

    python -m research champions-page [--figures docs] [--workspace WORKSPACE]

Everything comes from data/champions.npz. With the workspace that it was made of, also how the rating depends
on the opponents' ratings and on the moves that count as opening.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from assay import Workspace
from assay.answers.comparisons import MatchForecast
from assay.answers.ratings import Forecast
from assay.decisions.arrays import Floats
from assay.decisions.names import Who
from assay.figures.curves import Panel, Series, curves
from assay.figures.figure import Figure, write_figure
from assay.models.covariance import CovarianceModel, ResultVector
from assay.models.registry import make_model
from assay.models.traits.model import TraitsModel
from assay.rating.careers import Careers, career_table, head_to_heads
from assay.rating.champions import BY_MOVES, CareerPrior, Champions, champions, looks_of
from assay.rating.comparisons import BY_RATING, forecast_between, forecast_matches, match_errors
from assay.rating.group_ratings import Rater
from assay.rating.pipeline import rate_decisions
from assay.report.figures import career_figure, champions_figure
from assay.reproduce import facts
from assay.reproduce.alliot2017 import championships
from research import command
from research.calibration.champions import CHAMPIONS, classical_games, whole_games
from research.markdown import Tables, numbers_table, print_tables

PAPER = facts("alliot2017")

PERIODS = ((1970, 1979), (1980, 1989), (1990, 1999), (2000, 2009), (2010, 2029))

ERAS = ((1850, 1919), (1920, 1949), (1950, 1979), (1980, 1999), (2000, 2029))

WINDOW = 5
"""Years of a window."""

DRAWN = ("Capablanca, Jose Raul", "Fischer, Robert James", "Kasparov, Gary", "Carlsen,Magnus")
"""Players whose conformance is drawn (Figures 16 and 17)."""

OPPONENTS = ((0, 2499), (2500, 2599), (2600, 2699), (2700, 3000))


WORDS = {
    "Best years by the rating by moves": """\
{games:,} games, {decisions:,} moves of {years} player-years: of every champion and year the first
classical games in an order that a hash decides, analysed by {engine} with `{recipe}`. The best year is
one of those with 500 moves or more. "That year alone" is by its own moves from a flat prior; the rating
also rests on the prior below. Ratings above 2795, the last milepost of the scale, are extrapolated.""",
    "The prior": """\
A year is expected near the player's other years, near champions born at about the same time, and near
champions of that age. Standard deviations in points, and the years over which they change, by maximum
likelihood of the moves of all years and the published ratings of some: birth {cohort:.0f} over
{cohort_years:.0f} years, age {age:.0f} over {age_years:.0f}, a champion's career {career:.0f} over
{career_years:.0f}. What moves show that is not strength: {form:.0f} for a player, over
{form_years:.0f} years.""",
    "Beside published ratings": """\
What the moves of one player show beyond strength lasts for years, so the years of a player miss or hit
together: coverage by decade rests on few players. A difference that changes over the decades is what is
called inflation ([Regan 2011](paper_regan2011_periods.md)), or a change in how champions play.""",
    "Each year expected from all other years": """\
How the moves of a year look, less what all other years let expect of it, divided by the standard
deviation of that difference: z.""",
    "Best years by conformance": """\
Share of moves that lose at most 0.3 pawns, pondered (Alliot 2017, section 4.2.3), each year by itself,
with the 95% interval of independent moves. The best of many years is partly luck.""",
    "Head-to-heads in the best years, beside Tables 7 to 9": """\
The best year is the one with most victories over all years of all others. With so few games of a year
it is partly luck.""",
    "Title matches forecast from the years before (Table 5)": """\
Percent of the points for the winner, who is listed first. No method uses anything later than the year
before the match. `elo` is by the ratings that the paper prints.""",
    "Errors of these forecasts": """\
Mean and standard error. Methods that differ by less than two standard errors are not separated by 17
matches.""",
    "Without the first eight moves": """\
Openings known by heart are good moves that need no strength. How the moves of single years look, without
the first eight moves less with them, in points: mean and standard deviation over the player-years.""",
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


def careers_table(roster: Champions) -> str:
    """The best year of each champion by the rating by moves."""
    rows = []
    best = {player: roster.best_year(player) for player in roster.players}
    order = sorted(best, key=lambda player: -roster.ratings[best[player]].combined.elo)  # type: ignore[union-attr]
    for player in order:
        rated, key = roster.ratings[best[player]], best[player]
        assert rated.combined is not None
        assert rated.moves_only is not None
        every = roster.rows(Who(player))
        games = sum(roster.ratings[roster.keys[row]].games for row in every)
        published = roster.record(roster.rows(key))["published"]
        rows.append(
            (
                player,
                f"{roster.years(player)[0]} to {roster.years(player)[-1]}",
                f"{games} of {roster.record(every)['games']:.0f}",
                key.year,
                rated.combined.shown,
                rated.combined.range,
                f"{rated.moves_only.shown} ({rated.moves_only.range})",
                "" if math.isnan(published) else f"{published:.0f}",
            )
        )
    heads = ("champion", "years", "games", "best year", "rating", "95% range", "that year alone", "published")
    return numbers_table(heads, rows)


def beside_published(roster: Champions) -> str:
    """How often the 95% range of a year contains the mean published rating of that year."""
    known = [
        (key, player.combined, player.reference)
        for key, player in roster.ratings.items()
        if math.isfinite(player.reference) and player.combined and (key.year or 0) >= PERIODS[0][0]
    ]
    cells = {
        **{
            f"{first} to {last}": [row for row in known if first <= (row[0].year or 0) <= last]
            for first, last in PERIODS
        },
        "all": known,
        **{family(player): [row for row in known if row[0].player == player] for player in roster.players},
    }
    rows = []
    for when, chosen in cells.items():
        if not chosen:
            continue
        apart = np.array([rating.elo - elo for _, rating, elo in chosen])
        covered = float(np.mean([rating.low <= elo <= rating.high for _, rating, elo in chosen]))
        wide = np.mean([rating.high - rating.low for _, rating, _ in chosen])
        errors = f"{apart.mean():+.0f}", f"{np.abs(apart).mean():.0f}"
        rows.append((when, len(chosen), *errors, percent(covered), f"{wide:.0f}"))
    heads = (
        "years, or champion",
        "player-years",
        "rating less published",
        "average error",
        "95% range covers, %",
        "width",
    )
    return numbers_table(heads, rows)


def left_out_years(roster: Champions) -> str:
    """How the moves of each year look, beside what all other years let expect of it."""
    peak, deviation = roster.looks
    priors = [prior for prior in roster.priors(roster.keys).each if isinstance(prior, CareerPrior)]
    look, variance = np.array([(prior.look, prior.look_variance) for prior in priors]).T
    z = (peak - look) / np.sqrt(variance + np.square(deviation))
    years = np.array([key.year for key in roster.keys])
    rows = []
    for first, last in (*ERAS, (1850, 2029)):
        chosen = np.isfinite(z) & (years >= first) & (years <= last)
        inside = float((np.abs(z[chosen]) < 1.96).mean())
        when = f"{first} to {last}" if (first, last) in ERAS else "all"
        rows.append(
            (when, int(chosen.sum()), percent(inside), f"{z[chosen].mean():+.2f}", f"{z[chosen].std():.2f}")
        )
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
    apart, years = without - roster.looks[0], np.array([key.year for key in roster.keys])
    rows = []
    for first, last in (*ERAS, (1850, 2029)):
        chosen = apart[np.isfinite(apart) & (years >= first) & (years <= last)]
        when = f"{first} to {last}" if (first, last) in ERAS else "all"
        rows.append((when, len(chosen), f"{chosen.mean():+.0f}", f"{chosen.std():.0f}"))
    return numbers_table(("years", "player-years", "mean", "standard deviation"), rows)


def careers_by(roster: Champions, name: str) -> Careers:
    """Careers by a method of the paper."""
    [careers] = roster.careers([name])[0].values()
    return careers


def best_by_conformance(roster: Champions) -> str:
    """The best year and window of each champion by the share of moves that lose at most 0.3 pawns."""
    careers = careers_by(roster, "conformance")
    single = replace_forgetting(careers)
    rows = []
    for player in roster.players:
        active = [key for key in single.active() if key.player == player]
        years = {key: single.model.estimate(single.profile(key))["conformance"] for key in active}
        if not years:
            continue
        best = max(years, key=lambda key: years[key].value)
        windows = {
            who: single.model.estimate(single.profile(who))["conformance"]
            for year in roster.years(player)
            if set((who := Who(player, year, year + WINDOW - 1)).years or ()) <= set(roster.years(player))
        }
        window = max(windows, key=lambda who: windows[who].value) if windows else None
        found = years[best]
        rows.append(
            (
                family(player),
                best.year,
                f"{percent(found.value)} ({percent(found.low)} to {percent(found.high)})",
                "" if window is None else f"{window.year} to {window.last}",
                ""
                if window is None
                else f"{percent(windows[window].value)} ({percent(windows[window].low)} to "
                f"{percent(windows[window].high)})",
            )
        )
    rows.sort(key=lambda row: row[4], reverse=True)
    return numbers_table(
        ("champion", "best year", "conformance, %", "best five years", "conformance, %"), rows
    )


def replace_forgetting(careers: Careers) -> Careers:
    """The same careers, each year by itself."""
    careers.forgetting = 1e9
    return careers


def printed(table: Mapping[str, Sequence[float | None]]) -> tuple[list[str], Floats]:
    """Names and cells of a printed table of head-to-heads."""
    cells = np.array([[math.nan if cell is None else cell for cell in row] for row in table.values()])
    return list(table), cells


def head_to_head_tables(roster: Champions) -> str:
    """Our head-to-heads beside the printed ones: order, best years, how far cells are apart."""
    printed_tables = PAPER["head_to_head"]
    models = {
        "covariance_n0_0": ("Table 7, covariance n0=0", CovarianceModel(n0=0, vector=ResultVector(b=0.0))),
        "covariance_n0_32_b_2.4": ("Table 8, covariance n0=32", CovarianceModel()),
        "markov": ("Table 9, Markov", make_model("markov")),
    }
    rows = []
    for key, (title, model) in models.items():
        if key not in printed_tables:
            continue
        moves = {key: roster.moves(key) for key in roster.keys}
        careers = Careers(model, roster.profiles(model), moves=moves)
        table = head_to_heads(careers)
        best = table.among(table.best_years())
        ours = [family(key.player) for key in best.keys]
        names, cells = printed(printed_tables[key])
        both = [name for name in names if name in ours]
        places = [ours.index(name) for name in both], [names.index(name) for name in both]
        mine = 100 * best.match[np.ix_(places[0], places[0])]
        theirs = (cells + 100 - cells.T)[np.ix_(places[1], places[1])] / 2
        off = ~np.eye(len(both), dtype=bool)
        rho = spearmanr(places[0], places[1]).statistic
        years = ", ".join(f"{family(key.player)} {key.year}" for key in best.keys[:6])
        apart = np.abs(mine - theirs)[off].mean()
        from_half = np.abs(theirs - 50)[off].mean()
        rows.append((title, len(both), f"{rho:.2f}", f"{apart:.1f} ({from_half:.1f})", years))
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
        by_rating = {
            name: forecast_between(first.ratings[name], second.ratings[name])
            for name in BY_RATING
            if name in first.ratings and name in second.ratings
        }
        assert first.combined is not None
        assert second.combined is not None
        by_rating.pop("traits", None)
        moves = replace(forecast_between(first.combined, second.combined), method="rating by moves")
        rows.append(
            replace(forecast, forecasts={"rating by moves": moves, **by_rating, **forecast.forecasts})
        )
    return rows


def matches_table(rows: Sequence[MatchForecast]) -> str:
    """Every match: the actual share of the winner, and what was forecast."""

    def cell(forecast: Forecast | None, ends: bool = False) -> str:
        if forecast is None:
            return ""
        span = f" ({percent(forecast.low)} to {percent(forecast.high)})" if ends else ""
        return percent(forecast.expectation) + span

    names = ("conformance", "covariance", "markov", "bayes", "choice", "depth", "elo")
    lines = [
        (
            row.match,
            percent(row.match.actual),
            cell(row.forecasts.get("rating by moves"), True),
            *(cell(row.forecasts.get(name)) for name in names),
        )
        for row in rows
    ]
    return numbers_table(("match", "actual", "rating by moves", *names), lines)


def errors_table(rows: Sequence[MatchForecast]) -> str:
    """Mean errors, and how far each method is from always half on the matches that both have."""
    printed_errors = PAPER["mean_absolute_error_percent"]
    lines = []
    for error in match_errors(rows):
        pairs = [row for row in rows if error.method in row.forecasts]
        gain = np.array(
            [
                abs(0.5 - row.match.actual) - abs(row.forecasts[error.method].expectation - row.match.actual)
                for row in pairs
            ]
        )
        spread = gain.std(ddof=1) / math.sqrt(len(gain)) if len(gain) > 1 else math.nan
        theirs = printed_errors.get(error.method, {})
        lines.append(
            (
                "always half" if error.method == "half" else error.method,
                error.matches,
                f"{percent(error.error, 1)} ± {percent(error.deviation, 1)}",
                "" if error.method == "half" else f"{100 * gain.mean():+.1f} ± {100 * spread:.1f}",
                theirs.get("all", theirs.get("with_elo", "")),
            )
        )
    return numbers_table(
        ("method", "matches", "mean error, %", "better than always half by, %", "paper's mean error, %"),
        lines,
    )


def matches_figure(rows: Sequence[MatchForecast]) -> Figure:
    """Actual scores of the winners, and what the years before let expect."""
    places = list(range(1, len(rows) + 1))
    names = [str(row.match) for row in rows]
    moves = [row.forecasts["rating by moves"] for row in rows]
    elo = [100 * row.forecasts["elo"].expectation if "elo" in row.forecasts else math.nan for row in rows]
    series = [
        Series(
            "actual", places, [100 * row.match.actual for row in rows], number=0, line=False, titles=names
        ),
        Series(
            "rating by moves, 95% range",
            places,
            [100 * forecast.expectation for forecast in moves],
            [100 * forecast.low for forecast in moves],
            [100 * forecast.high for forecast in moves],
            number=1,
            line=False,
            titles=names,
        ),
        Series("published ratings", places, elo, number=2, line=False, titles=names),
    ]
    panel = Panel(series, x_title="title match, 1935 to 2013", y_title="% of the winner", whole_x=True)
    return curves("Seventeen title matches, forecast from the years before", [panel])


def conformance_figure(roster: Champions) -> Figure:
    """Figures 16 and 17: conformance by year of four champions."""
    careers = careers_by(roster, "conformance")
    return career_figure({family(player): career_table(player, careers) for player in DRAWN}, bound=30)


def by_circumstance(workspace: Path) -> Tables:
    """Ratings of all champions' games by the opponents' ratings, from the moves alone."""
    from assay.rating.calibration import shipped

    opened = Workspace(workspace)
    recipe_id = opened.recipe_id()
    decisions = opened.decisions(recipe_id, players=list(CHAMPIONS), trace=True)
    decisions = whole_games(decisions, list(classical_games(opened)))
    opponents, elo = decisions.numbers("opponent_elo"), decisions.numbers("player_elo")
    rows = []
    for low, high in OPPONENTS:
        chosen = decisions.take(np.flatnonzero((opponents >= low) & (opponents <= high) & np.isfinite(elo)))
        rated = rate_decisions(chosen, shipped(recipe_id), prior="flat", methods=["traits"])[0]
        pairs = [
            (player.combined, player.reference) for player in rated if player.combined and player.games >= 5
        ]
        weight = np.array([rating.games for rating, _ in pairs])
        apart = np.array([rating.elo - reference for rating, reference in pairs])
        games = len(set(chosen.text("game_id")))
        rows.append(
            (
                f"{low} to {high}" if low else f"below {high + 1}",
                games,
                len(pairs),
                f"{np.average(apart, weights=weight):+.0f}",
            )
        )
    heads = ("opponents' published rating", "games", "champions", "rating by moves less published")
    yield "By the opponents' rating", numbers_table(heads, rows)


def main(words: Sequence[str]) -> None:
    """Print the tables, and draw the figures."""
    parser = command("champions-page", __doc__)
    parser.add_argument("--figures", type=Path, help="the folder docs, for its figures")
    parser.add_argument("--workspace", type=Path)
    given = parser.parse_args(words)
    roster = champions()
    matches = title_matches(roster)
    tables: list[tuple[str, str]] = [
        ("Best years by the rating by moves", careers_table(roster)),
        ("The prior", ""),
        ("Beside published ratings", beside_published(roster)),
        ("Each year expected from all other years", left_out_years(roster)),
        ("Best years by conformance", best_by_conformance(roster)),
        ("Head-to-heads in the best years, beside Tables 7 to 9", head_to_head_tables(roster)),
        ("Title matches forecast from the years before (Table 5)", matches_table(matches)),
        ("Errors of these forecasts", errors_table(matches)),
        ("Without the first eight moves", without_opening(roster)),
    ]
    if given.workspace is not None:
        tables += by_circumstance(given.workspace)
    known = {**roster.header, **asdict(roster.model), "years": len(roster.keys)}
    print_tables((title, f"{WORDS[title].format(**known)}\n\n{text}".strip()) for title, text in tables)
    if given.figures is not None:
        for ending in ("svg", "png"):
            write_figure(given.figures / "images" / f"champions.{ending}", champions_figure(roster))
        images = given.figures / "evidence" / "images"
        write_figure(images / "champions_matches.svg", matches_figure(matches))
        write_figure(images / "champions_conformance.svg", conformance_figure(roster))
