"""How hard a position was (Alliot 2017, section 3.1)."""
