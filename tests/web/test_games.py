import io
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import chess
import chess.engine
import chess.pgn
import numpy as np
import pytest

from assay.answers.live import Known, LiveGame, LiveMove
from assay.answers.ratings import Rating
from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.live.analysis import LiveAnalysis
from assay.live.game import read_game
from assay.models.depth.agents import AgentsByElo
from assay.web import game as module
from assay.web.game import chances, game_figure, game_on_board
from assay.web.reading import Reading
from assay.web.site import Options, Site
from examples.gain_examples import annotated_pgn
from examples.served import EVALUATED, game_id, until, whole


def test_all_games_searched(served: Callable[..., Any], analysed: Path) -> None:
    client = served(analysed)
    assert len(client.get("/games?as=json").json()) == 2
    assert len(client.get("/games?as=json&q=fischer byrne").json()) == 1
    assert "left out" in whole(client, "/games", q="1999")
    assert client.get("/games?as=csv").text.count("\n") == 3
    pgn = client.get("/games.pgn")
    assert "[%eval" in pgn.text
    assert pgn.headers["content-disposition"] == 'attachment; filename="games.pgn"'


def test_a_search_without_a_hit(served: Callable[..., Any], analysed: Path) -> None:
    client = served(analysed)
    assert "No game has this word" in whole(client, "/games", q="nobody")
    assert client.get("/games", params={"as": "json", "q": "nobody"}).json() == []
    assert client.get("/games", params={"as": "csv", "q": "nobody"}).status_code == 200


def test_names_lead_to_players_and_titles_name_them(served: Callable[..., Any], analysed: Path) -> None:
    client = served(analysed)
    one = game_id(client)
    listed = whole(client, "/games", q="fischer")
    assert 'href="/players/Fischer%2C%20Robert%20James"' in listed
    assert f'href="/games/{one}"' in listed
    assert re.search("<title>.*Byrne.* – .*Fischer.* · assay</title>", whole(client, f"/games/{one}"))


def test_a_game_before_anything_is_analysed(served: Callable[..., Any]) -> None:
    client = served()
    client.post("/import", data={"pgn": '[White "Ann"]\n[Black "Bob"]\n\n1. e4 e5 2. Nf3 *\n'})
    until(client, "import", "done")
    one = game_id(client, "Ann")
    text = whole(client, f"/games/{one}")
    assert "Nothing of this game is analysed yet" in text
    assert "Review this game now" in text
    assert "game-figure" not in text
    assert text.count("data-ply=") == 3
    board = client.get(f"/games/{one}/board").json()
    assert [place.get("san") for place in board["positions"]] == ["e4", "e5", "Nf3", None]
    assert "2. Nf3" in client.get(f"/games/{one}?as=pgn").text
    assert len(client.get(f"/games/{one}?as=json").json()["moves"]) == 3


def test_the_only_move_with_a_value_is_not_the_best(served: Callable[..., Any]) -> None:
    """A game with one evaluation per position: nothing is framed as best, and the bars have a legend."""
    client = served()
    client.post("/import", data={"pgn": EVALUATED})
    until(client, "import", "done")
    one = game_id(client, "Ann")
    text = whole(client, f"/games/{one}")
    board = client.get(f"/games/{one}/board").json()["positions"]
    assert board[4]["options"][0]["uci"] == "g2g4"
    assert board[4]["lost"] > 0.3
    assert not any("best" in place for place in board)
    assert "one evaluation per position" in client.get(f"/games/{one}/board").json()["no_chances"]
    drawing = text[text.index("game-figure") :]
    assert ">Ann</text>" in drawing
    assert ">Bob</text>" in drawing
    assert "Strength so far" not in text


