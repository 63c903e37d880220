"""Games of simulated players of known Elo, for calibrations."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from assay.decisions.decisions import Decisions


def skill_of(elo: float) -> float:
    """The c of an agent of this Elo: as true as it gets."""
    return 0.6 + (elo - 1400) / 1000


def milepost_games(
    elos: Sequence[int] = tuple(range(1700, 2700, 100)),
    games: int = 16,
    plies: int = 70,
    options: int = 8,
    seed: int = 0,
    recipe: str = "made",
    games_each: int = 4,
    form: float = 0.0,
) -> Decisions:
    """Games between agents E(c) of one Elo; everyone plays `games_each` games, with their own form."""
    generator = np.random.default_rng(seed)
    rows = []
    for elo in elos:
        own = {
            side: elo + form * generator.normal(size=games // games_each + 1) for side in ("white", "black")
        }
        for game in range(games):
            number = game // games_each
            names = {side: f"{side} {elo} {number} {seed}" for side in own}
            for ply in range(plies):
                side = "white" if ply % 2 == 0 else "black"
                other = "black" if side == "white" else "white"
                drops = np.concatenate(([0], np.sort(generator.exponential(90, options - 1).astype(int))))
                best = int(generator.normal(0, 100))
                likelihood = (drops / 100 + 0.1) ** -skill_of(own[side][number])
                index = int(generator.choice(options, p=likelihood / likelihood.sum()))
                cp = [int(best - drop) for drop in drops]
                rows.append(
                    {
                        "game_id": f"{elo} {game} {seed}",
                        "ply": ply,
                        "player": names[side],
                        "opponent": names[other],
                        "colour": side,
                        "year": 2000 + game % 3,
                        "event": f"event{game % 2}",
                        "result": 0.5,
                        "player_elo": elo,
                        "opponent_elo": elo,
                        "n_legal": options,
                        "moves": [f"m{i}" for i in range(options)],
                        "cp": cp,
                        "played": f"m{index}",
                        "after": cp[index] + int(generator.normal(0, 5)),
                        "recipe_id": recipe,
                    }
                )
    return Decisions.from_table(pa.Table.from_pylist(rows))
