"""Names from untrusted files, on the way to a terminal."""

import sys
import unicodedata
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.cli import main
from assay.cli.answers.live import Show
from assay.cli.output import print_table, say
from assay.decisions.decisions import Decisions
from assay.decisions.text import printable
from assay.errors import InputError
from assay.live.analysis import LiveAnalysis
from assay.live.game import read_game
from assay.results.competition import read_competition
from assay.testing import make_decisions
from examples.gain_examples import annotated_pgn

HOSTILE = "\x1b[2JFi\x9b31msch\u202eer\u200b\x07"
SHOWN = " [2JFi 31mscher "


def harmless(text: str) -> bool:
    """Whether nothing but ordinary characters and breaks of lines is in it."""
    return all(c == "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in text)


def test_what_commands_a_terminal_is_taken_out() -> None:
    assert printable(HOSTILE) == SHOWN
    assert printable("one\r\ntwo\tthree\u2028four") == "one two three four"
    assert printable("half \ud800 a pair") == "half \N{REPLACEMENT CHARACTER} a pair"
    for ordinary in ("Nepomniachtchi, Ян", "Đặng Tất Thắng", "Ann\u00a0Bee", "侯逸凡", "a  b", ""):
        assert printable(ordinary) == ordinary


@given(st.text(st.characters(), max_size=20))
def test_any_text_becomes_harmless_and_stays_so(text: str) -> None:
    shown = printable(text)
    assert harmless(shown)
    assert "\n" not in shown
    assert printable(shown) == shown


def test_every_character_is_judged_by_its_category() -> None:
    assert harmless("".join(printable(chr(code)) for code in range(sys.maxunicode + 1)))


def test_tables_and_messages(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(HOSTILE, [HOSTILE], [[f"{HOSTILE}\nsecond line"], [3]], note=f"one {HOSTILE}\ntwo")
    say(f"about {HOSTILE}\nmore")
    out, err = capsys.readouterr()
    assert harmless(out)
    assert "scher" in out
    assert out.endswith("\ntwo\n")
    assert err == f"about {SHOWN}\nmore\n"


def test_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", "--workspace", str(tmp_path / HOSTILE.replace("\x07", ""))]) == 2
    err = capsys.readouterr().err
    assert "scher" in err
    assert harmless(err)


def test_names_of_a_csv_file(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    header = '"Month #","White Player #","Black Player #","Score"\n'
    path.write_text(f"{header}1,{HOSTILE},B,1\n1,C\u200b,B,1\n2,C,B,0\n", encoding="utf-8")
    assert set(read_competition(path).games.players) == {SHOWN.strip(), "B", "C"}
    path.write_text(f"{header}1,\u202e,B,1\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 2: a player is missing"):
        read_competition(path)


def test_names_of_decisions(tmp_path: Path) -> None:
    """Also names that differ by nothing else become one, under one code."""
    table = make_decisions(games=4).to_table()
    columns = {name: table[name] for name in table.column_names}
    for name, hidden in (("player", "Ann"), ("opponent", "Bob"), ("event", "event1")):
        texts = [
            f"{text}\x9b\u202e" if text == hidden and row % 4 < 2 else text
            for row, text in enumerate(table[name].to_pylist())
        ]
        columns[name] = pa.array(texts)
    hostile = pa.table(columns, schema=table.schema)
    assert not hostile.equals(table)
    decisions = Decisions.from_table(hostile)
    assert decisions == Decisions.from_table(table)
    assert sorted(decisions.names("player")) == ["Ann", "Bob"]
    assert len(set(decisions.codes("player").tolist())) == 2


def test_lines_of_a_game_that_is_followed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.pgn"
    path.write_text(annotated_pgn(), encoding="utf-8")
    game = LiveAnalysis(None).update(read_game(path))
    live = replace(game, moves=tuple(replace(move, player=HOSTILE) for move in game.moves))
    Show(False, False, None, ("an engine", "a recipe", "id"), None).next(live)
    out = capsys.readouterr().out
    assert len(out.splitlines()) == len(live.moves)
    assert "scher" in out
    assert harmless(out)
