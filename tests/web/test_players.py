import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.answers.insights import Period, Progress
from assay.answers.ratings import Rating
from assay.cli import main
from assay.errors import InputError
from assay.study import Study
from assay.web.pages.players import chosen_players, cut_of, window_of
from assay.workspace import Workspace
from examples.commands import document
from examples.gain_examples import annotated_pgn
from examples.served import many_ratings, until, whole
from examples.server_games import spelt_games


def test_the_document_is_that_of_the_command(
    served: Callable[..., Any], analysed: Path, kitchen: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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


def test_commands_streams_and_pages_give_the_same_numbers(
    served: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Of games with two spellings of a name and with copies."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("assay.engine.engines._PLACES", ())  # no engine: the comments have the values
    folder = tmp_path / "example"
    folder.mkdir()
    path = tmp_path / "games.pgn"
    path.write_text(spelt_games())
    Workspace(folder / "games.assay").import_games(path)

    def numbers(document: dict[str, Any]) -> dict[str, list[float]]:
        return {
            player["player"]: [player["games"], player["decisions"], *player["combined"].values()]
            for player in document["players"]
        }

    expected = document(capsys, "rate", path, "--evaluations", "file")
    assert {"Tal, Mikhail", "Kasparov, Garry"} <= numbers(expected).keys()
    streamed = document(capsys, "rate", path, "--evaluations", "file", "--stream")["sources"]
    page = (
        served(folder, engine=None, recipe=None)
        .get("/players", headers={"accept": "application/json"})
        .json()
    )
    for other in (page, next(one for one in streamed if one["recipe_id"] == expected["recipe_id"])):
        assert numbers(other).keys() == numbers(expected).keys()
        for player, values in numbers(other).items():
            assert [v for v in values if not isinstance(v, str | None)] == pytest.approx(
                [v for v in numbers(expected)[player] if not isinstance(v, str | None)], rel=1e-6
            )


def test_games_of_a_server_are_rated_where_the_command_rates_them(
    served: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of 30 minutes and 20 seconds a move: among games of their time class they are not left out."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("assay.engine.engines._PLACES", ())  # no engine: the comments tell
    client = served(engine=None, recipe=None)
    tags = '[Site "https://lichess.org/abcdefgh"]\n[Event "Rated game"]\n[TimeControl "1800+20"]\n'
    client.post("/import", data={"pgn": tags + annotated_pgn()})
    until(client, "import", "done")
    page = client.get("/players?as=json").json()
    capsys.readouterr()
    assert main(["rate", str(client.site.folder.workspace), "--json"]) == 0
    rated = json.loads(capsys.readouterr().out)["players"]
    assert [one["combined"] for one in page["players"]] == [one["combined"] for one in rated] != []
    assert client.get("/games?as=json").json()[0]["exclusion"] is None


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
    found = chosen_players(ratings, asked)
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
    monkeypatch.setattr(Study, "rate", lambda _: ratings)
    client = served(analysed)
    text = whole(client, "/players", page="3")
    assert text.count('<th scope="row"') == 50
    assert "101 to 150 of 2,000" in text
    assert 'class="track' in text
    assert len(text) < 250_000
    name = ratings.players[7].player
    assert whole(client, "/players", q=name.lower()).count('<th scope="row"') >= 1
    assert "Nobody." in whole(client, "/players", q="qqqq")
    assert client.get("/players?as=svg").headers["content-type"] == "image/svg+xml"


NAME = "Fischer, Robert James"


@pytest.fixture
def rated(
    served: Callable[..., Any], analysed: Path, calibrations: Path, monkeypatch: pytest.MonkeyPatch
) -> Any:
    """A served folder whose evaluations have an Elo scale."""
    monkeypatch.setenv("ASSAY_CALIBRATIONS", str(calibrations))
    return served(analysed)


def test_progress_as_a_table(rated: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rating = Rating("combined", 2000, low=1900, high=2100, decisions=90, games=9)
    period = Period(name="2011-05", time=2011.4, rating=rating)
    made = Progress(player=NAME, by="month", periods=(period,), trend=None, left_out=0)
    monkeypatch.setattr(Study, "progress", lambda *_, **__: made)
    text = rated.get("/progress", params={"player": NAME, "as": "csv"}).text
    assert text.startswith("period,")
    assert "2011-05" in text


def test_a_player_with_progress_slices_and_a_lesson(rated: Any) -> None:
    text = whole(rated, f"/players/{NAME}", by="colour", window="5")
    assert "went wrong" not in text
    assert "<strong>colour</strong>" in text
    assert "<strong>5 games at a time</strong>" in text
    assert "no trend yet: it takes 3 periods" in text  # there is one game
    order = [text.index(f'id="{name}"') for name in ("slices", "progress", "lesson", "games-title", "known")]
    assert order == sorted(order)  # the answer first, how it is known last
    assert "One game: somewhere between" in text[: order[0]]
    moments = rated.get("/lesson", params={"player": NAME, "as": "json"}).json()["positions"]
    asked = rated.get("/train", params={"player": NAME, "as": "json"}).json()["exercises"]
    assert len(asked) >= len(moments) > 0
    assert 'id="train"' in text  # they are asked on this page
    answers = text[text.index("All positions with their answers") :]
    assert answers[: answers.index("</ul>")].count("<li>") == len(asked)
    for one in moments:  # each leads to its position on the board
        assert one["colour"] == "black"
        assert f'/games/{one["game"]}#{2 * one["turn"] - 1}"' in text
    pgn = rated.get("/lesson", params={"player": NAME, "as": "pgn"})
    assert '[SetUp "1"]' in pgn.text
    assert pgn.headers["content-disposition"] == 'attachment; filename="lesson.pgn"'
    assert rated.get("/progress", params={"player": NAME, "as": "svg"}).text.startswith("<svg")
    assert rated.get("/slices", params={"player": NAME}).headers["location"].endswith("?by=phase#slices")
    elsewhere = rated.get("/lesson", params={"player": "/../?"})
    assert elsewhere.headers["location"] == "/players/%2F..%2F%3F#lesson"
    for address in ("/lesson", "/progress", "/slices"):
        nobody = rated.get(address, params={"player": "Nobody", "as": "json"})
        assert (nobody.status_code, "error" in nobody.json()) == (422, True)


def test_the_documents_are_those_of_the_commands(
    rated: Any, kitchen: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    usual = ["--recipe", str(kitchen / "few.toml"), "--engine", str(kitchen / "engine"), "--json"]
    where = [str(rated.site.folder.workspace), "--player", NAME, *usual]
    for command in ("lesson", "progress"):
        page = rated.get(f"/{command}", params={"player": NAME, "as": "json"}).json()
        capsys.readouterr()
        assert main([command, *where]) == 0
        assert page == json.loads(capsys.readouterr().out)
    said = rated.get("/slices", params={"player": NAME, "as": "json"}).json()
    assert main(["rate", *where, "--by", "phase"]) == 2  # a game is too little for that, here as there
    assert said["error"] in capsys.readouterr().err


@pytest.mark.parametrize("odd", ["", "x", "0", "-5", "7", "9" * 40, "5; drop"])
def test_what_is_not_offered_is_the_usual(odd: str) -> None:
    assert cut_of({"by": odd}) == "phase"
    assert window_of({"window": odd}) is None


def test_what_no_part_can_tell_is_said_once(rated: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: Any, **__: Any) -> None:
        raise InputError("there is no calibration that knows slices")

    for name in ("slices", "progress", "lesson"):
        monkeypatch.setattr(Study, name, none)
    text = whole(rated, f"/players/{NAME}")
    assert text.count("there is no calibration that knows slices") == 1
    assert "Worth an hour" not in text
    assert "Moves that cost most" in text
