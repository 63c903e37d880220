"""Ferreira 2012 on real games: its events analysed anew, its game, and gain on players of known rating.

Tables of docs/evidence/paper_ferreira2012*.md. An engine analyses the games by `single`, as
the paper's engine did: one line to a fixed depth. The events are in the workspace `gain-events` below
`--work`, milepost games in `mileposts-single`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import as_file, files
from typing import Any

import numpy as np
from scipy.stats import rankdata, spearmanr

from assay.answers.comparisons import CrossTable
from assay.answers.ratings import Quantity
from assay.decisions import measures
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.exclusions import PART_OF_EVENT
from assay.decisions.names import fold
from assay.decisions.rules import rated
from assay.errors import InputError
from assay.models import GainModel, gain
from assay.models.gain import (
    CORRELATION,
    LIMIT,
    compare,
    cross_tables,
    engine_strength_from,
    of_strength,
    perceived_ratings,
    running_strength,
    strengths,
)
from assay.reproduce import facts
from assay.reproduce.ferreira2012 import game_gains
from research.calibration.mileposts import main as pick_mileposts
from research.markdown import PLAIN, RIGHT, Tables, table
from research.papers import Games

INCLUDE = PART_OF_EVENT
"""The paper counts the rapid games and short draws of these events."""

RESAMPLES = 1000

RECIPE = "single"

CENTURY_RECIPES = (RECIPE, "standard", "ferreira2012")
"""By which the game of the century is analysed."""

FIRST = 14
"""Games of each milepost that are analysed by `single`."""


def model_for(decisions: Decisions, engine_profile: str) -> GainModel:
    """The model with the peak as the engine's distribution, or with one measured on these decisions."""
    model = GainModel(engine_profile=engine_profile, include=INCLUDE)
    return model.measure_engine(decisions) if engine_profile == "measured" else model


def summary(title: str, decisions: Decisions) -> str:
    """What was analysed, on one line."""
    gains = measures.gain(decisions, LIMIT)
    return (
        f"- {title}: {len(decisions.games)} games, {len(decisions):,} decisions, mean gain "
        f"{np.nanmean(gains) / 100:+.3f} pawns, {np.mean(gains == 0):.1%} of the gains are exactly zero."
    )


def event(decisions: Decisions, by: str, published: list[dict[str, Any]]) -> str:
    """Strengths by Algorithm 2 with intervals beside the printed ones, and how far they agree."""
    [cross_table] = cross_tables(decisions, model_for(decisions, "peak"), by=by, resamples=RESAMPLES)
    paper = {str(row["player"]): row for row in published}
    theirs = np.array([float(paper[family(name)]["estimated"]) for name in cross_table.players])
    heads = ("player", "Elo", "points", "expected", "strength", "95% interval", "in the paper")
    lines = table(heads, _strengths(cross_table, theirs), (PLAIN, *[RIGHT] * 6))
    return f"{lines}\n\n{agreement(cross_table, theirs)}"


def _strengths(cross_table: CrossTable, theirs: Floats) -> Iterator[tuple[str, ...]]:
    for row, name in enumerate(cross_table.players):
        yield (
            family(name),
            f"{cross_table.elos[row]:.0f}",
            f"{cross_table.total_results[row]:g}",
            f"{cross_table.total_expectations[row]:.2f}",
            f"{cross_table.perceived.ratings[row]:.0f}",
            f"{cross_table.low[row]:.0f} to {cross_table.high[row]:.0f}",
            f"{theirs[row]:.0f}",
        )


def agreement(cross_table: CrossTable, theirs: Floats) -> str:
    """Rank correlations with the paper and with the ratings, and how many intervals hold the paper's."""
    ours = cross_table.perceived.ratings
    inside = int(np.sum((cross_table.low <= theirs) & (theirs <= cross_table.high)))
    half_width = float(np.mean(cross_table.high - cross_table.low)) / 2
    return (
        f"Rank correlation of our strengths with the paper's: **{spearmanr(ours, theirs).statistic:.2f}**; "
        f"with the ratings: {spearmanr(ours, cross_table.elos).statistic:.2f} (the paper's with the ratings: "
        f"{spearmanr(theirs, cross_table.elos).statistic:.2f}). The mean difference to the paper is "
        f"{np.abs(ours - theirs).mean():.0f} points; {inside} of {len(ours)} published strengths lie inside "
        f"our intervals, which reach {half_width:.0f} points to either side on average."
    )


