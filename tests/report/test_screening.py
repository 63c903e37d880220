from dataclasses import replace

import pytest

from assay.errors import InputError
from assay.report.screening import dossier_page, funnel_figure, games_figure, screening_page
from examples.drawings import texts
from examples.screenings import ONE, made


def test_the_funnel_tells_the_named_from_the_others_without_colour() -> None:
    others = tuple(replace(ONE, player=f"Player {n}", flag=None, decisions=30 + n) for n in range(5))
    drawn = str(funnel_figure(made(players=(ONE, *others), field=6)).svg())
    said = " ".join(texts(drawn))
    assert "others" in said
    assert "moves screened" in said
    assert "Ann: z +3.2 in 30 turns" in drawn


def test_games_of_the_named_are_drawn_in_order() -> None:
    assert "against Bob" in str(games_figure(ONE).svg())


def test_the_page_stands_alone_and_accuses_nobody() -> None:
    page = screening_page(made(notes=("A note.",)), source="field <games>")
    assert "field &lt;games&gt;" in page
    assert "30 players screened. Unusual play: Ann" in page
    assert "A note." in page
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org", "")
    assert "cheat" not in page


def test_those_tested_again_have_a_section() -> None:
    again = made(recipe="standard", field=40)
    page = screening_page(made(recipe="quick", field=40, full=again), source="x")
    assert "Tested again" in page
    assert "standard with" in page
    assert "picked out of 40 players" in page
    assert "Tested again" not in screening_page(again, source="x")


def test_a_rate_of_which_no_group_is_due_is_not_quoted() -> None:
    rate = {"games": 1, "band": "all", "above": 0.0, "below": 0.0, "groups": 110}
    rates = tuple({**rate, "threshold": z, "nominal": p} for z, p in ((1.645, 0.05), (3.09, 0.001)))
    page = screening_page(made(rates=rates), source="x")
    assert "<td>1.645</td>" in page
    assert "<td>3.09</td>" not in page


def test_an_empty_screening_is_a_page_too() -> None:
    assert "Play beside rating" in screening_page(made(players=(), field=0, rates=()), source="x")


def test_a_dossier_has_the_claim_and_its_limits_first_and_accuses_nobody() -> None:
    page = dossier_page(made(notes=("A note.",)), "ann", source="field <games>")
    claim, rest = page.split("</section>", 1)
    assert "unusual for the published rating of 2000: above it, as that of 1 in 2,500 honest players" in claim
    assert "It is not the probability that this player is honest" in claim
    assert "somebody was named in 7" in claim
    assert "A note." in claim
    for words in (
        "against Bob, Open, 2020",
        "a4a5",
        "8/5pk1",
        "560 games of 773 players",
        "Nothing is drawn",
    ):
        assert words in rest, words
    assert "field &lt;games&gt;" in page
    assert "cheat" not in page
    quiet = made(players=(replace(ONE, flag=None, each_game=(), turns=(), observed={}),))
    assert "is not unusual for the published rating" in dossier_page(quiet, "Ann", source="x")
    unmeasured = dossier_page(replace(quiet, rates=()), "Ann", source="x")
    assert "How often honest players deviate as far was not measured." in unmeasured
    assert "Unusual is" not in unmeasured
    again = made(full=made(recipe="standard again"))
    assert "standard again" in dossier_page(again, "Ann", source="x")
    with pytest.raises(InputError):
        dossier_page(made(), "Bob", source="x")
