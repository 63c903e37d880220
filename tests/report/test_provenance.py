"""What a report was made from and with."""

import numpy as np

from assay.report.pages import Provenance


def test_provenance_knows_what_is_installed() -> None:
    made = Provenance(engine="e", recipe={}, recipe_id="r", games=1, decisions=2)
    assert made.versions["numpy"] == np.__version__
    assert made.assay != "unknown"
