"""A study: one open source of games, and everything that leads from it to decisions, ratings and a report.

Every call is a thin layer over the package that answers it; ratings come about in `rating/pipeline.py`.
The module is long because it is the list of all public calls, with what each may be asked.

`Study("games.pgn").rate()` imports the games into a workspace beside the file, analyses what is missing,
assembles decisions and rates. A workspace or a file of decisions serves as source too. Commands are thin
layers over this, with the same defaults.
"""

from __future__ import annotations

import calendar
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assay.answers.answer import counted, duration
from assay.answers.insights import Lesson, Slices
from assay.answers.insights import Progress as PlayerProgress
from assay.answers.ratings import FEW_GAMES, Occasion, PlayerRating, Ratings, Standings
from assay.decisions.decisions import Decisions
from assay.decisions.elo import published
from assay.decisions.evaluation import ANNOTATED, EVALUATED, published_by, source_in_words
from assay.decisions.exclusions import Choice
from assay.decisions.grouping import By
from assay.decisions.names import name_of_side
from assay.decisions.rules import rated
from assay.decisions.slices import sliced_by
from assay.engine.run import rough_for
from assay.errors import InputError
from assay.insights.difficulty import difficulty, performance
from assay.insights.lesson import POSITIONS, lesson_of
from assay.insights.progress import progress_of
from assay.insights.slices import LEAST as LEAST_IN_SLICE
from assay.insights.slices import RATE, check_sliceable, slices_of
from assay.insights.standing import standings, standings_of
from assay.models.appearances import Appearances
from assay.pgn.accounts import ALL_DAYS
from assay.pgn.sources import find_files
from assay.rating.calibration import Calibration, find_calibration
from assay.rating.pipeline import (
    LEAST_DECISIONS,
    Progress,
    Request,
    made_with,
    planned_calibration,
    rate_source,
)
from assay.rating.scale import check_usable
from assay.settings import find_settings
from assay.source import (
    GAMES_AT_A_TIME,
    ChampionsSource,
    Evaluations,
    PgnSource,
    Source,
    Valuation,
    WorkspaceSource,
    beside,
    open_source,
)

if TYPE_CHECKING:
    from assay.answers.comparisons import Career, Comparison, HeadToHeads, MatchForecasts, Tournament
    from assay.answers.screening import Screening
    from assay.engine.recipe import Recipe
    from assay.rating.comparisons import Roster
    from assay.rating.stream import Streamed
    from assay.workspace import Workspace


NOTHING: Callable[..., None] = lambda *_: None  # noqa: E731

STREAMED_BYTES = 50_000_000
"""PGN files of so many bytes together, as they lie on the disk, are streamed: some 80,000 games, packed."""

CONVERTED = (
    "Published ratings below 2000 of games since March 2024 are converted to the scale before, which ratings "
    "by moves are on: (R - 800) / 0.6."
)
"""Said where games are from after FIDE raised these ratings."""


