"""Parts that were damaged, cut or lost: noticed or without effect; and had again."""

import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.engine.engines import EngineConfig
from assay.errors import AssayError
from assay.workspace import Workspace
from assay.workspace.repair import repair
from examples.interrupted import RECIPE, tables
from examples.trials import TIMES, chance_of, keep, tries

pytestmark = pytest.mark.timeout(max(300, 60 * TIMES))
DAMAGES, REPAIRS, LISTS = 5, 1, 20

Damage = Callable[[Path, random.Random], None]


def flip(part: Path, chance: random.Random) -> None:
    content = bytearray(part.read_bytes())
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    part.write_bytes(content)


def cut(part: Path, chance: random.Random) -> None:
    content = part.read_bytes()
    part.write_bytes(content[: chance.randrange(len(content))])


def blank(part: Path, chance: random.Random) -> None:
    """A block of zeros, as a crashed file system leaves them."""
    content = bytearray(part.read_bytes())
    start = chance.randrange(len(content))
    length = min(chance.choice((16, 512, 4096)), len(content) - start)
    content[start : start + length] = bytes(length)
    part.write_bytes(content)


def lengthen(part: Path, chance: random.Random) -> None:
    part.write_bytes(part.read_bytes() + chance.randbytes(chance.choice((1, 8, 4096))))


def delete(part: Path, chance: random.Random) -> None:
    part.unlink()


def swap(part: Path, chance: random.Random) -> None:
    """Another part of the workspace under this one's name."""
    others = [one for one in part.parent.parent.glob("*/*.parquet") if one != part]
    shutil.copyfile(chance.choice(others), part)


WAYS: dict[str, Damage] = {
    "one flipped bit": flip,
    "cut off": cut,
    "a block of zeros": blank,
    "bytes at the end": lengthen,
    "deleted": delete,
    "another part in its place": swap,
}


def parts_of(path: Path) -> list[Path]:
    return [part for table in Workspace(path).tables for part in table.parts()]


def complaint(path: Path, expected: object) -> str | None:
    """What is said of a workspace when all its tables are read; None where they are as expected."""
    try:
        found = tables(path)
    except AssayError as error:
        return str(error)
    assert found == expected
    return None


@pytest.mark.parametrize("way", WAYS)
def test_damage_is_noticed_or_without_effect(
    way: str, analysed: Path, copy: Callable[[Path, int], Path]
) -> None:
    path = copy(analysed, 0)
    expected = tables(path)
    parts = parts_of(path)
    assert len(parts) >= 4
    outcomes: Counter[str] = Counter()
    for number in range(tries(DAMAGES)):
        chance = chance_of(way, number)
        part = chance.choice(parts)
        content = part.read_bytes()
        WAYS[way](part, chance)
        changed = not part.exists() or part.read_bytes() != content
        said = complaint(path, expected)
        if said is None:
            assert not changed, f"{way}, number {number}: every part has its checksum"
            outcomes["without effect"] += 1
        else:
            assert str(part) in said
            assert "--repair" in said
            outcomes["noticed, the part named"] += 1
        part.write_bytes(content)
    assert tables(path) == expected
    keep("damage", way, outcomes)


def test_a_damaged_list_of_recipes_is_noticed_or_without_effect(
    analysed: Path, engine: EngineConfig, copy: Callable[[Path, int], Path]
) -> None:
    path = copy(analysed, 0)
    listed, expected = path / "recipes.json", Workspace(path).recipes()
    content = listed.read_bytes()
    outcomes: Counter[str] = Counter()
    said = []
    for number in range(tries(LISTS)):
        chance = chance_of("recipes.json", number)
        chance.choice((flip, flip, cut, blank, lengthen))(listed, chance)
        try:
            assert Workspace(path).recipes() == expected
            outcomes["without effect"] += 1  # a space between two words, say
        except AssayError as error:
            said.append(str(error))
            outcomes["noticed, the file named"] += 1
        listed.write_bytes(content)
    assert said
    assert all(str(listed) in sentence and "--repair" in sentence for sentence in said)
    cut(listed, chance_of("recipes.json", -1))
    repair(Workspace(path, check=False), lambda _: None)
    assert Workspace(path).recipes() == {}
    Workspace(path).analyse(RECIPE, engine=engine, jobs=1)
    assert listed.read_bytes() == content
    assert tables(path) == tables(analysed)
    keep("damage", "`recipes.json`: a bit, cut off, zeros, bytes at the end", outcomes)


def test_what_was_lost_is_had_again(
    analysed: Path, source: Path, engine: EngineConfig, copy: Callable[[Path, int], Path]
) -> None:
    """Several parts damaged, repaired, imported and analysed again: the tables are as before."""
    expected = tables(analysed)
    outcomes: Counter[str] = Counter()
    for number in range(tries(REPAIRS)):
        chance = chance_of("repair", number)
        path = copy(analysed, number)
        parts = parts_of(path)
        for part in chance.sample(parts, chance.choice((1, 2, len(parts)))):
            WAYS[chance.choice(sorted(WAYS))](part, chance)
        said: list[str] = []
        repair(Workspace(path, check=False), said.append)
        Workspace(path).import_games(source)
        Workspace(path).analyse(RECIPE, engine=engine, jobs=1)
        assert tables(path) == expected, f"number {number}: {said}"
        outcomes["identical after the repair"] += 1
        shutil.rmtree(path)
    keep("damage", "several parts, `assay doctor --repair`, imported and analysed again", outcomes)
