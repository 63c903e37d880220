"""`assay method ...`: each method by itself, in its paper's own numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import typer

from assay.cli.options import (
    LIMIT,
    Drawn,
    EngineProfile,
    HelpfulGroup,
    command,
    decisions_of,
    open_study,
    refuse_unused,
    register,
    study_including,
)
from assay.cli.output import say, write_figure
from assay.decisions.exclusions import PART_OF_EVENT
from assay.decisions.grouping import By, check_by
from assay.errors import InputError, MappingError

if TYPE_CHECKING:
    from assay.answers.answer import Answer, Rows
    from assay.decisions.decisions import Decisions
    from assay.study import Study

by_engine = study_including(games_own=False)
"""The papers' methods read values of several moves of a position, and comments have one."""

Own = Literal["player", "year", "event", "game"]
Players = list[str] | None


@command(study=study_including(PART_OF_EVENT, usual_recipe="single", games_own=False))
def gain(
    study: Study,
    player: Players = None,
    by: Own = "player",
    show: Literal["players", "engine", "pairs"] = "players",
    engine_profile: EngineProfile | None = None,
    limit: int = LIMIT,
    plot: Drawn = None,
) -> Answer:
    """Gain: how moves change the evaluation, and the expected result against the engine.

    All games of an event count, short and fast ones too, as in the paper; --time and --min-turns choose.

    $ assay method gain games.pgn

    --show  players: mean gain and expected result against the engine. engine: the engine's strength by
        each rated player of an event (Table 4 of the paper). pairs: everyone against everyone (Table 2).
    --engine-profile  Choose how the engine itself would play. peak: as in the paper, at zero.
        measured: from the moves where players chose its move. If not given: peak with one line.
    """
    from assay.rating import by_method
    from assay.rating.comparisons import gain_model

    if show == "engine":
        refuse_unused("with --show engine, which has a table for each event", by=by != "player")
    # The engine is measured on all games: whom one asks about must not change it.
    everyone = decisions_of(study)
    one_line = by_method.has_one_line(everyone)
    model = gain_model(
        everyone,
        limit=limit,
        engine_profile=engine_profile or ("peak" if one_line else None),
        include=study.valuation.include,
    )
    chosen = chosen_players(everyone, player)
    note = "" if one_line else by_method.MANY_LINES
    if plot is not None:
        from assay.report.figures import MOST_CURVES, gain_figure

        profiles = {name: model.profile(part) for name, part in chosen.by("player")}
        most = sorted(profiles, key=lambda name: -profiles[name].decisions)[:MOST_CURVES]
        drawn = {name: profiles[name] for name in most if profiles[name].decisions > 0}
        write_figure(plot, gain_figure(drawn, limit))
    if show == "engine":
        return by_method.engine_by_player(model, chosen, note)
    if show == "pairs":
        return by_method.gain_pairs(model, chosen, By(by), note)
    return replace(_estimates("Gain", model, chosen, by), note=note)


@command(study=by_engine)
def markov(
    study: Study,
    player: Players = None,
    by: Own = "player",
    markov_prior: Literal["level", "none"] | None = None,
    colours: Literal["pooled", "apart"] | None = None,
    classes: Literal["growing", "uniform"] = "growing",
    show: Literal["shares", "pairs", "matrix"] = "shares",
    repetitions: bool = True,
) -> Answer:
    """Markov: a game as a chain of values; shares of won, level and lost positions in the long run.

    $ assay method markov games.pgn

    --show  shares: moves that keep the class. pairs: everyone against everyone, White's win, draw and
        loss. matrix: each player's transitions (Table 2 of the paper).
    """
    from assay.answers.answer import Rows
    from assay.models.markov import MarkovModel, matrices, pairs

    if show == "shares":
        refuse_unused("on shares (--show pairs, --show matrix)", markov_prior=markov_prior, colours=colours)
    else:
        refuse_unused(f"with --show {show}, which is by player", by=by != "player")
    prior = markov_prior or "level"
    model = MarkovModel(classes, colours=colours or "pooled", prior=prior)
    decisions = counted(of_players(study, player), repetitions)
    if show == "shares":
        return _estimates("Markov", model, decisions, by)
    about = f"{model.settings}, prior {prior}"
    if show == "pairs":
        return Rows(f"White against Black ({about})", pairs(model, decisions))
    return Rows(f"Transitions, mover's view ({about})", matrices(model, decisions))


