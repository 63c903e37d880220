"""Games of agents that weigh depths, on the positions with all moves valued."""

import pyarrow as pa

from assay.decisions.decisions import Decisions
from assay.models.depth.agents import DepthAgent
from research.evidence.depth_positions import AllMoves, Simulation


def milepost_games() -> Decisions:
    """Agents of 1600 and 2600 on the kept positions, twelve games of twenty turns each."""
    simulation = Simulation(AllMoves.read())
    tables = []
    for elo, agent in ((1600, DepthAgent(2.2, 0.4, 0.0)), (2600, DepthAgent(4.5, 0.03, 3.0))):
        drawn = simulation.draw(agent, 240, 1, seed=elo)[0]
        table = simulation.moves.with_lines(simulation.rows[drawn], simulation.played[drawn], 10).to_table()
        columns = {
            "game_id": pa.array([f"{elo} {turn // 20}" for turn in range(240)]),
            "player": pa.array([f"{elo} {turn // 20}" for turn in range(240)]),
            "player_elo": pa.array([elo] * 240, pa.int16()),
        }
        for name, column in columns.items():
            table = table.set_column(table.column_names.index(name), name, column)
        tables.append(table)
    return Decisions.from_table(pa.concat_tables(tables))