def test_a_game_with_evaluations_of_a_known_source_is_rated_on_its_scale(served: Callable[..., Any]) -> None:
    client = served()
    tags = '[Site "https://lichess.org/abcdefgh"]\n[TimeControl "2700+45"]\n'
    client.post("/import", data={"pgn": tags + annotated_pgn()})
    until(client, "import", "done")
    text = whole(client, f"/games/{game_id(client)}")
    assert re.search(r"Fischer, Robert James played like ~\d{4}; 95% range \d{4}-\d{4}\.", text)
    assert "lichess classical" in text
    assert "Strength so far" in text


def test_one_game(served: Callable[..., Any], analysed: Path) -> None:
    client = served(analysed)
    one = game_id(client)
    text = whole(client, f"/games/{one}")
    assert "game-figure" in text
    assert text.count("data-ply=") == 82
    found = client.get(f"/games/{one}", headers={"accept": "application/json"}).json()
    assert len(found["moves"]) == 82
    assert {"combined", "measures", "gain"} <= found["moves"][40].keys()
    assert found["positions"][40]["options"]
    assert "17. Kf1" in client.get(f"/games/{one}?as=pgn").text
    assert client.get(f"/games/{one}?as=svg").text.startswith("<svg")
    assert client.get(f"/games/{one}?as=csv").status_code == 422
    assert client.get("/games/none?as=json").status_code == 422
    assert "there is no game" in whole(client, "/games/none")


def test_a_game_that_is_too_short_to_be_rated_is_reviewed_all_the_same(served: Callable[..., Any]) -> None:
    client = served()
    client.post("/import", data={"pgn": '[White "Ann"]\n[Black "Bob"]\n\n1. e4 e5 2. Nf3 Nc6 *\n'})
    until(client, "import", "done")
    one = game_id(client, "Ann")
    assert "Review this game now" in whole(client, f"/games/{one}")
    assert client.post(f"/games/{one}/review").headers["location"] == f"/games/{one}"
    assert until(client, "review", "done")["title"] == "Ann – Bob"
    board = client.get(f"/games/{one}/board").json()["positions"]
    assert all(position["options"] for position in board[:-1])
    text = whole(client, f"/games/{one}")
    assert "Review this game now" not in text
    assert "Ann lost" in text
    assert client.post("/games/none/review").status_code == 422


def test_a_game_of_which_only_the_opening_is_known_from_others_is_not_judged(
    served: Callable[..., Any], analysed: Path
) -> None:
    client = served(analysed)
    moves = "1. Nf3 Nf6 2. c4 h6 3. h3 a6 4. a3 b6"  # the first three plies are those of the analysed game
    client.post("/import", data={"pgn": f'[White "Cid"]\n[Black "Dan"]\n\n{moves} *\n'})
    until(client, "import", "done")
    text = whole(client, f"/games/{game_id(client, 'Cid')}")
    assert "Review this game now" in text
    assert "Cid lost" not in text


def short_game(rating: Rating | None, decisions: int = 3) -> module.GameOnBoard:
    """A game whose last moves have this rating."""
    lost = ({"lost": 0.0}, {"lost": 0.01}, {"lost": 0.24}, {})
    known = Known(decisions, {} if rating is None else {"combined": rating})
    moves = tuple(
        LiveMove(
            ply=ply,
            turn=ply // 2 + 1,
            white=ply % 2 == 0,
            player="",
            san="e4",
            value=0.0,
            gain=0.0,
            mean_gain=0.0,
            known=known,
        )
        for ply in range(3)
    )
    game = module.GameOnBoard({"white": "Ann", "black": "Bob"}, None, None, {}, "x", {})  # type: ignore[arg-type]
    game.__dict__.update(board={"positions": lost}, live=LiveGame(("Ann", "Bob"), moves, "FIDE Elo"))
    return game


def test_how_strong_a_side_played_is_one_sentence() -> None:
    rating = Rating("combined", 1790.4, low=1500, high=2101, decisions=20, games=1)
    assert short_game(rating).played_like(True) == "Ann played like ~1800; 95% range 1500-2100."
    below = replace(rating, elo=1600.0, bound="below")
    assert short_game(below).played_like(True).startswith("Ann played below 1600; 95% range")
    few = short_game(None).played_like(True)
    assert few == (
        "Ann lost 12.0 points of 100 in a move on average, and most by 2. e4: 24. A rating takes 10 moves "
        "after the opening; this game has 3."
    )
    assert "and most by" not in short_game(None).played_like(False)


