"""`assay method ...`: each method by itself, in its paper's own numbers."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

import typer

from assay.cli.agent_methods import bayes, choice
from assay.cli.compare import ENGINE_PROFILE, LIMIT, EngineProfile
from assay.cli.options import PLAYER, by_option, decisions_of, prints, with_study
from assay.decisions.grouping import RATED_BY, By, check_by
from assay.decisions.papers import paper_of
from assay.errors import MappingError

if TYPE_CHECKING:
    from assay.answers.answer import Answer
    from assay.decisions.decisions import Decisions
    from assay.study import Study


class Loss(StrEnum):
    """How losses are counted."""

    RAW = "raw"
    GUID_BRATKO = "guid_bratko"
    PONDERED = "pondered"


LOSS = typer.Option(
    Loss.PONDERED,
    "--loss",
    help="How losses are counted: raw, as Guid and Bratko did, or weighed down in decided positions.",
)
K1 = typer.Option(
    0.75,
    "--k1",
    metavar="PAWNS",
    help="With pondered: how fast losses fade when ahead, in pawns (1.44 by the paper's regression).",
)
K2 = typer.Option(
    -3.30,
    "--k2",
    metavar="PAWNS",
    help="With pondered: how fast losses fade when behind, in pawns (-3.53 by the paper's regression).",
)
REPETITIONS = typer.Option(
    True,
    "--repetitions/--no-repetitions",
    help="Whether decisions count whose position had occurred before in the game; in the paper they do.",
)
Own = Literal["player", "year", "event", "game"]


@with_study
@prints
def gain(
    study: Study,
    player: list[str] | None = PLAYER,
    by: Own = by_option(By.PLAYER, *RATED_BY),
    engine_profile: EngineProfile | None = ENGINE_PROFILE,
    limit: int = LIMIT,
) -> Answer:
    """Gain: how moves change the evaluation, and the expected result against the engine."""
    from assay.rating.comparisons import gain_model

    # The engine is measured on all games: whom one asks about must not change it.
    everyone = decisions_of(study)
    model = gain_model(everyone, limit=limit, engine_profile=engine_profile)
    return _estimates("Gain", model, chosen_players(everyone, player), by)


@with_study
@prints
def markov(
    study: Study,
    player: list[str] | None = PLAYER,
    by: Own = by_option(By.PLAYER, *RATED_BY),
    prior: Literal["level", "pooled", "none"] = typer.Option(
        "level",
        "--prior",
        help="What stands behind few moves: all players at the player's own level, all players as they are, "
        "or none: raw counts, the paper's own method.",
    ),
    colours: Literal["pooled", "apart"] = typer.Option(
        "pooled", "--colours", help="White's and Black's moves together, Black's turned round, or apart."
    ),
    classes: Literal["growing", "uniform"] = typer.Option(
        "growing",
        "--classes",
        help="Classes of values: growing, 19 of them, or uniform, 10 of 40 centipawns.",
    ),
    show: Literal["shares", "pairs", "matrix"] = typer.Option(
        "shares",
        "--show",
        help="shares: moves that keep the class. pairs: everyone against everyone, White's win, draw and "
        "loss. matrix: each player's transitions (Table 2 of the paper).",
    ),
    repetitions: bool = REPETITIONS,
) -> Answer:
    """Markov: a game as a chain of values; shares of won, level and lost positions in the long run."""
    from assay.models.markov import MarkovModel, ValueClasses, matrices, pairs

    chosen = ValueClasses.growing() if classes == "growing" else ValueClasses.uniform()
    model = MarkovModel(chosen, colours=colours, prior=prior)
    decisions = counted(decisions_of(study, player), repetitions)
    if show == "shares":
        return _estimates("Markov", model, decisions, by)
    about = f"{model.settings}, prior {prior}"
    if show == "pairs":
        return _rows(f"White against Black ({about})", pairs(model, decisions))
    return _rows(f"Transitions, mover's view ({about})", matrices(model, decisions))


@with_study
@prints
def depth(
    study: Study,
    player: list[str] | None = PLAYER,
    by: Own = by_option(By.PLAYER, *RATED_BY),
) -> Answer:
    """Depth: how players weigh what moves are worth at every depth of the search."""
    from assay.models.depth.model import DepthModel

    return _estimates("Depth", DepthModel(), decisions_of(study, player, trace=True), by)


@with_study
@prints
def traits(
    study: Study,
    player: list[str] | None = PLAYER,
    by: Own = by_option(By.PLAYER, *RATED_BY),
) -> Answer:
    """Traits: some seventy signs of play, weighed as games of rated players teach."""
    from assay.models.base import recipe_of
    from assay.models.traits.model import NO_WEIGHTS, TraitsModel
    from assay.rating.calibration import calibrated

    decisions = decisions_of(study, player, trace=True)
    model = calibrated(TraitsModel(), recipe_of(decisions))
    if not model.ready:
        raise MappingError(NO_WEIGHTS)
    return _estimates("Traits", model, decisions, by)


def counted(decisions: Any, repetitions: bool) -> Any:
    """The decisions, without those in positions that had occurred before where that is asked for."""
    from assay.decisions.rules import not_repeated

    return decisions if repetitions else decisions.filter(not_repeated())


def chosen_players(decisions: Decisions, names: list[str] | None) -> Decisions:
    """The decisions of some players, each named by a part of the name; of all where none is named."""
    from assay.decisions.names import find_player

    if not names:
        return decisions
    return decisions.select(player=[find_player(name, decisions.players) for name in names])


def _estimates(title: str, model: Any, decisions: Any, by: str) -> Answer:
    from assay.answers.answer import Rows
    from assay.rating.measures import estimates_by

    return Rows(f"{title}, by {by}", estimates_by(model, decisions, by))


@with_study
@prints
def conformance(
    study: Study,
    by: list[str] = typer.Option(
        [By.PLAYER.value], "--by", help="Count apart by player, year, colour or event. May be repeated."
    ),
    loss: Loss = LOSS,
    k1: float = K1,
    k2: float = K2,
    search: bool = typer.Option(
        False, "--search", help="With pondered: k1 and k2 that go best with the results of these games."
    ),
    results: bool = typer.Option(
        False,
        "--results",
        help="Instead: how conformance goes with the results of games, for each bound.",
    ),
    repetitions: bool = REPETITIONS,
) -> Answer:
    """Conformance: the share of moves that lose at most 0, 10, 20 and 30 centipawns."""
    from assay.errors import InputError
    from assay.models.conformance import best_k, conformance_by, conformance_with_results

    if search and loss is not Loss.PONDERED:
        raise InputError(
            "--search finds k1 and k2 of pondered losses: leave --loss out, or use --loss pondered"
        )
    decisions = counted(decisions_of(study), repetitions)
    found = ""
    if search:
        k1, k2, rho = best_k(decisions)
        found = f"; by search k1 = {k1:.2f}, k2 = {k2:.3g}, correlation {rho:.3f}"
    if results:
        title = "Correlation of the difference in conformance with the result, by bound in centipawns"
        return _rows(title + found, conformance_with_results(decisions, loss.value, k1, k2))
    title = f"Share of moves that lose at most so many centipawns ({loss.value}{found})"
    chosen = [check_by(one, (By.PLAYER, By.YEAR, By.COLOUR, By.EVENT)) for one in by]
    return _rows(title, conformance_by(decisions, chosen, loss.value, k1, k2))


@with_study
@prints
def covariance(
    study: Study,
    n0: list[int] = typer.Option(
        [0, 8, 16, 32, 64],
        "--n0",
        metavar="N",
        min=0,
        max=1000,
        help="Over how many moves losses are added up. May be repeated.",
    ),
    vector: Literal["bound", "tanh", "spline"] = typer.Option(
        "bound",
        "--vector",
        help="What a difference of losses is worth: a win beyond a bound; or a curve, tanh or spline, with "
        "k1 and k2 of pondered losses by search (n0 is then 0).",
    ),
    repetitions: bool = REPETITIONS,
) -> Answer:
    """Covariance: how the losses of both players go with the results of their games."""
    from assay.models.covariance import covariance_with_results, fitted_vector

    decisions = counted(decisions_of(study), repetitions)
    if vector != "bound":
        return _rows(
            f"Covariance with results: {vector}, k1 and k2 by search", fitted_vector(decisions, vector)
        )
    title = "Covariance with results: n0, the best bound in pawns, and the line"
    return _rows(title, covariance_with_results(decisions, n0))


@with_study
@prints
def complexity(
    study: Study,
    budget: Literal["nodes", "seconds"] = typer.Option(
        "nodes",
        "--budget",
        help="What depth_time compares depths for: the same nodes, or the same seconds, as in the paper.",
    ),
    repetitions: bool = REPETITIONS,
) -> Answer:
    """Complexity: whether players lose more in positions that the engine finds hard."""
    from assay.answers.answer import Rows
    from assay.models.complexity import error_correlations, has_costs, rules

    decisions = counted(decisions_of(study, trace=True), repetitions)
    table = error_correlations(decisions, unit=budget)
    rows = [{"player": row.name, "moves": row.decisions, **row.rho} for row in table]
    note = ""
    if not has_costs(decisions.filter(*rules()), budget):
        note = (
            f"These analyses do not say what each depth cost in {budget}: depth_time compares the depths "
            "reached by all searches, as if of one budget."
        )
    return Rows("Correlation with the size of the error", rows, note=note)


def _rows(title: str, rows: list[dict[str, Any]]) -> Answer:
    from assay.answers.answer import Rows
    from assay.errors import InputError

    if not rows:
        raise InputError(
            "none of these moves can be used by this method: give games with analyses (docs/interchange.md)"
        )
    return Rows(title, rows)


def register(app: typer.Typer) -> None:
    """Add `assay method` to the application, each command with the reference of its paper."""
    group = typer.Typer(help="One method by itself, in its paper's own numbers.", no_args_is_help=True)
    commands = (gain, bayes, choice, depth, conformance, covariance, markov, traits, complexity)
    for command in commands:
        paper = paper_of(command.__name__)
        group.command(command.__name__, epilog=paper.citation if paper else None)(command)
    app.add_typer(group, name="method", rich_help_panel="Research")
