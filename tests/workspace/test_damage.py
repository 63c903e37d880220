"""Damage under every command: one sentence and exit code 2, no traceback, nothing believed."""

import random
from pathlib import Path

import pytest

from assay.engine.engines import EngineConfig
from assay.errors import AssayError
from assay.workspace import Workspace
from examples.commands import sentence

FLIPS = 8
"""Single flipped bits in each table. `tests/store/test_checksums.py` has more."""

COMMANDS = (
    ("status", "W"),
    ("rate", "W", "--engine", "E"),
    ("export", "games", "W"),
    ("export", "decisions", "W"),
    ("export", "pgn", "W"),
    ("analyse", "W", "--engine", "E"),
    ("analyse", "W", "--engine", "E", "--dry-run"),
    ("tournament", "W", "--engine", "E"),
    ("career", "W", "Fischer", "--engine", "E"),
    ("compare", "W", "Fischer", "Byrne", "--engine", "E"),
    ("forecast", "W", "Fischer", "Byrne", "--engine", "E"),
    ("versus", "W", "--engine", "E"),
    ("method", "gain", "W", "--engine", "E"),
    ("import", "P", "-w", "W"),
    ("remove", "W", "--player", "Fischer", "--yes"),
)
"""Every command that reads the table of games, or a table that depends on it."""


@pytest.mark.parametrize("damage", ["flipped", "cut", "gone", "old and cut"])
def test_every_command_says_one_sentence(
    damage: str,
    workspace: Workspace,
    engine: EngineConfig,
    examples: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pgn = examples / "game_of_the_century.pgn"
    workspace.import_games(pgn)
    (part,) = workspace.table_games.parts()
    content = bytearray(part.read_bytes())
    content[len(content) // 2] ^= 1
    part.write_bytes(content if damage == "flipped" else content[: len(content) // 2])
    if damage == "gone":
        part.unlink()
    if damage == "old and cut":
        workspace.table_games.checksums.path.unlink()
    words = {"W": workspace.path, "E": engine.path, "P": pgn}
    for command in COMMANDS:
        said = sentence(capsys, *(words.get(word, word) for word in command))
        assert said.startswith(f"assay: {part} is {'missing' if damage == 'gone' else 'damaged'}"), command
        assert f"assay doctor {workspace.path} --repair" in said
        assert "assay import" in said


def test_flipped_bits_anywhere_are_noticed_or_without_effect(analysed: Workspace) -> None:
    chance = random.Random(15)
    (recipe_id,) = analysed.recipes()

    def decisions() -> object:
        opened = Workspace(analysed.path)
        return opened.decisions(recipe_id).to_table().to_pydict(), opened.games().to_pydict()

    whole = decisions()
    noticed = 0
    parts = [part for table in analysed.tables for part in table.parts()]
    assert len(parts) >= 3
    for part in parts:
        content = part.read_bytes()
        for place in chance.sample(range(8 * len(content)), FLIPS):
            flipped = bytearray(content)
            flipped[place // 8] ^= 1 << (place % 8)
            part.write_bytes(flipped)
            try:
                assert decisions() == whole
            except AssayError:
                noticed += 1
        part.write_bytes(content)
    assert decisions() == whole
    assert noticed >= 2 * FLIPS  # tables that decisions do not need may be damaged without effect
