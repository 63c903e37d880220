"""The package loads on every system: nothing that only some have is imported or asked for at the start."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "src" / "assay"
ONLY_POSIX = {"crypt", "fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}

# What Windows does not have. Libraries decide by the platform's name what they load, so only assay is told.
_WITHOUT = """
import builtins, importlib, os, pkgutil, select, signal, sys
real = builtins.__import__
def importing(name, globals=None, *rest, **named):
    if name.split(".")[0] in ONLY_POSIX and (globals or {}).get("__name__", "").startswith("assay"):
        raise ImportError(name)
    return real(name, globals, *rest, **named)
import assay, chess, numba, pyarrow.parquet, scipy.stats, typer
builtins.__import__ = importing
for module, names in ((os, "killpg setsid fork waitid sysconf sched_getaffinity mkfifo getuid"),
                      (select, "poll epoll"), (signal, "SIGKILL SIGHUP SIGALRM")):
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
for found in pkgutil.walk_packages(assay.__path__, "assay."):
    if found.name != "assay.__main__" and "cluster" not in found.name:
        importlib.import_module(found.name)
print("loaded")
"""


def _imported(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: path.stem)
def test_no_module_imports_what_only_some_systems_have(path: Path) -> None:
    assert not _imported(path) & ONLY_POSIX


def test_the_package_loads_without_what_windows_lacks() -> None:
    code = f"ONLY_POSIX = {ONLY_POSIX!r}\n{_WITHOUT}"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=250, check=False
    )
    assert done.stdout == "loaded\n", done.stderr
