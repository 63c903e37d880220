import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.cli import main
from assay.study import Study
from examples.gain_examples import annotated_pgn
from examples.screenings import made
from examples.served import until, whole


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
    assert "Nothing here says that anybody did anything" in text
    assert '<a href="/players/Ann"><bdi>Ann</bdi></a>' in text  # Ann has a page
    assert "<svg" in text
    assert client.get("/screen?as=json").json() == answer.to_dict()
    assert client.get("/screen?as=csv").text.startswith("player,")
    assert client.get("/screen?as=svg").text.startswith("<svg")
    assert "<!doctype html>" in client.get("/screen?as=report").text.lower()


def unfolded(text: str) -> str:
    """Leave out of a page what is behind a fold."""
    return re.sub(r"<details.*?</details>", "", text)


def test_a_player_has_one_rating_on_every_page_and_methods_have_theirs_behind_a_fold(
    served: Callable[..., Any], calibrations: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_CALIBRATIONS", str(calibrations))
    client = served()
    client.post("/import", data={"pgn": f'[Event "Rosenwald"]\n[Date "1956.10.17"]\n{annotated_pgn()}'})
    until(client, "import", "done")
    client.post("/analyse")
    until(client, "analyse", "done")
    players = client.get("/players?as=json").json()["players"]
    elo = {one.player: one.combined.shown for one in client.site.reading().ratings.players if one.combined}
    fischer, byrne = elo["Fischer, Robert James"], elo["Byrne, Donald"]
    compared = whole(client, "/compare", first="Fischer", second="Byrne@1956")
    pages = {
        "players": whole(client, "/players"),
        "compare": compared,
        "tournament": whole(client, "/tournament", event="Rosenwald"),
        "player": whole(client, "/players/Fischer%2C%20Robert%20James"),
    }
    for name, text in pages.items():
        shown = unfolded(text)
        assert re.search(rf">\s*{fischer}\s*<", shown), name
        if name != "player":
            assert re.search(rf">\s*{byrne}\s*<", shown), name  # the year is all of these games
        assert "rating by gain" not in shown, name
    assert "rating by gain" in pages["tournament"]
    assert "is expected to score" in unfolded(compared)
    methods = players[0]["ratings"]
    assert methods
    assert all(f'<th scope="row">{name}</th>' not in unfolded(pages["player"]) for name in methods)
    assert all(f'<th scope="row">{name}</th>' in pages["player"] for name in methods)
