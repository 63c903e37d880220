from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from assay.agent.choosing import (
    Seen,
    best_move,
    draw,
    probabilities_of,
    unfolded,
)
from assay.models.depth.agents import DepthAgent, beneath, care, look_below
from assay.models.depth.expected import move_probabilities

WEAK, STRONG = DepthAgent(2.5, 0.28, 0.5), DepthAgent(4.0, 0.08, 1.6)
OPEN = Seen([(1, "a", 30), (1, "b", 10), (1, "c", -5), (4, "b", 40), (4, "a", 0), (4, "c", -80)], "abcdefgh")


@pytest.mark.parametrize("agent", [WEAK, STRONG])
def test_every_legal_move_has_its_part(agent: DepthAgent) -> None:
    share = probabilities_of(OPEN, agent)
    assert share.sum() == pytest.approx(1)
    assert (share > 0).all()
    assert share[3:] == pytest.approx(np.full(5, share[3]))  # nothing tells unlisted moves apart
    assert share[1] == share.max()


def test_in_an_open_game_the_fitted_model_chooses_and_looks_again_at_what_would_be_lost() -> None:
    fitted = move_probabilities(OPEN.trace, OPEN.legal, [beneath(WEAK)])[0]
    k = float(care(WEAK.c, 40))
    below = look_below(40, 120, k, WEAK)
    again = [(1 + 40 / 200) ** -k, 1.0, (1 + 120 / 200) ** -k, *[below] * 5]
    expected = fitted * again
    assert probabilities_of(OPEN, WEAK) == pytest.approx(expected / expected.sum())
    assert below < again[2]


def test_in_the_first_turns_what_loses_is_known() -> None:
    early = replace(OPEN, opening=True)
    later, found = probabilities_of(OPEN, WEAK), probabilities_of(early, WEAK)
    known = [(1 + 40 / 50) ** -1.75, 1.0, (1 + 120 / 50) ** -1.75]
    assert found[:3] / found[1] == pytest.approx(later[:3] / later[1] * known)
    assert found[3] / found[1] < later[3] / later[1] * known[2]


@pytest.mark.parametrize("agent", [WEAK, STRONG])
def test_a_mate_in_one_is_played(agent: DepthAgent) -> None:
    trace = [(1, "m", 31_999), (1, "a", 900), (4, "m", 31_999), (4, "a", 31_997)]
    assert probabilities_of(Seen(trace, "abm"), agent).tolist() == [0, 0, 1]


@pytest.mark.parametrize("agent", [WEAK, STRONG])
def test_where_all_is_won_the_nearer_mate_and_the_larger_gain_are_likelier(agent: DepthAgent) -> None:
    for near, far in ((31_997, 31_980), (5000, 1100), (31_980, 2000)):
        near_share, far_share = probabilities_of(Seen([(1, "a", near), (1, "b", far)], "ab"), agent)
        assert near_share > 1.2 * far_share


@pytest.mark.parametrize("agent", [WEAK, STRONG])
def test_where_all_is_lost_it_holds_out(agent: DepthAgent) -> None:
    long_share, short_share = probabilities_of(
        Seen([(1, "long", -31_980), (1, "short", -31_998)], ["long", "short"]), agent
    )
    assert long_share > 3 * short_share


@pytest.mark.parametrize("agent", [WEAK, STRONG])
def test_a_repetition_is_avoided_when_winning_and_sought_when_losing(agent: DepthAgent) -> None:
    won = Seen([(1, "a", 600), (1, "b", 590), (1, "c", 500)], "abc", drawn=frozenset("a"))
    share = probabilities_of(won, agent)
    assert share[0] < share[2] < share[1]
    lost = Seen([(1, "a", -600), (1, "b", -620)], "abz", drawn=frozenset("z"))
    assert probabilities_of(lost, agent)[2] > 0.8


def test_against_a_bare_king_differences_count_more() -> None:
    trace = [(1, "a", 540), (1, "b", 520)]
    usual, bare = (probabilities_of(Seen(trace, "ab", bare_king=one), WEAK)[0] for one in (False, True))
    assert bare > usual + 0.1


def test_without_a_chooser_the_best_line_is_played_but_no_draw_in_a_won_game() -> None:
    assert best_move(OPEN) == "b"
    assert best_move(Seen(OPEN.trace, "abc", drawn=frozenset("b"))) == "a"
    assert best_move(Seen([(1, "a", -300), (1, "b", -400)], "abz", drawn=frozenset("z"))) == "z"


def test_moves_are_drawn_as_often_as_they_are_probable_and_always_alike() -> None:
    share = np.array([0.6, 0.3, 0.0, 0.1])
    drawn = [draw("abcd", share, 7, game, ply) for game in range(20) for ply in range(200)]
    counts = Counter(drawn)
    assert counts["c"] == 0
    for move, expected in (("a", 2400), ("b", 1200), ("d", 400)):
        assert abs(counts[move] - expected) < 4 * np.sqrt(expected)
    assert drawn[:50] == [draw("abcd", share, 7, 0, ply) for ply in range(50)]
    assert drawn[:50] != [draw("abcd", share, 8, 0, ply) for ply in range(50)]
    assert drawn[:50] != [draw("abcd", share, 7, 1, ply) for ply in range(50)]


def test_the_scale_is_plain_up_to_ten_pawns_and_never_falls_beyond() -> None:
    within = np.array([-1000.0, -20.0, 0.0, 999.0])
    assert unfolded(within).tolist() == within.tolist()
    rising = np.array([0, 999, 1000, 1001, 2000, 9000, 30_999, 31_900, 31_980, 31_990, 31_998, 31_999.0])
    found = unfolded(rising)
    assert (np.diff(found) >= 0).all()
    assert (np.diff(found)[[1, 2, 3, 4, 5, 6, 8, 9, 10]] > 0).all()
    assert unfolded(-rising).tolist() == (-found).tolist()
