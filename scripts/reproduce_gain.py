"""Ferreira 2012 on real games: makes docs/reproduction/gain.md.

    python scripts/reproduce_gain.py --events FOLDER --mileposts FILE --work FOLDER

`--events` holds london-classic-2011.pgn and candidates-2011.pgn, `--mileposts` is a file of decisions of
rated players, and `--work` keeps the workspaces: what is analysed there already is not analysed again.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.stats import spearmanr

from assay.domain import measures
from assay.domain.decisions import Decisions
from assay.models import GainModel
from assay.models import gain_distribution as distribution
from assay.models.crosstable import CrossTable
from assay.models.live import running_strength
from assay.models.perceived import perceived_ratings
from assay.models.tournament import cross_tables
from assay.study import Study
from assay.validation.published import facts
from assay.validation.published.gain import game_gains

ROOT = Path(__file__).resolve().parent.parent
GAME = ROOT / "src" / "assay" / "examples" / "game_of_the_century.pgn"
INCLUDE = ("fast_time_control", "too_short")
Floats = npt.NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=Path, required=True)
    parser.add_argument("--mileposts", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "reproduction" / "gain.md")
    chosen = parser.parse_args()
    london = analysed(chosen.events / "london-classic-2011.pgn", chosen.work, chosen.jobs)
    candidates = analysed(chosen.events / "candidates-2011.pgn", chosen.work, chosen.jobs)
    game = {name: analysed(GAME, chosen.work, chosen.jobs, name) for name in ("standard", "ferreira2012")}
    mileposts = Decisions.read(chosen.mileposts)
    lines = [
        *introduction(london, candidates),
        *event("London Classic 2011 (Table 1)", london, "event", facts("gain")["table_1"]),
        *event("Candidates 2011 (Table 3)", candidates, "match", facts("gain")["table_3"]),
        *engine(london, candidates),
        *game_of_the_century(game, london, candidates),
        *on_mileposts(mileposts),
    ]
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    chosen.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def analysed(games: Path, work: Path, jobs: int, recipe: str = "standard") -> Decisions:
    """Decisions of a PGN file, analysed where that is missing."""
    study = Study(games, workspace=work / games.stem, recipe=recipe, jobs=jobs, include=INCLUDE)
    return study.decisions()


def model_for(decisions: Decisions, engine_profile: str) -> GainModel:
    model = GainModel(engine_profile=engine_profile, include=INCLUDE)
    return model.measure_engine(decisions) if engine_profile == "measured" else model


def introduction(london: Decisions, candidates: Decisions) -> Iterator[str]:
    yield "# What Ferreira 2012 gives on real games"
    yield ""
    yield "Made by `python scripts/reproduce_gain.py`. What can be recomputed from printed numbers is in"
    yield "`assay reproduce --paper gain`; this page is about the same events analysed anew: the paper used"
    yield "Houdini 1.5a at depth 20, here it is Stockfish 15.1 with the recipe `standard` (150,000 nodes, 10"
    yield "lines, hash cleared)."
    yield ""
    for title, decisions in (("London Classic 2011", london), ("Candidates 2011", candidates)):
        gains = measures.gain(decisions, 3900)
        yield (
            f"- {title}: {len(decisions.games)} games, {len(decisions):,} decisions, mean gain "
            f"{np.nanmean(gains) / 100:+.3f} pawns, {np.mean(gains == 0):.1%} of the gains are exactly zero."
        )
    yield ""


def family(name: str) -> str:
    return name.split(",")[0]


def event(title: str, decisions: Decisions, by: str, published: list[dict[str, object]]) -> Iterator[str]:
    [table] = cross_tables(decisions, model_for(decisions, "peak"), by=by, resamples=1000)
    paper = {str(row["player"]): row for row in published}
    theirs = np.array([float(paper[family(name)]["estimated"]) for name in table.players])  # type: ignore[arg-type]
    yield f"## {title}"
    yield ""
    yield "| player | Elo | points | expected | strength | 95% interval | in the paper |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for row, name in enumerate(table.players):
        yield (
            f"| {family(name)} | {table.elos[row]:.0f} | {table.total_results[row]:g} | "
            f"{table.total_expectations[row]:.2f} | {table.perceived.ratings[row]:.0f} | "
            f"{table.low[row]:.0f} to {table.high[row]:.0f} | {theirs[row]:.0f} |"
        )
    yield ""
    yield from agreement(table, theirs)
    yield ""


def agreement(table: CrossTable, theirs: Floats) -> Iterator[str]:
    ours = table.perceived.ratings
    inside = int(np.sum((table.low <= theirs) & (theirs <= table.high)))
    half_width = float(np.mean(table.high - table.low)) / 2
    yield (
        f"Rank correlation of our strengths with the paper's: **{spearmanr(ours, theirs).statistic:.2f}**; "
        f"with the ratings: {spearmanr(ours, table.elos).statistic:.2f} (the paper's with the ratings: "
        f"{spearmanr(theirs, table.elos).statistic:.2f}). The mean difference to the paper is "
        f"{np.abs(ours - theirs).mean():.0f} points; {inside} of {len(ours)} published strengths lie inside "
        f"our intervals, which reach {half_width:.0f} points to either side on average."
    )


def engine(london: Decisions, candidates: Decisions) -> Iterator[str]:
    yield "## The engine's strength (Table 4, Algorithm 3)"
    yield ""
    yield "| event | engine's distribution | by ratings | by strengths | rank correlation |"
    yield "|---|---|---:|---:|---:|"
    for title, decisions in (("London Classic 2011", london), ("Candidates 2011", candidates)):
        for profile in ("peak", "measured"):
            model = model_for(decisions, profile)
            [table] = cross_tables(decisions, model, by="event", resamples=0)
            by_elo, by_estimate = table.engine_strength()
            together = spearmanr(table.against_engine, table.perceived.ratings).statistic
            yield f"| {title} | {profile} | {by_elo:.0f} | {by_estimate:.0f} | {together:.2f} |"
    yield ""
    yield "The paper's engine: 2860 with its peak. The last column is the rank correlation of the players'"
    yield "expectations against the engine (Algorithm 4) with their strengths from each other (Algorithm 2):"
    yield "both should say the same."
    yield ""


def game_of_the_century(
    games: dict[str, Decisions], london: Decisions, candidates: Decisions
) -> Iterator[str]:
    yield "## The Game of the Century: does the engine's own distribution bring 113 and 142 together?"
    yield ""
    yield "The paper finds 113 points between Fischer and Byrne directly, and 142 through the engine's peak."
    yield "With a measured distribution of the engine in place of the peak:"
    yield ""
    yield "| evaluations | engine's distribution | direct | through the engine | gap |"
    yield "|---|---|---:|---:|---:|"
    gains = game_gains(facts("gain")["game_of_the_century"])
    white, black = (distribution.histogram(side, 3900) for side in gains)
    yield from three_ways("printed (Houdini, depth 20)", white, black, printed_engines(games, *gains))
    for recipe, decisions in games.items():
        sides = []
        for colour in ("white", "black"):
            found = measures.gain(decisions.select(colour=colour), 3900)
            sides.append(distribution.histogram(found, 3900))
        engines = own_engines(decisions, recipe, london, candidates)
        yield from three_ways(f"`{recipe}`", sides[0], sides[1], engines)
    yield ""


def printed_engines(games: dict[str, Decisions], white: Floats, black: Floats) -> dict[str, Floats]:
    """The engine's distribution from the printed gains of moves that our engine would play too."""
    in_order = np.empty(82)
    in_order[0::2], in_order[1::2] = white, black
    deep = games["ferreira2012"]
    agreed = deep.played_index[np.argsort(deep.numbers("ply"))] == 0
    return {
        "peak": distribution.peak(3900),
        f"{int(agreed.sum())} moves of this game": distribution.histogram(in_order[agreed], 3900),
    }


