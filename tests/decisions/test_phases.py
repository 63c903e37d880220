import pytest

from assay.decisions.slices import MEN, PHASES, men, men_bands, phase, phases

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
SPANISH = "r1bqk2r/1pppbppp/p1n2n2/4p3/B3P3/5N2/PPPP1PPP/RNBQR1K1 b kq -"
BOTH_OUT = "2rq1rk1/pb2bppp/1pn1pn2/2pp4/3P4/1PNBPN2/PBP1QPPP/2R2RK1 w - -"
QUEENS = "3q2k1/5ppp/8/8/8/3B4/5PPP/3Q2K1 w - -"
QUEENS_AND_ROOKS = "3q1rk1/5ppp/8/8/8/8/5PPP/3Q1RK1 w - -"
ROOKS = "2r3k1/5ppp/8/3n4/8/3B4/5PPP/2R3K1 w - -"


@pytest.mark.parametrize(
    ("position", "name"),
    [
        (START, "opening"),
        (SPANISH, "opening"),
        (BOTH_OUT, "middlegame"),
        (QUEENS, "endgame"),
        (QUEENS_AND_ROOKS, "middlegame"),
        (ROOKS, "endgame"),
    ],
)
def test_phases_as_people_call_them(position: str, name: str) -> None:
    assert PHASES[phase(position)] == name


def test_a_piece_on_another_s_first_square_is_not_at_home() -> None:
    # Rooks on b1, c1 and f1, a bishop on g1, the queen on e1: nothing of White's stands where it began.
    assert PHASES[phase("2rq1rk1/pb3ppp/1pn1pn2/2pp4/3P4/1PN1PN2/PBP2PPP/1RR1QRBK w - -")] == "middlegame"


def test_men_and_their_bands() -> None:
    assert men(START) == 32
    assert men(ROOKS) == 12
    assert [MEN[band] for band in men_bands([START, ROOKS, "8/8/4k3/8/8/3K4/8/8 w - -"])] == [
        (25, 32),
        (9, 16),
        (2, 8),
    ]


def test_what_is_no_position_of_chess_has_no_phase() -> None:
    keys = [
        START,
        None,
        "a node of another game",
        "8/8/8 w",
        "9/8/8/8/8/8/8/8 w - -",
        "z7/8/8/8/8/8/8/8 w - -",
        START,
    ]
    assert phases(keys).tolist() == [0, -1, -1, -1, -1, -1, 0]
    assert men_bands(keys).tolist() == [0, -1, -1, -1, -1, -1, 0]
