"""Both players after every move of a game."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.answers.answer import Answer, Row, Words, elo, jsonable, number, pick
from assay.answers.ratings import Measure, Quantity, Rating
from assay.decisions.evaluation import MATE, MATE_BOUND
from assay.errors import printable

TOO_EARLY = "too early"
_LONGEST_NAME = 16
"""Of a name that stands in a line with a move, a rating and c, so many characters at most."""


@dataclass(frozen=True)
class Known:
    """What is known of the player of a move after it."""

    decisions: int = 0
    """Moves after the opening that count so far."""
    ratings: Mapping[str, Rating] = field(default_factory=dict)
    """By method; empty without a calibration, and before there are decisions enough."""
    measures: Mapping[str, Measure] = field(default_factory=dict)
    """By method, where there is no calibration."""
    skill: Quantity | None = None
    """The c of the method bayes (Di Fatta, Haworth, Regan 2009), where the options have values."""

    @property
    def combined(self) -> Rating | None:
        """All methods together."""
        return self.ratings.get("combined")


@dataclass(frozen=True)
class Perceived:
    """The paper's own number after a move: not Elo."""

    expectation: float
    """Against the engine, over the player's moves so far; NaN where no gain is known yet."""
    strength: float
    """By Algorithm 4, or the difference to the engine where its strength is not known; may be infinite."""
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class LiveMove:
    """One move, and what is known of its player after it."""

    ply: int
    turn: int
    white: bool
    player: str
    san: str
    value: float
    """Value of the position after the move for White: centipawns, mates beyond them; NaN if unknown."""
    gain: float
    """Centipawns; NaN if unknown."""
    mean_gain: float
    """Over the player's moves so far, centipawns; NaN if none is known."""
    known: Known
    perceived: Perceived | None = None
    """Only where it was asked for."""

    @property
    def combined(self) -> Rating | None:
        """The rating by all methods; None without a scale, and before there are moves enough."""
        return self.known.combined

    @property
    def measures(self) -> Mapping[str, Measure]:
        """What the methods measure where there is no scale."""
        return self.known.measures

    @property
    def title(self) -> str:
        """The move with its number: `12... Nf6`."""
        return f"{self.turn}{'.' if self.white else '...'} {printable(self.san)}"

    @property
    def evaluation(self) -> str:
        """The value after the move for White, in pawns, or as a mate: `#3`."""
        if math.isnan(self.value) or abs(self.value) < MATE_BOUND:
            return _pawns(self.value)
        return f"{'-' if self.value < 0 else ''}#{round(MATE - abs(self.value)) or ''}"