def own_engines(
    decisions: Decisions, recipe: str, london: Decisions, candidates: Decisions
) -> dict[str, Floats]:
    agreed = decisions.played_index == 0
    own = distribution.histogram(measures.gain(decisions, 3900)[agreed], 3900)
    engines = {"peak": distribution.peak(3900), f"{int(agreed.sum())} moves of this game": own}
    if recipe == "standard":
        both = Decisions.concat([london, candidates])
        measured = GainModel(engine_profile="measured", include=INCLUDE).measure_engine(both)
        engines[f"{measured.engine.sum():,.0f} moves of both events"] = measured.engine
    return engines


def three_ways(title: str, white: Floats, black: Floats, engines: dict[str, Floats]) -> Iterator[str]:
    direct = float(distribution.rating_difference(distribution.expectation(black, white)))
    for name, profile in engines.items():
        differences = [
            float(distribution.rating_difference(distribution.expectation(side, profile)))
            for side in (black, white)
        ]
        through = differences[0] - differences[1]
        gap = abs(through - direct)
        yield f"| {title} | {name} | {direct:.0f} | {through:.0f} | {gap:.0f} |"


def on_mileposts(decisions: Decisions) -> Iterator[str]:
    yield "## Players of known rating"
    yield ""
    yield f"{len(decisions.games)} games of equally rated players ({len(decisions):,} decisions, turn 9 on),"
    yield "by hundreds of their rating: expectation against the engine, mean gain, and the correlation of the"
    yield "moves of one game, which intervals allow for."
    yield ""
    milepost = 100 * np.rint(decisions.numbers("player_elo") / 100)
    gains = measures.gain(decisions, 3900)
    known = ~np.isnan(gains)
    side = decisions.codes("game_id") * 2 + decisions.codes("colour")
    engines = {
        "peak": distribution.peak(3900),
        "measured": distribution.histogram(gains[known & (decisions.played_index == 0)], 3900),
    }
    placed = {name: (distribution.placements(one) / one.sum())[bins(gains)] for name, one in engines.items()}
    placed["mean gain"] = gains / 100
    yield "| rating | against the peak | against the measured engine | mean gain |"
    yield "|---:|---:|---:|---:|"
    elos = np.unique(milepost)
    rows = [known & (milepost == elo) for elo in elos]
    found = {name: [float(one[row].mean()) for row in rows] for name, one in placed.items()}
    for place, elo in enumerate(elos):
        yield f"| {elo:.0f} | " + " | ".join(f"{found[name][place]:.3f}" for name in placed) + " |"
    correlations = [spearmanr(elos, found[name]).statistic for name in placed]
    yield "| rank correlation | " + " | ".join(f"**{one:.2f}**" for one in correlations) + " |"
    everyone = distribution.histogram(gains[known], 3900)
    placed["among all players' moves"] = (distribution.placements(everyone) / known.sum())[bins(gains)]
    spreads = {name: correlation(one[known], side[known], milepost[known]) for name, one in placed.items()}
    yield "| correlation | " + " | ".join(f"{spreads[name]:.3f}" for name in found) + " |"
    yield ""
    yield f"The correlation of placements among the moves of all players is {spreads.popitem()[1]:.3f}."
    yield ""
    yield (
        "The 95% interval of a single game, as `assay live` gives it, holds the expectation of the whole "
        "milepost (from which the correlation was taken, too): "
        + "; ".join(
            f"after {moves} moves in {covered(decisions, gains, milepost, engine, moves):.1%} ({engine})"
            for engine in ("peak", "measured")
            for moves in (10, 20, 30)
        )
        + "."
    )
    yield ""
    code = np.searchsorted(elos, milepost)
    against_each_other = distribution.expectations(
        distribution.histograms(gains[known], code[known], len(elos), 3900)
    )
    perceived = perceived_ratings(distribution.rating_difference(against_each_other), elos).ratings
    slope = np.polyfit(elos, perceived, 1)[0]
    yield (
        f"Against each other (Algorithm 2), rank correlation {spearmanr(elos, perceived).statistic:.2f}; but "
        f"100 points of rating are only {100 * slope:.1f} points of perceived strength: differences by this "
        "method keep the order of players, not the distances."
    )


def covered(decisions: Decisions, gains: Floats, milepost: Floats, engine: str, moves: int) -> float:
    """Share of the games in which the interval after so many moves holds the milepost's expectation."""
    model = GainModel(engine_profile=engine)
    if engine == "measured":
        model.measure_engine(decisions)
    placed = (distribution.placements(model.engine) / model.engine.sum())[bins(gains)]
    side = decisions.codes("game_id") * 2 + decisions.codes("colour")
    inside = []
    for one in np.unique(side):
        rows = np.flatnonzero(side == one)
        if len(rows) >= moves:
            same = (milepost == milepost[rows[0]]) & ~np.isnan(gains)
            running = running_strength(gains[rows], model)
            truth = placed[same].mean()
            inside.append(running.low[moves - 1] <= truth <= running.high[moves - 1])
    return float(np.mean(inside))


def bins(gains: Floats) -> npt.NDArray[np.int64]:
    return np.rint(np.nan_to_num(gains)).astype(np.int64) + 2 * 3900


def correlation(values: Floats, side: Floats, group: Floats) -> float:
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


if __name__ == "__main__":
    main()
