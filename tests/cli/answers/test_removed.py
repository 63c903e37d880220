"""What `assay remove` says before and after."""

import dataclasses
from pathlib import Path

import pyarrow as pa

from assay.cli.answers.removed import planned_sentence, removal_answer
from assay.workspace.removal import Removal, RemovalReport


def planned(players: int, games: int = 1) -> Removal:
    names = pa.array([f"P{n}" for n in range(players)], pa.string())
    return Removal(pa.array([f"g{n}" for n in range(games)]), pa.array(["a", "b"]), names, names)


def test_what_would_go() -> None:
    assert planned_sentence(planned(0)) == "1 game, 2 positions that no other game has"
    said = planned_sentence(planned(10, 2000))
    assert said.startswith("2,000 games, 2 positions that no other game has, and all that is known of P0; P1")
    assert said.endswith("P7 and 2 more")


def test_files_that_were_set_aside_go_too_and_it_is_said() -> None:
    for number, words in ((1, "the file"), (3, "the 3 files")):
        said = planned_sentence(dataclasses.replace(planned(0), set_aside=number))
        assert said.endswith(f"that no other game has, and {words} set aside in its folder damaged")


def test_settings_that_still_name_a_player_are_told(tmp_path: Path) -> None:
    report = RemovalReport(games=1, players=1, annotations=0, analyses=2, alone=0, ratings=0, aliases=0)
    assert "edit it" not in _said(tmp_path, report)
    (tmp_path / "settings.toml").write_text('[aliases]\n"P" = "P0"\n')
    assert "still names them: edit it" in _said(tmp_path, report)
    assert removal_answer(tmp_path, planned(1), report).document()["analyses"] == 2


def _said(place: Path, report: RemovalReport) -> str:
    (table,) = removal_answer(place, planned(1), report).tables()
    return table.title
