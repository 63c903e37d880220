"""The papers' published numbers beside ours: a folder per paper, with its numbers, its games and its page."""
