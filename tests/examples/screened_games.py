"""A field of players of known Elo: agents of the shipped calibration, on made-up positions with a trace."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from scipy.special import ndtri

from assay.decisions.decisions import Decisions
from assay.models.depth.likelihood import Positions, probabilities
from assay.rating.calibration import Calibration, shipped
from assay.screening.norms import Norms, Tail, TurnNorms
from assay.screening.statistics import NAMES, PROJECTED, Curves, Projected
from assay.testing import with_trace

STANDARD = "672593ce2551e878"

PLAIN_TURNS = TurnNorms(
    curves=Curves(np.tile([0.0, 1.0, 0.0, 0.0, 0.0], (len(PROJECTED), 1))),
    dispersion=np.ones(len(NAMES)),
    form=np.zeros(len(NAMES)),
    scale=np.zeros((len(NAMES), 2)),
)
PLAIN = Norms(
    source=STANDARD,
    turns=PLAIN_TURNS,
    tails=(Tail.of(1, ndtri((np.arange(2000) + 0.5) / 2000)),),
    rates=(
        {"games": 1, "band": "all", "threshold": 1.645, "nominal": 0.05, "above": 0.05, "below": 0.05}
        | {"groups": 2000},
    ),
    opens={"naming": 2},
    about={"engine": "agents", "recipe": "made"},
)
"""The norms of agents: nothing to bend, turns independent, no form, the tail of 2,000 standard normal z."""


def calibration() -> Calibration:
    found = shipped(STANDARD)
    assert found is not None
    return found


def positions(rows: int, seed: int = 0, options: int = 8) -> Decisions:
    """Undecided positions after the opening, one decision each; the first option is played."""
    generator = np.random.default_rng(seed)
    made = []
    for row in range(rows):
        drops = np.concatenate(([0], np.sort(generator.exponential(90, options - 1).astype(int))))
        best = int(np.clip(generator.normal(0, 80), -250, 250))
        made.append(
            {
                "game_id": "game",
                "ply": 20 + row,
                "player": "Ann",
                "moves": [f"m{i}" for i in range(options)],
                "cp": [int(best - drop) for drop in drops],
                "played": "m0",
                "n_legal": options,
                "position_key": f"position {seed} {row}",
                "recipe_id": STANDARD,
            }
        )
    return with_trace(Decisions.from_table(pa.Table.from_pylist(made)), depths=4, seed=seed + 1)


def played_by(decisions: Decisions, elo: Sequence[float], seed: int = 0) -> Decisions:
    """The same positions, each move chosen by the agent of an Elo."""
    agents = calibration().agents
    assert agents is not None
    p = probabilities(Positions.of(decisions), agents.agents(list(elo))).options
    reached = np.cumsum(p) - np.repeat(np.cumsum(p)[decisions.offsets[:-1]] - p[decisions.offsets[:-1]], 8)
    drawn = np.repeat(np.random.default_rng(seed).random(len(decisions)), 8)
    below = np.add.reduceat((reached < drawn).astype(np.int64), decisions.offsets[:-1])
    return decisions.with_played(np.minimum(below, 7), decisions.best_value)


def field(
    players: Sequence[str] = ("Ann", "Bob", "Cid", "Dee"),
    games: int = 3,
    turns: int = 30,
    elo: int = 2000,
    strength: dict[str, float] | None = None,
    seed: int = 0,
) -> Decisions:
    """Every player rated `elo`, in so many games; of that strength, but those whose `strength` is told."""
    rows = len(players) * games * turns
    table = positions(rows, seed).table()
    who = [players[row // (games * turns)] for row in range(rows)]
    columns = {
        "game_id": pa.array([f"{who[row]} {row // turns % games}" for row in range(rows)]),
        "player": pa.array(who),
        "opponent": pa.array(["Eve"] * rows),
        "event": pa.array([f"event {row // turns % games % 2}" for row in range(rows)]),
        "ply": pa.array([20 + 2 * (row % turns) for row in range(rows)], table.schema.field("ply").type),
        "player_elo": pa.array([elo] * rows, table.schema.field("player_elo").type),
        "year": pa.array([2020] * rows, table.schema.field("year").type),
        "result": pa.array([0.5] * rows, table.schema.field("result").type),
    }
    for name, column in columns.items():
        table = table.set_column(table.column_names.index(name), name, column)
    strengths = [float((strength or {}).get(name, elo)) for name in who]
    return played_by(Decisions.from_table(table), strengths, seed + 7)


def with_first_choice(decisions: Decisions, player: str, share: float = 1.0, seed: int = 0) -> Decisions:
    """The same, a share of one player's moves replaced by the first option."""
    own = np.array(decisions.text("player")) == player
    chosen = own & (np.random.default_rng(seed).random(len(decisions)) < share)
    index = np.where(chosen, 0, decisions.played_index)
    return decisions.with_played(index, decisions.best_value)


def made_projection(n: int, seed: int = 0) -> Projected:
    generator = np.random.default_rng(seed)
    shares = np.sort(generator.uniform(0.1, 0.95, (n, 2)), axis=1)
    error = generator.uniform(0.02, 0.3, n)
    phase = (generator.random((n, 2)) < 0.2).astype(float)
    stake = np.sqrt(generator.uniform(0, 1, n))
    return Projected(np.column_stack((shares, -error)), error**2, phase, stake)
