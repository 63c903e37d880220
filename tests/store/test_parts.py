"""What the names of parts say."""

from pathlib import Path

from assay.workspace.parts import in_force, is_part, is_within, part_name, small_runs, writes_of


def test_a_name_says_which_writes_a_part_holds() -> None:
    assert part_name(1, 7) == "00000001-00000007.parquet"
    assert writes_of(part_name(1, 7)) == (1, 7)
    assert not any(is_part(name) for name in ("1-7.parquet", "00000001-00000007.parquet.part", "x"))
    assert is_within(part_name(2, 3), part_name(1, 3))
    assert not is_within(part_name(2, 4), part_name(1, 3))


def test_parts_within_others_are_passed_over() -> None:
    names = [part_name(*writes) for writes in ((3, 3), (1, 1), (1, 2), (2, 2), (4, 4))]
    kept = [writes_of(path.name) for path in in_force(map(Path, names))]
    assert kept == [(1, 2), (3, 3), (4, 4)]
    assert [path.name for path in in_force([Path(part_name(5, 5)), Path(part_name(0, 6))])] == [
        part_name(0, 6)
    ]


def test_runs_are_of_neighbours_and_long_enough(tmp_path: Path) -> None:
    paths = [tmp_path / part_name(n, n) for n in range(3)]
    for path in paths:
        path.write_bytes(b"x")
    assert list(small_runs(paths, 2)) == [paths]
    assert list(small_runs(paths, 4)) == []
