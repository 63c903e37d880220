"""By what ratings are made: the games' own evaluations or an engine's, chosen on any page and remembered."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.web.reading import OWN, Reading, Values
from assay.web.site import Options, Site
from examples.served import EVALUATED, game_id, until, whole

OF_COMMENTS = "the games' own comments"


def pressed(text: str) -> list[tuple[str, str]]:
    """Give the buttons of the switch: whether each is pressed, and its name."""
    return re.findall(r'<button name="values"[^>]*aria-pressed="(\w+)">(.*?) <small>', text)


def test_the_switch_is_on_every_page_is_followed_and_remembered(
    served: Callable[..., Any], analysed: Path, kitchen: Path
) -> None:
    client = served(analysed)
    for address in ("/", "/players", "/games", "/workspace"):
        text = whole(client, address)
        assert pressed(text) == [("false", "games&#39; own evaluations"), ("true", "few")], address
    by_engine = client.get("/players?as=json").json()
    assert by_engine["engine"] != OF_COMMENTS
    answer = client.post("/values", data={"values": "annotations", "back": "/players?q=Fischer"})
    assert answer.headers["location"] == "/players?q=Fischer"
    assert client.get("/players?as=json").json()["engine"] == OF_COMMENTS
    assert pressed(whole(client, "/players"))[0] == ("true", "games&#39; own evaluations")
    again = Site(client.site.folder.path, Options(recipe=str(kitchen / "few.toml")))  # after a restart
    assert again.reading().recipe_id == "annotations"
    client.post("/values", data={"values": by_engine["recipe_id"]})
    assert client.get("/players?as=json").json() == by_engine  # and back


def test_what_is_not_there_cannot_be_chosen_and_leads_nowhere_else(
    served: Callable[..., Any], analysed: Path
) -> None:
    client = served(analysed)
    assert client.post("/values", data={"values": "nothing"}).status_code == 422
    assert client.post("/values").status_code == 422
    for back in ("//elsewhere.example", "/\\elsewhere.example", "https://elsewhere.example"):
        location = client.post("/values", data={"values": "annotations", "back": back}).headers["location"]
        assert re.match(r"/[^/\\]", location), back
    client.site.values = "gone"  # such as of a recipe whose analyses were removed
    assert client.get("/players?as=json").json()["engine"] != OF_COMMENTS


def test_where_there_is_one_there_is_no_switch(served: Callable[..., Any]) -> None:
    client = served()
    assert pressed(whole(client, "/")) == []
    client.post("/import", data={"pgn": EVALUATED})
    until(client, "import", "done")
    assert pressed(whole(client, "/players")) == []


@pytest.mark.parametrize(("own", "engine", "chosen"), [(220, 12, "annotations"), (12, 220, "a"), (5, 5, "a")])
def test_what_covers_most_games_is_shown_until_somebody_chooses(
    analysed: Path, monkeypatch: pytest.MonkeyPatch, own: int, engine: int, chosen: str
) -> None:
    values = (Values("annotations", OWN, own), Values("a", "quick", engine), Values("b", "standard", 1))
    reading = Site(analysed, Options()).reading()
    monkeypatch.setattr(Reading, "values", values)
    assert reading.recipe_id == chosen


def test_how_many_games_are_covered(analysed: Path) -> None:
    values = {each.name: each.games for each in Site(analysed, Options()).reading().values}
    assert values == {OWN: 1, "few": 1}


def test_a_game_is_shown_with_values_that_compare_its_moves(
    served: Callable[..., Any], analysed: Path
) -> None:
    """Whatever ratings are made by: a review of the game would be for nothing otherwise."""
    client = served(analysed)
    client.post("/values", data={"values": "annotations"})
    positions = client.get(f"/games/{game_id(client)}/board").json()["positions"]
    assert all("best" in position for position in positions[:-1])


def test_a_game_without_the_chosen_values_is_shown_with_others(
    served: Callable[..., Any], analysed: Path
) -> None:
    client = served(analysed)
    client.post("/import", data={"pgn": EVALUATED})
    until(client, "import", "done")
    (by_engine,) = (each.recipe_id for each in client.site.reading().values if each.name != OWN)
    client.post("/values", data={"values": by_engine})
    positions = client.get(f"/games/{game_id(client, 'Ann Bob')}/board").json()["positions"]
    assert any("options" in position for position in positions)
