"""Speed, measured: `make bench`. Each module has `run()`, which gives rows of name, measured, unit, target, ok."""
