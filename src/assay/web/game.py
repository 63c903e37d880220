"""One game for its page: every position with its options, what moves cost, the clocks, and the figure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import chess
import chess.engine
import chess.pgn
import numpy as np
import pyarrow as pa

from assay.agent import HIGHEST, LOWEST
from assay.answers.live import LiveGame, LiveMove
from assay.decisions import evaluation, measures
from assay.decisions.arrays import Floats, encode_moves
from assay.decisions.decisions import Decisions
from assay.decisions.depths import values_by_depth
from assay.decisions.evaluation import ANNOTATED, OURSELVES
from assay.decisions.exclusions import MEANINGS, UNFOLLOWABLE, Exclusion
from assay.decisions.slices import family
from assay.errors import InputError
from assay.figures.axes import Axes, Box, span
from assay.figures.figure import EDGE, Entry, Figure, blank, legend, legend_height
from assay.figures.svg import Point, element, short, shortened
from assay.live.analysis import LiveAnalysis
from assay.live.game import SIDES, GameSoFar
from assay.models.depth.expected import FINE
from assay.models.depth.likelihood import Positions, probabilities
from assay.pgn.reader import GameRecord
from assay.rating.calibration import find_calibration
from assay.rating.pipeline import LEAST_DECISIONS
from assay.workspace.export import MARKS

if TYPE_CHECKING:
    from assay.rating.calibration import Calibration
    from assay.web.reading import Reading

LEAST_LOSS = MARKS[-1][0]
"""Expected score that a dear move loses at least."""

_GLYPHS = {chess.pgn.NAG_BLUNDER: "??", chess.pgn.NAG_MISTAKE: "?", chess.pgn.NAG_DUBIOUS_MOVE: "?!"}

_PLIES_SHOWN = 8
"""Of an engine's line."""

_WIDTH, _BESIDE_BOARD = 900.0, 480.0
"""Of the figure as a file or below the board, and of the graph beside the board."""
_LEFT, _TOP = 64.0, 46.0
_GAP = 30.0
_WIDEST = 900.0
"""Points above and below the middle that are drawn at most: intervals of the first moves go further."""


