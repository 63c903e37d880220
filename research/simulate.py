"""Players of known strength: agents that choose among the options of real decisions.

An agent is a function from decisions to the probability of every option, flat, in the order of
`decisions.values` (`BayesModel.agent` is one). What it plays is drawn here, so that a method can be tried
where the truth is known.
"""

import numpy as np

from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.errors import InputError


def simulate(decisions: Decisions, probabilities: Floats, seed: int | np.random.Generator) -> Decisions:
    """The decisions with played moves drawn from the probabilities of their options.

    Positions, values and results stay as they were; the value after a move is not known any more.
    """
    if len(probabilities) != len(decisions.values):
        raise InputError("an agent must give one probability for every option")
    if (decisions.n_options == 0).any():
        raise InputError("a decision without options cannot be simulated: filter by choice_of_two first")
    generator = np.random.default_rng(seed)
    reached = np.concatenate(([0.0], np.cumsum(probabilities)))
    low, high = reached[decisions.offsets[:-1]], reached[decisions.offsets[1:]]
    if not (np.isfinite(reached).all() and (high > low).all()):
        raise InputError("the probabilities of the options of a decision must be finite, and not all zero")
    drawn = low + generator.random(len(decisions)) * (high - low)
    place = np.searchsorted(reached, drawn, side="right") - 1
    index = np.clip(place - decisions.offsets[:-1], 0, decisions.n_options - 1)
    return decisions.with_played(index)
