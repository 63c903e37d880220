"""Links in a workspace that lead out of it: where they could stand, and what must not change by them."""

from pathlib import Path

FILES = (
    ".lock",
    "workspace.json",
    "workspace.json.part",
    "recipes.json",
    "recipes.json.part",
    "recipes.tmp",
    "aliases.txt",
    "aliases.txt.part",
    "aliases.tmp",
    "games/00000002-00000002.parquet",
    "games/00000002-00000002.parquet.part",
    "games/00000002-00000002.tmp",
    "games/00000001-00000001.parquet",
    "checksums/games.json",
    "checksums/games.json.part",
    "changed",
    "changing",
)
FOLDERS = ("games", "annotations", "players", "analyses", "checksums", "changed", "changing", "damaged")


def outside_of(place: Path) -> Path:
    """A folder of somebody who was not asked, with parts and files in it."""
    folder = place / "outside"
    (folder / "games").mkdir(parents=True)
    for name in ("victim", "00000001-00000001.parquet", "games.json", "games/00000001-00000001.parquet"):
        (folder / name).write_text("mine")
    return folder


def content(folder: Path) -> dict[str, bytes | None]:
    """Everything in a folder, by name."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }
