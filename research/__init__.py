"""How assay was measured, calibrated and checked against the papers: not part of the wheel."""
