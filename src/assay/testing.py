"""The contract that every method of moves keeps, as a test class to inherit; made-up decisions to test with.

    class TestMyMethod(MoveModelContract):
        def make(self):
            return MyMethod()

Needs pytest, which assay itself does not: `pip install pytest`. For failed assertions to show
their values, put `pytest.register_assert_rewrite("assay.testing")` into your conftest.py.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile, ProfileStack
from assay.errors import InputError, MappingError
from assay.models.appearances import Appearances
from assay.models.base import MoveModel
from assay.models.elo_mapping import PairwiseMapping, ScalarMapping
from assay.models.intervals import resample_weights


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
    """Make up games between two players: random values, best option first, mistakes common.

    The value after a move is near that of the played option, as in a second analysis. With `trace`, there are
    lines of four depths, of which the last has the values of the options.
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
            player, opponent = (white, black) if ply % 2 == 0 else (black, white)
            result = (1.0, 0.5, 0.0)[game % 3]
            rows.append(
                {
                    "game_id": f"game{game}",
                    "ply": ply,
                    "player": player,
                    "opponent": opponent,
                    "colour": "white" if ply % 2 == 0 else "black",
                    "year": 2000 + game // 2,
                    "event": f"event{game % 3}",
                    "result": result if ply % 2 == 0 else 1.0 - result,
                    "player_elo": 2400 if player == players[0] else 2200,
                    "opponent_elo": 2200 if player == players[0] else 2400,
                    "moves": [f"m{i}" for i in range(options)],
                    "cp": cp,
                    "played": f"m{index}",
                    "after": cp[index] + int(generator.normal(0, 8)),
                    "recipe_id": recipe,
                }
            )
    decisions = Decisions.from_table(pa.Table.from_pylist(rows))
    return with_trace(decisions, depths=4, seed=seed + 1) if trace else decisions


def with_trace(decisions: Decisions, depths: int = 10, seed: int = 0) -> Decisions:
    """Add a trace: the smaller the depth, the further off the values and their order."""
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
    table = decisions.table()
    kinds = pa.list_(pa.int16()), pa.list_(pa.string()), pa.list_(pa.int16())
    for (name, column), kind in zip(columns.items(), kinds, strict=True):
        table = table.append_column(name, pa.array(column, kind))
    return Decisions.from_table(table)


def simulate(decisions: Decisions, probabilities: Floats, seed: int | np.random.Generator) -> Decisions:
    """Draw the played moves from the probabilities of all options, in the order of `decisions.values`.

    Makes players of known strength, to try a method on: `BayesModel.agent` gives such probabilities.
    Positions, values and results stay as they were; the value after a move is not known any more.
    """
    if len(probabilities) != len(decisions.values):
        raise InputError("a simulated player must give one probability for every option")
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


def prepared(model: MoveModel, decisions: Decisions) -> MoveModel:
    """Teach the method and give it a mapping where its forecasts need them.

    The mapping is a straight line, two thousand points long and far wider than the players are apart.
    """
    if not model.ready:
        appearances = Appearances.of(decisions)
        fold = np.arange(len(appearances)) % 2
        model.fit_weights(appearances.stack(model), appearances.elo, appearances.opponent_elo, fold)
    profile = model.profile(decisions)
    try:
        model.forecast(profile, profile)
    except MappingError:
        assert model.strength is not None, "a method that forecasts by ratings names its strength"
        middle = model.estimate(profile)[model.strength].value
        knots = np.array([middle - 3.0, middle + 3.0]), np.array([1000.0, 3000.0])
        model.mapping = ScalarMapping(model.identity, profile.recipe_id, model.strength, *knots, error=50.0)
    return model


