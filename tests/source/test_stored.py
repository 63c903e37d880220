"""Sources with a workspace: imported once, valued by the engine or by the games' own comments."""

import gc
import shutil
from pathlib import Path

import pytest

from assay.decisions.evaluation import ANNOTATED
from assay.decisions.exclusions import Choice
from assay.decisions.rules import rated
from assay.errors import EngineError, InputError
from assay.source.opening import open_source
from assay.source.stored import PgnSource
from assay.source.valuation import Valuation
from assay.workspace import Workspace
from examples.gain_examples import annotated_pgn


@pytest.fixture
def annotated(tmp_path: Path) -> PgnSource:
    (tmp_path / "game.pgn").write_text(annotated_pgn())
    source = open_source(tmp_path / "game.pgn")
    assert isinstance(source, PgnSource)
    return source


def test_games_are_imported_once(tmp_path: Path, examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(examples / "tournament.pgn", tmp_path / "games.pgn")
    imports = []
    original = Workspace.import_games

    def counted(self: Workspace, *arguments: object, **options: object) -> object:
        imports.append(arguments)
        return original(self, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Workspace, "import_games", counted)
    source = open_source(tmp_path / "games.pgn")
    for _ in range(2):
        assert source.games().num_rows == 12
        assert source.left_out() == {}
    assert len(imports) == 1


def test_a_passing_source_leaves_nothing(tmp_path: Path, examples: Path) -> None:
    shutil.copy(examples / "tournament.pgn", tmp_path / "games.pgn")
    source = open_source(tmp_path / "games.pgn", keep=False)
    assert source.games().num_rows == 12
    kept = source.place
    assert kept is not None
    assert kept.is_dir()
    del source
    gc.collect()
    assert not kept.exists()
    assert [one.name for one in tmp_path.iterdir()] == ["games.pgn"]


def test_values_from_comments(annotated: PgnSource, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Valuation.of("file")
    assert annotated.recipe_id(asked) == ANNOTATED
    assert set(annotated.decisions(asked).text("recipe_id")) == {ANNOTATED}
    assert annotated.about(ANNOTATED)["engine"]["name"] == "the games' own comments"
    monkeypatch.delenv("ASSAY_ENGINE", raising=False)
    monkeypatch.setattr("assay.engine.engines._program", lambda _: None)
    assert annotated.recipe_id(Valuation()) == ANNOTATED  # auto: no engine here
    with pytest.raises(EngineError, match="no engine 'mine'"):  # somebody wants that one
        annotated.recipe_id(Valuation(engine="mine"))
    monkeypatch.setenv("ASSAY_ENGINE", "no-such-engine")
    with pytest.raises(EngineError, match="no-such-engine"):
        annotated.recipe_id(Valuation())
    with pytest.raises(EngineError):
        annotated.decisions(Valuation.of("engine"))


def test_comments_that_are_not_there(tmp_path: Path, examples: Path) -> None:
    shutil.copy(examples / "tournament.pgn", tmp_path / "games.pgn")
    with pytest.raises(InputError, match="no evaluations in their comments"):
        open_source(tmp_path / "games.pgn").decisions(Valuation.of("file"))


def test_dates(examples: Path, tmp_path: Path) -> None:
    (date,) = open_source(examples / "game_of_the_century.pgn", tmp_path / "w").dates().values()
    assert date == "1956-10-17"


def test_what_is_left_out_by_choice_is_said(annotated: PgnSource) -> None:
    said: list[str] = []
    asked = Valuation.of("file", choice=Choice.parse("all", 1000), say=said.append)
    with pytest.raises(InputError, match="--min-turns 1 includes it"):
        annotated.decisions(asked)
    annotated.decisions(Valuation.of("file", include=["too_short"], choice=Choice.parse(None, 1000)))
    assert said == []  # an error is one sentence
    annotated.decisions(Valuation.of("file", choice=Choice.parse("all", 1), say=said.append))
    assert said == []  # nothing is left out
    assert annotated.left_out(asked) == {"too_short": 1}
    assert annotated.left_out() == {}
    assert annotated.left_out(Valuation(choice=Choice.parse("blitz", 1))) == {"other_time_control": 1}


def test_games_that_are_left_out_are_named(tmp_path: Path) -> None:
    tags = '[White "{}"]\n[Black "B"]\n[Result "1-0"]\n[TimeControl "{}"]\n\n'
    moves = "1. e4 { [%eval 0.2] } e5 { [%eval 0.3] } 2. Nf3 { [%eval 0.2] } Nc6 { [%eval 0.3] } 1-0\n\n"
    games = (("A", "7200"), ("C", "180+2"), ("D", "900+10"))
    (tmp_path / "games.pgn").write_text("".join(tags.format(*one) + moves for one in games))
    source = open_source(tmp_path / "games.pgn")
    said: list[str] = []
    decisions = source.decisions(Valuation.of("file", choice=Choice.parse(None, 1), say=said.append))
    assert said == ["left out: 1 rapid, 1 blitz; --time classical,unknown,rapid,blitz includes them"]
    assert set(decisions.filter(rated()).text("time_class")) == {"classical"}
    said.clear()
    of_one = Valuation.of("file", choice=Choice.parse(None, 1), say=said.append)
    source.decisions(of_one, whom=["A"])
    assert said == []  # A has no such games
    assert source.left_out(of_one, ["C"]) == {"fast_time_control": 1}
