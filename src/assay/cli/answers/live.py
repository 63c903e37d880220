"""What `assay live` prints and draws: a whole game, or one line for each new move."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.answers.base import Table
from assay.cli.answers.numbers import elo, number
from assay.cli.progress import close
from assay.decisions.text import printable

if TYPE_CHECKING:
    from assay.answers.ratings import Measure, Quantity
    from assay.live.analysis import LiveGame, LiveMove
    from assay.rating.calibration import Calibration

_TURNS_ON_SCREEN = 15
_LONGEST_NAME = 16
"""Of a name that stands in a line with a move, a rating and c, so many characters at most."""

_TOO_EARLY = "too early"


class Show:
    """Prints and plots; remembers how far it has printed."""

    def __init__(
        self,
        as_json: bool,
        as_csv: bool,
        plot: Path | None,
        made_with: tuple[str, str, str],
        calibration: Calibration | None,
    ) -> None:
        self._as_json = as_json
        self._as_csv = as_csv and not as_json
        self._plot_file = plot
        self._made_with = made_with
        self._calibration = calibration
        self._printed: list[str] = []
        self._begun = False

    def whole(self, live: LiveGame) -> None:
        """A game that is not followed."""
        from assay.cli.output import print_csv, print_json, say

        close()
        self._plot(live)
        if self._as_json:
            print_json(self.document(live))
        elif self._as_csv:
            rows = [_flat(move, live) for move in live.moves]
            print_csv(rows, list(rows[0]) if rows else ["ply"])
            for note in self._notes(live):
                say(note)
        else:
            self._print_tables(live, last=None)

    def next(self, live: LiveGame) -> None:
        """A game that goes on: drawn anew on a terminal; elsewhere one line for each new move."""
        from assay.cli.output import say

        close()
        self._plot(live)
        if sys.stdout is not None and sys.stdout.isatty() and not (self._as_json or self._as_csv):
            print("\033[H\033[2J", end="")
            self._print_tables(live, last=_TURNS_ON_SCREEN)
            return
        if not self._printed:
            for note in self._notes(live):
                say(note)
        moves = [move.san for move in live.moves]
        same = 0
        while same < min(len(moves), len(self._printed)) and moves[same] == self._printed[same]:
            same += 1
        for move in live.moves[same:]:
            print(self._next_line(move, live), flush=True)
        self._printed = moves

    def _next_line(self, move: LiveMove, live: LiveGame) -> str:
        """What a move adds to the output; the names of the columns stand before the first."""
        import json

        from assay.cli.output import to_csv

        if self._as_json:
            return json.dumps(_for_programs(move, live), ensure_ascii=False, allow_nan=False)
        if not self._as_csv:
            return _line(move, live)
        row = _flat(move, live)
        lines = to_csv([row], list(row)).splitlines()
        header, self._begun = not self._begun, True
        return "\n".join(lines if header else lines[1:])

    def _plot(self, live: LiveGame) -> None:
        if self._plot_file is not None:
            from assay.figures.figure import write_figure
            from assay.report.live import live_figure

            write_figure(self._plot_file, live_figure(live))

    def document(self, live: LiveGame) -> dict[str, Any]:
        """The whole game as JSON has it."""
        from assay.rating.priors import flat

        white, black = live.players
        engine, recipe, recipe_id = self._made_with
        return {
            "white": white,
            "black": black,
            "engine": engine,
            "recipe": recipe,
            "recipe_id": recipe_id,
            "scale": live.scale,
            "prior": None if self._calibration is None else flat(self._calibration.range).words,
            **({"perceived_engine_strength": live.engine_strength} if live.perceived else {}),
            "moves": [_for_programs(move, live) for move in live.moves],
            "notes": self._notes(live),
        }

    def _notes(self, live: LiveGame) -> list[str]:
        """What must be said with these numbers."""
        from assay.decisions.evaluation import ANNOTATED, EVALUATED
        from assay.decisions.exclusions import Exclusion
        from assay.rating.rate import LEAST_DECISIONS
        from assay.rating.scale import ONE_VALUE, caveats_of, other_time_classes, what_it_takes

        record = live.game.record
        notes = []
        if self._calibration is None:
            notes.append(what_it_takes(*self._made_with))
        else:
            notes += [
                *caveats_of(self._calibration),
                other_time_classes([record.time_class], self._calibration.recipe_id),
                f"{_TOO_EARLY}: fewer than {LEAST_DECISIONS} moves of the player after turn 8.",
            ]
        if self._made_with[2] in (ANNOTATED, *EVALUATED):
            notes.append(ONE_VALUE)
        if record.exclusion not in (None, Exclusion.NO_RESULT, Exclusion.NO_MOVES):
            notes.append(f"assay rate leaves this game out: {record.exclusion.meaning}.")
        if live.perceived:
            counted = (
                "difference to the engine"
                if live.engine_strength is None
                else f"strength, the engine being {live.engine_strength:.0f}"
            )
            notes.append(f"perceived: the paper's {counted} (Ferreira 2012), which is not Elo.")
        return [note for note in notes if note]

    def _print_tables(self, live: LiveGame, last: int | None) -> None:
        from assay.cli.output import print_table

        for table in self._tables(live, last):
            print_table(table.title, table.columns, table.rows, table.note)

    def _tables(self, live: LiveGame, last: int | None) -> list[Table]:
        """One line a move; without a scale also what each method measures at the end."""
        engine, recipe, _ = self._made_with
        white, black = live.players
        turns = sorted({move.turn for move in live.moves})[-(last or len(live.moves) or 1) :]
        moves = [move for move in live.moves if move.turn in turns]
        what = "rating" if live.scale is not None else "mean gain"
        title = f"{white} – {black}: {f'ratings, {live.scale}' if live.scale else 'no ratings'}"
        kinds = [what, "perceived"] if live.perceived else [what]
        columns = [
            "move",
            "White's value",
            "gain",
            # By colour, not by name: the names are in the title, and a move stays on one line of 80 columns.
            *(f"{side}: {one}" for one in kinds for side in ("White", "Black")),
        ]
        skilled = live.scale is not None and any(move.known.skill is not None for move in moves)
        if skilled:
            columns.append("c")
        rows = []
        for move in moves:
            cells = [_named(move), _evaluation(move), _pawns(move.gain)]
            shown = [_rated(move, live), *([_perceived(move, live)] if live.perceived else [])]
            for cell in shown:
                cells += [cell, ""] if move.white else ["", cell]
            rows.append([*cells, _skill(move)] if skilled else cells)
        about = "95% interval" if live.scale is not None else "gain: in pawns"
        if skilled:
            about += "; c: the skill by the method bayes, of the mover"
        said = (
            "as assay rate has them, of the game so far" if live.scale is not None else "of the game so far"
        )
        note = "\n".join([f"{recipe} with {engine}; {said}; {about}.", *self._notes(live)])
        if live.scale is not None:
            return [Table(title, columns, rows, note)]
        return [Table(title, columns, rows), _measured(live, note)]


def _measured(live: LiveGame, note: str) -> Table:
    """What each method measures of both players after their last moves."""
    latest: list[Mapping[str, Measure]] = [
        own[-1].measures if (own := live.of(white)) else {} for white in (True, False)
    ]
    names = sorted({name for one in latest for name in one})
    rows = []
    for name in names:
        known = next(one[name] for one in latest if name in one)
        unit = f"{known.name} ({'more' if known.rises else 'less'} is better)"
        rows.append([name, unit, *(f"{one[name].value:.3g}" if name in one else "" for one in latest)])
    empty = "" if names else "Too early for the methods: they need 10 moves of a player after turn 8.\n"
    return Table(
        "What each method measures, in its own unit", ["method", "measure", *live.players], rows, empty + note
    )


def _for_programs(move: LiveMove, live: LiveGame) -> dict[str, Any]:
    by_method = {name: one for name, one in move.known.ratings.items() if name != "combined"}
    found = {
        "ply": move.ply,
        "player": move.player,
        "move": move.san,
        "evaluation": number(move.value),
        "gain": number(move.gain),
        "mean_gain": number(move.mean_gain),
        "decisions": move.known.decisions,
        "combined": None if move.combined is None else move.combined.to_dict(),
        "c": _skill_for_programs(move.known.skill),
        "ratings": {name: one.to_dict() for name, one in by_method.items()},
        "measures": {name: one.to_dict() for name, one in move.measures.items()},
    }
    return found | ({"perceived": _perceived_for_programs(move, live)} if live.perceived else {})


def _skill_for_programs(skill: Quantity | None) -> dict[str, float | None] | None:
    if skill is None:
        return None
    return {name: number(getattr(skill, name), 3) for name in ("value", "low", "high")}


def _perceived_for_programs(move: LiveMove, live: LiveGame) -> dict[str, Any]:
    """The paper's number under its own name: nothing in it is an Elo."""
    assert move.perceived is not None
    one = move.perceived
    name = "perceived_difference" if live.engine_strength is None else "perceived_strength"
    return {
        "expectation_against_engine": number(one.expectation),
        name: number(one.strength, 1),
        f"{name}_low": number(one.low, 1),
        f"{name}_high": number(one.high, 1),
    }


