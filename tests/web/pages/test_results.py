from collections.abc import Callable
from pathlib import Path
from typing import Any

from examples.served import whole


def test_strengths_from_results(served: Callable[..., Any], analysed: Path) -> None:
    client = served(analysed)
    found = client.get("/results", headers={"accept": "application/json"}).json()
    assert "players" in found or "error" in found
    assert "not Elo" in whole(client, "/results", model="astrology")
    assert "no games yet" in whole(served(), "/results")
