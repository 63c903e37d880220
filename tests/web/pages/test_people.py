from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.cli import main
from assay.web.pages import people
from examples.served import many_ratings, whole


def test_the_document_is_that_of_the_command(
    served: Callable[..., Any], analysed: Path, kitchen: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import json

    client = served(analysed)
    page = client.get("/players", headers={"accept": "application/json"}).json()
    folder, recipe, engine = client.site.folder.workspace, kitchen / "few.toml", kitchen / "engine"
    capsys.readouterr()
    assert main(["rate", str(folder), "--recipe", str(recipe), "--engine", str(engine), "--json"]) == 0
    assert page == json.loads(capsys.readouterr().out)
    name = page["players"][0]["player"]
    one = client.get(f"/players/{name}?as=json").json()
    assert one["players"] == page["players"][:1]
    assert client.get("/players?as=csv").text.startswith("player,")


def test_one_player_with_figures_and_games(served: Callable[..., Any], analysed: Path) -> None:
    client = served(analysed)
    name = client.get("/players?as=json").json()["players"][0]["player"]
    text = whole(client, f"/players/{name}")
    assert "Distribution of gain" in text
    assert "What each method measures" in text
    assert "/games/" in text
    assert client.get("/players/Nobody").status_code == 422
    assert client.get("/players/Nobody?as=json").status_code == 422
    assert client.get("/players/Ann?as=json").json()["players"] == []
    assert "no Elo" in client.get("/players?as=svg").text


def test_the_report_is_to_be_had(served: Callable[..., Any], analysed: Path) -> None:
    answer = served(analysed).get("/report.html")
    assert answer.headers["content-disposition"] == 'attachment; filename="report.html"'
    assert "How to read it" in answer.text


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ({}, "strongest"),
        ({"order": "up"}, "weakest"),
        ({"sort": "player"}, "first by name"),
        ({"sort": "games"}, "most games"),
    ],
)
def test_players_in_every_order(asked: dict[str, str], first: str) -> None:
    ratings = many_ratings(40)
    found = people.chosen_players(ratings, asked)
    elos = [one.combined.elo for one in ratings.players if one.combined]
    wanted = {
        "strongest": lambda one: one.combined.elo == max(elos),
        "weakest": lambda one: one.combined.elo == min(elos),
        "first by name": lambda one: one.player == min(each.player for each in ratings.players),
        "most games": lambda one: one.games == max(each.games for each in ratings.players),
    }[first]
    assert wanted(found.rows[0])
    assert found.of_all == len(ratings)


def test_thousands_of_players_a_page_at_a_time(
    served: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, analysed: Path
) -> None:
    ratings = many_ratings(2000)
    monkeypatch.setattr(people, "ratings_of", lambda _: ratings)
    client = served(analysed)
    text = whole(client, "/players", page="3")
    assert text.count('<th scope="row"') == people.ROWS
    assert "101 to 150 of 2,000" in text
    assert 'class="track' in text
    assert len(text) < 250_000
    name = ratings.players[7].player
    assert whole(client, "/players", q=name.lower()).count('<th scope="row"') >= 1
    assert "Nobody." in whole(client, "/players", q="qqqq")
    assert client.get("/players?as=svg").headers["content-type"] == "image/svg+xml"
