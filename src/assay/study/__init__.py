"""From a source of games to decisions, ratings and a report: the public calls."""

from assay.study.calibrations import bridge, calibrate
from assay.study.study import Study

__all__ = ["Study", "bridge", "calibrate"]
