import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.cli import main
from assay.study import Study
from examples.screenings import made
from examples.served import whole


def test_two_players_as_the_commands_have_them(
    served: Callable[..., Any], analysed: Path, kitchen: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    client = served(analysed)
    found = client.get("/compare?first=Byrne&second=Fischer&as=json").json()
    folder = str(client.site.folder.workspace)
    options = ["--recipe", str(kitchen / "few.toml"), "--engine", str(kitchen / "engine"), "--json"]
    capsys.readouterr()
    for command in ("compare", "forecast"):
        assert main([command, folder, "Byrne", "Fischer", *options]) == 0
        assert found[command] == json.loads(capsys.readouterr().out)
    text = whole(client, "/compare", first="Byrne", second="Fischer")
    assert "against" in text
    assert client.get("/compare?as=json").status_code == 422
    assert "no player" in whole(client, "/compare", first="Nobody", second="Ann")


def test_everyone(served: Callable[..., Any], analysed: Path) -> None:
    client = served(analysed)
    assert "no Elo scale" in whole(client, "/everyone")
    found = client.get("/everyone?as=json&moves=10").json()
    assert found["method"] == "markov"
    assert len(found["names"]) == 2
    assert client.get("/everyone?as=svg&moves=10").text.startswith("<svg")
    assert "error" in client.get("/everyone?as=json&method=astrology").json()


def test_an_event(served: Callable[..., Any], analysed: Path) -> None:
    client = served(analysed)
    assert "<bdi>&lt;script&gt;" in whole(client, "/tournament")
    assert client.get("/tournament?as=json").status_code == 422
    assert client.get("/tournament?as=json&event=Nowhere").status_code == 422


def test_strengths_from_results(served: Callable[..., Any], analysed: Path) -> None:
    client = served(analysed)
    found = client.get("/results", headers={"accept": "application/json"}).json()
    assert "players" in found or "error" in found
    assert "not Elo" in whole(client, "/results", model="astrology")
    assert "no games yet" in whole(served(), "/results")


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
    monkeypatch.setattr(Study, "screen", lambda _: answer)
    client = served(analysed)
    text = whole(client, "/screen")
    assert "Nothing here shows that anybody did anything" in text
    assert '<a href="/players/Ann"><bdi>Ann</bdi></a>' in text  # Ann has a page
    assert "<svg" in text
    assert client.get("/screen?as=json").json() == answer.to_dict()
    assert client.get("/screen?as=csv").text.startswith("player,")
    assert client.get("/screen?as=svg").text.startswith("<svg")
    assert "<!doctype html>" in client.get("/screen?as=report").text.lower()
