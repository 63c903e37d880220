"""Traits of play: what many small signs say of strength together, learned from the mileposts.

The papers measure one thing each. This method sums some seventy (what moves lose, how they rank, when their
worth shows, how hard the positions were) and weighs them as the games of rated players teach. Regan and
Haworth 2011 (section 8), Guid and Bratko 2011 and Alliot 2017 name depth and complexity as what to add.
"""