class MoveModelContract:
    """What every method keeps. Fill `make`; override `decisions` where yours needs other columns.

    The decisions are to be of Ann and Bob, of 2000 to 2002, of the recipe `made`, and their `another` the
    same of the recipe `other`.
    """

    def make(self) -> MoveModel:
        """The method on the settings to be tested."""
        raise NotImplementedError("say which method is tested: def make(self): return MyMethod()")

    @pytest.fixture
    def decisions(self) -> Decisions:
        """Decisions that the method can read."""
        return make_decisions()

    @pytest.fixture
    def another(self) -> Decisions:
        """Decisions of another recipe."""
        return make_decisions(recipe="other")

    @pytest.fixture
    def model(self, decisions: Decisions) -> MoveModel:
        """The method, with a mapping where it may need one."""
        return prepared(self.make(), decisions)

    # Profiles ------------------------------------------------------------------------------------------

    def test_profiles_add(self, model: MoveModel, decisions: Decisions) -> None:
        """Years add up to the whole."""
        parts = [model.profile(decisions.select(year=year)) for year in (2000, 2001, 2002)]
        assert (parts[0] + parts[1] + parts[2]).equals(model.profile(decisions))

    def test_order_of_games_does_not_matter(self, model: MoveModel, decisions: Decisions) -> None:
        """The same games turned round make the same profile."""
        turned = Decisions.concat([group for _, group in reversed(list(decisions.by_game()))])
        assert model.profile(turned).equals(model.profile(decisions))

    def test_weights_scale(self, model: MoveModel, decisions: Decisions) -> None:
        """Two halves are the whole, and twice is twice."""
        profile = model.profile(decisions)
        assert (0.5 * profile + 0.5 * profile).equals(profile)
        assert (2.0 * profile).decisions == 2 * profile.decisions

    def test_profiles_by_game_sum_to_the_whole(self, model: MoveModel, decisions: Decisions) -> None:
        """Each game has its own profile, and all of them make the player's."""
        stack = model.profiles_by(decisions)
        assert set(stack.keys) == set(decisions.games)
        assert stack.total().equals(model.profile(decisions))
        for key, weights in zip(stack.keys, np.eye(len(stack)), strict=True):
            assert stack.weighted(weights)[0].equals(model.profile(decisions.select(game=key)))

    def test_resampled_profiles_are_weighted_sums(self, model: MoveModel, decisions: Decisions) -> None:
        """A resample is one matrix product."""
        stack = model.profiles_by(decisions)
        weights = resample_weights(len(stack), 5, seed=1)
        assert (weights.sum(axis=1) == len(stack)).all()
        singles = [stack.weighted(row)[0] for row in np.eye(len(stack))]
        for row, profile in zip(weights, stack.weighted(weights), strict=True):
            assert profile.equals(Profile.sum(singles, row.tolist()))

    def test_profiles_survive_a_file(self, model: MoveModel, decisions: Decisions, tmp_path: Path) -> None:
        """What is written is read again, to the last bit."""
        profile = model.profile(decisions)
        profile.write(tmp_path / "profile.npz")
        read = Profile.read(tmp_path / "profile.npz")
        assert read.equals(profile, tolerance=0)
        assert read.left_out == profile.left_out

    # Answers -------------------------------------------------------------------------------------------

    def test_the_estimate_says_what_it_rests_on(self, model: MoveModel, decisions: Decisions) -> None:
        """Method and numbers of decisions are stated, every decision is counted or left out by a rule."""
        profile = model.profile(decisions)
        estimate = model.estimate(profile)
        assert estimate.method == model.name
        assert estimate.decisions == profile.decisions
        assert profile.decisions + sum(profile.left_out.values()) == len(decisions)
        assert all(np.isfinite(quantity.value) for quantity in estimate.quantities.values())

    def test_a_strength_is_a_quantity_of_the_estimate(self, model: MoveModel, decisions: Decisions) -> None:
        """Where a method has a strength, many at once are what one by one are; else asking is an error."""
        profiles = [model.profile(decisions.select(player=name)) for name in ("Ann", "Bob")]
        if model.strength is None:
            with pytest.raises(InputError, match="no strength of its own"):
                model.strengths(profiles)
        else:
            single = [model.estimate(profile)[model.strength].value for profile in profiles]
            # Many at once may be interpolated where one is computed: within two per cent.
            assert model.strengths(profiles) == pytest.approx(single, rel=0.02)

    def test_a_forecast_and_its_mirror_sum_to_one(self, model: MoveModel, decisions: Decisions) -> None:
        """Where a method does not know who has White, both views of a game agree."""
        a, b = (model.profile(decisions.select(player=name)) for name in ("Ann", "Bob"))
        there, back = model.forecast(a, b).expectation, model.forecast(b, a).expectation
        assert 0 <= there <= 1
        if model.colour_blind:
            assert there + back == pytest.approx(1), "a method that reads colours sets colour_blind = False"

    def test_all_against_all_is_every_forecast(self, model: MoveModel, decisions: Decisions) -> None:
        """Many at once are what one by one are."""
        a, b = (model.profile(decisions.select(player=name)) for name in ("Ann", "Bob"))
        expected = [[model.forecast(white, black).expectation for black in (a, b)] for white in (a, b)]
        assert model.expectations([a], [b])[0, 0] == pytest.approx(expected[0][1])
        assert model.expectations([a, b], [a, b]).shape == (2, 2)
        stack = model.profiles_by(decisions.select(player="Ann"))
        weights = np.stack((np.ones(len(stack)), np.linspace(0.5, 1.5, len(stack))))
        summed = model.expectations(stack.weighted(weights), [a, b])
        assert model.weighted_expectations(stack, weights, [a, b]) == pytest.approx(summed)
        assert model.match(a, b).expectation == pytest.approx((expected[0][1] + 1 - expected[1][0]) / 2)

    # Refusals ------------------------------------------------------------------------------------------

    def test_no_decisions_are_a_clear_error(self, model: MoveModel, decisions: Decisions) -> None:
        """Nothing makes no number."""
        with pytest.raises(InputError, match="no decisions"):
            model.profile(decisions.select(player="Nobody"))
        with pytest.raises(InputError, match="no decisions"):
            model.profiles_by(decisions.select(player="Nobody"))
        empty = 0.0 * model.profile(decisions)
        with pytest.raises(InputError, match="no decisions"):
            model.forecast(empty, empty)

    def test_profiles_of_another_model_are_refused(self, model: MoveModel, decisions: Decisions) -> None:
        """Evidence of another meaning does not add, nor does it forecast."""
        profile = model.profile(decisions)
        other = replace(profile, model="another(model)")
        with pytest.raises(InputError, match="do not go together"):
            profile + other
        with pytest.raises(InputError, match="do not go together"):
            model.forecast(profile, other)

    def test_profiles_of_another_recipe_are_refused(
        self, model: MoveModel, decisions: Decisions, another: Decisions, tmp_path: Path
    ) -> None:
        """Evaluations of one recipe are not those of another."""
        profile, other = model.profile(decisions), model.profile(another)
        assert (profile.recipe_id, other.recipe_id) == ("made", "other")
        assert not profile.equals(other)
        other.write(tmp_path / "profile.npz")
        assert Profile.read(tmp_path / "profile.npz").recipe_id == "other"
        with pytest.raises(InputError, match="different recipes"):
            profile + other
        with pytest.raises(InputError, match="different recipes"):
            ProfileStack.of({"one": profile, "other": other})
        with pytest.raises(InputError, match="different recipes"):
            model.forecast(profile, other)
        for stack in (model.profiles_by(decisions), model.profiles_by(decisions).only([0, 1])):
            assert stack.recipe_id == stack.total().recipe_id == "made"

    def test_several_recipes_make_no_profile(
        self, model: MoveModel, decisions: Decisions, another: Decisions
    ) -> None:
        """Decisions of two recipes are refused before anything is summed."""
        mixture = Decisions.concat([decisions, another])
        for call in (model.profile, model.profiles_by):
            with pytest.raises(InputError, match="one recipe"):
                call(mixture)

    # The Elo scale -------------------------------------------------------------------------------------

    def test_a_mapping_is_refused_for_another_recipe(self, model: MoveModel, decisions: Decisions) -> None:
        """A mapping belongs to the recipe that it was made with."""
        first, second = (model.profile(decisions.select(player=name)) for name in ("Ann", "Bob"))
        other = replace(first, recipe_id="other")
        pairwise = PairwiseMapping.fit(model, "made", [(2200.0, first), (2400.0, second)])
        with pytest.raises(MappingError, match="recipe made, not other"):
            pairwise.rate(model, other)
        name = next(iter(model.estimate(first).quantities))
        knots = np.array([0.0, 1.0]), np.array([1000.0, 3000.0])
        model.mapping = ScalarMapping(model.identity, "made", name, *knots, error=50.0)
        with pytest.raises(MappingError, match="recipe made, not other"):
            model.rate(other)
        with pytest.raises(InputError, match="analysed with recipe other, the games with made"):
            PairwiseMapping.fit(model, "made", [(2200.0, first), (2400.0, other)])
        with pytest.raises(InputError, match="analysed with recipe other, the games with made"):
            ScalarMapping.fit(model, "made", [(2200.0, first), (2400.0, other)])

    def test_without_a_mapping_there_is_no_rating(self, model: MoveModel, decisions: Decisions) -> None:
        """No scale is invented."""
        model.mapping = None
        with pytest.raises(MappingError, match="mileposts"):
            model.rate(model.profile(decisions))
