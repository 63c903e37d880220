"""From the answers of all methods to ratings on the Elo scale: calibrations, posteriors, careers."""