def _flat(move: LiveMove, live: LiveGame) -> dict[str, Any]:
    """A row of CSV."""
    found = _for_programs(move, live)
    measured, perceived = found.pop("measures"), found.pop("perceived", {})
    found.pop("ratings")
    combined = found.pop("combined") or {"elo": None, "low": None, "high": None}
    skill = found.pop("c") or {"value": None, "low": None, "high": None}
    if live.scale is not None:
        found |= {f"rating_{name}": value for name, value in combined.items()}
        found |= {"c" if name == "value" else f"c_{name}": value for name, value in skill.items()}
    else:
        from assay.models.registry import methods

        found |= {f"measure_{name}": measured.get(name, {}).get("value") for name in methods()}
    return {**found, **perceived}


def _named(move: LiveMove) -> str:
    return f"{move.turn}{'.' if move.white else '...'} {printable(move.san)}"


def _pawns(centipawns: float) -> str:
    if math.isnan(centipawns):
        return "?"
    return f"{centipawns / 100:+z.2f}"


def _evaluation(move: LiveMove) -> str:
    from assay.decisions.evaluation import MATE, MATE_BOUND

    if math.isnan(move.value) or abs(move.value) < MATE_BOUND:
        return _pawns(move.value)
    distance = round(MATE - abs(move.value))
    return f"{'-' if move.value < 0 else ''}#{distance or ''}"