@dataclass(frozen=True, eq=False)
class LiveGame(Answer):
    """Both players after every move."""

    players: tuple[str, str]
    """White and Black."""
    moves: tuple[LiveMove, ...]
    scale: str | None
    """What a rating is; None where the recipe has no calibration, and nothing is an Elo."""
    perceived: bool = False
    """Whether the paper's number was asked for."""
    engine_strength: float | None = None
    """What the paper's number counts from, where it is known."""
    engine: str = ""
    recipe: str = ""
    recipe_id: str = ""
    prior: str | None = None
    notes: Sequence[str] = ()
    methods: Sequence[str] = ()
    """Names of all methods: columns of their measures."""

    @property
    def remarks(self) -> Sequence[str]:
        return self.notes

    def of(self, white: bool) -> list[LiveMove]:
        """The moves of one side."""
        return [move for move in self.moves if move.white == white]

    def to_dict(self) -> dict[str, Any]:
        white, black = self.players
        return {
            "white": white,
            "black": black,
            **pick(self, "engine recipe recipe_id scale prior notes"),
            **({"perceived_engine_strength": self.engine_strength} if self.perceived else {}),
            "moves": [self.move_to_dict(move) for move in self.moves],
        }

    def move_to_dict(self, move: LiveMove) -> dict[str, Any]:
        """One move of `assay live --json`."""
        skill = move.known.skill
        return {
            **pick(move, "ply player"),
            "move": move.san,
            "evaluation": number(move.value),
            **pick(move, "gain mean_gain"),
            "decisions": move.known.decisions,
            "combined": jsonable(move.combined),
            "c": skill and pick(skill, "value low high", 3),
            "ratings": {
                name: value.to_dict() for name, value in move.known.ratings.items() if name != "combined"
            },
            "measures": jsonable(move.measures),
        } | ({"perceived": self._perceived_to_dict(move)} if self.perceived else {})

    def _perceived_to_dict(self, move: LiveMove) -> dict[str, Any]:
        """The paper's number under its own name: nothing in it is an Elo."""
        assert move.perceived is not None
        name = "perceived_difference" if self.engine_strength is None else "perceived_strength"
        return {
            "expectation_against_engine": number(move.perceived.expectation),
            name: number(move.perceived.strength, 1),
            f"{name}_low": number(move.perceived.low, 1),
            f"{name}_high": number(move.perceived.high, 1),
        }

    def rows(self) -> list[Row]:
        return [self.row(move) for move in self.moves]

    def row(self, move: LiveMove) -> dict[str, Any]:
        """A move as a row of CSV."""
        cells = self.move_to_dict(move)
        measures, perceived = cells.pop("measures"), cells.pop("perceived", {})
        cells.pop("ratings")
        combined = cells.pop("combined") or dict.fromkeys(("elo", "low", "high", "bound"))
        skill = cells.pop("c") or dict.fromkeys(("value", "low", "high"))
        if self.scale is not None:
            cells |= {f"rating_{name}": value for name, value in combined.items()}
            cells |= {"c" if name == "value" else f"c_{name}": value for name, value in skill.items()}
        else:
            cells |= {f"measure_{name}": measures.get(name, {}).get("value") for name in self.methods}
        return {**cells, **perceived}

    def words(self, last: int | None = None) -> list[Words]:
        turns = sorted({move.turn for move in self.moves})[-(last or len(self.moves) or 1) :]
        moves = [move for move in self.moves if move.turn in turns]
        rated = self.scale is not None
        kinds = ["rating" if rated else "mean gain", *(["perceived"] if self.perceived else [])]
        # By colour, not by name: the names are in the title, and a move stays on one line of 80 columns.
        columns = ["move", "White's value", "gain"]
        columns += [f"{side}: {kind}" for kind in kinds for side in ("White", "Black")]
        skilled = rated and any(move.known.skill is not None for move in moves)
        columns += ["c"] if skilled else []
        rows = []
        for move in moves:
            cells = [move.title, move.evaluation, _pawns(move.gain)]
            for cell in [self._rated(move), *([self._perceived(move)] if self.perceived else [])]:
                cells += [cell, ""] if move.white else ["", cell]
            rows.append([*cells, _skill(move)] if skilled else cells)
        about = "95% interval" if rated else "gain: in pawns"
        about += "; c: the skill by the method bayes, of the mover" if skilled else ""
        of = "as assay rate has them, of the game so far" if rated else "of the game so far"
        grey = "; ".join(filter(None, (self.scale, f"{self.recipe} with {self.engine}", of, about)))
        note = "\n".join([grey, *self.notes])
        if rated:
            return [Words(self.sentence, columns, rows, "\n".join(self.notes), grey=grey)]
        return [Words(f"{' – '.join(self.players)}: no ratings", columns, rows), self._measured(note)]

    @property
    def sentence(self) -> str:
        """How both have played so far."""
        played = []
        for name, white in zip(self.players, (True, False), strict=True):
            latest = next((move.combined for move in reversed(self.of(white)) if move.combined), None)
            played.append(f"{name} {TOO_EARLY if latest is None else latest}")
        return f"Played like, so far: {'; '.join(played)}."

    def _measured(self, note: str) -> Words:
        """What each method measures of both players after their last moves."""
        latest = [own[-1].measures if (own := self.of(white)) else {} for white in (True, False)]
        names = sorted({name for measures in latest for name in measures})
        rows = []
        for name in names:
            first = next(measures[name] for measures in latest if name in measures)
            unit = f"{first.name} ({'more' if first.rises else 'less'} is better)"
            values = [f"{measures[name].value:.3g}" if name in measures else "" for measures in latest]
            rows.append([name, unit, *values])
        empty = "" if names else "Too early for the methods: they need 10 moves of a player after move 8.\n"
        columns = ["method", "measure", *self.players]
        return Words("What each method measures, in its own unit", columns, rows, empty + note)

    def line(self, move: LiveMove) -> str:
        """A move in one line of 80 characters."""
        name = printable(move.player)
        name = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
        what = "mean gain " if self.scale is None else ""
        played = f"{move.title:13} {move.evaluation:>7}  gain {_pawns(move.gain):>6}"
        line = f"{played}  {name}: {what}{self._rated(move)}"
        if self.scale is not None and move.known.skill is not None:
            line += f", c {_skill(move)}"
        return f"{line}, perceived {self._perceived(move)}" if self.perceived else line

    def _rated(self, move: LiveMove) -> str:
        """The rating with its interval, or in words that there is none yet; without a scale the mean gain."""
        if self.scale is None:
            return _pawns(move.mean_gain)
        return TOO_EARLY if move.combined is None else str(move.combined)

    def _perceived(self, move: LiveMove) -> str:
        """The paper's number with its interval; infinite while all moves so far are on one side."""
        number = move.perceived
        if number is None or math.isnan(number.strength):
            return ""
        if math.isinf(number.strength):
            return TOO_EARLY
        value, low, high = (
            elo(end, signed=self.engine_strength is None)
            for end in (number.strength, number.low, number.high)
        )
        return f"{value} ({low} to {high})"


def _pawns(centipawns: float) -> str:
    return "?" if math.isnan(centipawns) else f"{centipawns / 100:+z.2f}"


def _skill(move: LiveMove) -> str:
    """The c of the mover; empty where it is not known yet."""
    return "" if move.known.skill is None else f"{move.known.skill.value:.2f}"