@command(study=by_engine)
def depth(study: Study, player: Players = None, by: Own = "player") -> Answer:
    """Depth: how players weigh what moves are worth at every depth of the search.

    $ assay method depth games.pgn

    """
    from assay.models.depth.model import DepthModel

    return _estimates("Depth", DepthModel(), of_players(study, player, trace=True), by)


@command(study=by_engine)
def traits(study: Study, player: Players = None, by: Own = "player") -> Answer:
    """Traits: some seventy features of play, weighed as games of rated players teach.

    $ assay method traits games.pgn

    """
    from assay.models.base import recipe_of
    from assay.models.traits.model import NO_WEIGHTS, TraitsModel
    from assay.rating.calibration import calibrated

    decisions = of_players(study, player, trace=True)
    model = calibrated(TraitsModel(), recipe_of(decisions))
    if not model.ready:
        raise MappingError(NO_WEIGHTS)
    return _estimates("Traits", model, decisions, by)


def counted(decisions: Any, repetitions: bool) -> Any:
    """The decisions, without those in positions that had occurred before where that is asked for."""
    from assay.decisions.rules import not_repeated

    return decisions if repetitions else decisions.filter(not_repeated())


def of_players(study: Study, names: list[str] | None, *, trace: bool = False) -> Decisions:
    """The decisions of some players (Fischer@1971) or of all; only their games are analysed."""
    return chosen_players(decisions_of(study, whom=names, trace=trace), names)


def chosen_players(decisions: Decisions, names: list[str] | None) -> Decisions:
    """The decisions of some players, in some years or at an event (Fischer@1971); of all if none is named."""
    from assay.decisions.decisions import Decisions as Columns
    from assay.decisions.names import Who

    return Columns.concat([Who.parse(name).choose(decisions)[1] for name in names]) if names else decisions


def _estimates(title: str, model: Any, decisions: Any, by: str) -> Rows:
    from assay.answers.answer import Rows
    from assay.rating.measures import estimates_by

    return Rows(f"{title}, by {by}", estimates_by(model, decisions, by))


@command(study=by_engine)
def conformance(
    study: Study,
    by: list[str] = ["player"],  # noqa: B006 - typer copies it
    loss: Literal["raw", "guid_bratko", "pondered"] = "pondered",
    k1: float | None = None,
    k2: float | None = None,
    search: bool = False,
    results: bool = False,
    repetitions: bool = True,
) -> Answer:
    """Conformance: the share of moves that lose at most 0, 10, 20 and 30 centipawns.

    $ assay method conformance games.pgn

    --by WHAT  Count apart by player, year, colour or event. May be repeated.
    --loss  Count losses raw, as Guid and Bratko did, or less in decided positions (pondered).
    --k1 PAWNS  With pondered: how fast losses fade when ahead, in pawns (1.44 by the paper's regression). If
        not given: 0.75.
    --k2 PAWNS  With pondered: how fast losses fade when behind, in pawns (-3.53 by the paper's regression).
        If not given: -3.30.
    --search  With pondered: find the k1 and k2 that go best with the results of these games.
    --results  Print instead how conformance goes with the results of games, for each bound.
    """
    from assay.answers.answer import Rows
    from assay.models.conformance import best_k, conformance_by, conformance_with_results

    if loss != "pondered":
        refuse_unused(f"with --loss {loss}: it is of pondered losses", k1=k1, k2=k2, search=search)
    if search:
        refuse_unused("with --search, which finds k1 and k2", k1=k1, k2=k2)
    if results:
        refuse_unused("with --results, which is of games", by=by != ["player"])
    k1, k2 = 0.75 if k1 is None else k1, -3.30 if k2 is None else k2
    decisions = counted(decisions_of(study), repetitions)
    found = ""
    if search:
        k1, k2, rho = best_k(decisions)
        found = f"; by search k1 = {k1:.2f}, k2 = {k2:.3g}, correlation {rho:.3f}"
    if results:
        title = "Correlation of the difference in conformance with the result, by bound in centipawns"
        return Rows(title + found, conformance_with_results(decisions, loss, k1, k2))
    title = f"Share of moves by the centipawns that they lose at most ({loss}{found})"
    chosen = [check_by(one, (By.PLAYER, By.YEAR, By.COLOUR, By.EVENT)) for one in by]
    return Rows(title, conformance_by(decisions, chosen, loss, k1, k2))


