"""Error rates, opens and power of the screening, in a small measurement."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.answers.screening import share_interval
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import FIDE_CLASSICAL
from assay.models.appearances import Appearances, assign_folds
from assay.screening.norms import SHIFT, Norms, Tail, find_norms
from assay.screening.screen import screen_decisions
from assay.screening.z_scores import judge
from assay.study import Study
from examples.screened_games import PLAIN, PLAIN_TURNS, calibration, field, with_first_choice
from research.calibration.evaluated import is_held_out
from research.calibration.screening_norms import document
from research.calibration.source_norms import EVENTS, event_shift, kinds_of_players, open_fields
from research.evidence.screening import honest as measured
from research.evidence.screening import page, power
from research.evidence.screening.honest import OPENS, PLAYERS, SIZES, HonestGames, counted_opens, rates_of


@pytest.fixture(scope="module")
def honest() -> Iterator[HonestGames]:
    """Five players of each of three ratings, two games each, judged by the agents that played them."""
    tables = []
    for place, elo in enumerate((1800, 2000, 2200)):
        names = [f"{name} {elo}" for name in ("Ann", "Bob", "Cid", "Dee", "Eve")]
        tables.append(field(names, games=2, turns=26, elo=elo, seed=10 * place))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HonestGames, "agents", lambda *_: calibration().agents)
        patch.setattr(HonestGames, "curves", lambda *_: PLAIN_TURNS.curves)
        patch.setattr(measured, "FOLDS", 2)
        patch.setattr(measured, "assign_folds", lambda *given: assign_folds(*given[:3], 2, given[4]))
        yield HonestGames(Decisions.concat(tables))


def test_rates_of_normal_z_are_nominal() -> None:
    z = np.random.default_rng(0).normal(size=200_000)
    rates = list(rates_of(z, np.full(len(z), 2000.0), 1, (1.645, 2.326), 1))
    everyone = [rate for rate in rates if rate["band"] == "all"]
    assert [rate["nominal"] for rate in everyone] == pytest.approx([0.05, 0.01], abs=1e-4)
    for rate in everyone:
        assert rate["above"] == pytest.approx(rate["nominal"], rel=0.1)
        assert rate["below"] == pytest.approx(rate["nominal"], rel=0.1)
    assert next(rate for rate in rates if rate["band"] == "1800-2100")["groups"] == len(z)


def test_groups_are_of_one_century_and_no_game_twice(honest: HonestGames) -> None:
    groups = honest.groups(2, 3)
    assert groups
    for rows in groups:
        assert len(set(honest.appearances.game[rows].tolist())) == 2
        assert len(set(honest.elo[rows].tolist())) == 1


def test_z_of_honest_agents_are_near_standard_and_of_the_engine_far(honest: HonestGames) -> None:
    z = honest.z(honest.evidence(), honest.groups(1, 1), PLAIN)
    assert 0.4 < z[:, 0].std() < 1.6
    assert abs(z[:, 0].mean()) < 0.8
    taken = honest.evidence(np.zeros(len(honest.turns), np.int64))
    assert np.median(honest.z(taken, honest.groups(2, 2), PLAIN)[:, -1]) > z[:, -1].max() - 0.5


def test_norms_carry_what_was_measured(honest: HonestGames) -> None:
    agents = calibration().agents
    assert agents is not None
    norms = honest.norms("made", agents)
    assert norms.turns is not None
    assert np.isfinite(norms.turns.scale).all()
    rates = list(honest.rates(norms))
    assert {rate["games"] for rate in rates} == {1, 5, 9}
    assert document(Norms.of(document(norms))) == document(norms)


# Power: the moves of other searches, which are committed.


def test_moves_that_were_taken_replace_a_share(honest: HonestGames) -> None:
    moves = dict.fromkeys(range(200), 3)
    own = honest.turns.decisions.played_index
    assert (power.replaced(honest, moves, 1.0, 0)[:200] == 3).all()
    assert (power.replaced(honest, moves, 1.0, 0)[200:] == own[200:]).all()
    assert (power.replaced(honest, moves, 0.0, 0) == own).all()
    whole = power.visited(honest, dict.fromkeys(np.flatnonzero(honest.place < 3).tolist(), 0))
    assert whole.tolist() == [0, 1, 2]


def test_tables_of_power(honest: HonestGames, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where everyone takes all moves of the search that screens, everyone is found and named."""
    monkeypatch.setattr(power, "GAMES", (1, 2))
    monkeypatch.setattr(power, "SIZES", (1, 2))
    taken = dict.fromkeys((power.SAME, power.HELPED_BY), dict.fromkeys(range(len(honest.turns)), 0))
    screen = power.ByTurns(honest, PLAIN)
    table = power.power(screen, taken)
    (row,) = (line for line in table.splitlines() if line.startswith(f"| {power.SAME}, all, 2 |"))
    assert int(row.split("|")[3]) >= 90
    assert "| the players |" in power.quality(honest, taken)
    norms = replace(PLAIN, power=tuple(power.helped(screen, taken)))
    two, one = norms.power_in(2, 10), norms.power_in(1, 10)
    assert two["engine"] == power.HELPED_BY
    assert two["all"] >= 0.9
    assert two["all"] >= two["half"]
    assert (one["half"], one["all"]) == (0, 0), "nobody is named by one game"
    assert norms.power_in(2, 10_000)["all"] == 0, "nor in a field too large for the honest groups"


