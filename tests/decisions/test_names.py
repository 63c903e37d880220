"""Names of players: folded, compared, found."""

import unicodedata
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.answers.answer import Words
from assay.cli import main
from assay.cli.output import print_table, say
from assay.cli.rate import print_new
from assay.decisions.decisions import Decisions
from assay.decisions.names import (
    Who,
    find_event,
    find_event_and_year,
    find_player,
    fold_name,
    parse_years,
    same_person,
)
from assay.errors import InputError, printable
from assay.live.analysis import LiveAnalysis
from assay.live.game import read_game
from assay.results.competition import read_competition
from assay.testing import make_decisions
from examples.gain_examples import annotated_pgn
from examples.names import ANY_NAME

NAMES = ["Fischer, Robert James", "Fisher, John", "Spassky, Boris V", "Spassky, Igor"]


class TestNames:
    def test_players_are_found_by_the_beginning_of_their_names(self) -> None:
        assert find_player("fischer", NAMES) == "Fischer, Robert James"
        assert find_player("Spassky, B", NAMES) == "Spassky, Boris V"
        assert find_player("Fisher, John", NAMES) == "Fisher, John"

    @pytest.mark.parametrize(
        ("text", "say"),
        [
            ("Spassky", "write more of the name"),
            ("Fis", "write more of the name"),
            ("Tal", "there is no player"),
            (" ", "there is no player"),
            ("Fishr", r"there is no player 'Fishr' .* did you mean Fisher, John or Fischer, Robert James\?"),
        ],
    )
    def test_unclear_names_are_refused(self, text: str, say: str) -> None:
        with pytest.raises(InputError, match=say):
            find_player(text, NAMES)


@given(ANY_NAME, ANY_NAME)
@settings(max_examples=200, deadline=None)
def test_being_one_person_is_symmetric_and_reflexive(one: str, other: str) -> None:
    assert same_person(one, one)
    assert same_person(one, other) == same_person(other, one)


@given(ANY_NAME)
def test_any_name_can_be_taken_apart(name: str) -> None:
    assert fold_name(name).family


def test_where_there_are_no_players_none_are_listed() -> None:
    with pytest.raises(InputError, match=r"there is no player 'Ann' in these games: there are none$"):
        find_player("Ann", [])


# Whom a user means: players, years and events from text.

NAMES_who = ["Fischer, Robert James", "Fisher, John", "Spassky, Boris V"]
EVENTS = ["London Classic 2011", "London Classic 2012", "Tal Memorial"]


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("Tal", Who("Tal")),
        ("Tal@1960", Who("Tal", 1960)),
        (" Tal @ 1958-1960 ", Who("Tal", 1958, 1960)),
        ("Tal@1960-1960", Who("Tal", 1960)),
        ("Anand@London 2011", Who("Anand", event="London 2011")),
        ("@someone", Who("@someone")),
    ],
)
def test_parse(text: str, who: Who) -> None:
    assert Who.parse(text) == who


@pytest.mark.parametrize(("text", "say"), [("Tal@", "ends with @"), ("Tal@1960-1958", "comes before")])
def test_what_cannot_be_parsed(text: str, say: str) -> None:
    with pytest.raises(InputError, match=say):
        Who.parse(text)


def test_as_text_it_can_be_parsed_again() -> None:
    for who in (Who("Tal"), Who("Tal", 1960), Who("Tal", 1958, 1960), Who("Tal", event="Bled")):
        assert Who.parse(str(who)) == who


def test_full_names_are_found() -> None:
    assert Who.parse("fischer@1971").resolve(NAMES_who) == Who("Fischer, Robert James", 1971)
    assert Who.parse("spassky@tal").resolve(NAMES_who, EVENTS).event == "Tal Memorial"


def test_events_by_their_words() -> None:
    assert find_event("london 2012", EVENTS) == "London Classic 2012"
    assert find_event("London Classic 2011", EVENTS) == "London Classic 2011"
    with pytest.raises(InputError, match="give more of its name"):
        find_event("London", EVENTS)
    with pytest.raises(InputError, match="there is no event 'Bled'"):
        find_event("Bled", EVENTS)


def test_a_year_that_is_not_in_the_name_of_the_event_is_that_of_the_games() -> None:
    assert find_event_and_year("Tal Memorial 2011", EVENTS) == ("Tal Memorial", 2011)
    assert find_event_and_year("London 2011", EVENTS) == ("London Classic 2011", None)
    with pytest.raises(InputError, match="there is no event 'Bled 1931'"):
        find_event_and_year("Bled 1931", EVENTS)
    decisions: Decisions = make_decisions(games=10, plies=40)
    who, some = Who.parse("Ann@event0 2000").choose(decisions)
    assert (who.event, who.year) == ("event0", 2000)
    assert (set(some.text("event")), set(some.numbers("year").tolist())) == ({"event0"}, {2000})
    assert Who.parse(str(who)).choose(decisions)[0] == who
    with pytest.raises(InputError, match="choose other years"):
        Who.parse("Ann@event0 1900").choose(decisions)


def test_decisions_are_chosen() -> None:
    decisions: Decisions = make_decisions(games=10, plies=40)
    who, all_of_ann = Who.parse("Ann").choose(decisions)
    assert (who, set(all_of_ann.players)) == (Who("Ann"), {"Ann"})
    who, some = Who.parse("Ann@2001-2002").choose(decisions)
    assert str(who) == "Ann@2001-2002"
    assert set(np.unique(some.numbers("year"))) == {2001, 2002}
    event = next(name for name in all_of_ann.text("event") if name is not None)
    who, there = Who.parse(f"Ann@{event}").choose(decisions)
    assert who.event == event
    assert set(there.text("event")) == {event}
    with pytest.raises(InputError, match="in 1900: choose other years"):
        Who.parse("Ann@1900").choose(decisions)


def test_years() -> None:
    assert parse_years(None) is None
    assert parse_years("1960-1962,1971") == [1960, 1961, 1962, 1971]
    for text in ("olden", "1960-", "1962-1960"):
        with pytest.raises(InputError):
            parse_years(text)


# Names from untrusted files, on the way to a terminal.

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
    assert harmless("".join(map(printable, map(chr, (*range(0x20000), *range(0xE0000, 0xE0200))))))


def test_tables_and_messages(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(Words(HOSTILE, [HOSTILE], [[f"{HOSTILE}\nsecond line"], [3]], note=f"one {HOSTILE}\ntwo"))
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
    table = make_decisions(games=4).table()
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
    print_new(live, [], as_json=False, as_csv=False)
    out = capsys.readouterr().out
    assert len(out.splitlines()) == len(live.moves)
    assert "scher" in out
    assert harmless(out)