def engine_by_players(decisions: Decisions, printed: list[dict[str, Any]]) -> str:
    """Table 4: each player against the engine's peak, and its strength by each; the paper's beside ours."""
    [cross_table] = cross_tables(decisions, model_for(decisions, "peak"), by="event", resamples=0)
    paper = {str(row["player"]): row for row in printed}
    rows, ours, theirs = [], [], []
    for place, name in enumerate(cross_table.players):
        row = paper[family(name)]
        against, difference = cross_table.against_engine[place], cross_table.to_engine[place]
        ours.append(against)
        theirs.append(row["expectation"])
        engine = row["engine_by_elo"], cross_table.elos[place] - difference
        cells = f"{row['expectation']:.3f}", f"{against:.3f}", f"{row['difference']}", f"{difference:.0f}"
        rows.append((family(name), *cells, *(f"{value:.0f}" for value in engine)))
    rows.append(("mean", "", "", "", "", "2860", f"{cross_table.engine_strength[0]:.0f}"))
    heads = ("player", "p, paper", "p, ours", "d, paper", "d, ours", "engine, paper", "engine, ours")
    rank = spearmanr(ours, theirs).statistic
    lines = table(heads, rows, (PLAIN, *[RIGHT] * 6))
    return f"{lines}\n\nRank correlation of p with the paper's: **{rank:.2f}**."


def engine_strengths(events: dict[str, Decisions]) -> str:
    """The engine's strength by Algorithm 3, with either of its distributions."""
    rows = []
    for title, decisions in events.items():
        for profile in ("peak", "measured"):
            [cross_table] = cross_tables(decisions, model_for(decisions, profile), by="event", resamples=0)
            by_elo, by_estimate = cross_table.engine_strength
            together = spearmanr(cross_table.against_engine, cross_table.perceived.ratings).statistic
            rows.append((title, profile, f"{by_elo:.0f}", f"{by_estimate:.0f}", f"{together:.2f}"))
    heads = ("event", "engine's distribution", "by ratings", "by strengths", "rank correlation")
    return table(heads, rows, (PLAIN, PLAIN, RIGHT, RIGHT, RIGHT))


def family(name: str) -> str:
    """The family name, as the paper's tables have it."""
    return name.split(",")[0]


def game_of_the_century(games: dict[str, Decisions], events: list[Decisions]) -> str:
    """Fischer's lead over Byrne directly (113 in the paper) and through the engine (142).

    `games` is the game by recipe; `events` are what else the engine is measured on, with RECIPE.
    """
    gains = game_gains(facts("ferreira2012")["game_of_the_century"])
    white, black = (gain.histogram(side, LIMIT) for side in gains)
    engines = printed_engines(games["ferreira2012"], *gains)
    rows = list(three_ways("printed (Houdini, depth 20)", white, black, engines))
    for recipe, decisions in games.items():
        white, black = (
            gain.histogram(measures.gain(decisions.select(colour=colour), LIMIT), LIMIT)
            for colour in ("white", "black")
        )
        engines = own_engines(decisions, events if recipe == RECIPE else [])
        rows += three_ways(f"`{recipe}`", white, black, engines)
    heads = ("evaluations", "engine's distribution", "direct", "through the engine", "gap")
    return table(heads, rows, (PLAIN, PLAIN, RIGHT, RIGHT, RIGHT))


def printed_engines(deep: Decisions, white: Floats, black: Floats) -> dict[str, Floats]:
    """The engine's distribution from the printed gains of moves that our engine would play too."""
    in_order = np.empty(len(white) + len(black))
    in_order[0::2], in_order[1::2] = white, black
    agreed = deep.played_index[np.argsort(deep.numbers("ply"))] == 0
    return _engines(gain.histogram(in_order[agreed], LIMIT), int(agreed.sum()))


def own_engines(decisions: Decisions, events: list[Decisions]) -> dict[str, Floats]:
    """The engine's distribution from our gains: of this game, and of whole events where there are some."""
    agreed = decisions.played_index == 0
    histogram = gain.histogram(measures.gain(decisions, LIMIT)[agreed], LIMIT)
    engines = _engines(histogram, int(agreed.sum()))
    if events:
        model = GainModel(engine_profile="measured", include=INCLUDE)
        measured = model.measure_engine(Decisions.concat(events)).engine
        engines[f"{measured.sum():,.0f} moves of both events"] = measured
    return engines


