"""Engines that play a part, for tests of whatever starts one."""

import shlex
import sys
from pathlib import Path

from assay.engine.engines import EngineConfig

_SCRIPT = Path(__file__).parent.parent / "engine" / "scripted_engine.py"


def scripted_engine(folder: Path, *arguments: object, patience: float = 20.0) -> EngineConfig:
    """A new scripted engine, with arguments of tests/engine/scripted_engine.py; its starts are noted."""
    path = folder / f"engine{len(list(folder.glob('engine*')))}"
    words = [sys.executable, str(_SCRIPT), "--mark", path, *arguments]
    note = f"echo started >> {shlex.quote(str(_starts(path)))}"
    path.write_text(f"#!/bin/sh\n{note}\nexec {shlex.join(map(str, words))}\n")
    path.chmod(0o755)
    return EngineConfig(str(path), patience=patience)


def starts_of(engine: EngineConfig) -> int:
    """How often a scripted engine was started."""
    assert engine.path is not None
    file = _starts(Path(engine.path))
    return len(file.read_text().splitlines()) if file.exists() else 0


def _starts(path: Path) -> Path:
    return path.with_name(f"starts-of-{path.name}")


def engines_running(engine: EngineConfig) -> list[int]:
    """Numbers of the processes of a scripted engine, found by its mark."""
    mark = f"--mark\0{engine.path}\0".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue  # it has just ended
        if mark in command:
            found.append(int(folder.name))
    return found
