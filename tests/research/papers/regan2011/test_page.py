"""The page of Regan and Haworth 2011."""

from research.papers.regan2011 import page, simulation


def test_a_simulation_becomes_a_row() -> None:
    found = {"median_off_percent": 1.25, "deviation_percent": 30.0, "coverage_percent": 94.96}
    row = {"turns": 1000, "s": 0.1, "c": 0.5, "replications": 10, "failed": 0}
    text = page.simulation_table([{**row, "quantities": dict.fromkeys(simulation.NAMES, found)}])
    cells = "| 1,000 | 0.1, 0.5 | 10 | 0 | +1.2 (30.0) | +1.2 (30.0) | +1.2 (30.0) | 95.0, 95.0, 95.0 |"
    assert text.splitlines()[-1] == cells
