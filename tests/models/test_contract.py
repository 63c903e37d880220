"""One contract for every method that reads moves: whatever is registered is tested, by itself."""

import pytest

from assay.decisions.decisions import Decisions
from assay.models.base import MoveModel
from assay.models.registry import make_model, methods
from assay.testing import MoveModelContract, make_decisions, prepared


class TestEveryMethod(MoveModelContract):
    @pytest.fixture
    def decisions(self) -> Decisions:
        return make_decisions(trace=True)

    @pytest.fixture
    def another(self) -> Decisions:
        return make_decisions(recipe="other", trace=True)

    @pytest.fixture(params=list(methods()))
    def model(self, request: pytest.FixtureRequest, decisions: Decisions) -> MoveModel:
        return prepared(make_model(request.param), decisions)
