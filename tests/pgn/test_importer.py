"""Importing: everything reaches the store once, whatever the size of its parts, and is counted."""

import io
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.decisions.names import same_person
from assay.errors import PgnError
from assay.pgn import importer
from assay.pgn.importer import NEEDED, SeenGames, import_files
from assay.pgn.reader import GameRecord, games_table, read_games
from examples import SIMULATED

DIRTY = Path(__file__).parent.parent / "dirty"


class Kept:
    """A store that keeps rows in lists."""

    def __init__(self) -> None:
        self.games: list[pa.Table] = []
        self.annotations: list[pa.Table] = []

    def __call__(self, games: pa.Table, annotations: pa.Table) -> None:
        self.games.append(games)
        self.annotations.append(annotations)


def fresh() -> SeenGames:
    return SeenGames(games_table([]).select(NEEDED))


def test_parts_of_any_size_hold_the_same_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, parts = Kept(), Kept()
    report = import_files([SIMULATED], fresh(), whole)
    assert (report.files, report.read, report.added, len(whole.games)) == (1, 12, 12, 1)
    monkeypatch.setattr(importer, "FLUSH_GAMES", 5)
    monkeypatch.setattr("assay.pgn.reader.BATCH_GAMES", 2)
    import_files([SIMULATED], fresh(), parts)
    assert [table.num_rows for table in parts.games] == [6, 6]
    assert pa.concat_tables(parts.games).equals(whole.games[0].combine_chunks())


def test_counts_of_an_import() -> None:
    kept = Kept()
    names = ("simul", "twice", "preamble", "many_comments")  # one game, told in four ways
    report = import_files([DIRTY / f"{name}.pgn" for name in names], fresh(), kept)
    assert (report.files, report.read, report.added, report.known) == (4, 7, 7, 0)
    assert (report.fragments, report.annotations) == (1, 4)
    assert report.excluded == {"odds_or_simul": 1, "duplicate": 6}
    assert report.to_dict()["rated"] == report.rated == 0
    assert sum(table.num_rows for table in kept.annotations) == 4


def test_a_file_that_is_not_pgn_is_a_note_beside_others_and_an_error_alone(tmp_path: Path) -> None:
    bad = [tmp_path / "one.pgn", tmp_path / "two.pgn"]
    for path in bad:
        path.write_text("no chess here")
    kept = Kept()
    report = import_files([bad[0], SIMULATED, bad[1], tmp_path / "absent"], fresh(), kept)
    assert sum(table.num_rows for table in kept.games) == report.added == 12
    assert [problem.split()[0] for problem in report.problems] == ["one.pgn", "two.pgn", "cannot"]
    with pytest.raises(PgnError, match=r"one\.pgn is not PGN.*and 1 more files failed"):
        import_files(bad, fresh(), kept)


def test_progress_goes_to_the_end_of_the_file() -> None:
    told: list[tuple[str, int, int, int]] = []
    path = SIMULATED
    import_files([path], fresh(), Kept(), progress=lambda *arguments: told.append(arguments))
    assert told[-1] == ("tournament.pgn", path.stat().st_size, path.stat().st_size, 12)


# Duplicates among games of the same moves: those of comparing all with all, in time that grows slowly.

# Every way in which two names can be one person's: initials, order, no comma, family only, repeated words.
NAMES = st.sampled_from(
    [
        *(
            "Smith",
            "Smith, A",
            "Smith, Anna",
            "Smith, Albert",
            "Smith, B",
            "Anna Smith",
            "Smith Anna",
            "Smith A.",
        ),
        *("Hou Yifan", "Hou, Yifan", "Yifan, Hou", "Smith, Anna B", "Smith, Anna C", "A Smith", "?", "NN"),
        *("user_1", "user1", "Smith Smith", "Smith Smith, Smith", "Ли, А", "Ли", "Li, A", "von der Smith, A"),
    ]
)
YEARS = st.sampled_from([None, 1990, 1991])
GAME = st.tuples(YEARS, NAMES, NAMES)


def record(number: int, year: int | None, white: str, black: str) -> GameRecord:
    empty = dict.fromkeys(("event", "site", "date", "round", "white_elo", "black_elo", "result", "start_fen"))
    return GameRecord(
        game_id=f"{number:016x}",
        year=year,
        white_name=white,
        black_name=black,
        time_class="unknown",
        n_plies=50,
        moves=None,  # type: ignore[arg-type]
        source="a.pgn",
        exclusion=None,
        moves_key=7,
        **empty,  # type: ignore[arg-type]
    )


