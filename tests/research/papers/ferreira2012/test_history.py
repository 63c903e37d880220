"""The paper's events of other years, from one workspace."""

import numpy as np
import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.models.gain.model import compare
from research.papers.ferreira2012.history import LONDON, MATCHES, TAL, History, page, published_name

PLAYERS = {"A": "Anand,V", "B": "Aronian,L", "C": "Carlsen,M", "D": "Kramnik,V"}


def at(decisions: Decisions, event: str, year: int, names: dict[str, str]) -> Decisions:
    """The same decisions at another event, by other players."""
    table = decisions.to_table()
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


def test_events_are_found_and_what_is_missing_is_left_out(workspace: Decisions) -> None:
    found = History(workspace)
    assert found.is_whole(LONDON, TAL, MATCHES["kasparov_deep_blue_1997"])
    assert not found.is_whole(MATCHES["fischer_spassky_1972"])
    half = workspace.to_table().slice(0, 0)
    assert not History(Decisions.from_table(half)).is_whole(LONDON)
    assert "| Fischer-Spassky 1972 | 0 | 0 of 0 | not whole yet" in found.coverage()


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


def test_the_page_says_what_it_has(workspace: Decisions) -> None:
    text = page(workspace)
    assert "### Kasparov-Deep Blue 1997" in text
    assert "| Kasparov | 2754 |" in text
    assert "The paper: -3." in text
    assert (
        "Not analysed to the end yet: Fischer-Spassky 1972, Kasparov-Karpov 1985, Fischer-Spassky 1992."
        in text
    )
    assert "The Candidates 1971 are not analysed to the end yet." in text
    with pytest.raises(InputError, match="London Classic"):
        page(workspace.select(year=1997))


def test_strengths_come_from_the_engine_that_london_rates(workspace: Decisions) -> None:
    found = History(workspace)
    for model in found.models.values():
        assert model.engine_strength is not None
        assert np.isfinite(model.engine_strength)
    assert found.engines().startswith(f"{found.models['peak'].engine_strength:.0f} with its peak")


@pytest.mark.parametrize(
    ("player", "name"),
    [("Kortschnoj, Viktor", "Korchnoi"), ("Huebner, Robert", "Hübner"), ("Geller, Efim P", "Geller")],
)
def test_names_as_the_paper_has_them(player: str, name: str) -> None:
    assert published_name(player, {"Korchnoi": 1.0, "Hübner": 2.0}) == name