def _rated(move: LiveMove, live: LiveGame) -> str:
    """The rating with its interval, or in words that there is none yet; without a scale the mean gain."""
    if live.scale is None:
        return _pawns(move.mean_gain)
    return _TOO_EARLY if move.combined is None else str(move.combined)


def _skill(move: LiveMove) -> str:
    """The c of the mover; empty where it is not known yet."""
    return "" if move.known.skill is None else f"{move.known.skill.value:.2f}"


def _perceived(move: LiveMove, live: LiveGame) -> str:
    """The paper's number with its interval; infinite while all moves so far are on one side."""
    one = move.perceived
    if one is None or math.isnan(one.strength):
        return ""
    if math.isinf(one.strength):
        return _TOO_EARLY
    signed = live.engine_strength is None
    low, high = (elo(end, signed=signed) for end in (one.low, one.high))
    return f"{elo(one.strength, signed=signed)} ({low} to {high})"


def _line(move: LiveMove, live: LiveGame) -> str:
    """A move in one line of 80 characters."""
    name = printable(move.player)
    name = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
    what = "mean gain " if live.scale is None else ""
    played = f"{_named(move):13} {_evaluation(move):>7}  gain {_pawns(move.gain):>6}"
    line = f"{played}  {name}: {what}{_rated(move, live)}"
    if live.scale is not None and move.known.skill is not None:
        line += f", c {_skill(move)}"
    return f"{line}, perceived {_perceived(move, live)}" if live.perceived else line
