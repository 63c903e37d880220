"""What is found on real games, paper by paper."""
