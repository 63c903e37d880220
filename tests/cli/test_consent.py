"""A long analysis that nobody asked for is announced: asked about on a terminal, refused without one."""

from pathlib import Path

import pytest

from assay.cli import main
from assay.cli import output as consent
from assay.engine.run import Rough
from assay.errors import InputError


@pytest.fixture
def games(tmp_path: Path, examples: Path) -> Path:
    place = tmp_path / "games.pgn"
    place.write_bytes((examples / "tournament.pgn").read_bytes())
    return place


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Every analysis takes an hour; the sizes of the backlogs that were looked at."""
    looked_at: list[int] = []

    def rough(backlog: object, jobs: int | None) -> Rough:
        looked_at.append(len(backlog))  # type: ignore[arg-type]
        return Rough(3600.0, 3.0)

    monkeypatch.setattr("assay.engine.run.rough_seconds", rough)
    return looked_at


def test_without_a_terminal_it_stops_and_says_what_to_do(
    games: Path, slow: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rate", str(games), "--recipe", "quick"]) == 2
    said = capsys.readouterr().err
    assert "which takes about 1 h 0 min here" in said
    assert "--yes" in said


def test_only_the_games_in_question_are_looked_at(games: Path, slow: list[int]) -> None:
    from assay.workspace.workspace import Workspace

    workspace = Workspace(games.with_name("games.pgn.assay"))
    workspace.import_games(games)
    first, second = list(workspace.status()["names"])[:2]
    assert main(["compare", str(games), first, second, "--recipe", "quick"]) == 2
    assert main(["rate", str(games), "--recipe", "quick"]) == 2
    assert main(["career", str(games), first, "--recipe", "quick"]) == 2
    both, every, one = slow
    assert one < both < every


def test_on_a_terminal_it_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter((True, False))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.confirm", lambda *_, **__: next(answers))
    consent._ask(10, 3600)
    with pytest.raises(InputError, match="nothing was analysed"):
        consent._ask(10, 3600)


def test_what_is_to_be_removed_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="2 games would be removed: --yes does it"):
        consent.ask_to_remove("2 games")
    monkeypatch.setattr(consent, "_somebody_is_there", lambda: True)
    for answer in (True, False):
        monkeypatch.setattr("typer.confirm", lambda *_, answer=answer, **__: answer)
        if answer:
            consent.ask_to_remove("2 games")
        else:
            with pytest.raises(InputError, match="nothing was removed"):
                consent.ask_to_remove("2 games")
