"""Decisions of agents with known sensitivity and consistency, for tests of `choice`."""

import numpy as np
import pyarrow as pa

from assay.decisions.decisions import Decisions
from assay.models.choice.spreads import Scaling, Spreads, spreads_of
from assay.models.choice.sums import play, probabilities

_APART = 1_000_000
"""Choices must not be drawn from the numbers that made the positions."""


def made_spreads(turns: int, options: int = 12, seed: int = 0, hardness: float = 0.5) -> Spreads:
    """Spreads with gaps of `hardness` on average between neighbours far down, smaller ones at the top."""
    generator = np.random.default_rng(seed)
    gaps = generator.exponential(hardness, (turns, options)) * np.linspace(0.1, 1, options)
    gaps[:, 0] = 0
    offsets = np.arange(turns + 1) * options
    return Spreads(np.cumsum(gaps, axis=1).ravel() / 2, offsets, np.zeros(turns, np.int64))


def agent_spreads(turns: int, s: float, c: float, seed: int = 0, **made: float) -> Spreads:
    """Made spreads with choices of the agent (s, c)."""
    spreads = made_spreads(turns, seed=seed, **made)  # type: ignore[arg-type]
    return play(spreads, probabilities(spreads, s, c), _APART + seed)


def agent_decisions(
    agents: dict[int, tuple[float, float]],
    games: int = 10,
    turns: int = 40,
    options: int = 10,
    seed: int = 0,
    hardness: float = 40,
) -> Decisions:
    """Decisions of agents by Elo: each plays games against its like; all options are listed."""
    generator = np.random.default_rng(seed)
    rows = []
    for elo in agents:
        for game in range(games):
            for ply in range(16, 16 + 2 * turns):
                drops = generator.exponential(hardness, options) * np.linspace(0.1, 1, options)
                best = int(generator.normal(0, 60))
                cp = best - np.concatenate(([0], np.cumsum(drops[1:]))).astype(int)
                side = ply % 2
                rows.append(
                    {
                        "game_id": f"{elo}-{game}",
                        "ply": ply,
                        "player": f"player {elo} {side}",
                        "opponent": f"player {elo} {1 - side}",
                        "year": 1990 + game,
                        "time_class": "classical" if game % 2 else "blitz",
                        "player_elo": elo,
                        "opponent_elo": elo,
                        "moves": [f"m{i}" for i in range(options)],
                        "cp": cp.tolist(),
                        "played": "m0",
                    }
                )
    decisions = Decisions.from_table(pa.Table.from_pylist(rows))
    return _played_by(decisions, agents, seed, rows)


def _played_by(
    decisions: Decisions, agents: dict[int, tuple[float, float]], seed: int, rows: list[dict[str, object]]
) -> Decisions:
    spreads = spreads_of(decisions, Scaling(unlisted="left out"))
    elo = decisions.numbers("player_elo")
    for number, (rating, (s, c)) in enumerate(agents.items()):
        own = np.flatnonzero(elo == rating)
        part = spreads.take(own)
        for row, index in zip(
            own, play(part, probabilities(part, s, c), _APART + seed + number).played, strict=True
        ):
            rows[row]["played"] = f"m{index}"
    return Decisions.from_table(pa.Table.from_pylist(rows))