@command(study=by_engine)
def covariance(
    study: Study,
    n0: list[int] | None = None,
    vector: Literal["bound", "tanh", "spline"] = "bound",
    repetitions: bool = True,
) -> Answer:
    """Covariance: how the losses of both players go with the results of their games.

    $ assay method covariance games.pgn

    --n0 N (0..1000)  Add up losses over N moves. May be repeated. If not given: 0, 8,
        16, 32 and 64.
    --vector  Count a difference of losses as a win beyond a bound; or by a curve, tanh or spline,
        with k1 and k2 of pondered losses by search (n0 is then 0).
    """
    from assay.answers.answer import Rows
    from assay.models.covariance import covariance_with_results, fitted_vector

    decisions = counted(decisions_of(study), repetitions)
    if vector != "bound":
        refuse_unused(f"with --vector {vector}, which adds up nothing", n0=n0 or None)
        return Rows(
            f"Covariance with results: {vector}, k1 and k2 by search", fitted_vector(decisions, vector)
        )
    title = "Covariance with results: n0, the best bound in pawns, and the line"
    return Rows(title, covariance_with_results(decisions, n0 or [0, 8, 16, 32, 64]))


@command(study=by_engine)
def complexity(
    study: Study, budget: Literal["nodes", "seconds"] = "nodes", repetitions: bool = True
) -> Answer:
    """Complexity: whether players lose more in positions that the engine finds hard.

    $ assay method complexity games.pgn

    --budget  Compare depths in depth_time at the same nodes, or at the same seconds as in the paper.
    """
    from assay.answers.answer import Rows
    from assay.models.complexity import error_correlations, has_costs, rules

    decisions = counted(decisions_of(study, trace=True), repetitions)
    rows = error_correlations(decisions, unit=budget)
    note = ""
    if decisions.changes is not None:
        refuse_unused("on searches by Alliot's comments, which are of seconds", budget=budget != "nodes")
    elif not has_costs(decisions.filter(*rules()), budget):
        note = (
            f"These analyses do not contain what each depth cost in {budget}: depth_time compares the depths "
            "reached by all searches, as if of one budget."
        )
    return Rows("Correlation with the size of the error", rows, note=note)


# `assay method choice` and `assay method bayes`: parameters of agents, from the choices that were made.