@pytest.mark.parametrize(
    ("elos", "usual"), [((2500, 2332), 2400), ((None, 900), 1000), ((None, None), 2000), ((2870, None), 2800)]
)
def test_the_slider_begins_at_the_rating_of_the_players(elos: tuple[int | None, ...], usual: int) -> None:
    game = short_game(None)
    game.row.update(zip(("white_elo", "black_elo"), elos, strict=True))
    assert game.usual_elo == usual


def test_the_pgn_of_a_game_has_evaluations_marks_better_moves_and_the_opening(
    served: Callable[..., Any], analysed: Path
) -> None:
    client = served(analysed)
    one = game_id(client)
    written = chess.pgn.read_game(io.StringIO(client.get(f"/games/{one}?as=pgn").text))
    assert written is not None
    assert written.headers["Annotator"] == "assay"
    positions = client.get(f"/games/{one}/board").json()["positions"]
    for node, here, then in zip(written.mainline(), positions, positions[1:], strict=False):
        if "options" in then and len(then["options"]) > 1:  # the value of the best move there, White's view
            value = then["options"][0]["value"]
            expected = chess.engine.Cp(value["cp"]) if "cp" in value else chess.engine.Mate(value["mate"])
            mover = chess.WHITE if then["white"] else chess.BLACK
            assert node.eval() == chess.engine.PovScore(expected, mover)
        dear = (here.get("lost") or 0.0) >= 0.05
        assert bool(node.nags) == dear
        better = [other.move.uci() for other in node.parent.variations[1:]]
        assert better == ([here["best"]] if dear and here["best"] != here["uci"] else [])
    assert any(node.nags for node in written.mainline())


def test_the_pgn_of_a_game_with_its_own_evaluations(served: Callable[..., Any]) -> None:
    client = served()
    client.post("/import", data={"pgn": f'[ECO "A00"]\n{EVALUATED}'})
    until(client, "import", "done")
    text = client.get(f"/games/{game_id(client, 'Ann')}?as=pgn").text
    assert '[ECO "A00"]' in text
    assert "Annotator" not in text
    assert "g4 $4 { [%eval #-1] }" in " ".join(text.split())


