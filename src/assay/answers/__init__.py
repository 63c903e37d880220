"""What every question is answered with: plain values with `to_dict()`, `table()` and words for people."""
