from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from examples.gain_examples import annotated_pgn
from web.test_following import reached


def test_a_broadcast_is_followed(
    served: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("assay.engine.engines._PLACES", ())
    client = served(engine=None)
    path = tmp_path / "live.pgn"
    path.write_text(annotated_pgn(30, result="*"))
    assert client.get("/live?as=json").status_code == 422
    assert client.post("/live/follow", data={"path": str(path)}).status_code == 303
    reached(client.site.follower, "f.document is not None")
    assert len(client.get("/live", headers={"accept": "application/json"}).json()["moves"]) == 30
    text = client.get("/live").text
    assert "Going on." in text
    assert "The last moves" in text
    assert client.get("/live?as=svg").text.startswith("<svg")
    assert client.post("/live/stop").status_code == 303
    assert "Over." in client.get("/live").text


def test_files_elsewhere_are_not_followed_from_another_machine(served: Callable[..., Any]) -> None:
    client = served(anywhere=False)
    assert client.post("/live/follow", data={"path": "/etc/passwd"}).status_code == 422
    assert client.site.follower.path is None