def test_chances(served: Callable[..., Any], analysed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = served(analysed)
    one = game_id(client)
    assert "not known for this engine" in client.get(f"/games/{one}/chances?elo=2000").json()["error"]
    monkeypatch.setattr(module, "find_calibration", lambda _: _Scale())
    assert client.get(f"/games/{one}/chances?elo=2000").json()["chances"]["30"]["options"]
    for elo in ("", "x", "-5", "9" * 50, "nan"):
        assert client.get(f"/games/{one}/chances?elo={elo}").status_code == 422
    assert client.get("/games/none/chances?elo=2000").status_code == 422


def test_a_hostile_game_on_its_page(served: Callable[..., Any], analysed: Path) -> None:
    client = served(analysed)
    one = game_id(client, "script")
    assert "<script>alert" not in whole(client, f"/games/{one}")
    assert client.get(f"/games/{one}/board").json()["white"].startswith("<script>")


@pytest.fixture(scope="module")
def reading(analysed: Path, kitchen: Path) -> Reading:
    return Site(analysed, Options(recipe=str(kitchen / "few.toml"))).reading()


def an_id(reading: Reading, white: str) -> str:
    rows = reading.games.select(["game_id", "white"]).to_pylist()
    return next(str(row["game_id"]) for row in rows if white in row["white"])


def test_every_position_with_its_options(reading: Reading) -> None:
    on_board = game_on_board(reading, an_id(reading, "Byrne"))
    found = on_board.board
    assert len(found["positions"]) == len(on_board.so_far.moves) + 1 == 83
    assert found["positions"][-1].keys() == {"fen", "legal", "check", "expected"}
    whole: Decisions = reading.workspace.decisions(reading.recipe_id)
    for place in (20, 41):
        here = found["positions"][place]
        assert [one["uci"] for one in here["options"]] == [one for one, _ in whole.options(place)]
        assert here["uci"] in [one["uci"] for one in here["options"]]
        assert here["uci"] == whole.text("played")[place]
        assert 0 <= here["lost"] <= 1
        assert all(0 < one["expectation"] < 1 for one in here["options"])


def test_a_game_that_is_not_rated_can_be_looked_at(reading: Reading) -> None:
    on_board = game_on_board(reading, an_id(reading, "script"))
    found = on_board.board
    assert found["exclusion"] is not None
    assert [one.get("san") for one in found["positions"]] == ["e4", "e5", "Qh5", "Ke7", "Qxe5#", None]
    assert len(on_board.live.moves) == 5


class _Scale:
    agents = AgentsByElo(np.array([1500.0, 2800.0]), np.array([[0.9, -1.0, 0.5], [1.4, -2.5, 1.7]]))


def test_how_many_players_would_play_each_option(reading: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    on_board = game_on_board(reading, an_id(reading, "Byrne"))
    with pytest.raises(InputError, match="not known for this engine"):
        chances(on_board, 2000)
    monkeypatch.setattr(module, "find_calibration", lambda _: _Scale())
    best: list[float] = []
    for elo in (1500, 2800):
        found: dict[str, Any] = chances(on_board, elo)
        assert found["elo"] == elo
        for ply, one in found["chances"].items():
            assert sum(one["options"]) + one["others"] == pytest.approx(100, abs=0.7), ply
        best.append(np.mean([one["options"][0] for one in found["chances"].values()]))
    assert best[1] > best[0]  # stronger players find the best move more often
    with pytest.raises(InputError, match="between 1000 and 2800"):
        chances(on_board, 900)


def positions_of(live: LiveGame, lost: int = -1) -> list[dict[str, Any]]:
    """Positions as the board has them; one move lost 30 points of 100."""
    names = ("ply", "turn", "white", "san")
    moves = [{name: getattr(move, name) for name in names} for move in live.moves]
    return [*({**move, "lost": 0.3 if move["ply"] == lost else None} for move in moves), {}]


def test_the_strips_and_where_their_axis_is(pgn: Path) -> None:
    live = LiveAnalysis(None).update(read_game(pgn))
    figure = game_figure(live.players, positions_of(live, lost=33), live)
    root = ElementTree.fromstring(figure.svg())
    assert root.get("data-plies") == "82"
    assert float(root.get("data-left") or 0) < float(root.get("data-right") or 0)
    assert "The dearest move was 17..." in figure.description
    assert "30 points of 100" in figure.description
    assert "Strength" not in figure.svg()  # without a scale nothing is an Elo


def test_strengths_where_there_is_a_scale(pgn: Path) -> None:
    live = LiveAnalysis(None).update(read_game(pgn))
    rating = Rating("combined", 2400.0, low=2100.0, high=2700.0, decisions=20, games=1)
    moves = tuple(
        replace(one, known=Known(20, {"combined": rating}) if one.ply > 40 else Known()) for one in live.moves
    )
    rated = replace(live, moves=moves, scale="FIDE Elo")
    figure = game_figure(live.players, positions_of(rated), rated)
    assert "Strength so far (FIDE Elo)" in figure.svg()
    assert figure.description.count("at the end: 2400 (2100 to 2700)") == 2


def test_a_game_without_moves(tmp_path: Path) -> None:
    path = tmp_path / "empty.pgn"
    path.write_text('[White "A"]\n[Black "B"]\n\n*\n')
    live = LiveAnalysis(None).update(read_game(path))
    assert "0 plies" in game_figure(live.players, positions_of(live)).description
