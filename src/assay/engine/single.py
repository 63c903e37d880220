"""One position at a time: for a game that is being played."""

from assay.engine.engines import EngineConfig
from assay.engine.identity import known_identity
from assay.engine.recipe import Recipe, recipe_id
from assay.engine.worker import Outcome, Task, Worker
from assay.errors import EngineError


class SingleEvaluator:
    """An engine that is asked about single positions. Close it when done."""

    def __init__(self, recipe: Recipe, config: EngineConfig) -> None:
        self.identity = known_identity(config, recipe)
        self.recipe = recipe
        self.recipe_id = recipe_id(recipe, self.identity)
        self._worker = Worker(config, recipe, self.identity)

    def analyse(
        self, position_key: str, history: str, played: str | None = None, depth: int | None = None
    ) -> Outcome:
        """The lines of a position, and the played move searched alone where it is not among them.

        Where the lines are known already, to a `depth`, only the played move is searched.
        """
        moves = () if played is None else (played,)
        task = Task(position_key, moves, depth, history=history if self.recipe.history else "")
        outcome = self._worker.run([task])
        if outcome.failures:
            raise EngineError(f"the engine failed on {position_key}: {outcome.failures[0].reason}")
        return outcome

    def close(self) -> None:
        """End the engine."""
        self._worker.close()
