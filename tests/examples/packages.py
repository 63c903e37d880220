"""Packages that bring methods, as an installer leaves them: a module, and its entry points beside it."""

from collections.abc import Mapping
from pathlib import Path

from examples import mean_rank

ENTRY_POINTS = {"mean_rank": "rank_method:MeanRankModel"}


def install_package(
    folder: Path, name: str = "rank-method", entry_points: Mapping[str, str] = ENTRY_POINTS
) -> Path:
    """A folder for the search path with a package whose module `rank_method` is examples/mean_rank.py."""
    folder.mkdir(exist_ok=True)
    text = Path(mean_rank.__file__).read_text(encoding="utf-8")
    (folder / "rank_method.py").write_text(text, encoding="utf-8")
    about = folder / f"{name.replace('-', '_')}-1.2.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n", encoding="utf-8")
    lines = "".join(f"{method} = {home}\n" for method, home in entry_points.items())
    (about / "entry_points.txt").write_text(f"[assay.methods]\n{lines}", encoding="utf-8")
    return folder
