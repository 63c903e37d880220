"""Compiled functions work where nothing can be kept: a read-only installation, no home."""

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba.core import caching

from assay.decisions.compiled import exponential, njit


def double(x: float) -> float:
    return 2 * x


def test_without_a_place_a_function_is_compiled_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])
    assert njit()(double)(2.0) == 4.0


def test_with_a_place_it_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))
    assert njit(nogil=True)(double)(2.0) == 4.0
    assert list(tmp_path.rglob("*.nbi"))


def test_every_method_loads_in_a_container_that_can_write_nowhere() -> None:
    code = """
        from numba.core import caching
        caching.CacheImpl._locator_classes = []
        import assay.rating.pipeline, assay.engine.replay
        from assay.models.registry import make_model, methods
        for name in methods():
            make_model(name)
        from assay.engine.replay import replay
        import pyarrow as pa
        print(len(replay(pa.array([["e2e4", "e7e5"]]), [None]).keys))
    """
    lines = "\n".join(
        line.strip() if not line.startswith(" " * 12) else line[8:] for line in code.splitlines()
    )
    done = subprocess.run(
        [sys.executable, "-c", lines], capture_output=True, text=True, timeout=250, check=False
    )
    assert done.stdout == "3\n", done.stderr


def test_the_exponential_is_right_to_the_bit_before_the_last() -> None:
    near = np.random.default_rng(0).uniform(-40, 30, 2000)
    far = np.array([-708.0, -500.0, -1e-300, -0.0, 0.0, 1e-18, 0.5 * np.log(2), 27.631, 700.0, 709.0])
    for x in (*near, *far):
        assert exponential(x) == pytest.approx(math.exp(x), rel=4.5e-16)
    assert exponential(0.0) == 1.0
