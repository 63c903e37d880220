"""Whom a user means: players, years and events from text."""

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.names import Who, find_event, find_event_and_year, parse_years
from assay.errors import InputError
from assay.testing import make_decisions

NAMES = ["Fischer, Robert James", "Fisher, John", "Spassky, Boris V"]
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
    assert Who.parse("fischer@1971").found(NAMES) == Who("Fischer, Robert James", 1971)
    assert Who.parse("spassky@tal").found(NAMES, EVENTS).event == "Tal Memorial"


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
