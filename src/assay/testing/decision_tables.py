"""Small tables of decisions, made up: enough of everything for a method to read."""

import numpy as np
import pyarrow as pa

from assay.decisions.decisions import Decisions


def make_decisions(
    games: int = 6,
    plies: int = 30,
    options: int = 6,
    seed: int = 0,
    players: tuple[str, str] = ("Ann", "Bob"),
    recipe: str = "made",
    *,
    trace: bool = False,
) -> Decisions:
    """Games between two players with random values; the first option is the best, mistakes are common.

    The value after a move is near that of the played option: the next analysis disagrees a little. With
    `trace`, the lines of four depths, of which the last has the values of the options.
    """
    generator = np.random.default_rng(seed)
    rows = []
    for game in range(games):
        white, black = players if game % 2 == 0 else players[::-1]
        for ply in range(plies):
            drops = np.concatenate(([0], np.sort(generator.integers(0, 250, options - 1))))
            best = int(generator.normal(0, 120))
            cp = [int(best - drop) for drop in drops]
            index = min(int(generator.geometric(0.45)) - 1, options - 1)
            rows.append(
                {
                    "game_id": f"game{game}",
                    "ply": ply,
                    "player": white if ply % 2 == 0 else black,
                    "opponent": black if ply % 2 == 0 else white,
                    "colour": "white" if ply % 2 == 0 else "black",
                    "year": 2000 + game // 2,
                    "event": f"event{game % 3}",
                    "result": (1.0, 0.5, 0.0)[game % 3] if ply % 2 == 0 else (0.0, 0.5, 1.0)[game % 3],
                    "player_elo": 2400 if (white if ply % 2 == 0 else black) == players[0] else 2200,
                    "opponent_elo": 2200 if (white if ply % 2 == 0 else black) == players[0] else 2400,
                    "moves": [f"m{i}" for i in range(options)],
                    "cp": cp,
                    "played": f"m{index}",
                    "after": cp[index] + int(generator.normal(0, 8)),
                    "recipe_id": recipe,
                }
            )
    made = Decisions.from_table(pa.Table.from_pylist(rows))
    return with_trace(made, depths=4, seed=seed + 1) if trace else made


def with_trace(decisions: Decisions, depths: int = 10, seed: int = 0) -> Decisions:
    """The same decisions with a trace: the smaller the depth, the further off the values and their order."""
    generator = np.random.default_rng(seed)
    columns: dict[str, list[list[object]]] = {"trace_depth": [], "trace_move": [], "trace_value": []}
    for row in range(len(decisions)):
        options = decisions.options(row)
        moves = [move for move, _ in options]
        lines: list[tuple[int, str, int]] = []
        for depth in range(1, depths + 1):
            noise = generator.normal(0, 40 * (depths - depth) / depths, len(options)).astype(int)
            values = np.array([value for _, value in options]) + noise
            order = np.argsort(-values, kind="stable")
            lines += [(depth, moves[place], int(values[place])) for place in order]
        for place, name in enumerate(columns):
            columns[name].append([line[place] for line in lines])
    table = decisions.to_table()
    kinds = pa.list_(pa.int16()), pa.list_(pa.string()), pa.list_(pa.int16())
    for (name, column), kind in zip(columns.items(), kinds, strict=True):
        table = table.append_column(name, pa.array(column, kind))
    return Decisions.from_table(table)