@dataclass(frozen=True, eq=False)
class GameOnBoard:
    """A game with what is stored of it."""

    row: dict[str, Any]
    """The game's row in the table of games."""
    so_far: GameSoFar
    decisions: Decisions
    """One for each ply, players by their sides."""
    clocks: dict[int, float]
    """Seconds left after each ply, where comments tell."""
    recipe_id: str
    about: Mapping[str, Any]
    """Engine and recipe of the values."""
    lines: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By position, the moves that the engine expects, its best one first."""

    @property
    def calibration(self) -> Calibration | None:
        """The scale of its values."""
        return find_calibration(self.recipe_id)

    @cached_property
    def board(self) -> dict[str, Any]:
        """Every position: the squares, the options with their values, the move played and its loss."""
        record, decisions = self.so_far.record, self.decisions
        rows = {int(ply): row for row, ply in enumerate(decisions.numbers("ply"))}
        lines = decisions.numbers("n_lines")
        before, after = (decisions.numbers(name) for name in ("before", "after"))
        lost = measures.lost_score(decisions)
        until = _good_until(decisions, lost)
        keys = decisions.text("position_key")
        board = chess.Board(record.start_fen or chess.STARTING_FEN)
        positions: list[dict[str, Any]] = [described(board)]
        for ply, uci in enumerate(self.so_far.moves):
            move = chess.Move.from_uci(uci)
            here = positions[-1]
            here |= {"ply": ply, "san": board.san(move), "uci": uci, "turn": board.fullmove_number}
            here["white"] = board.turn == chess.WHITE
            if ply in rows:
                row = rows[ply]
                here["options"] = options = _options(board, decisions, row)
                if options and lines[row] > 0:  # a single value is that of the move played, not of the best
                    here["best"] = options[0]["uci"]
                    here["line"] = in_words(board, self.lines.get(keys[row] or "", ()))
                here["lost"] = _rounded(lost[row])
                if (nag := _nag(here["lost"])) is not None:
                    here["mark"] = _GLYPHS[nag]
                if row in until:
                    here["until"] = until[row]
                here |= _expected(before[row], here["white"])
            if ply in self.clocks:
                here["clock"] = round(self.clocks[ply], 1)
            board.push(move)
            then = _expected(after[rows[ply]], here["white"]) if ply in rows else {}
            positions.append({**described(board), **then})
        names = ("game_id", "white", "black", "white_elo", "black_elo", "event", "date", "round", "result")
        tags = {name: self.row[name] for name in (*names, "exclusion")}
        return {**tags, "usual_elo": self.usual_elo, "no_chances": self.no_chances, "positions": positions}

    @property
    def no_chances(self) -> str:
        """Why it is not known how many players of an Elo would play each option; empty where it is."""
        if not self.compared:
            return "one evaluation per position does not show what players of an Elo would play"
        if self.calibration is None or self.calibration.agents is None:
            return "how players of an Elo choose is not known for this engine and recipe"
        if not self.decisions.traced.any():
            return "these analyses do not contain the smaller depths: analyse the game again"
        return ""

    @property
    def opening(self) -> str:
        """The code of the opening and the family that it belongs to; empty where it is not known."""
        eco = self.row["eco"]
        return f"{eco}, {family(eco)}" if eco else ""

    @property
    def usual_elo(self) -> int:
        """The mean published rating of both, to 50 points, within what the slider has; 2000 without any."""
        known = [self.row[name] for name in ("white_elo", "black_elo") if self.row[name]]
        mean = sum(known) / len(known) if known else 2000
        return min(max(50 * round(mean / 50), LOWEST), HIGHEST)

    @property
    def analysed(self) -> bool:
        """Whether any of its positions has a value."""
        return len(self.decisions) > 0

    @property
    def evaluated(self) -> bool:
        """Whether what its moves lost is known of nine in ten: enough to judge both players by."""
        lost = [position.get("lost") for position in self.board["positions"][:-1]]
        return bool(lost) and sum(loss is not None for loss in lost) >= 0.9 * len(lost)

    @property
    def complete(self) -> bool:
        """Whether every move was compared with others: there is nothing left to review."""
        return all("best" in position for position in self.board["positions"][:-1])

    @cached_property
    def compared(self) -> bool:
        """Whether the values of several moves are there, so that one of them is the best."""
        return len(self.decisions) > 0 and bool((self.decisions.numbers("n_lines") > 0).any())

    @cached_property
    def live(self) -> LiveGame:
        """Both players after every move, as `assay live` has them."""
        engine, recipe = (self.about.get(part, {}).get("name", "") for part in ("engine", "recipe"))
        made_with = engine, recipe, self.recipe_id
        analysis = LiveAnalysis(None, calibration=self.calibration, made_with=made_with)
        return analysis.of(self.so_far, self.decisions)

    def played_like(self, white: bool) -> str:
        """Say in a sentence how strong one side played; of few moves, what they lost."""
        moves, losses = self.live.of(white), self._losses(white)
        player = self.row["white" if white else "black"]
        if not losses:
            return f"Nothing of {player} is analysed yet."
        rating, decisions = moves[-1].combined, moves[-1].known.decisions
        if rating is not None:
            like = "" if rating.bound else "like "
            return f"{player} played {like}{rating.shown}; 95% range {rating.range}."
        worst, move = max(losses, key=lambda pair: pair[0])
        mean = 100 * sum(loss for loss, _ in losses) / len(losses)
        words = f"{player} lost {mean:.1f} points of 100 in a move on average"
        if worst >= LEAST_LOSS:
            words += f", and most by {move.title}: {100 * worst:.0f}"
        if self.live.scale is None:
            return f"{words}. These evaluations have no Elo scale."
        count = "one" if decisions == 1 else decisions
        return f"{words}. A rating takes {LEAST_DECISIONS} moves after the opening; this game has {count}."

    @property
    def turning_point(self) -> dict[str, Any] | None:
        """The move that lost most, in a sentence, and the number of the position after it."""
        known = [here for here in self.board["positions"] if (here.get("lost") or 0.0) >= LEAST_LOSS]
        if not known:
            return None
        here = max(known, key=lambda position: position["lost"])
        number = f"{here['turn']}{'.' if here['white'] else '…'}"
        words = f"{number} {here['san']} lost {100 * here['lost']:.0f} points of 100"
        if here.get("best", here["uci"]) != here["uci"]:
            words += f"; better was {number} {' '.join(here['line']) or here['options'][0]['san']}"
        return {"words": f"{words}.", "ply": here["ply"] + 1}

    def _losses(self, white: bool) -> list[tuple[float, LiveMove]]:
        """Give what each move of a side lost, where that is known."""
        pairs = zip((here.get("lost") for here in self.board["positions"]), self.live.moves, strict=False)
        return [(lost, move) for lost, move in pairs if lost is not None and move.white == white]

    def figure(self, live: LiveGame | None = None, **how: bool) -> Figure:
        """Draw White's expected score, what each move lost, the clocks; with `live` the strength of both."""
        return game_figure((self.row["white"], self.row["black"]), self.board["positions"], live, **how)

    def strength(self) -> Figure | None:
        """Draw the strength of both after every move alone; None without a scale."""
        return None if self.live.scale is None else self.figure(self.live, alone=True)

    def pgn(self) -> str:
        """Write the game as PGN: with evaluations and clocks, marks on dear moves, and what was better."""
        record = self.so_far.record
        game = chess.pgn.Game()
        tags: dict[str, Any] = {
            "Event": record.event,
            "Site": record.site,
            "Date": record.date,
            "Round": record.round,
            "White": record.white_name,
            "Black": record.black_name,
            "WhiteElo": record.white_elo,
            "BlackElo": record.black_elo,
            "ECO": self.row["eco"],
            "Annotator": OURSELVES if self.compared else None,
        }
        game.headers.update({name: str(value) for name, value in tags.items() if value is not None})
        results = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1", None: "*"}
        game.headers["Result"] = results.get(record.result, "*")
        if record.start_fen:
            game.setup(record.start_fen)
        columns = (self.decisions.numbers(name) for name in ("ply", "after"))
        after = {int(ply): value for ply, value in zip(*columns, strict=True) if math.isfinite(value)}
        node: chess.pgn.GameNode = game
        for here in self.board["positions"][:-1]:
            before, node = node, node.add_variation(chess.Move.from_uci(here["uci"]))
            if here["ply"] in after:
                mover = chess.WHITE if here["white"] else chess.BLACK
                node.set_eval(chess.engine.PovScore(_score(after[here["ply"]]), mover))
            if "clock" in here:
                node.set_clock(here["clock"])
            if (nag := _nag(here.get("lost"))) is None:
                continue
            node.nags.add(nag)
            if here.get("best", here["uci"]) != here["uci"]:
                board = before.board()
                line = [board.push_san(san) for san in here["line"]] or [chess.Move.from_uci(here["best"])]
                before.add_line(line)
        return f"{game}\n"


