"""The five papers as they are cited, and which methods come from each."""

from __future__ import annotations

from typing import NamedTuple


class Paper(NamedTuple):
    """One publication. `name` is the short one that recipes and `assay reproduce` use."""

    name: str
    methods: tuple[str, ...]
    citation: str


PAPERS = {
    paper.name: paper
    for paper in (
        Paper(
            "difatta2009",
            ("bayes",),
            "Di Fatta, G., Haworth, G. McC., Regan, K. W. (2009). Skill Rating by Bayesian Inference. 2009 "
            "IEEE Symposium on Computational Intelligence and Data Mining (CIDM 2009), 89–94. Institute of "
            "Electrical and Electronics Engineers. https://doi.org/10.1109/CIDM.2009.4938634",
        ),
        Paper(
            "ferreira2010",
            ("results",),
            "Ferreira, D. R. (2010). Predicting the Outcome of Chess Games based on Historical Data. IST – "
            "Technical University of Lisbon. On the competition "
            '"Chess Ratings – Elo versus the Rest of the World", November 25, 2010.',
        ),
        Paper(
            "regan2011",
            ("choice", "depth"),
            "Regan, K. W., Haworth, G. McC. (2011). Intrinsic Chess Ratings. Proceedings of the Twenty-Fifth "
            "AAAI Conference on Artificial Intelligence (AAAI-11), 834–839. AAAI Press. "
            "https://doi.org/10.1609/aaai.v25i1.7951",
        ),
        Paper(
            "ferreira2012",
            ("gain",),
            "Ferreira, D. R. (2012). Determining the Strength of Chess Players Based on Actual Play. ICGA "
            "Journal 35(1), 3–19. https://doi.org/10.3233/ICG-2012-35102",
        ),
        Paper(
            "alliot2017",
            ("conformance", "covariance", "markov", "complexity"),
            "Alliot, J.-M. (2017). Who is the Master? ICGA Journal 39(1), 3–43. "
            "https://doi.org/10.3233/ICG-160012",
        ),
    )
}
"""The papers by their short names, oldest first."""


def paper_of(method: str) -> Paper | None:
    """The paper that a method comes from; None for a method of ours, or of someone else."""
    return next((paper for paper in PAPERS.values() if method in paper.methods), None)