@command(study=by_engine)
def choice(
    study: Study,
    player: Players = None,
    by: Literal["all", "milepost", "player", "period", "time"] = "all",
    fit: str | None = None,
    c: float | None = None,
    period: list[str] | None = None,
    width: int | None = None,
    mileposts: Path | None = None,
    min_decisions: int | None = None,
    curve: str = "inverse-exponential",
    conversion: str = "power",
    unlisted: str = "measured",
    plot: Drawn = None,
) -> Answer:
    """Choice: sensitivity s and consistency c, from the values of all legal moves.

    --by all compares what a player with these s and c would do with what was played. --by milepost prints
    the paper's table. --by player, period or time prints ratings by moves beside the published ones.

    $ assay method choice games.pgn

    --fit HOW  With --by all: how s and c are found: percentile (if not given), likelihood or matching.
    --c NUMBER  With --by all: keep the consistency c at this value, and find s alone.
    --period YEARS  Put these years together, such as 1991-1994. May be repeated.
    --mileposts GAMES  Games of rated players that set the Elo scale. If not given: a calibration, else GAMES.
    --min-decisions N (1..)  Leave out players with fewer decisions (moves that count) than this.
    --curve NAME  Choose how fast worse moves become unlikely: inverse-exponential, ipa, ipb, secha or sechb.
    --conversion HOW  Turn the curve into probabilities. power: p_i = p_0^(1/y_i). share: y_i / sum y.
    --unlisted HOW  Value legal moves that the engine did not list as positions with all moves valued show
        (measured), going on with the steps of the lines (tail, as Elo scales have it), or left out.
    """
    from assay.answers.results import Mileposts
    from assay.models.choice.model import ChoiceModel
    from assay.models.choice.spreads import Scaling
    from assay.models.choice.tables import FEWEST_DECISIONS
    from assay.rating.by_method import choice_fit, choice_ratings, milepost_tables_of

    group = By(by)
    if group is not By.ALL:
        refuse_unused(f"with --by {by}", fit=fit, c=c)
    if group is not By.MILEPOST:
        refuse_unused(f"with --by {by}", width=width, plot=plot)
    if group in (By.ALL, By.MILEPOST):
        refuse_unused(f"with --by {by}", mileposts=mileposts, min_decisions=min_decisions)
    if group not in (By.MILEPOST, By.PERIOD):
        refuse_unused(f"with --by {by}", period=period or None)
    model = ChoiceModel(curve=curve, conversion=conversion, scaling=Scaling(unlisted=unlisted))
    decisions = of_players(study, player)
    if group is By.ALL:
        return choice_fit(model, decisions, fit or "percentile", c)
    if group is By.MILEPOST:
        answer = Mileposts(milepost_tables_of(model, decisions, period, width or 50))
        if plot is not None:
            from assay.report.figures import milepost_figure

            write_figure(plot, milepost_figure(answer))
        return answer
    scale = None if mileposts is None else _reference(mileposts, study)
    return choice_ratings(model, decisions, scale, group, period, min_decisions or FEWEST_DECISIONS, say)


def _reference(games: Path, study: Study) -> Any:
    """Decisions of other games, analysed as those of the study are."""
    settings = study.valuation
    chosen: dict[str, Any] = {"recipe": settings.recipe, "engine": settings.engine, "jobs": settings.jobs}
    return decisions_of(open_study(games, **chosen))


@command(study=by_engine)
def bayes(
    study: Study,
    player: Players = None,
    game: str | None = None,
    by: Literal["all", "player", "year", "event", "game", "milepost", "result"] = "all",
    band: str | None = None,
    curve: bool = False,
    sequence: str | None = None,
    versus: tuple[str, str] | None = None,
    mileposts: Path | None = None,
    outside: Literal["tail", "value", "exclude"] = "tail",
    offset: float = 0.1,
    grid: Literal["fixed", "adaptive"] = "fixed",
    width: int | None = None,
    plot: Drawn = None,
) -> Answer:
    """Bayes: the skill c of an imperfect engine that would play like these players, and how sure that is.

    --by result is Table III of the paper, --curve its Figure 2.

    $ assay method bayes games.pgn --by player

    --game ID  Only this game, by its id.
    --band LOW:HIGH  Take all games in which both players are rated so, such as 2390:2410, as one player's.
    --curve  Print how the answer narrows as moves are added (Figure 2 of the paper).
    --sequence PLAYER  Print how probable these moves are for a player: an Elo, a skill c=1.2, a range
        c=1:2, or engine.
    --versus PLAYERS  Print which of two such players describes the moves better, for example: engine 2400.
    --mileposts DECISIONS  File of decisions of rated players, same recipe: turns c into Elo.
    --outside  Count played moves outside the lines by their value among all legal moves (tail), by their
        value as one more option (value), or left out (exclude).
    --offset PAWNS (1e-6..100)  Add this to what a move loses: K of the paper.
    --grid  Weigh values of c from 0 to 6 by 0.01 (fixed), or narrow them as the paper does (adaptive).
    """
    from assay.models.bayes import BayesModel
    from assay.rating import by_method

    if sum((curve, sequence is not None, versus is not None, by == "result")) > 1:
        raise InputError("choose one of --curve, --sequence, --versus and --by result")
    if sequence is not None or versus is not None:
        refuse_unused("on the probability of moves", by=by != "all", plot=plot, grid=grid != "fixed")
    if by == "result":
        refuse_unused("with --by result", plot=plot, grid=grid != "fixed", mileposts=mileposts)
    if curve:
        refuse_unused("with --curve", by=by != "all")
    if by != "milepost":
        refuse_unused(f"with --by {by}", width=width)
    model = BayesModel(outside=outside, offset=offset)
    decisions = by_method.chosen_decisions(of_players(study, player), game, band)
    scale = by_method.scale_for(model, decisions, mileposts)
    if sequence is not None:
        player_of = by_method.hypothesis(sequence, model, decisions, scale)
        return by_method.skill_sequence(model, decisions, player_of)
    if versus is not None:
        first, second = (by_method.hypothesis(text, model, decisions, scale) for text in versus)
        return by_method.skill_ratio(model, decisions, first, second)
    if by == "result":
        return by_method.skill_by_result(model, decisions)
    skills, heads = by_method.skills_by(
        model, decisions, By(by), curve, within=width or 50, adaptive=grid == "adaptive"
    )
    if plot is not None and skills:
        from assay.report.figures import density_figure, training_figure

        write_figure(plot, training_figure(skills) if curve else density_figure(skills))
    return by_method.skills(model, decisions, skills, heads, scale)


