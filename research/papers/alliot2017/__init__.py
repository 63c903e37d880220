"""Alliot 2017, "Who is the master?", ICGA Journal."""