def _engines(histogram: Floats, moves: int) -> dict[str, Floats]:
    return {"peak": gain.peak(LIMIT), f"{moves} moves of this game": histogram}


def three_ways(
    title: str, white: Floats, black: Floats, engines: dict[str, Floats]
) -> Iterator[tuple[str, ...]]:
    """Black's lead over White directly and through each distribution of the engine, and the gap between."""
    direct = float(gain.rating_difference(gain.expectation(black, white)))
    for name, profile in engines.items():
        ahead, behind = (
            float(gain.rating_difference(gain.expectation(side, profile))) for side in (black, white)
        )
        through = ahead - behind
        yield title, name, f"{direct:.0f}", f"{through:.0f}", f"{abs(through - direct):.0f}"


AFTER = (10, 20, 30)
"""Moves after which the intervals of single games are tried."""


class MilepostGains:
    """Gains of milepost games, their mileposts, and where they stand among the engine's and others'."""

    def __init__(self, decisions: Decisions) -> None:
        self.decisions = decisions
        self.milepost = 100 * np.rint(decisions.numbers("player_elo") / 100)
        self.gains = measures.gain(decisions, LIMIT)
        self.has_gain = ~np.isnan(self.gains)
        self.elos = np.unique(self.milepost)
        self.side = decisions.codes("game_id") * 2 + decisions.codes("colour")

    def placed(self) -> dict[str, Floats]:
        """For each move the expectation against the peak and the measured engine, and the gain in pawns."""
        moves_of_engine = self.gains[self.has_gain & (self.decisions.played_index == 0)]
        return {
            "peak": self.among(gain.peak(LIMIT)),
            "measured": self.among(gain.histogram(moves_of_engine, LIMIT)),
            "mean gain": self.gains / 100,
        }

    def among(self, histogram: Floats) -> Floats:
        """Where each gain stands among those of a histogram, from 0 to 1."""
        places: Floats = (gain.placements(histogram) / histogram.sum())[bins(self.gains)]
        return places

    def correlation(self, values: Floats) -> float:
        """Correlation of the moves of one game in this quantity."""
        known = self.has_gain
        return correlation(values[known], self.side[known], self.milepost[known])

    def by_milepost(self) -> str:
        """The table by milepost: means, their rank correlation with Elo, correlation within games."""
        placed = self.placed()
        rows = [self.has_gain & (self.milepost == elo) for elo in self.elos]
        means_of = {name: [float(values[row].mean()) for row in rows] for name, values in placed.items()}
        ranks = [spearmanr(self.elos, means).statistic for means in means_of.values()]
        lines = [
            (f"{elo:.0f}", *(f"{means[place]:.3f}" for means in means_of.values()))
            for place, elo in enumerate(self.elos)
        ]
        lines.append(("rank correlation", *(f"**{values:.2f}**" for values in ranks)))
        lines.append(("correlation", *(f"{self.correlation(values):.3f}" for values in placed.values())))
        heads = ("rating", "against the peak", "against the measured engine", "mean gain")
        return table(heads, lines, RIGHT)

    def covered(self, engine: str, moves: int) -> float:
        """Share of the games in which the interval after so many moves holds the milepost's expectation."""
        model = GainModel(engine_profile=engine)
        if engine == "measured":
            model.measure_engine(self.decisions)
        placed = self.among(model.engine)
        inside = []
        for side in np.unique(self.side):
            rows = np.flatnonzero(self.side == side)
            if len(rows) >= moves:
                same = (self.milepost == self.milepost[rows[0]]) & self.has_gain
                running = running_strength(self.gains[rows], model)
                truth = placed[same].mean()
                inside.append(running.low[moves - 1] <= truth <= running.high[moves - 1])
        return float(np.mean(inside))

    def follows_elo(self) -> float:
        """Correlation of a player's mean gain in one game, values within 10 pawns, with the milepost."""
        known = self.has_gain
        _, side = np.unique(self.side[known], return_inverse=True)
        n = np.bincount(side)
        means = np.bincount(side, measures.gain(self.decisions, 1000)[known]) / n
        return float(np.corrcoef(means, np.bincount(side, self.milepost[known]) / n)[0, 1])

    def against_each_other(self) -> tuple[float, float]:
        """Algorithm 2 between mileposts: rank correlation with Elo, and points of strength per 100 Elo."""
        code = np.searchsorted(self.elos, self.milepost)
        histograms = gain.histograms(self.gains[self.has_gain], code[self.has_gain], len(self.elos), LIMIT)
        differences = gain.rating_difference(gain.expectations(histograms, histograms))
        perceived = perceived_ratings(differences, self.elos).ratings
        slope = np.polyfit(self.elos, perceived, 1)[0]
        return float(spearmanr(self.elos, perceived).statistic), float(100 * slope)