def game_on_board(reading: Reading, game_id: str) -> GameOnBoard:
    """Read a game of the workspace with its analyses.

    It was asked for by name, so no reason to leave games out is kept in its decisions; the reason is said.
    """
    games = reading.workspace.game(game_id, reading.choice)
    row = games.to_pylist()[0]
    if row["exclusion"] in UNFOLLOWABLE:
        raise InputError(f"the game cannot be shown: it is {MEANINGS[row['exclusion']]}")
    columns = {side: pa.array([side]) for side in SIDES} | {"exclusion": pa.nulls(1, pa.string())}
    for name, column in columns.items():
        games = games.set_column(games.schema.get_field_index(name), name, column)
    game = so_far(row)
    recipe_id, decisions = _values_of(reading, games, game.values_from)
    comments = reading.workspace.table_annotations.select({"game_id": [game_id]}, ["position", "clock"])
    clocks = comments.drop_null().to_pylist()
    by_ply = {clock["position"] - 1: clock["clock"] for clock in clocks if clock["position"] > 0}
    wanted = {"position_key": decisions.text("position_key"), "recipe_id": [recipe_id]}
    stored = reading.workspace.table_analyses.select(wanted, ["position_key", "line"]).drop_null().to_pylist()
    return GameOnBoard(
        row,
        game,
        decisions,
        by_ply,
        recipe_id,
        reading.source.about(recipe_id),
        {each["position_key"]: each["line"] for each in stored},
    )


