"""From what every method says to ratings on the Elo scale: calibrations, posteriors, careers."""
