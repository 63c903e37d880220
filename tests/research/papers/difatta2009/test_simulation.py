"""Agents that choose among all legal moves, by the number of decisions: the table of the page."""

from assay.models.bayes import BayesModel
from research.papers.difatta2009.simulation import simulation


def test_agents_of_known_skill_are_covered() -> None:
    lines = simulation(BayesModel(), 60).splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    assert {int(row[0]) for row in rows} == {30, 250, 1000}
    covered = [float(row[3].rstrip("%")) / 100 for row in rows]
    drawn = [int(row[2]) for row in rows]
    # Of all together: if 95% are covered, under 92% or over 98% happen less than once in 10,000 times.
    share = sum(one * n for one, n in zip(covered, drawn, strict=True)) / sum(drawn)
    assert 0.92 < share < 0.98
    assert all(abs(float(row[4])) < 0.5 for row in rows)