def _values_of(reading: Reading, games: pa.Table, of_comments: str) -> tuple[str, Decisions]:
    """Give the decisions of a game by what compares its moves with others, before comments on positions.

    Of several the one that ratings are made by comes first; `of_comments` is the scale of the comments.
    """
    workspace, engines = reading.workspace, reading.analysed_positions
    for recipe_id in sorted(engines, key=lambda each: each != reading.recipe_id):
        decisions = workspace.decisions_of_games(recipe_id, games, trace=True)
        if len(decisions) and (decisions.numbers("n_lines") > 0).any():
            return recipe_id, decisions
    return of_comments, workspace.decisions_of_games(ANNOTATED, games)


def so_far(row: dict[str, Any]) -> GameSoFar:
    """Make a game of a row of the table of games."""
    names = {field.name for field in fields(GameRecord)}
    values = {name: value for name, value in row.items() if name in names}
    values |= {"white_name": row["white"], "black_name": row["black"]}
    values["moves"] = encode_moves(pa.array(row["moves"], pa.string()))
    values["exclusion"] = next((each for each in Exclusion if each == row["exclusion"]), None)
    return GameSoFar(GameRecord(**{"moves_key": 0, **values}))


def _options(board: chess.Board, decisions: Decisions, row: int) -> list[dict[str, Any]]:
    options = []
    for uci, value in decisions.options(row):
        move = chess.Move.from_uci(uci)
        san = board.san(move) if board.is_legal(move) else uci
        expected = round(float(measures.expectation(value)), 4)
        options.append({"uci": uci, "san": san, "value": _value(value), "expectation": expected})
    return options


def described(board: chess.Board) -> dict[str, Any]:
    """Describe a position for a board: its squares, what is legal, and whether the mover is in check."""
    legal = [move.uci() for move in board.legal_moves]
    return {"fen": board.fen(), "legal": legal, "check": board.is_check()}


def in_words(board: chess.Board, moves: Sequence[str]) -> list[str]:
    """Write moves from a position on as people do, the first few; none that is not legal."""
    board, words = board.copy(stack=False), []
    for uci in moves[:_PLIES_SHOWN]:
        move = chess.Move.from_uci(uci)
        if not board.is_legal(move):  # a workspace may come from anyone
            break
        words.append(board.san_and_push(move))
    return words


def _good_until(decisions: Decisions, lost: Floats) -> dict[int, int]:
    """By row, up to which depth the engine held a move for good that lost much at the last one."""
    rows = np.flatnonzero(decisions.traced & (lost >= LEAST_LOSS))
    if not len(rows):
        return {}
    dear = decisions.take(rows)
    depths = values_by_depth(dear)
    played = (dear.offsets[:-1] + dear.played_index).astype(int)
    by_depth = measures.expectation(depths.best) - measures.expectation(depths.values[played])
    good = (by_depth < LEAST_LOSS) & depths.reached & ~depths.censored[played]
    good &= (dear.played_index >= 0)[:, None]
    return {int(row): int(at.nonzero()[0][-1]) + 1 for row, at in zip(rows, good, strict=True) if at.any()}


def search_noise(decisions: Decisions) -> Floats:
    """Expected score by which the best move's value changed between the two last depths of each search.

    At least what people do not notice, and at most what is pointed at as a mistake.
    """
    change = np.zeros(len(decisions))
    rows = np.flatnonzero(decisions.traced)
    if len(rows):
        depths = values_by_depth(decisions.take(rows))
        last = np.maximum(depths.reached.sum(axis=1) - 1, 0)
        best = measures.expectation(depths.best)
        places = np.arange(len(rows))
        change[rows] = np.abs(best[places, last] - best[places, np.maximum(last - 1, 0)])
    return np.clip(change, FINE, LEAST_LOSS)


def _nag(lost: float | None) -> int | None:
    """Give the mark in PGN of a move that lost so much; None where it lost too little for one."""
    return next((nag for least, nag, _ in MARKS if (lost or 0.0) >= least), None)


def _expected(value: float, white: bool) -> dict[str, float]:
    """Give White's expected score by a value from a side's view; nothing where it is not known."""
    if not math.isfinite(value):
        return {}
    share = float(measures.expectation(value))
    return {"expected": round(share if white else 1 - share, 4)}


