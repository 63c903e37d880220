"""The parts of the page of ratings, one module each; `assay.report.pages` puts them together."""
