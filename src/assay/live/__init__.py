"""A game while it is being played: the file that grows, its analysis, and both players after every move."""