def bins(gains: Floats) -> Ints:
    """The bin of a histogram that each gain falls into."""
    return np.rint(np.nan_to_num(gains)).astype(np.int64) + 2 * LIMIT


def correlation(values: Floats, side: Ints, group: Floats) -> float:
    """Correlation of the moves of one game, from how far games stray from their group."""
    excess, pairs = 0.0, 0.0
    for one in np.unique(group):
        inside = group == one
        _, game = np.unique(side[inside], return_inverse=True)
        n = np.bincount(game)
        means = np.bincount(game, values[inside]) / n
        squares = n * (means - values[inside].mean()) ** 2 / values[inside].var()
        excess += float(np.sum(squares * len(n) / (len(n) - 1) - 1))
        pairs += float(np.sum(n - 1))
    return excess / pairs


SPELLINGS = {"kortschnoj": "korchnoi", "huebner": "hubner"}
"""Names as the games have them, where the paper has others."""


@dataclass(frozen=True)
class Event:
    """An event: what it is called here, a word of its name in the games, and its year."""

    title: str
    word: str
    year: int

    def of(self, decisions: Decisions) -> Decisions:
        """Its decisions."""
        of_year = decisions.select(year=self.year)
        names = {name for name in of_year.text("event") if name is not None and self.word in name}
        return of_year.select(event=sorted(names))


LONDON = Event("London Classic 2011", "London", 2011)
TAL = Event("Tal Memorial 2011", "Tal Memorial", 2011)
CANDIDATES_2011 = Event("Candidates 2011", "Candidates", 2011)
CANDIDATES = Event("Candidates 1971", "Candidat", 1971)
FILES = (
    "london-classic-2011",
    "tal-memorial-2011",
    "candidates-2011",
    "candidates-1971",
    "fischer-spassky-1992",
    "kasparov-deep-blue-1997",
)
MATCHES = {
    "fischer_spassky_1972": Event("Fischer-Spassky 1972", "World Championship", 1972),
    **{
        f"kasparov_karpov_{year}": Event(f"Kasparov-Karpov {year}", "World Championship", year)
        for year in (1984, 1985, 1986, 1987, 1990)
    },
    "fischer_spassky_1992": Event("Fischer-Spassky 1992", "Belgrade", 1992),
    "kasparov_deep_blue_1997": Event("Kasparov-Deep Blue 1997", "Man-Machine", 1997),
}
WINNERS = ("Kasparov", "Fischer")
"""The paper names them first."""

EVENTS = (LONDON, TAL, CANDIDATES_2011, CANDIDATES, *MATCHES.values())