def _score(value: float) -> chess.engine.Score:
    """Give a value, the mover's view, as the library has it."""
    shown = _value(value)
    return chess.engine.Mate(shown["mate"]) if "mate" in shown else chess.engine.Cp(shown["cp"])


def _value(value: float) -> dict[str, int]:
    """Give centipawns or moves to mate, the mover's view."""
    if abs(value) < evaluation.MATE_BOUND:
        return {"cp": round(value)}
    distance = round(evaluation.MATE - abs(value))
    return {"mate": distance if value > 0 else -distance}


def _rounded(value: float, digits: int = 4) -> float | None:
    return round(float(value), digits) if math.isfinite(value) else None


def chances(game: GameOnBoard, elo: int) -> dict[str, Any]:
    """Say how many of 100 players of an Elo would play each option, in every position that has a trace."""
    if game.no_chances:
        raise InputError(game.no_chances)
    if not LOWEST <= elo <= HIGHEST:
        raise InputError(f"the Elo is between {LOWEST} and {HIGHEST}")
    calibration = game.calibration
    assert calibration is not None
    assert calibration.agents is not None
    traced = np.flatnonzero(game.decisions.traced)
    decisions = game.decisions.take(traced)
    shares = probabilities(Positions.of(decisions), calibration.agents.at(float(elo)))
    by_ply = {}
    for row, ply in enumerate(decisions.numbers("ply").astype(int)):
        options = shares.options[decisions.offsets[row] : decisions.offsets[row + 1]]
        by_ply[int(ply)] = {
            "options": [_rounded(100 * share, 1) for share in options],
            "others": _rounded(100 * shares.tail[row], 1),
        }
    return {"elo": elo, "chances": by_ply}


# The figure ----------------------------------------------------------------------------------------------


BoardPositions = Sequence[Mapping[str, Any]]
"""Every position of a game, as the board has them; all but the last with the move that was played."""

_NewAxes = Callable[..., Axes]
"""Draws the axes of a strip: the range of its values, their format, and where its ticks are."""


def game_figure(
    players: Sequence[str],
    positions: BoardPositions,
    live: LiveGame | None = None,
    *,
    alone: bool = False,
    beside_board: bool = False,
) -> Figure:
    """Draw strips above one another on one axis of plies; `data-` attributes tell a page where that is.

    With the strength of both players where `live` has it; `alone` draws nothing else. `beside_board` is
    narrow, without a heading.
    """
    moves = positions[:-1]
    entries = [Entry(name, number, marks=False) for number, name in enumerate(players)]
    width, first, tall, low = (
        (_BESIDE_BOARD, 10.0, 96.0, 56.0) if beside_board else (_WIDTH, _TOP, 120.0, 76.0)
    )
    strips: list[tuple[str, float, Callable[[_NewAxes], None]]] = []
    if not alone:
        strips.append(("Expected score of White", tall, partial(_expectation, positions)))
        strips.append(("Lost by the move", low, partial(_losses, moves)))
        if any("clock" in move for move in moves):
            strips.append(("Clock, minutes", low, partial(_clocks, moves)))
    if live is not None and live.scale is not None:
        strips.append((f"Strength so far ({live.scale})", 230.0, partial(_strength, live)))
    right, top = width - EDGE, first + legend_height(entries, width)
    bottom = top + sum(height + _GAP for _, height, _ in strips) + 10.0
    title, description = " – ".join(players), _in_words(players, moves, live)
    root = blank(title, description, width, bottom)
    if beside_board:
        root.remove(root[-1])  # the head of the page has the names
    root.set("class", f"{root.get('class')} game-figure")
    marks = {"left": _LEFT, "right": right, "top": top, "bottom": bottom - _GAP, "plies": len(moves)}
    for name, value in marks.items():
        root.set(f"data-{name}", short(value))
    legend(root, entries, first, width)
    numbers = {move["ply"]: move["turn"] for move in moves if move["white"]} or {0: 1}
    ticks = [float(ply) for ply in list(numbers)[:: max(1, math.ceil(len(numbers) / 14))]]

    def axes(box: Box, y: Point, text: str, y_ticks: Sequence[float] | None = None) -> Axes:
        """Draw the axis of plies, with the numbers of moves below it."""
        return Axes(root, box, (-0.5, max(len(moves), 1) - 0.5), y).axes(
            x_ticks=ticks,
            x_text=lambda ply: str(numbers.get(int(ply), "")),
            y_ticks=y_ticks,
            y_text=text.format,
        )

    for name, height, draw in strips:
        element(
            root, "text", shortened(name, 13.0, right - _LEFT), x=_LEFT, y=top + 10.0, class_="subheading"
        )
        draw(partial(axes, Box(_LEFT, top + 18.0, right, top + height)))
        top += height + _GAP
    return Figure(title, description, root)


