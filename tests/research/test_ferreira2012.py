"""One event for all tests of the page."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.models import gain
from assay.models.gain import LIMIT, compare
from assay.reproduce import facts
from assay.reproduce.ferreira2012 import game_gains
from assay.workspace import Workspace
from examples.gain_examples import printed_decisions, round_robin, with_column
from research.papers import Games, ferreira2012
from research.papers.ferreira2012 import LONDON, TAL, History, of_other_years, published_name


@pytest.fixture(scope="session")
def tournament() -> Decisions:
    """Four players, everybody against everybody, six games each."""
    return round_robin(games=6)


# Events beside the printed strengths.


def test_an_event_is_shown_beside_the_printed_strengths(
    tournament: Decisions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ferreira2012, "RESAMPLES", 50)
    printed = [{"player": name, "estimated": 2700 + place} for place, name in enumerate("ABCD")]
    text = ferreira2012.event(tournament, "event", printed)
    heads, rule, *rows, _, agreement = text.splitlines()
    assert heads == "| player | Elo | points | expected | strength | 95% interval | in the paper |"
    assert rule == "|---|---:|---:|---:|---:|---:|---:|"
    assert {row.split(" | ")[0][2:]: row.split(" | ")[-1] for row in rows} == {
        name: f"{2700 + place} |" for place, name in enumerate("ABCD")
    }
    assert agreement.startswith("Rank correlation of our strengths with the paper's: **")
    assert " of 4 published strengths lie inside our intervals" in agreement


@pytest.mark.engine
def test_games_are_analysed_once(examples: Path, tmp_path: Path) -> None:
    game, analyses = examples / "game_of_the_century.pgn", tmp_path / "game_of_the_century" / "analyses"
    games = Games(examples, work=tmp_path)
    first = games.event(game, "quick")
    assert len(first) == 82
    parts = sorted(analyses.iterdir())
    assert parts
    assert games.event(game, "quick") == first
    assert sorted(analyses.iterdir()) == parts


# The game of the century by every gain.


def test_the_printed_game_in_three_ways() -> None:
    """113 points directly and 142 through the peak, as the paper says; the gap is that between them."""
    gains = game_gains(facts("ferreira2012")["game_of_the_century"])
    white, black = (gain.histogram(side, LIMIT) for side in gains)
    [row] = ferreira2012.three_ways("printed", white, black, {"peak": gain.peak(LIMIT)})
    assert row == ("printed", "peak", "113", "142", "29")


def test_the_game_of_the_century_by_every_distribution(tournament: Decisions) -> None:
    """The printed evaluations in place of an analysis: our rows then repeat the printed ones."""
    game = printed_decisions()
    game = with_column(game, "colour", ["white", "black"] * (len(game) // 2))
    text = ferreira2012.game_of_the_century({"single": game, "ferreira2012": game}, [tournament])
    rows = [row.strip("| ").split(" | ") for row in text.splitlines()[2:]]
    assert [row[0] for row in rows] == ["printed (Houdini, depth 20)"] * 2 + ["`single`"] * 3 + [
        "`ferreira2012`"
    ] * 2
    assert rows[0][1:] == rows[2][1:] == rows[5][1:] == ["peak", "113", "142", "29"]
    assert rows[1][1] == "82 moves of this game"
    assert rows[4][1].endswith("moves of both events")


# Gains of milepost games.


def test_moves_of_one_game_that_go_together_are_noticed() -> None:
    generator = np.random.default_rng(3)
    game = np.arange(2000) // 20
    group = np.zeros(2000)
    alone = generator.normal(size=2000)
    together = alone + generator.normal(size=100)[game]
    assert abs(ferreira2012.correlation(alone, game, group)) < 0.03
    assert ferreira2012.correlation(together, game, group) == pytest.approx(0.5, abs=0.1)


# The paper's events of other years, from one workspace.

PLAYERS = {"A": "Anand,V", "B": "Aronian,L", "C": "Carlsen,M", "D": "Kramnik,V"}


def at(decisions: Decisions, event: str, year: int, names: dict[str, str]) -> Decisions:
    """The same decisions at another event, by other players."""
    table = decisions.table()
    rows = len(table)
    columns = {
        "event": pa.array([event] * rows),
        "year": pa.array([year] * rows, pa.int16()),
        "game_id": pa.array([f"{event}{game}" for game in table["game_id"].to_pylist()]),
        **{
            side: pa.array([names.get(one, one) for one in table[side].to_pylist()])
            for side in ("player", "opponent")
        },
    }
    for name, column in columns.items():
        table = table.set_column(table.column_names.index(name), name, column)
    return Decisions.from_table(table)


@pytest.fixture(scope="module")
def workspace(tournament: Decisions) -> Decisions:
    london = at(tournament, "3rd London Chess Classic", 2011, PLAYERS)
    tal = at(tournament, "6th Tal Memorial", 2011, PLAYERS)
    two = at(
        tournament.select(player=["A", "B"]), "IBM Man-Machine", 1997, {"A": "Kasparov,G", "B": "Deep Blue"}
    )
    return Decisions.concat([london, tal, two])


def test_table_2_has_our_comparison_beside_the_printed_one(workspace: Decisions) -> None:
    found = History(workspace)
    rows = found.table_2().splitlines()
    assert rows[0] == "| at London | Anand at Tal | Aronian at Tal | Carlsen at Tal | Kramnik at Tal |"
    model = found.models["peak"]
    anand, carlsen = (
        event.of(workspace).select(player=name) for event, name in ((LONDON, "Anand,V"), (TAL, "Carlsen,M"))
    )
    value = compare(anand, carlsen, model).differences[0]
    assert f"-26; {value:+.0f} (" in rows[2].split(" | ")[3]
    # The same games under two names: everyone is their own equal.
    assert [row.split(" | ")[place + 1].split(" ")[1] for place, row in enumerate(rows[2:6])] == ["+0"] * 4


def test_events_of_the_workspace_have_their_tables(workspace: Decisions) -> None:
    tables = dict(of_other_years(workspace))
    assert "| London Classic 2011 | 36 |" in tables["Events of other years"]
    assert "| Kasparov | 2754 |" in tables["Kasparov-Deep Blue 1997"]
    assert "The paper: -3." in tables["Kasparov-Deep Blue 1997"]
    inside = (
        "2 of 2 published strengths" in tables["Kasparov-Deep Blue 1997"].partition(". With the measured")[0]
    )
    assert f"in {int(inside)} of 1 matches by the engine's peak" in tables["Matches"]
    assert "Table 5: the Candidates 1971" not in tables
    with pytest.raises(InputError, match="London Classic"):
        list(of_other_years(workspace.select(year=1997)))


@pytest.mark.parametrize(
    ("player", "name"),
    [("Kortschnoj, Viktor", "Korchnoi"), ("Huebner, Robert", "Hübner"), ("Geller, Efim P", "Geller")],
)
def test_names_as_the_paper_has_them(player: str, name: str) -> None:
    assert published_name(player, {"Korchnoi": 1.0, "Hübner": 2.0}) == name


# The page of Ferreira 2012.

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_table_4_has_ours_beside_the_printed_one(tournament: Decisions) -> None:
    printed = [
        {"player": name, "expectation": 0.3 + 0.01 * place, "difference": -100, "engine_by_elo": 2860}
        for place, name in enumerate("ABCD")
    ]
    rows = ferreira2012.engine_by_players(tournament, printed).splitlines()
    assert rows[0].startswith("| player | p, paper | p, ours | d, paper | d, ours |")
    assert {row.split(" | ")[0][2:] for row in rows[2:6]} == set("ABCD")
    assert rows[6].startswith("| mean |")
    assert "Rank correlation of p with the paper's: **" in rows[-1]


def test_the_page_has_what_the_milepost_games_give_by_standard(shared_data: Callable[[str], Path]) -> None:
    """The games of the page are the first 14 of each milepost; those by `single` need an engine."""
    data = shared_data("analysed/mileposts-standard").parents[1]
    text = (DOCS / "evidence" / "paper_ferreira2012.md").read_text(encoding="utf-8")
    everything = Games(data).mileposts()
    with TemporaryDirectory() as folder:
        chosen = Path(folder) / "mileposts.pgn"
        ferreira2012.pick_mileposts(
            [str(data / "mileposts"), str(chosen), "--first", str(ferreira2012.FIRST)]
        )
        few = Workspace(Path(folder) / "few.assay")
        few.import_games(chosen)
        ids = few.games()["game_id"].to_pylist()
    gains = ferreira2012.MilepostGains(everything.select(game=ids))
    tables = dict(ferreira2012.of_mileposts({"standard": gains}))
    assert tables["Mileposts, `standard`"] in text
    assert tables["Correlations that the method uses"] in text
    for title in ("Correlations", "Intervals of single games that contain the milepost's"):
        for row in tables[title].splitlines()[2:]:
            assert row in text