class History:
    """The events of a workspace, and the engine's strength as the London Classic 2011 has it."""

    def __init__(self, decisions: Decisions) -> None:
        self.decisions = decisions
        self.printed = facts("ferreira2012")

    def of(self, event: Event) -> Decisions:
        """The decisions of an event."""
        return event.of(self.decisions)

    def coverage(self) -> str:
        """The games and moves of each event."""
        parts = ((event.title, self.of(event)) for event in EVENTS)
        rows = [(title, len(part.games), f"{len(part):,}") for title, part in parts]
        return table(("event", "games", "moves"), rows, (PLAIN, RIGHT, RIGHT))

    @cached_property
    def models(self) -> Mapping[str, GainModel]:
        """The engine as its peak and as it was measured, each of the strength that London 2011 gives it."""
        london = self.of(LONDON)
        everything = Decisions.concat([part for event in EVENTS if len(part := self.of(event))])
        models = {"peak": model_for(london, "peak"), "measured": model_for(everything, "measured")}
        return {
            name: of_strength(model, engine_strength_from(london, model)) for name, model in models.items()
        }

    def table_2(self) -> str:
        """Players at London against players at the Tal Memorial: the paper's difference, ours, agreement."""
        model = self.models["peak"]
        london, tal = self.of(LONDON), self.of(TAL)
        names = {family(name): name for name in london.players}
        rows, theirs, ours, inside = [], [], [], 0
        shown = [name for name in self.printed["table_2"] if name in names]
        for row in shown:
            cells = [row]
            for column in shown:
                printed = self.printed["table_2"][row][column]
                first, second = london.select(player=names[row]), tal.select(player=names[column])
                comparison = compare(first, second, model)
                value, low, high = comparison.differences
                theirs.append(float(printed["difference"]))
                ours.append(value)
                inside += low <= theirs[-1] <= high
                cells.append(f"{printed['difference']:+d}; {value:+.0f} ({low:+.0f} to {high:+.0f})")
            rows.append(cells)
        heads = ("at London", *(f"{name} at Tal" for name in shown))
        agreement = (
            f"{inside} of {len(ours)} published differences lie inside our intervals; the rank correlation "
            f"of the differences is **{spearmanr(theirs, ours).statistic:.2f}**, their mean distance "
            f"{np.abs(np.subtract(theirs, ours)).mean():.0f} points. The pairs share "
            f"{2 * len(shown)} distributions, so they are no {len(ours)} separate tests."
        )
        return f"{table(heads, rows)}\n\n{agreement}"

    def table_5(self) -> str:
        """The Candidates of 1971 through the engine."""
        printed = {row["player"]: float(row["estimated"]) for row in self.printed["table_5"]["players"]}
        elos = {row["player"]: float(row["elo"]) for row in self.printed["table_5"]["players"]}
        ours = strengths(self.of(CANDIDATES), self.models["peak"]).values()
        errors = np.array([(strength.high - strength.low) / (2 * 1.96) for strength in ours])
        theirs_spread = float(np.std(list(printed.values()), ddof=1))
        our_spread = float(np.std([strength.value for strength in ours], ddof=1))
        doubt = order_in_doubt(theirs_spread, our_spread, errors)
        rows = self._through_engine(CANDIDATES, printed)
        return f"{_strengths_table(rows, elos)}\n\n{_agreement(rows)}\n\n{doubt}"

    def matches(self) -> Iterator[tuple[str, str]]:
        """Each match with its table, and in how many all published strengths lie inside our intervals."""
        inside = []
        for key, event in MATCHES.items():
            if len(self.of(event)):
                printed = {name: float(value) for name, value in self.printed["section_8"][key].items()}
                rows = self._through_engine(event, printed)
                inside.append([count == len(printed) for count in _inside(rows)])
                text = f"{_strengths_table(rows)}\n\n{_agreement(rows)}\n\n{self._direct(event)}"
                yield event.title, text
        peak, measured = np.sum(inside, axis=0)
        yield (
            "Matches",
            f"All published strengths lie inside our intervals in {peak} of {len(inside)} matches by the "
            f"engine's peak, and in {measured} by its measured distribution.",
        )

    def _direct(self, event: Event) -> str:
        """The two players of a match directly, by Algorithm 1."""
        decisions = self.of(event)
        first, second = sorted(decisions.players, key=lambda name: family(name) not in WINNERS)
        comparison = compare(
            decisions.select(player=first), decisions.select(player=second), self.models["peak"]
        )
        value, low, high = comparison.differences
        theirs = ""
        if event is MATCHES["kasparov_deep_blue_1997"]:
            theirs = f" The paper: {self.printed['section_8']['kasparov_over_deep_blue']}."
        return (
            f"Directly (Algorithm 1) {family(first)} is ahead of {family(second)} by {value:.0f} "
            f"({low:.0f} to {high:.0f}).{theirs}"
        )

    def _through_engine(self, event: Event, printed: Mapping[str, float]) -> list[StrengthRow]:
        """Name, published strength, and ours by every model, strongest first."""
        decisions = self.of(event)
        by_model = [strengths(decisions, model) for model in self.models.values()]
        rows: list[StrengthRow] = []
        for key in sorted(by_model[0], key=lambda key: -by_model[0][key].value):
            name = published_name(key[0], printed)
            rows.append((name, printed.get(name, math.nan), [by_player[key] for by_player in by_model]))
        return rows