class Study:
    """Games from a PGN file or folder, a workspace, or decisions from a Parquet file."""

    def __init__(
        self,
        source: str | Path | Source | None = None,
        *,
        workspace: str | Path | None = None,
        recipe: str | Recipe | None = None,
        engine: str | None = None,
        jobs: int | None = None,
        include: Sequence[str] = (),
        evaluations: str = "auto",
        analysed: str | bool = False,
        own_moves: bool = False,
        time: str | Sequence[str] | None = None,
        min_turns: int | None = None,
        usual_recipe: str = "standard",
        games_own: bool = True,
        champions: bool = False,
        before: Callable[..., None] | None = None,
        say: Callable[[str], None] = NOTHING,
    ) -> None:
        """What is not given comes from the settings files, then from the defaults (assay.settings).

        Games that must not be rated are analysed only where their reason is in `include`. `evaluations` are
        those of the engine, of the file's own comments, or, auto, the file's where most games have them from
        a known source (unless `games_own` is false, a recipe or an engine is named, or positions are analysed
        already) or where there is no engine. `usual_recipe` is the default where none was used before.
        `analysed` reads only what is analysed already, by the recipe of this id or (True) by the only one.
        `own_moves` analyses only positions in which one of the players asked about is to move.
        `time` names the time classes that are rated (`classical,rapid`, or `all`; by default classical and
        unknown), `min_turns` the turns that a game must have (20). `champions` sets champions
        beside the players; `Study.champions()` has them alone. `before` is shown what an analysis has to do
        and may object; `say` is told what was left out by these choices.
        """
        self.source = source if isinstance(source, Source) else open_source(source, workspace)
        self._champions = champions
        self._alone: tuple[Any, tuple[PlayerRating, Decisions, Calibration]] | None = None
        settings = find_settings(self.source.place)
        self.valuation = Valuation.of(
            evaluations,
            include,
            recipe=recipe or settings.recipe or self.source.default_recipe(usual_recipe),
            engine=engine or settings.engine,
            jobs=settings.jobs if jobs is None else jobs,
            analysed=analysed,
            own_moves=own_moves,
            games_own=games_own and recipe is None and engine is None,
            choice=None if time is None and min_turns is None else Choice.parse(time, min_turns),
            before=before,
            say=say,
        )

    @classmethod
    def champions(cls) -> Study:
        """Twenty champions by year, which come with the package: no games, no engine."""
        return cls(ChampionsSource())

    @property
    def of_champions(self) -> bool:
        """Whether it is of the champions alone."""
        return isinstance(self.source, ChampionsSource)

    @property
    def recipe(self) -> str:
        """The name of the recipe that positions are analysed by."""
        chosen = self.valuation.recipe
        return chosen if isinstance(chosen, str) else chosen.name

    def workspace(self) -> Workspace:
        """The workspace that keeps games and analyses, with the games imported."""
        return self.source.import_games()

    def decisions(
        self,
        *,
        players: Sequence[str] | None = None,
        whom: Sequence[str] | None = None,
        trace: bool = False,
        progress: Callable[..., None] = NOTHING,
    ) -> Decisions:
        """Decisions of the source: imported, analysed as far as that is missing, assembled.

        `whom` says whose games need be analysed, where that is not all of them: `Tal@1958-1960`.
        """
        pieces = self.source.decisions(
            self.valuation, players=players, whom=whom, trace=trace, at_once=True, progress=progress
        )
        return Decisions.concat(pieces)

    def like(self, recipe: str, engine: str | None = None) -> Study:
        """The same games by another recipe, and another engine or the one that is found without asking."""
        other = copy(self)
        other.valuation = replace(self.valuation, recipe=recipe, engine=engine)
        return other

    def subject(self) -> str | None:
        """The player whom the games are of: the account's, the user (setting `me`), or who is in every game.

        None for the games of an event, which nobody plays all, or of a match, which two play.
        """
        if self.source.workspace is None:
            return None
        workspace = self.source.import_games()
        games = workspace.games(None, Choice.parse("all", 0), columns=())
        games = games.filter(pc.is_null(games["exclusion"]))
        played: Counter[str] = Counter(games["white"].to_pylist()) + Counter(games["black"].to_pylist())
        own = [name.casefold() for name in (self.source.owner, *find_settings().me) if name]
        if mine := [name for name in played if name.casefold() in own]:
            return max(mine, key=lambda name: played[name])
        always = [name for name, n in played.most_common(2) if n == games.num_rows >= FEW_GAMES]
        return always[0] if len(always) == 1 else None

    def _subject_or(self, player: str | None) -> str:
        if (found := player or self.subject()) is None:
            raise InputError("whose games? Several players are in these: name one with --player")
        return found

    def how_rated(self) -> str:
        """How games with evaluations in their comments are about to be rated, the other way, and its price.

        Empty where the games have none: there is only one way.
        """
        source = self.source
        if not isinstance(source, WorkspaceSource) or self.valuation.analysed:
            return ""
        if not source.import_games().table_annotations.count():
            return ""
        by_source, without = source.evaluated(self.valuation)
        valued, games = sum(by_source.values()), sum(by_source.values()) + sum(without.values())
        if not valued:
            return ""
        how = ", ".join(f"{n:,} {source_in_words(name)}" for name, n in by_source.items())
        if not source.from_comments(self.valuation):
            return (
                f"{counted(games, 'game')}, rated by the engine with recipe {self.recipe}; {valued:,} have "
                f"evaluations in their comments ({how}): --evaluations file rates by these in seconds"
            )
        rest = ", ".join(f"{n:,} {time}" for time, n in without.items())
        price = rough_for(source.workspace.find_recipe(self.valuation.recipe), source.workspace.plies())
        of_them = "" if valued == games else f"{valued:,} of them "
        return (
            f"{counted(games, 'game')}, {of_them}rated by the evaluations in their comments ({how})"
            + (f"; {rest} without, and games that somebody had analysed are often the worse" if rest else "")
            + f"; --evaluations engine rates all by the engine, in about {duration(price)}"
        )

    def rate(
        self,
        *,
        players: Sequence[str] | None = None,
        calibration: Calibration | None = None,
        progress: Callable[..., None] = NOTHING,
        rating: Progress = NOTHING,
        **asked: Any,
    ) -> Ratings:
        """Every player, or some, rated by every method and all together: strongest first, with intervals.

        On the Elo scale where the recipe has a calibration (the one given, else one that is found). Otherwise
        there is no Elo: players have each method's own measure, and their order among all players. What may
        be asked is in `assay.rating.pipeline.Request`: `by`, `methods`, `min_decisions`, `level`, `prior`,
        `with_results`, `with_clocks`, `history`. The ratings are kept in the workspace.
        """
        ratings = rate_source(
            self.source,
            self.valuation,
            Request(**asked),
            players=[players] if isinstance(players, str) else players,
            calibration=calibration,
            progress=progress,
            rating=rating,
        )
        return self._on_occasion(ratings)

    def rate_others(self, ratings: Ratings, **asked: Any) -> Ratings:
        """The ratings with those of the same players on other scales, where comments have values of several.

        Games of a server are rated among their own time class: an account has a rating in each.
        """
        source = self.source
        if self.valuation.choice is not None or ratings.recipe_id not in EVALUATED:
            return ratings
        assert isinstance(source, WorkspaceSource)
        others = []
        for recipe_id, games in source.evaluated(self.valuation)[0].items():
            few = games < FEW_GAMES and len(ratings.players) > 1
            if recipe_id in EVALUATED and recipe_id != ratings.recipe_id and not few:
                other = copy(self)
                other.valuation = replace(self.valuation, analysed=recipe_id, say=NOTHING)
                with suppress(InputError):  # too few moves
                    others.append(other.rate(**asked))
        others = [other for other in others if other.players]
        return replace(ratings, others=tuple(others))

    def _on_occasion(self, ratings: Ratings) -> Ratings:
        """The ratings with the event or the file that they are of, and the players' opponents."""
        columns = ("game_id", "event", "site", "date", "white_elo", "black_elo")
        workspace = self.source.workspace
        if workspace is None or workspace.table_games.count() > GAMES_AT_A_TIME:
            server = "" if workspace is None else self.source.published_by()
            whole = Occasion(self.source.name, source=str(self.source.path), published_by=server)
            return replace(ratings, occasion=whole)
        choice = self.source.choice(self.valuation)
        games = workspace.games(None, choice, columns=columns).to_pylist()
        for game in games:
            game["converted"] = False
            for side in ("white", "black"):
                elo = published(game[f"{side}_elo"], game["date"], game["site"], game[side])
                game["converted"] |= elo != game[f"{side}_elo"]
                game[f"{side}_elo"] = elo
                game[side] = name_of_side(game[side], side.title(), game["game_id"])
        names = {player.player for player in ratings.players}
        evaluated = None
        if ratings.recipe_id in EVALUATED and ratings.decisions is not None:
            evaluated = set(ratings.decisions.filter(rated()).games)
        rated_games = [
            game
            for game in games
            if (game["exclusion"] is None or game["exclusion"] in self.valuation.include)
            and names & {game["white"], game["black"]}
            and (evaluated is None or game["game_id"] in evaluated)
        ]
        opponents: dict[str, list[float]] = {}
        for game in rated_games:
            for side, other in (("white", "black"), ("black", "white")):
                if game[f"{other}_elo"] is not None:
                    opponents.setdefault(game[side], []).append(game[f"{other}_elo"])
        players = ratings.players
        if ratings.by == By.PLAYER:
            players = tuple(
                replace(player, opponents=float(np.mean(opponents[player.player])))
                if player.player in opponents and not player.about
                else player
                for player in players
            )
        occasion = occasion_of(rated_games, self.source.name, str(self.source.path))
        ratings = replace(ratings, players=players, occasion=occasion)
        converted = any(game["converted"] for game in rated_games)
        said = converted and ratings.comparable and "before March 2024" in (ratings.scale or "")
        return replace(ratings, notes=(*ratings.notes, CONVERTED)) if said else ratings

    @property
    def streams(self) -> bool:
        """Whether games are many enough that `assay rate` streams them: told by their size, see `stream`.

        It does so where values come from the file's comments, and no workspace is named or there already.
        """
        source = self.source
        return (
            self.valuation.evaluations is Evaluations.FILE
            and isinstance(source, PgnSource)
            and source.days == ALL_DAYS
            and source.workspace.path == beside(source.path)
            and not source.workspace.path.exists()
            and sum(path.stat().st_size for path in find_files(source.path)) >= STREAMED_BYTES
        )

    def check_streamed(self) -> None:
        """Refuse to stream what cannot be: InputError."""
        if not isinstance(self.source, PgnSource):
            raise InputError(f"{self.source.path} is {self.source.what}: only PGN is streamed")
        if self.source.days != ALL_DAYS:
            raise InputError(
                "streamed games are not chosen by day: leave --stream or --since and --until out"
            )
        if self.valuation.evaluations is Evaluations.ENGINE:
            raise InputError("an engine's values are kept in a workspace: leave --stream out")

    def stream(
        self,
        *,
        by: str = By.PLAYER,
        min_decisions: int = LEAST_DECISIONS,
        level: float = 0.95,
        cluster: str | None = None,
        progress: Callable[..., None] = NOTHING,
        rating: Progress = NOTHING,
    ) -> tuple[list[Ratings], Streamed]:
        """Everyone rated by evaluations that the games bring along, without storing the games.

        Ratings are apart by the source of the values, since each has a scale of its own: a server and a time
        class. Memory grows with the players, hardly with the games; on all cores (`jobs`), or on the Dask
        cluster at an address. Nothing is written but what a killed run goes on from.
        """
        from assay.rating.stream import ratings_of, stream

        self.check_streamed()
        streamed = stream(
            self.source.path,
            by=by,
            choice=self.valuation.choice,
            jobs=self.valuation.jobs,
            cluster=cluster,
            aliases=find_settings(self.source.place).aliases,
            progress=progress,
        )
        return ratings_of(streamed, least=min_decisions, level=level, progress=rating), streamed

    def screen(self, **asked: Any) -> Screening:
        """How unusual everyone's play is for the rating, most unusual first (docs/evidence/screening.md).

        All players of the source are screened, and some shown where `players` are named: how unusual somebody
        is hangs on how many are looked at. What else may be asked is in
        `assay.screening.screen.screen_source`.
        """
        from assay.screening.screen import screen_source

        return screen_source(self.source, self.valuation, **asked)

    def slices(
        self,
        by: str = By.PHASE,
        *,
        min_decisions: int = LEAST_IN_SLICE,
        calibration: Calibration | None = None,
        level: float = 0.95,
        false_discoveries: float = RATE,
        ratings: Ratings | None = None,
        **asked: Any,
    ) -> Slices:
        """Slices of the players' ratings by phase, colour, month, opening, clock, opponent or pieces.

        Each slice is compared with the rest of the player's decisions, beside what players of the same rating
        show there; what stands out does so at a false-discovery rate over all slices (docs/guides/train.md).
        The players' ratings on the whole are `ratings` made before, or what `rate` gives for what is `asked`.
        """
        cut = sliced_by(by)
        used = calibration or self._calibration_of_slices()
        check_sliceable(used)
        if ratings is None:
            ratings = self.rate(calibration=calibration, level=level, **asked)
        return slices_of(
            self._traced(ratings),
            ratings,
            used,
            cut,
            of_games=self._of_games(cut),
            least=min_decisions,
            level=level,
            rate=false_discoveries,
        )

    def tournament(
        self,
        *,
        taken_from: str = "event",
        pairs: str = "met",
        event: str | None = None,
        perceived: bool = False,
        resamples: int = 200,
        progress: Callable[..., None] = NOTHING,
        **engine: Any,
    ) -> Tournament:
        """Cross-tables by quality of play (method gain): results, expected results, ratings on a scale.

        `taken_from` says which games count for a player: the event, the match or the career. What else is
        asked of the `engine` is in `assay.rating.comparisons.gain_model`.
        """
        from assay.rating.comparisons import gain_model, tournament

        decisions = self.decisions(trace=True, progress=progress)
        model = gain_model(decisions, include=self.valuation.include, **engine)
        answer = tournament(
            decisions,
            model,
            taken_from=taken_from,
            pairs=pairs,
            event=event,
            perceived=perceived,
            resamples=resamples,
        )
        return replace(answer, scale=replace(answer.scale, published_by=self.source.published_by()))

    def compare(
        self,
        first: str,
        second: str,
        *,
        perceived: bool = False,
        ratings: Ratings | None = None,
        progress: Callable[..., None] = NOTHING,
        **engine: Any,
    ) -> Comparison | MatchForecasts:
        """Two players of any years by their ratings and the method gain: `Fischer@1971`, `Anand@London 2011`.

        Of champions gain is not measured: the answer is that of `forecast`. `ratings` of all games that were
        made before spare rating everyone again, as in `forecast`.
        """
        from assay.rating.comparisons import compare, forecast, gain_model

        if self._champions or self.of_champions:
            roster, whom = self._roster([first, second], progress)
            return forecast(roster, [first, second], whom)
        whom = self.source.whom([first, second])
        decisions = self.decisions(whom=whom, trace=True, progress=progress)
        model = gain_model(decisions, **engine)
        answer = compare(decisions, whom, model, perceived=perceived, ratings=ratings)
        return replace(answer, scale=replace(answer.scale, published_by=self.source.published_by()))

    def forecast(
        self,
        first: str,
        second: str,
        *,
        methods: Sequence[str] | None = None,
        ratings: Ratings | None = None,
        progress: Callable[..., None] = NOTHING,
        **asked: Any,
    ) -> MatchForecasts:
        """The expected result of the first player against the second, by every method or by some.

        `settings`, `forgetting`, `min_moves`, `resamples`: `assay.rating.comparisons.forecast`.
        """
        from assay.rating.comparisons import forecast

        roster, whom = self._roster([first, second], progress, ratings)
        answer = forecast(roster, [first, second], whom, methods, **asked)
        return replace(answer, published_by="" if self.of_champions else self.source.published_by())

    def career(self, *players: str, progress: Callable[..., None] = NOTHING, **asked: Any) -> Career:
        """Every year of some players: rating, games, and the numbers of every method."""
        from assay.rating.comparisons import career

        roster, whom = self._roster(players, progress)
        return career(roster, whom, **asked)

    def versus(self, *, progress: Callable[..., None] = NOTHING, **asked: Any) -> HeadToHeads:
        """Everyone against everyone, each in their best year: expected results.

        What may be asked is in `assay.rating.comparisons.versus`. Without a `method`: champions by the rating
        by moves, players of games by markov.
        """
        from assay.rating.comparisons import versus

        roster, _ = self._roster(None, progress)
        if asked.get("method") is None and not (self._champions or self.of_champions):
            asked["method"] = "markov"
        return versus(roster, **asked)

    def _roster(
        self,
        players: Sequence[str] | None,
        progress: Callable[..., None],
        ratings: Ratings | None = None,
    ) -> tuple[Roster, list[str]]:
        """Everyone who can be compared with these players, or with anybody; and these by their full names."""
        from assay.rating.champions import WithChampions, champions, is_champion
        from assay.rating.comparisons import Roster

        if self.of_champions:
            return champions(), [str(champions().who(player)) for player in players or ()]
        of_games = [player for player in players or () if not (self._champions and is_champion(player))]
        whom = None if players is None else self.source.whom(of_games)
        games = Roster(lambda: self.decisions(whom=whom, trace=True, progress=progress), ratings)
        if not self._champions:
            return games, whom or []
        roster = WithChampions(games)
        return roster, [str(roster.who(player)) for player in players or ()]

    def standings(self, ratings: Ratings | None = None, **asked: Any) -> tuple[Standings, ...]:
        """Every rated player among others: the rating in FIDE's list, the measures among the same rating.

        Of `ratings` that were made before, or of what is `asked` of `rate`. Nobody without an Elo scale, and
        no measures where there is no table of players or games to compare with (docs/guides/train.md).
        """
        if ratings is None:
            ratings = self.rate(**asked)
        return standings(ratings, asked.get("calibration") or find_calibration(ratings.recipe_id))

    def lesson(self, player: str | None = None, *, positions: int = POSITIONS, **asked: Any) -> Lesson:
        """Positions worth an hour with a coach: easy misses, missed wins, turning points, good finds.

        Of the player whom the games are of, where none is named. With the player against what all positions
        asked, and among others of the same rating. `ratings` of this player that were made
        before spare rating all players again, as in `progress`.
        """
        rating, decisions, calibration = self._rated_alone(self._subject_or(player), asked)
        elo = _elo_of(rating)
        lesson = lesson_of(
            decisions, rating.player, elo, calibration, positions=positions, links=self.source.links()
        )
        return replace(
            lesson,
            against=performance(decisions, rating.player, elo, calibration),
            among=standings_of(decisions, rating.player, elo, rating.decisions, calibration),
        )

    def progress(
        self, player: str | None = None, *, window: int | None = None, **asked: Any
    ) -> PlayerProgress:
        """A player's rating by month, or by so many games in a row, and its trend with an interval."""
        rating, decisions, calibration = self._rated_alone(self._subject_or(player), asked, options=False)
        dates = self.source.dates()
        return progress_of(decisions, rating.player, calibration, dates, prior=rating.prior, window=window)

    def difficulty(self, *, players: Sequence[str] | None = None, **asked: Any) -> pa.Table:
        """Decisions with what players of 1500, 2000 and 2500 lose and find there, and their complexity.

        Beside them the date and the loss, and clocks where the games have them, as `assay export` has it.
        """
        from assay.workspace.export import with_columns

        calibration = asked.pop("calibration", None) or self._calibration_of_slices()
        decisions = self.decisions(players=players, trace=True, **asked)
        return with_columns(
            decisions, self.source.dates(), lambda selected: difficulty(selected, calibration)
        )

    def _rated_alone(
        self, player: str, asked: dict[str, Any], *, options: bool = True
    ) -> tuple[PlayerRating, Decisions, Calibration]:
        """One player rated, the decisions, and the calibration; `options` must have values if so asked."""
        key = (
            player,
            *sorted((name, value) for name, value in asked.items() if isinstance(value, str | int)),
        )
        ratings = asked.pop("ratings", None)
        if self._alone is not None and self._alone[0] == key and "calibration" not in asked:
            return self._alone[1]
        calibration = asked.get("calibration") or (self._calibration_of_slices() if options else None)
        if ratings is None:
            ratings = self.rate(players=[player], **asked)
        calibration = calibration or find_calibration(ratings.recipe_id)
        if calibration is None:
            raise InputError(" ".join(note for note in ratings.notes if note.startswith("No Elo")))
        if not ratings.players:
            few = ", ".join(f"{title} ({n})" for title, n in ratings.too_few.items())
            raise InputError(f"there are too few decisions: {few or player}; give more games")
        rating = ratings.players[0]
        commented = ratings.recipe_id in (ANNOTATED, *EVALUATED)
        decisions = [ratings.decisions] if commented and ratings.decisions else self._traced(ratings)
        answer = rating, Decisions.concat(decisions).select(player=rating.player), calibration
        self._alone = key, answer
        return answer

    def _calibration_of_slices(self) -> Calibration:
        """The calibration that slices need; refused beforehand where there is none, or none that is known."""
        calibration = planned_calibration(self.source, self.valuation)
        if self.source.recipe_id(self.valuation) in (ANNOTATED, *EVALUATED):
            raise InputError(
                "lessons and slices need the values of several moves in each position, and the comments in "
                "these games contain one: give --evaluations engine (ratings are then on the engine's scale)"
            )
        if calibration is None:
            raise InputError(
                "this compares moves with what players of known Elo choose, and there is no Elo scale for "
                "this recipe and engine: use --recipe standard with Stockfish 15.1, or make a scale (assay "
                "calibrate)"
            )
        return calibration

    def _traced(self, ratings: Ratings) -> Iterable[Decisions]:
        """The decisions behind ratings with their trace, in pieces where they are many."""
        held = ratings.decisions
        if held is not None and held.traced.any():
            return [held]
        names = sorted({player.player for player in ratings.players})
        return self.source.decisions(self.valuation, players=names, trace=True)

    def _of_games(self, by: By) -> dict[str, str]:
        """The month or the opening of each game by its id."""
        if by is By.OPENING:
            return self.source.openings()
        if by is By.MONTH:
            dates = self.source.dates()
            return {game: date[:7] for game, date in dates.items() if len(date) >= 7 and "?" not in date[:7]}
        return {}

    def report(self, ratings: Ratings, *, command: str = "", calibration: Calibration | None = None) -> str:
        """One self-contained HTML file on ratings of this study, as text.

        On few players it says what stands out of each, beside others of the same rating.
        """
        from assay.report.insights import MOST_PLAYERS, insights_of
        from assay.report.page import Provenance
        from assay.report.ratings import ratings_page

        if ratings.decisions is None:
            raise InputError("these ratings do not carry their decisions: make them with Study.rate")
        names = sorted({player.player for player in ratings.players})
        rated_decisions = ratings.decisions.select(player=names).filter(rated())
        about = self.source.about(ratings.recipe_id)
        provenance = Provenance(
            engine=ratings.engine,
            recipe=about.get("recipe", {"name": ratings.recipe}),
            recipe_id=ratings.recipe_id,
            games=len(rated_decisions.games),
            decisions=len(rated_decisions),
            settings=about.get("engine", {}).get("settings", {}),
            left_out=ratings.left_out,
            command=command,
        )
        insights = insights_of(
            ratings,
            ratings.decisions,
            find_calibration(ratings.recipe_id) if calibration is None else calibration,
            {by: self._of_games(by) for by in (By.MONTH, By.OPENING)} if len(names) <= MOST_PLAYERS else {},
            self.source.links() if len(names) <= MOST_PLAYERS else {},
        )
        return ratings_page(
            ratings, ratings.decisions, source=self.source.name, provenance=provenance, insights=insights
        )


