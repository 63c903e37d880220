from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.web.pages import screen
from examples.screenings import made
from examples.served import whole


def test_without_a_scale_there_is_nothing_to_hold_moves_against(
    served: Callable[..., Any], analysed: Path
) -> None:
    client = served(analysed)
    assert "nothing to hold the moves against" in whole(client, "/screen")
    assert client.get("/screen?as=json").status_code == 422


def test_who_is_unusual_is_a_table_with_links_and_no_verdict(
    served: Callable[..., Any], analysed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = made()
    monkeypatch.setattr(screen, "screened", lambda _: answer)
    client = served(analysed)
    text = whole(client, "/screen")
    assert "Nothing here says that anybody did anything" in text
    assert '<a href="/players/Ann"><bdi>Ann</bdi></a>' in text  # Ann has a page
    assert "<svg" in text
    assert client.get("/screen?as=json").json() == answer.to_dict()
    assert client.get("/screen?as=csv").text.startswith("player,")
    assert client.get("/screen?as=svg").text.startswith("<svg")
    assert "<!doctype html>" in client.get("/screen?as=report").text.lower()
