"""The contract: what a source has not got is said in one sentence, or is nothing."""

import gc
import shutil
from pathlib import Path
from typing import Any

import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import ANNOTATED
from assay.decisions.exclusions import Choice
from assay.decisions.rules import rated
from assay.errors import EngineError, InputError
from assay.source import (
    VARIABLE,
    DecisionsFile,
    Evaluations,
    PgnSource,
    ResultsFile,
    Source,
    Valuation,
    WorkspaceSource,
    beside,
    default_workspace,
    open_source,
)
from assay.study import Study
from assay.testing import make_decisions
from assay.workspace import Workspace
from examples import SIMULATED
from examples.gain_examples import annotated_pgn
from examples.server_games import evaluated_games


def _whole(source: Source, valuation: Valuation, **asked: Any) -> Decisions:
    return Decisions.concat(source.decisions(valuation, **asked))


class Nothing(Source):
    what = "nothing at all"


@pytest.mark.parametrize("kind", [Nothing, DecisionsFile, ResultsFile])
def test_what_a_source_has_not_got(kind: type[Source]) -> None:
    source = kind(Path("somewhere/x"))
    assert (source.name, source.workspace, source.place) == ("x", None, None)
    assert repr(source) == f"{kind.__name__}('somewhere/x')"
    assert (source.about("a"), source.left_out(Valuation())) == ({}, {})
    with pytest.raises(InputError, match=source.what):
        source.games()
    if kind is not DecisionsFile:
        assert (source.recipe_id(Valuation()), source.dates()) == (None, {})
        with pytest.raises(InputError, match="it has no moves to value"):
            _whole(source, Valuation())


# Sources that are files: decisions, and results.


@pytest.fixture
def source(tmp_path: Path) -> DecisionsFile:
    make_decisions(games=4, plies=30).write(tmp_path / "d.parquet")
    return DecisionsFile(tmp_path / "d.parquet")


def test_all_or_some_players(source: DecisionsFile) -> None:
    assert set(_whole(source, Valuation()).players) == {"Ann", "Bob"}
    assert _whole(source, Valuation(), players=["ann"]).players == ["Ann"]
    with pytest.raises(InputError, match="no player"):
        _whole(source, Valuation(), players=["Zed"])


def test_the_recipe_must_be_the_one_asked_for(source: DecisionsFile) -> None:
    recipe_id = source.recipe_id(Valuation())
    assert recipe_id is not None
    assert _whole(source, Valuation(analysed=recipe_id)) == _whole(source, Valuation(analysed=True))
    with pytest.raises(InputError, match="do not go together"):
        _whole(source, Valuation(analysed="another"))


def test_dates_are_years(source: DecisionsFile) -> None:
    dates = source.dates()
    assert set(dates) == set(_whole(source, Valuation()).games)
    assert all(len(date) == 4 and date.isdigit() for date in dates.values())


# Which kind of source a path is.


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one of each kind."""
    shutil.copy(SIMULATED, tmp_path / "games.pgn")
    make_decisions(games=2, plies=30).write(tmp_path / "decisions.parquet")
    (tmp_path / "results.csv").write_text("Month #,White Player #,Black Player #,Score\n1,1,2,1\n")
    (tmp_path / "results.txt").write_text("Month #,White Player #,Black Player #,Score\n1,1,2,1\n")
    Workspace(tmp_path / "w.assay").import_games(tmp_path / "games.pgn")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_kind(place: Path) -> None:
    kinds = {
        "games.pgn": PgnSource,
        ".": PgnSource,
        "w.assay": WorkspaceSource,
        "decisions.parquet": DecisionsFile,
        "results.csv": ResultsFile,
        "results.txt": ResultsFile,
    }
    assert {name: type(open_source(name)) for name in kinds} == kinds
    assert len({open_source(name).what for name in kinds}) == 4


def test_opening_writes_nothing(place: Path) -> None:
    before = sorted(place.rglob("*"))
    source = open_source("games.pgn")
    assert source.place == beside(Path("games.pgn")) == Path("games.pgn.assay")
    assert sorted(place.rglob("*")) == before
    assert source.games().num_rows == 12
    assert (place / "games.pgn.assay").is_dir()


def test_without_a_path_a_workspace(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert open_source(None, "w.assay").games().num_rows == 12
    assert default_workspace() == Path("games.assay")
    monkeypatch.setenv(VARIABLE, "w.assay")
    assert open_source().games().num_rows == 12


@pytest.mark.parametrize(
    ("path", "workspace", "say"),
    [
        ("none.pgn", None, "does not exist"),
        ("w.assay", "other.assay", "a workspace already"),
    ],
)
def test_what_cannot_be_opened(place: Path, path: str, workspace: str | None, say: str) -> None:
    with pytest.raises(InputError, match=say):
        open_source(path, workspace)


def test_settings_beside_the_games_name_players(place: Path) -> None:
    """Aliases of a workspace's settings hold for what is imported into it."""
    kept = place / "games.pgn.assay"
    Workspace(kept).import_games(place / "games.pgn")
    (kept / "settings.toml").write_text('[aliases]\n"Agent 1600" = "Beginner"\n')
    assert "Beginner" in open_source("games.pgn").games()["white"].to_pylist()


