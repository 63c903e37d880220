"""Where games come from: PGN, a workspace, a file of decisions or of results, behind one contract."""
