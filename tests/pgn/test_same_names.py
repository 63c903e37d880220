"""Groups of names within which one person's can be."""

from assay.pgn.importer import NameGroups


def test_names_that_can_be_one_person_meet_in_a_group() -> None:
    groups = NameGroups()
    full = groups.of("Kasparov, Garry")
    for other in ("Kasparov, G", "Garry Kasparov", "Kasparov", "kasparov,garry"):
        assert full in groups.possible(other), other


def test_others_do_not() -> None:
    groups = NameGroups()
    kasparov = groups.of("Kasparov, Garry")
    assert kasparov not in groups.possible("Karpov, Anatoly")
    assert kasparov not in groups.possible("Kasparov, Boris")
    assert groups.of("Kasparov, Garry") == kasparov
