"""Games whose results follow from the losses of the two players, for tests of correlation with results."""

import numpy as np
import pyarrow as pa

from assay.decisions.decisions import Decisions


def make_games(games: int = 150, moves: int = 40, seed: int = 0, skill: float = 0.5) -> Decisions:
    """White and Black lose values at rates that differ from game to game; who loses less tends to win."""
    generator = np.random.default_rng(seed)
    rows = []
    for game in range(games):
        rates = 25 * np.exp(skill * generator.normal(size=2))
        lost = [
            np.round(generator.exponential(rate, moves) * (generator.random(moves) < 0.45)) for rate in rates
        ]
        lead = (lost[1].sum() - lost[0].sum()) / 400 + generator.normal(0, 0.4)
        result = 1.0 if lead > 0.5 else 0.0 if lead < -0.5 else 0.5
        for ply in range(2 * moves):
            black = ply % 2
            best = int(np.clip(generator.normal(0, 100), -900, 900))
            loss = int(lost[black][ply // 2])
            rows.append(
                {
                    "game_id": f"g{game}",
                    "ply": 20 + ply,
                    "player": "AB"[(game + black) % 2],
                    "opponent": "AB"[(game + black + 1) % 2],
                    "colour": "black" if black else "white",
                    "result": 1 - result if black else result,
                    "year": 2000 + game % 3,
                    "moves": ["m0", "m1"],
                    "cp": [best, best - loss],
                    "played": "m1",
                }
            )
    return Decisions.from_table(pa.Table.from_pylist(rows))
