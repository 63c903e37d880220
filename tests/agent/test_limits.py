import pytest

from assay.agent.limits import LEAST_NODES, Limits, affordable, parse_go


def go(text: str, *, white: bool = True) -> Limits:
    return parse_go(text.split(), white=white)


def test_the_own_clock_is_shared_out_over_the_moves_to_come() -> None:
    assert go("wtime 60000 btime 1000").seconds == pytest.approx(2 - 0.03)
    assert go("wtime 60000 btime 30000", white=False).seconds == pytest.approx(1 - 0.03)
    assert go("wtime 60000 winc 1000").seconds == pytest.approx(2.8 - 0.03)
    assert go("wtime 60000 movestogo 10").seconds == pytest.approx(6 - 0.03)
    assert go("wtime 60000 movestogo 1").seconds == pytest.approx(30 - 0.03)


def test_a_flag_never_falls_by_what_is_added_later() -> None:
    found = go("wtime 1000 winc 60000").seconds
    assert found is not None
    assert found < 0.5
    assert go("wtime 1 btime 1").seconds == 0.01
    assert go("wtime -300 btime 1").seconds == 0.01


def test_the_time_of_a_move_and_other_limits() -> None:
    assert go("movetime 500") == Limits(seconds=pytest.approx(0.47))
    assert go("nodes 1000 depth 5") == Limits(nodes=1000, depth=5)
    assert go("infinite") == Limits(waits=True)
    assert go("ponder wtime 60000 btime 60000").ponder
    assert go("ponder wtime 60000 btime 60000").waits
    assert go("searchmoves e2e4 d2d4 depth 3") == Limits(depth=3, moves=("e2e4", "d2d4"))
    assert go("") == Limits()


def test_nonsense_is_passed_over() -> None:
    assert go("depth x nodes -5 banana wtime") == Limits()
    assert go("nodes 99999999999999999999999999").nodes == 10**12


def test_what_fits_the_time_is_searched_and_never_more_than_the_recipe() -> None:
    assert affordable(Limits(), 150_000, 1e5) == 150_000
    assert affordable(Limits(seconds=100.0), 150_000, 1e5) == 150_000
    assert affordable(Limits(seconds=1.0), 150_000, 1e5) == 90_000
    assert affordable(Limits(nodes=2000, seconds=1.0), 150_000, 1e5) == 2000
    assert affordable(Limits(nodes=10**9), 150_000, 1e5) == 150_000
    assert affordable(Limits(seconds=0.0001), 150_000, 1e5) == LEAST_NODES
    assert affordable(Limits(nodes=1), 100, 1e5) == 100