# Sources with a workspace: imported once, valued by the engine or by the games' own comments.


@pytest.fixture
def annotated(tmp_path: Path) -> PgnSource:
    (tmp_path / "game.pgn").write_text(annotated_pgn())
    source = open_source(tmp_path / "game.pgn")
    assert isinstance(source, PgnSource)
    return source


def test_games_are_imported_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(SIMULATED, tmp_path / "games.pgn")
    imports = []
    original = Workspace.import_games

    def counted(self: Workspace, *arguments: object, **options: object) -> object:
        imports.append(arguments)
        return original(self, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Workspace, "import_games", counted)
    source = open_source(tmp_path / "games.pgn")
    assert source.workspace is not None
    assert source.place == tmp_path / "games.pgn.assay"
    assert not imports  # looking at a source imports nothing
    for _ in range(2):
        assert source.games().num_rows == 12
        assert source.left_out(Valuation()) == {}
    assert len(imports) == 1


def test_a_passing_source_leaves_nothing(tmp_path: Path) -> None:
    shutil.copy(SIMULATED, tmp_path / "games.pgn")
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
    assert set(_whole(annotated, asked).text("recipe_id")) == {ANNOTATED}
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
        _whole(annotated, Valuation.of("engine"))


def test_comments_that_are_not_there(tmp_path: Path) -> None:
    shutil.copy(SIMULATED, tmp_path / "games.pgn")
    with pytest.raises(InputError, match="no evaluations in their comments"):
        _whole(open_source(tmp_path / "games.pgn"), Valuation.of("file"))


def test_what_is_left_out_by_choice_is_said(annotated: PgnSource) -> None:
    said: list[str] = []
    asked = Valuation.of("file", choice=Choice.parse("all", 1000), say=said.append)
    with pytest.raises(InputError, match="--min-turns 1 includes it"):
        _whole(annotated, asked)
    _whole(annotated, Valuation.of("file", include=["too_short"], choice=Choice.parse(None, 1000)))
    assert said == []  # an error is one sentence
    _whole(annotated, Valuation.of("file", choice=Choice.parse("all", 1), say=said.append))
    assert said == []  # nothing is left out
    assert annotated.left_out(asked) == {"too_short": 1}
    assert annotated.left_out(Valuation.of("file")) == {}
    assert annotated.left_out(Valuation(choice=Choice.parse("blitz", 1))) == {"other_time_control": 1}


def test_games_that_are_left_out_are_named(tmp_path: Path) -> None:
    tags = '[White "{}"]\n[Black "B"]\n[Result "1-0"]\n[TimeControl "{}"]\n\n'
    moves = "1. e4 { [%eval 0.2] } e5 { [%eval 0.3] } 2. Nf3 { [%eval 0.2] } Nc6 { [%eval 0.3] } 1-0\n\n"
    games = (("A", "7200"), ("C", "180+2"), ("D", "900+10"))
    (tmp_path / "games.pgn").write_text("".join(tags.format(*one) + moves for one in games))
    source = open_source(tmp_path / "games.pgn")
    said: list[str] = []
    decisions = _whole(source, Valuation.of("file", choice=Choice.parse(None, 1), say=said.append))
    assert said == ["left out: 1 rapid, 1 blitz; --time classical,unknown,rapid,blitz includes them"]
    assert set(decisions.filter(rated()).text("time_class")) == {"classical"}
    said.clear()
    of_one = Valuation.of("file", choice=Choice.parse(None, 1), say=said.append)
    _whole(source, of_one, whom=["A"])
    assert said == []  # A has no such games
    assert source.left_out(of_one) == {"fast_time_control": 1, "other_time_control": 1}


# Where values come from, in words.


def test_from_plain_words() -> None:
    found = Valuation.of("file", ["too_short"], recipe="quick")
    assert found == Valuation("quick", include=("too_short",), evaluations=Evaluations.FILE)


def test_words_that_are_none() -> None:
    with pytest.raises(InputError, match="evaluations come from auto, file, engine, not 'oracle'"):
        Valuation.of("oracle")


def test_a_player_of_many_games_is_rated_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An account's games are read in pieces where they are many: the same numbers."""
    (tmp_path / "games.pgn").write_text(evaluated_games(24))
    whole = Study(tmp_path / "games.pgn").rate(players=["player1"])
    for place in ("assay.source", "assay.rating.pipeline"):
        monkeypatch.setattr(f"{place}.GAMES_AT_A_TIME", 5)
    pieces = Study(tmp_path / "games.pgn").rate(players=["player1"])
    assert [player.player for player in whole.players] == ["player1"]
    assert pieces.players[0].decisions == whole.players[0].decisions
    for name in ("elo", "low", "high"):
        expected = getattr(whole.players[0].combined, name)
        assert getattr(pieces.players[0].combined, name) == pytest.approx(expected, abs=1e-6)