TRUE_SPREAD = 10.0
"""Points of perceived strength, some 170 of Elo, by which the players of an event may differ."""


def order_in_doubt(theirs: float, ours: float, errors: Floats) -> str:
    """How far two measurements of the same players agree in their order, where the errors are so large."""
    generator = np.random.default_rng(2012)
    truth = generator.normal(0.0, TRUE_SPREAD, (4000, len(errors)))
    measured = [rankdata(truth + generator.normal(0.0, errors, truth.shape), axis=1) for _ in range(2)]
    agreement = [np.corrcoef(*pair)[0, 1] for pair in zip(*measured, strict=True)]
    low, high = np.quantile(agreement, (0.025, 0.975))
    error = np.sqrt(np.square(errors).mean())
    return (
        f"The paper's strengths have a standard deviation of {theirs:.0f} points, ours of {ours:.0f}, and "
        f"the standard error of one is {error:.0f}. Two measurements with such errors, of players whose true "
        f"strengths have a standard deviation of {TRUE_SPREAD:.0f}, agree by a rank correlation of "
        f"{np.mean(agreement):.2f} on average, and of {low:.2f} to {high:.2f} in 95%: so few games do not "
        "settle an order, in the paper or here."
    )


def published_name(player: str, printed: Mapping[str, float]) -> str:
    """The name that the paper has for a player; the family name where it has none."""
    name_in_games = fold(family(player))
    name_in_games = SPELLINGS.get(name_in_games, name_in_games)
    return next((name for name in printed if fold(name) == name_in_games), family(player))


StrengthRow = tuple[str, float, list[Quantity]]


def _strengths_table(rows: Sequence[StrengthRow], elos: Mapping[str, float] | None = None) -> str:
    lines = []
    for name, printed, ours in rows:
        rating = [f"{elos[name]:.0f}" if name in elos else ""] if elos else []
        spans = (f"{strength.value:.0f} ({strength.low:.0f} to {strength.high:.0f})" for strength in ours)
        lines.append((name, *rating, "" if math.isnan(printed) else f"{printed:.0f}", *spans))
    names = ("in the paper", "by the engine's peak", "by its measured distribution")
    heads = ("player", *(["Elo"] if elos else []), *names)
    return table(heads, lines, (PLAIN, *[RIGHT] * (len(heads) - 1)))


def _inside(rows: Sequence[StrengthRow]) -> list[int]:
    """How many published strengths lie inside our intervals, by each model."""
    by_row = [[own.low <= printed <= own.high for own in ours] for _, printed, ours in rows]
    return [int(count) for count in np.sum(by_row, axis=0)]


def _agreement(rows: Sequence[StrengthRow]) -> str:
    """How far the published strengths and ours agree."""
    published = [row for row in rows if not math.isnan(row[1])]
    sentences = []
    for place, (how, inside) in enumerate(zip(("peak", "measured distribution"), _inside(rows), strict=True)):
        text = f"With the {how} {inside} of {len(published)} published strengths lie inside our intervals"
        if len(published) > 2:
            theirs, ours = zip(*((printed, by[place].value) for _, printed, by in published), strict=True)
            text += (
                f", and the rank correlation with the paper is **{spearmanr(theirs, ours).statistic:.2f}**"
            )
        sentences.append(text)
    return ". ".join(sentences) + "."


def events(games: Games) -> Tables:
    """Tables 1 to 6, the matches of section 8, and the game of the century."""
    printed = facts("ferreira2012")
    history = History(gain_events(games))
    london, candidates = history.of(LONDON), history.of(CANDIDATES_2011)
    analysed = {event.title: history.of(event) for event in (LONDON, CANDIDATES_2011)}
    yield "Events", "\n".join(summary(title, decisions) for title, decisions in analysed.items())
    yield "Table 1: London Classic 2011", event(london, "event", printed["table_1"])
    yield "Table 3: Candidates 2011", event(candidates, "match", printed["table_3"])
    yield "Table 4: the engine's strength", engine_by_players(london, printed["table_4"]["players"])
    yield "The engine's strength by either distribution", engine_strengths(analysed)
    with as_file(files("assay") / "data" / "examples" / "game_of_the_century.pgn") as game:
        by_recipe = {recipe: games.event(game, recipe) for recipe in CENTURY_RECIPES}
    yield "The game of the century", game_of_the_century(by_recipe, [london, candidates])
    yield from of_other_years(history.decisions)


