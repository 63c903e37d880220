"""Names of players: folded, compared, found."""

import pytest
from hypothesis import given, settings

from assay.decisions.names import find_player, fold_name, same_person
from assay.errors import InputError
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