def _expectation(positions: BoardPositions, axes: _NewAxes) -> None:
    values = [position.get("expected", math.nan) for position in positions[1:]]
    plies = [float(ply) for ply in range(len(values))]
    drawn = axes((0.0, 1.0), "{:.0%}", (0.0, 0.5, 1.0))
    drawn.area(plies, [math.nan if math.isnan(value) else 0.5 for value in values], values, "area-0")
    drawn.line(plies, values, "line-0 stroke")


def _losses(moves: BoardPositions, axes: _NewAxes) -> None:
    highest = max(0.1, math.ceil(10 * max((move.get("lost") or 0.0 for move in moves), default=0.0)) / 10)
    drawn = axes((0.0, highest), "{:.0%}", (0.0, highest))
    for number, white in enumerate((True, False)):
        heights = [(move.get("lost") or 0.0) if move["white"] == white else 0.0 for move in moves]
        if heights:
            drawn.bars([ply - 0.5 for ply in range(len(heights) + 1)], heights, f"mark-{number}")


def _clocks(moves: BoardPositions, axes: _NewAxes) -> None:
    timed = [move for move in moves if "clock" in move]
    most = max(move["clock"] / 60 for move in timed) or 1.0
    drawn = axes((0.0, most), "{:.3g}", (0.0, most))
    for number, white in enumerate((True, False)):
        own = [move for move in timed if move["white"] == white]
        plies, minutes = [float(move["ply"]) for move in own], [move["clock"] / 60 for move in own]
        drawn.line(plies, minutes, f"line-{number} stroke", "7 4" if number else "")


def _strength(live: LiveGame, axes: _NewAxes) -> None:
    drawn = axes(_span(live), "{:.0f}")
    for number, white in enumerate((True, False)):
        rated = [(float(move.ply), move.combined) for move in live.of(white) if move.combined]
        plies = [ply for ply, _ in rated]
        elos, low, high = ([getattr(rating, name) for _, rating in rated] for name in ("elo", "low", "high"))
        drawn.area(plies, low, high, f"area-{number}")
        drawn.line(plies, elos, f"line-{number} stroke", "7 4" if number else "")


def _span(live: LiveGame) -> Point:
    """Give the range of all ratings and of the intervals of the last move of each."""
    ratings = [move.combined for move in live.moves if move.combined is not None]
    if not ratings:
        return 1500.0, 2800.0
    ends = [end for rating in ratings[-2:] for end in (rating.low, rating.high)]
    low, high = span([rating.elo for rating in ratings] + ends)
    middle = (low + high) / 2
    return max(low, middle - _WIDEST), min(high, middle + _WIDEST)


def _in_words(players: Sequence[str], moves: BoardPositions, live: LiveGame | None) -> str:
    """Describe the figure for those who do not see it."""
    sentences = [f"{len(moves)} plies of {' against '.join(players)}."]
    dearest = max(moves, key=lambda move: move.get("lost") or 0.0, default={})
    if dearest.get("lost"):
        number = f"{dearest['turn']}{'.' if dearest['white'] else '...'}"
        sentences.append(
            f"The dearest move was {number}{dearest['san']}: {100 * dearest['lost']:.0f} points of 100."
        )
    for side in () if live is None else (live.of(True), live.of(False)):
        rated = [(move.player, move.combined) for move in side if move.combined is not None]
        for player, rating in rated[-1:]:
            ends = f"({rating.low:.0f} to {rating.high:.0f})"
            sentences.append(f"{player} at the end: {rating.elo:.0f} {ends}.")
    return " ".join(sentences)