def test_the_moves_that_are_committed_name_nobody() -> None:
    import pyarrow.csv as csv

    table = csv.read_csv(power.TAKEN_MOVES)
    assert table.column_names == ["game", "ply", "search", "move", "alone"]
    assert len(set(table["search"].to_pylist())) == 3
    assert all(len(game) == 16 for game in set(table["game"].to_pylist())), "ids, no names"


# Opens of honest players.


def test_ten_opens_of_honest_players() -> None:
    """Ten of the 200 opens; `make proof` screens all."""
    norms = find_norms(FIDE_CLASSICAL)
    assert norms is not None
    ten = list(open_fields(norms, 5, 10))
    assert all(len(z) == 120 for z, _ in ten)
    assert counted_opens(ten, 5)["named"] <= 2


@pytest.mark.proof
def test_200_opens_of_120_honest_players_are_named_as_often_as_is_printed() -> None:
    norms = find_norms(FIDE_CLASSICAL)
    assert norms is not None
    for printed in norms.opens["by_games"]:
        assert counted_opens(open_fields(norms, printed["games"], OPENS), printed["games"]) == printed


@pytest.mark.proof
def test_200_opens_of_real_players_of_held_out_events_through_the_public_screen(
    shared_data: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole events, one after another, until there are 120 players with so many games of one event.

    Neither the calibration nor the shape that ships has seen them; the ranks are those of other groups.
    """
    games = shared_data("evaluated/twic-fide-stockfish.pgn.zst")
    decisions = Study(games, workspace=tmp_path / "games.assay", evaluations="file").decisions()
    appearances = Appearances.of(decisions)
    place, event = appearances.place(decisions), appearances.codes("event")
    held_out = [code for code, name in enumerate(appearances.names("event")) if is_held_out(name)]
    norms = find_norms(FIDE_CLASSICAL)
    assert norms is not None
    with np.load(EVENTS) as kept:
        others = {n: kept["z"][(kept["games"] == n) & np.isnan(kept["shipped"])] for n in SIZES}
    tails = tuple(Tail.of(n, z.astype(np.float64)) for n, z in others.items())
    monkeypatch.setattr("assay.screening.screen.find_norms", lambda _: replace(norms, tails=tails))
    for n in (2, 3, 5):
        named = 0
        for seed in range(OPENS):
            rng = np.random.default_rng(seed)
            chosen: dict[int, np.ndarray] = {}
            for code in rng.permutation(held_out):
                rows = rng.permutation(np.flatnonzero((event == code) & np.isfinite(appearances.elo)))
                for player in np.unique(appearances.player[rows]):
                    mine = rows[appearances.player[rows] == player]
                    if len(mine) >= n:
                        chosen.setdefault(int(player), mine[:n])
                if len(chosen) >= PLAYERS:
                    break
            rows = np.concatenate(list(chosen.values())[:PLAYERS])
            decisions.take(np.flatnonzero(np.isin(place, rows))).write(tmp_path / "open.parquet")
            named += bool(Study(tmp_path / "open.parquet").screen().named)
        assert share_interval(named, OPENS)[0] <= 0.05, (n, named)


def test_one_procedure_names_in_5_percent_of_null_fields_at_most_under_dependence() -> None:
    """Events share a shift, both players of a game depend on each other, either way; tails are heavy."""
    rng = np.random.default_rng(1)

    def field_of(n: int, shift: float, pairs: float) -> np.ndarray:
        common = rng.normal(size=n // 2).repeat(2) * np.sqrt(abs(pairs))
        common[1::2] *= np.sign(pairs) or 1
        own = rng.normal(size=n) * np.sqrt(1 - abs(pairs) - shift**2)
        return np.asarray((common + own + shift * rng.normal()) / np.sqrt(rng.chisquare(8, n) / 8))

    for shift, pairs in ((0.0, 0.0), (0.3, 0.0), (0.17, -0.3), (0.17, 0.5)):
        honest = ([field_of(120, shift, pairs) for _ in range(40)] for _ in range(50))
        tails = [Tail.of(9, np.concatenate(events)) for events in honest]
        fields = (
            (field_of(120, shift, pairs), replace(PLAIN, tails=(tails[seed % 50],))) for seed in range(1000)
        )
        # 5% is what is due here: two of 4,801 groups and 120 players. Of 1,000 that is known to 14 and more.
        assert counted_opens(fields, 9)["named"] <= 50 + 3 * np.sqrt(1000 * 0.05 * 0.95), (shift, pairs)


def test_the_public_screen_judges_a_field_as_the_opens_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is named and with which p, q is what `judge` says of the z of the field."""
    decisions = with_first_choice(field([f"Player {n}" for n in range(8)], games=2, turns=25), "Player 3")
    screening = screen_decisions(decisions, calibration(), PLAIN)
    z = np.array([player.z["all"] for player in screening.players])
    judged = judge(z, np.full(8, 2.0), PLAIN)
    assert [player.flag is not None for player in screening.players] == judged.unusual.tolist()
    assert judged.unusual.any()
    for player, p, q in zip(screening.players, judged.p, judged.q, strict=True):
        assert (player.p, player.q) == (max(p, player.least_p), max(q, player.least_p))


def test_what_events_share_is_found_again() -> None:
    rng = np.random.default_rng(0)
    event = np.arange(300).repeat(20)
    z = rng.normal(size=6000) + 0.3 * rng.normal(size=300)[event]
    assert event_shift(z, event) == pytest.approx(0.3, abs=0.05)
    assert event_shift(rng.normal(size=6000), event) < 0.1
    assert event_shift(z[:3], event[:3]) == SHIFT[0][1]


# The page: tables of the norms that ship.


def test_tables_of_norms() -> None:
    """A share of which not one group is due is a dash; intervals stand beside shares over all ratings."""
    base = {"games": 1, "above": 0.05, "below": 0.04, "groups": 100}
    rates = [
        {**base, "band": band, "threshold": threshold, "nominal": nominal}
        for band in ("all", "1400-1800")
        for threshold, nominal in ((1.645, 0.05), (3.09, 0.001))
    ]
    young = {**base, "kind": "up to 13 years", "threshold": 1.645}
    kinds = kinds_of_players([{**young, "more": 0.0}, {**young, "more": 140.0}])
    assert "| up to 13 years | 1 | 100 | 5.0 / 4.0 | 5.0 / 4.0 |" in kinds
    opens = {"by_games": [{"opens": 200, "players": 120, "games": 9, "named": 7, "shifted": 2}]}
    norms = Norms(
        source="made",
        rates=tuple(rates),
        opens=opens,
        about={"scale": "Made Elo"},
    )
    assert "| Made Elo | 1, all | 100 | 5.00 / 4.00 (5) | - |" in page.rates([norms])
    known = page.intervals([norms])
    assert "| Made Elo | 1 | 100 | 5 | 5.00 (1.64 to 11.28) | 4.00 (1.10 to 9.93) |" in known
    assert known.count("Made Elo") == 1
    assert "| Made Elo | 9 | 120 | 200 | 7 (1.4 to 7.1%) | 2 |" in page.opens([norms])
