"""One rating everywhere: whatever shows the rating by moves of the same games shows the same."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from assay.answers.answer import tens
from assay.study import Study
from assay.workspace import Workspace
from examples.commands import document, exit_code
from examples.server_games import evaluated_game

NAMES = ("Ann", "Bob", "Cid")


@pytest.fixture
def event(tmp_path: Path) -> Study:
    """An event of four players, who show each other's level where the prior is the population."""
    folder = tmp_path / "tournament.assay"
    shutil.copytree(Path(__file__).parents[1] / "golden" / "data" / "tournament.assay", folder)
    return Study(folder, analysed=True)


@pytest.fixture
def pgn(tmp_path: Path) -> Callable[[str, int], Path]:
    """Writes the first games of an evaluated event of three players into a file."""

    def write(name: str, n_games: int) -> Path:
        chosen = Random(1)
        pairs = [(white, black) for white in NAMES for black in NAMES if white != black]
        games = [
            evaluated_game(number, *pair, chosen, "Rated Classical game")
            .replace('[TimeControl "180+0"]', '[TimeControl "1800+20"]')
            .replace(f'[Date "{1100 + number}.01.01"]', '[Date "2020.01.02"]')
            for number, pair in enumerate(pairs[:n_games])
        ]
        path = tmp_path / name
        path.write_text("".join(games))
        return path

    return write


def whole(rating: dict[str, Any]) -> tuple[int, ...]:
    return tuple(round(rating[end]) for end in ("elo", "low", "high"))


def of_page(pgn: Path, folder: Path) -> dict[str, tuple[int, ...]]:
    """The ratings that `assay serve` shows of a folder with these games."""
    testclient = pytest.importorskip("starlette.testclient")
    from assay.web.server import make_app
    from assay.web.site import Options, Site

    Workspace(folder / "games.assay").import_games(pgn)
    with testclient.TestClient(
        make_app(Site(folder, Options()), hosts=("127.0.0.1",), token=None), base_url="http://127.0.0.1"
    ) as client:
        page = client.get("/players", headers={"accept": "application/json"}).json()
    return {player["player"]: whole(player["combined"]) for player in page["players"]}


def test_every_command_the_report_and_the_pages_show_one_rating(
    pgn: Callable[[str, int], Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("assay.engine.engines._PLACES", ())  # no engine: the comments have the values
    path, report = pgn("event.pgn", 6), tmp_path / "report.html"
    players = document(capsys, "rate", path)["players"]
    rated = {player["player"]: whole(player["combined"]) for player in players}
    assert rated.keys() == set(NAMES)
    assert len(set(rated.values())) == 3
    (table,) = document(capsys, "tournament", path)
    assert {player["player"]: whole(player["rating"]) for player in table["players"]} == rated
    compared = document(capsys, "compare", path, "Ann", "Bob")["players"]
    assert [whole(player["rating"]) for player in compared] == [rated["Ann"], rated["Bob"]]
    forecast = document(capsys, "forecast", path, "Ann", "Bob")["ratings"]
    assert [whole(rating) for rating in forecast] == [rated["Ann"], rated["Bob"]]
    (year,) = document(capsys, "career", path, "Ann")
    assert whole(year["ratings"]["combined"]) == rated["Ann"]
    (month,) = document(capsys, "progress", path, "--player", "Ann")["periods"]
    assert whole(month) == rated["Ann"]
    assert exit_code("rate", path, "--report", report) == 0
    text = re.sub(r"<[^>]*>|\s+", " ", report.read_text())
    for player in players:
        elo, low, high = (tens(player["combined"][end]) for end in ("elo", "low", "high"))
        assert re.search(rf"{player['player']} .{{0,80}} {elo} +{low}.{high} ", text)
    assert of_page(path, tmp_path / "served") == rated


def test_a_game_while_it_is_played_has_the_rating_that_every_command_has_of_it(
    pgn: Callable[[str, int], Path],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("assay.engine.engines._PLACES", ())
    path = pgn("game.pgn", 1)
    rated = {p["player"]: whole(p["combined"]) for p in document(capsys, "rate", path)["players"]}
    moves = document(capsys, "live", path)["moves"]
    assert {move["player"]: whole(move["combined"]) for move in moves[-2:]} == rated
    (table,) = document(capsys, "tournament", path)
    assert {player["player"]: whole(player["rating"]) for player in table["players"]} == rated


def test_an_event_that_shows_its_level_has_one_rating_in_every_call(event: Study) -> None:
    everyone = event.rate()
    one, other = (everyone[name] for name in sorted(player.player for player in everyone.players)[:2])
    names = one.player, other.player
    elos = [player.combined.elo for player in (one, other)]
    assert [event.rate(players=[name]).players[0].combined.elo for name in names] == pytest.approx(elos)
    compared, forecast = event.compare(*names), event.forecast(*names, resamples=0)
    assert [compared.scale.rating(name).elo for name in names] == pytest.approx(elos)
    assert [player.combined.elo for player in forecast.rated] == pytest.approx(elos)
    assert compared.forecast.expectation == pytest.approx(forecast.answer.expectation)
    by_year = {int(part.group): part for part in event.rate(by="year").players if part.player == one.player}
    years = {row["year"]: row["ratings"]["combined"] for row in event.career(one.player).players[one.player]}
    assert years == {year: part.combined for year, part in by_year.items()}


def test_a_methods_own_rating_does_not_depend_on_the_others_asked_for(event: Study) -> None:
    together = {player.player: player.ratings["bayes"].elo for player in event.rate().players}
    for methods in (["bayes"], ["bayes", "gain"]):
        alone = {player.player: player.ratings["bayes"].elo for player in event.rate(methods=methods).players}
        assert alone == pytest.approx(together)


def test_an_expected_score_follows_elos_curve(event: Study) -> None:
    (table,) = event.tournament(taken_from="career", pairs="met", resamples=0).to_dict()
    rating = {player["player"]: player["rating"]["elo"] for player in table["players"]}
    for player in table["players"]:
        expected = [
            cell["games"] / (1 + 10 ** ((rating[cell["opponent"]] - rating[player["player"]]) / 400))
            for cell in player["opponents"]
        ]
        assert player["expected_points"] == pytest.approx(sum(expected), abs=0.01)