def compared_with_all(games: Sequence[tuple[int | None, str, str]]) -> list[bool]:
    """The slow and transparent way."""
    kept: list[tuple[int | None, str, str]] = []
    found = []
    for year, white, black in games:
        duplicate = any(
            (year is None or before is None or year == before)
            and same_person(white, one)
            and same_person(black, other)
            for before, one, other in kept
        )
        found.append(duplicate)
        if not duplicate:
            kept.append((year, white, black))
    return found


@settings(max_examples=150, deadline=None)
@given(st.lists(GAME, max_size=80))
def test_duplicates_are_those_of_comparing_all_with_all(games: list[tuple[int | None, str, str]]) -> None:
    seen = fresh()
    seen.begin("a.pgn")
    records = [record(number, *game) for number, game in enumerate(games)]
    assert seen.admit(records) == list(range(len(games)))
    assert [each.exclusion == "duplicate" for each in records] == compared_with_all(games)


def aborted(number: int, white: str, black: str) -> str:
    return f'[Event "E{number}"]\n[White "{white}"]\n[Black "{black}"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n\n'


@pytest.mark.parametrize("kind", ["users", "one_against_all", "namesakes"])
def test_games_of_the_same_moves_are_not_compared_all_with_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Four times the games: about four times the comparisons. It was sixteen."""
    names = {
        "users": lambda number: (f"user{number}", f"other{number}"),
        "one_against_all": lambda number: ("Smith, Anna", f"other{number}"),
        "namesakes": lambda number: ("Smith, Anna", f"Smith, B{_letters(number)}"),
    }[kind]
    compared = 0

    def counted(one: str, other: str) -> bool:
        nonlocal compared
        compared += 1
        return same_person(one, other)

    monkeypatch.setattr(importer, "same_person", counted)

    def comparisons(n: int) -> int:
        nonlocal compared
        compared = 0
        path = tmp_path / f"{n}.pgn"
        path.write_text("".join(aborted(number, *names(number)) for number in range(n)))
        report = import_files([path], fresh(), lambda *_: None)
        assert report.read == n
        return compared

    assert comparisons(1000) < 8 * max(comparisons(250), 100)


def _letters(number: int) -> str:
    return "".join("abcdefghij"[int(digit)] for digit in str(number))


# Sources, copies, other tags --------------------------------------------------------------------------

MOVES = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0"


def game(white: str = "Able, Ann", year: int = 2001, moves: str = MOVES) -> str:
    return f'[White "{white}"]\n[Black "Baker, Bob"]\n[Date "{year}.01.01"]\n[Result "1-0"]\n\n{moves}\n\n'


def new_games(seen: SeenGames, source: str, *games: str) -> list[GameRecord]:
    (batch,) = read_games(io.BytesIO("".join(games).encode()), source)
    seen.begin(source)
    return [batch.games[place] for place in seen.admit(batch.games)]


def reasons(seen: SeenGames, source: str, *games: str) -> list[str | None]:
    """Why the new games of a source must not be rated; those that are known do not come."""
    return [record.exclusion for record in new_games(seen, source, *games)]


def test_a_source_read_again_adds_nothing() -> None:
    seen = fresh()
    assert reasons(seen, "one", game(), game(year=2002)) == [None, None]
    assert reasons(seen, "one", game(), game(year=2002)) == []


def test_the_same_game_twice_is_a_row_of_its_own() -> None:
    seen = fresh()
    first, second = new_games(seen, "one", game(), game())
    assert first.game_id != second.game_id
    assert (first.exclusion, second.exclusion) == (None, "duplicate")
    assert reasons(seen, "one", game(), game()) == []
    assert reasons(seen, "other", game(), game()) == ["duplicate", "duplicate"]
    assert reasons(seen, "other", game(), game()) == []


def test_other_spellings_are_the_same_game_and_other_players_or_years_are_not() -> None:
    seen = fresh()
    reasons(seen, "one", game())
    assert reasons(seen, "two", game("A. Able")) == ["duplicate"]
    assert reasons(seen, "three", game("Cole, Cy"), game(year=2002)) == [None, None]


def test_what_a_workspace_holds_is_known() -> None:
    again = SeenGames(games_table(new_games(fresh(), "one", game())).select(NEEDED))
    assert reasons(again, "one", game()) == []
    assert reasons(again, "two", game()) == ["duplicate"]
