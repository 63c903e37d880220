"""The parts of the page of ratings: summary, cards, square tables, losses, insights, numbers in words."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from assay.answers.answer import counted, points
from assay.answers.ratings import Ratings
from assay.decisions.decisions import Decisions
from assay.decisions.measures import expectation
from assay.rating.calibration import Calibration, find_calibration
from assay.report.cards import cards, decisions_of, examine
from assay.report.insights import PlayerInsights, insights_of
from assay.report.page import page_templates, pawns
from assay.report.ratings import (
    biggest_losses,
    cross_table,
    expectation_table,
    value,
)
from assay.study import Study
from examples.pupil_games import STANDARD, pupil_games
from examples.report_examples import chess_decisions, make_ratings

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
TITLES = [
    "Distribution of gain",
    "Conformance",
    "Posterior of the skill c",
    "Sensitivity and consistency",
    "Markov matrix",
    "Rating through time",
]


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    return chess_decisions()


# Templates and words -------------------------------------------------------------------------------------


@pytest.mark.parametrize("package", ["assay.report", "assay.web"])
def test_names_are_text_and_what_a_page_lacks_is_an_error(package: str) -> None:
    templates = page_templates(package)
    shown = templates.from_string("{{ name }}").render(name="<b>An\u202en\x1b[31m</b>")
    for evil in ("<b>", "\u202e", "\x1b"):
        assert evil not in shown
    assert templates.from_string("{{ ours }}").render(ours=Markup("<b>5</b>")) == "<b>5</b>"
    with pytest.raises(UndefinedError):
        templates.from_string("{{ nothing }}").render()


def test_numbers_as_people_read_them() -> None:
    assert [points(number) for number in (0, 0.5, 1, 2.5)] == ["0", "½", "1", "2½"]
    evaluations = [value(number) for number in (31997, -31995, 12, -250)]
    assert evaluations == ["mate in 3", "mated in 5", "+0.12", "−2.50"]
    assert pawns(0.2) == "0.00"
    assert (counted(1, "game"), counted(1200, "game")) == ("1 game", "1,200 games")


# Cards ---------------------------------------------------------------------------------------------------


def test_a_card_has_a_figure_for_every_method(decisions: Decisions) -> None:
    ratings = make_ratings(decisions)
    drawn = cards(ratings, decisions)
    assert [card.rated for card in drawn] == list(ratings.players)
    for card in drawn:
        assert [figure.title for figure in card.figures] == TITLES
        for figure in card.figures:
            assert (figure.drawing is None) == bool(figure.failure)
        assert 0 < card.figures[0].decisions <= card.rated.decisions
    assert [card.rated for card in cards(ratings, decisions, most=1)] == [ratings.players[0]]


def test_what_figures_say_in_numbers(decisions: Decisions) -> None:
    ratings = make_ratings(decisions)
    estimates = examine(decisions.select(player=ratings.players[0].player)).estimates
    gain, conformance, skill, choice, markov, _ = (
        figure.numbers for figure in cards(ratings, decisions)[0].figures
    )
    c = estimates["bayes"]["c"]
    assert skill == f"c = {c.value:.2f} ({c.low:.2f} to {c.high:.2f})"
    assert gain.startswith(f"mean gain {pawns(100 * estimates['gain']['mean_gain'].value)} pawns")
    assert markov.startswith(f"{estimates['markov']['kept'].value:.0%} of moves keep")
    assert choice.startswith(f"s = {estimates['choice']['s'].value:.2f}")
    assert "%" in conformance


def test_a_method_that_fails_says_why(decisions: Decisions) -> None:
    """Too few decisions for some methods must not cost the card, nor no history."""
    few = chess_decisions(plies=20)
    (first, *_) = cards(make_ratings(few), few)
    failed = [figure for figure in first.figures if figure.failure]
    assert failed
    assert all(figure.drawing is None and figure.decisions == 0 for figure in failed)
    ratings = make_ratings(decisions)
    without = replace(ratings, players=(replace(ratings.players[0], history=()),))
    assert "all games count together" in cards(without, decisions)[0].figures[-1].failure


def test_decisions_of_a_group(decisions: Decisions) -> None:
    for by in ("year", "event", "game"):
        for player in make_ratings(decisions, by=by).players:
            assert len(decisions_of(decisions, player, by)) == player.decisions


def test_decisions_of_a_group_that_is_not_known(decisions: Decisions) -> None:
    table = decisions.table()
    for column in ("year", "event"):
        emptied = pa.nulls(len(table), table.schema.field(column).type)
        table = table.set_column(table.column_names.index(column), table.schema.field(column), emptied)
    without = Decisions.from_table(table)
    player = make_ratings(without).players[0]
    for by in ("year", "event"):
        assert len(decisions_of(without, replace(player, group=f"unknown {by}"), by)) == player.decisions
        assert len(decisions_of(without, replace(player, group="elsewhere"), by)) == 0


# Square tables -------------------------------------------------------------------------------------------


def test_the_cross_table_counts_each_game_once(decisions: Decisions) -> None:
    table = cross_table(make_ratings(decisions), decisions)
    assert table is not None
    assert sorted(table.names) == ["Ann", "Bob", "Cem"]
    assert all(total.endswith(" / 4") for total in table.totals)
    games = decisions.select(player="Ann", opponent="Bob")
    expected = sum(part.numbers("result")[0] for _, part in games.by_game())
    cell = table.cells[table.names.index("Ann")][table.names.index("Bob")]
    assert cell.title == f"{points(expected)} of 2"
    alone = chess_decisions(("Ann", "Bob")).select(player="Ann")
    assert cross_table(make_ratings(alone), alone) is None


def test_expectations_of_two_add_up(decisions: Decisions) -> None:
    table = expectation_table(make_ratings(decisions))
    assert table is not None
    for row in range(3):
        for column in range(row):
            pair = [table.cells[a][b] for a, b in ((row, column), (column, row))]
            assert sum(float(cell.title.partition("%")[0]) for cell in pair) == pytest.approx(100, abs=0.11)
            for cell in pair:
                low, high = map(float, cell.ends.split(" to "))
                assert low <= float(cell.text) <= high
    assert (table.cells[0][2].side, table.cells[2][0].side) == ("ahead", "behind")


# Losses --------------------------------------------------------------------------------------------------


def decision(**columns: object) -> Decisions:
    """One decision in the first position, the best move first."""
    row = {"player": "Ann", "played": "f2f3", "moves": ["e2e4", "f2f3"], "cp": [30, -400]}
    return Decisions.from_table(pa.Table.from_pylist([{**row, "position_key": START, **columns}]))


def test_losses_come_with_the_largest_first(decisions: Decisions) -> None:
    losses = biggest_losses(decisions)
    assert len(losses) == 12
    lost = [loss.lost for loss in losses]
    assert lost == sorted(lost, reverse=True)
    assert all(loss.diagram.startswith("data:image/svg+xml,") for loss in losses)
    assert biggest_losses(decision(exclusion="variant")) == []


def test_a_loss_in_words() -> None:
    [loss] = biggest_losses(decision(ply=0, year=1972, event="Reykjavik", opponent="Bob", colour="white"))
    assert (loss.turn, loss.played, loss.best, loss.before, loss.after) == (
        "1.",
        "f3",
        "e4",
        "+0.30",
        "−4.00",
    )
    assert loss.occasion == "Reykjavik, 1972"
    assert loss.lost == pytest.approx(float(expectation(30) - expectation(-400)))
    [other] = biggest_losses(decision(year=1972, event="Reykjavik 1972"))
    assert other.occasion == "Reykjavik 1972"


def test_a_position_that_was_evaluated_alone_takes_the_next() -> None:
    [loss] = biggest_losses(decision(moves=["f2f3"], cp=[-400], before=30, after=-400, n_legal=20))
    assert (loss.best, loss.before, loss.after) == ("", "+0.30", "−4.00")


# Single players ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def calibration() -> Calibration:
    calibration = find_calibration(STANDARD)
    assert calibration is not None
    return calibration


@pytest.fixture(scope="module")
def pupil(tmp_path_factory: pytest.TempPathFactory) -> Ratings:
    path: Path = tmp_path_factory.mktemp("insights") / "pupil.parquet"
    pupil_games(6).write(path)
    return Study(path).rate(players=["pupil"])


def insights(ratings: Ratings, calibration: Calibration | None) -> tuple[PlayerInsights, ...]:
    decisions = ratings.decisions
    assert decisions is not None
    return insights_of(ratings, decisions, calibration, {}, {})


def test_nothing_is_said_where_it_cannot_be(pupil: Ratings, calibration: Calibration) -> None:
    assert insights(pupil, None) == ()
    assert insights(pupil, replace(calibration, slices={})) == ()
    assert insights(replace(pupil, players=pupil.players * 4), calibration) == ()
    assert insights(replace(pupil, by="year"), calibration) == ()