def occasion_of(games: Sequence[dict[str, Any]], name: str, source: str) -> Occasion:
    """Name the event with its year where all games are of one, else the file; with dates and the server."""
    events = {game["event"] for game in games}
    event = next(iter(events)) if len(events) == 1 else None
    dates = sorted(str(game["date"]).replace(".", "-") for game in games if str(game["date"])[:4].isdigit())
    first, last = (dates[0], dates[-1]) if dates else ("", "")
    years = first[:4] if first[:4] == last[:4] else f"{first[:4]}-{last[:4]}"
    if event and "?" not in event:
        name = event if years in event else f"{event}, {years}"
    server = published_by(game["site"] for game in games)
    days = ""
    if "?" not in first + last and len(first) == len(last) == len("2011-12-31"):
        same_year = first[:4] == last[:4]
        days = _day(first) if first == last else f"{_day(first, year=not same_year)} to {_day(last)}"
    return Occasion(name, len(games), days, source, server)


def _day(date: str, *, year: bool = True) -> str:
    """A date as people write it: 3 Aug 2026."""
    in_year, month, day = (int(part) for part in date.split("-"))
    return f"{day} {calendar.month_abbr[month]}" + (f" {in_year}" if year else "")


def _elo_of(rating: PlayerRating) -> float:
    if rating.combined is None:
        raise InputError(f"{rating.player} has no rating on the Elo scale to compare with others")
    return rating.combined.elo


# Calibrations from studies of players of known rating.


def calibrate(
    studies: Sequence[Study], *, progress: Callable[..., None] = NOTHING
) -> tuple[Calibration, Appearances]:
    """The calibration of a recipe from games of players with published ratings, and what it was made from."""
    decisions = Decisions.concat([study.decisions(trace=True, progress=progress) for study in studies])
    appearances = Appearances.of(decisions)
    engine, recipe = made_with(studies[0].source, appearances.recipe_id)
    about = {"engine": engine, "recipe": recipe, "games": len(set(appearances.game.tolist()))}
    calibration = Calibration.fit(appearances, about)
    check_usable(calibration)
    return calibration, appearances
