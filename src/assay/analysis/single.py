"""One position at a time: for a game that is being played."""

from assay.analysis.engines import EngineConfig, identify
from assay.analysis.recipe import Recipe, recipe_id
from assay.analysis.worker import Task, Worker
from assay.errors import EngineError


class SingleEvaluator:
    """An engine that is asked for the value of single positions. Close it when done."""

    def __init__(self, recipe: Recipe, config: EngineConfig) -> None:
        identity = identify(config, recipe)
        self.recipe = recipe
        self.recipe_id = recipe_id(recipe, identity)
        self._worker = Worker(config, recipe, identity)

    def value(self, position_key: str, history: str) -> float:
        """Value of a position with at least one legal move, in its mover's view."""
        task = Task(position_key, history=history if self.recipe.history else "")
        outcome = self._worker.run([task])
        if outcome.failures:
            raise EngineError(f"the engine failed on {position_key}: {outcome.failures[0].reason}")
        return float(outcome.rows[0].values[0])

    def close(self) -> None:
        """End the engine."""
        self._worker.close()