def gain_events(games: Games) -> Decisions:
    """Decisions of all games of the paper, analysed where that is missing. Short and rapid games count."""
    workspace = games.workspace("gain-events")
    titles = games.path("events/title-matches-1886-2021.pgn").read_text(encoding="utf-8").split("[Event ")[1:]
    years = {str(event.year) for event in MATCHES.values()}
    chosen = workspace.path.with_name("title-matches.pgn")
    chosen.parent.mkdir(parents=True, exist_ok=True)
    wanted = [game for game in titles if game.partition('[Date "')[2][:4] in years]
    chosen.write_text("".join(f"[Event {game}" for game in wanted), encoding="utf-8")
    files_of_events = [games.path(f"events/{name}.pgn") for name in FILES]
    workspace.import_games([*files_of_events, chosen])
    run = workspace.analyse(RECIPE, jobs=games.jobs, include=PART_OF_EVENT)
    return workspace.decisions(run.recipe_id).filter(rated(PART_OF_EVENT))  # some are in two of the files


def mileposts(games: Games) -> Tables:
    """Gain on players of known rating, by `single` and by `standard` on the same games."""
    workspace = games.workspace("mileposts-single")
    chosen = workspace.path.with_name("mileposts.pgn")
    chosen.parent.mkdir(parents=True, exist_ok=True)
    pick_mileposts([str(games.path("mileposts")), str(chosen), "--first", str(FIRST)])
    workspace.import_games(chosen)
    run = workspace.analyse(RECIPE, jobs=games.jobs)
    single = workspace.decisions(run.recipe_id)
    standard = games.mileposts().select(game=sorted(set(single.games)))
    by_recipe = {RECIPE: MilepostGains(single), "standard": MilepostGains(standard)}
    yield from of_mileposts(by_recipe)


def of_mileposts(by_recipe: Mapping[str, MilepostGains]) -> Tables:
    """The tables from gains by recipe."""
    for recipe, gains in by_recipe.items():
        yield f"Mileposts, `{recipe}`", gains.by_milepost()
    rows = []
    for recipe, gains in by_recipe.items():
        everyone = gain.histogram(gains.gains[gains.has_gain], LIMIT)
        rank, slope = gains.against_each_other()
        cells = gains.follows_elo(), rank, gains.correlation(gains.among(everyone))
        rows.append((f"`{recipe}`", *(f"{value:.3f}" for value in cells), f"{slope:.1f}"))
    heads = ("recipe", "game's mean gain with Elo", "Algorithm 2 with Elo, rank", "moves of one game")
    yield "Correlations", table((*heads, "strength per 100 Elo"), rows, (PLAIN, *[RIGHT] * 4))
    used = ", ".join(f"{of} {value:.3f}" for of, value in CORRELATION.items())
    yield "Correlations that the method uses", f"Correlations in use: {used}."
    covered = [
        (f"`{recipe}`", engine, moves, f"{gains.covered(engine, moves):.1%}")
        for recipe, gains in by_recipe.items()
        for engine in ("peak", "measured")
        for moves in AFTER
    ]
    yield (
        "Intervals of single games that contain the milepost's",
        table(("recipe", "engine", "moves", "share"), covered),
    )


def of_other_years(decisions: Decisions) -> Tables:
    """Tables 2, 5 and 6 and section 8."""
    history = History(decisions)
    if not len(history.of(LONDON)):
        raise InputError("the London Classic 2011, which gives the engine its strength, is missing")
    yield "Events of other years", history.coverage()
    strengths_of_engine = (f"{name} {model.engine_strength:.0f}" for name, model in history.models.items())
    paper = history.printed["section_8"]["engine"]
    yield "Strength of the engine", f"{', '.join(strengths_of_engine)}; {paper} in the paper"
    if len(history.of(TAL)):
        yield "Table 2: London 2011 against the Tal Memorial 2011", history.table_2()
    if len(history.of(CANDIDATES)):
        yield "Table 5: the Candidates 1971", history.table_5()
    yield from history.matches()


PARTS = (events, mileposts)