def register_methods(app: typer.Typer) -> None:
    """Add `assay method` to the application, each command with the reference of its paper."""
    group = typer.Typer(
        help="One method by itself, in its paper's own numbers.", cls=HelpfulGroup, no_args_is_help=True
    )
    for method in (gain, bayes, choice, depth, conformance, covariance, markov, traits, complexity):
        paper = paper_of(method.__name__)
        register(group, {method.__name__: method}, epilog=paper.citation if paper else None)
    app.add_typer(group, name="method", rich_help_panel="Research")


# The five papers as they are cited, and which methods come from each.


class Paper(NamedTuple):
    """One publication. `name` is the short one that recipes and `assay reproduce` use."""

    name: str
    methods: tuple[str, ...]
    citation: str


PAPERS = {
    paper.name: paper
    for paper in (
        Paper(
            "difatta2009",
            ("bayes",),
            "Di Fatta, G., Haworth, G. McC., Regan, K. W. (2009). Skill Rating by Bayesian Inference. 2009 "
            "IEEE Symposium on Computational Intelligence and Data Mining (CIDM 2009), 89–94. Institute of "
            "Electrical and Electronics Engineers. https://doi.org/10.1109/CIDM.2009.4938634",
        ),
        Paper(
            "ferreira2010",
            ("results",),
            "Ferreira, D. R. (2010). Predicting the Outcome of Chess Games based on Historical Data. IST – "
            "Technical University of Lisbon. On the competition "
            '"Chess Ratings – Elo versus the Rest of the World", November 25, 2010.',
        ),
        Paper(
            "regan2011",
            ("choice", "depth"),
            "Regan, K. W., Haworth, G. McC. (2011). Intrinsic Chess Ratings. Proceedings of the Twenty-Fifth "
            "AAAI Conference on Artificial Intelligence (AAAI-11), 834–839. AAAI Press. "
            "https://doi.org/10.1609/aaai.v25i1.7951",
        ),
        Paper(
            "ferreira2012",
            ("gain",),
            "Ferreira, D. R. (2012). Determining the Strength of Chess Players Based on Actual Play. ICGA "
            "Journal 35(1), 3–19. https://doi.org/10.3233/ICG-2012-35102",
        ),
        Paper(
            "alliot2017",
            ("conformance", "covariance", "markov", "complexity"),
            "Alliot, J.-M. (2017). Who is the Master? ICGA Journal 39(1), 3–43. "
            "https://doi.org/10.3233/ICG-160012",
        ),
    )
}
"""The papers by their short names, oldest first."""


def paper_of(method: str) -> Paper | None:
    """The paper that a method comes from; None for a method of ours, or of someone else."""
    return next((paper for paper in PAPERS.values() if method in paper.methods), None)
