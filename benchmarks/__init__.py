"""Speed, measured (`make bench`). Each module has `run()`: rows of name, measured, unit, target, ok."""
