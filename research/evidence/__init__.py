"""What measures: the tables of the pages in docs."""
