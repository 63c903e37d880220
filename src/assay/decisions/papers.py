"""The five papers: who wrote what, where it was published, and which methods come from it.

Help texts, reports and the documentation name a paper through this module: everywhere in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Paper:
    """One publication. `name` is the short one by which recipes and `assay reproduce` know it."""

    name: str
    authors: tuple[tuple[str, str], ...]
    """Family name and given names of each author, in the order of the title page."""
    year: int
    title: str
    kind: str
    """Its type in BibTeX: article, inproceedings, techreport."""
    place: str
    """The journal, the proceedings or the institution."""
    volume: str = ""
    issue: str = ""
    pages: tuple[int, int] | None = None
    publisher: str = ""
    doi: str = ""
    note: str = ""
    methods: tuple[str, ...] = ()
    """Short names of the methods that it gives."""

    @property
    def label(self) -> str:
        """The families and the year, to be named within a sentence: `Regan and Haworth 2011`."""
        *others, last = (family for family, _ in self.authors)
        return f"{', '.join(others)} and {last} {self.year}" if others else f"{last} {self.year}"

    @property
    def citation(self) -> str:
        """The full reference on one line."""
        authors = ", ".join(f"{family}, {_initials(given)}" for family, given in self.authors)
        number = f" {self.volume}({self.issue})" if self.volume else ""
        pages = f", {self.pages[0]}–{self.pages[1]}" if self.pages else ""
        place = f"{self.place}{number}{pages}"
        parts = (f"{authors} ({self.year})", self.title, place, self.publisher, self.note)
        sentences = " ".join(part if part.endswith("?") else f"{part}." for part in parts if part)
        return f"{sentences} https://doi.org/{self.doi}" if self.doi else sentences

    @property
    def bibtex(self) -> str:
        """The reference as an entry of a BibTeX file."""
        where = {"article": "journal", "inproceedings": "booktitle", "techreport": "institution"}[self.kind]
        fields = {
            "author": " and ".join(f"{family}, {given}" for family, given in self.authors),
            "title": f"{{{self.title}}}",  # twice in braces: BibTeX keeps its capitals
            where: self.place,
            "volume": self.volume,
            "number": self.issue,
            "pages": f"{self.pages[0]}--{self.pages[1]}" if self.pages else "",
            "publisher": self.publisher,
            "year": str(self.year),
            "doi": self.doi,
            "note": self.note,
        }
        lines = [f"  {name} = {{{value}}},\n" for name, value in fields.items() if value]
        return f"@{self.kind}{{{self.name},\n{''.join(lines)}}}"


def _initials(given: str) -> str:
    """`Jean-Marc` as `J.-M.`; a name that is shortened already (`McC.`) stays."""
    return " ".join(
        name if name.endswith(".") else "-".join(f"{part[0]}." for part in name.split("-"))
        for name in given.split()
    )


PAPERS = {
    paper.name: paper
    for paper in (
        Paper(
            name="difatta2009",
            authors=(("Di Fatta", "Giuseppe"), ("Haworth", "Guy McC."), ("Regan", "Kenneth W.")),
            year=2009,
            title="Skill Rating by Bayesian Inference",
            kind="inproceedings",
            place="2009 IEEE Symposium on Computational Intelligence and Data Mining (CIDM 2009)",
            pages=(89, 94),
            publisher="Institute of Electrical and Electronics Engineers",
            doi="10.1109/CIDM.2009.4938634",
            methods=("bayes",),
        ),
        Paper(
            name="ferreira2010",
            authors=(("Ferreira", "Diogo R."),),
            year=2010,
            title="Predicting the Outcome of Chess Games based on Historical Data",
            kind="techreport",
            place="IST – Technical University of Lisbon",
            note='On the competition "Chess Ratings – Elo versus the Rest of the World", November 25, 2010',
            methods=("results",),
        ),
        Paper(
            name="regan2011",
            authors=(("Regan", "Kenneth W."), ("Haworth", "Guy McC.")),
            year=2011,
            title="Intrinsic Chess Ratings",
            kind="inproceedings",
            place="Proceedings of the Twenty-Fifth AAAI Conference on Artificial Intelligence (AAAI-11)",
            pages=(834, 839),
            publisher="AAAI Press",
            doi="10.1609/aaai.v25i1.7951",
            methods=("choice", "depth"),
        ),
        Paper(
            name="ferreira2012",
            authors=(("Ferreira", "Diogo R."),),
            year=2012,
            title="Determining the Strength of Chess Players Based on Actual Play",
            kind="article",
            place="ICGA Journal",
            volume="35",
            issue="1",
            pages=(3, 19),
            doi="10.3233/ICG-2012-35102",
            methods=("gain",),
        ),
        Paper(
            name="alliot2017",
            authors=(("Alliot", "Jean-Marc"),),
            year=2017,
            title="Who is the Master?",
            kind="article",
            place="ICGA Journal",
            volume="39",
            issue="1",
            pages=(3, 43),
            doi="10.3233/ICG-160012",
            methods=("conformance", "covariance", "markov", "complexity"),
        ),
    )
}
"""The papers by their short names, oldest first."""


def paper_of(method: str) -> Paper | None:
    """The paper that a method comes from; none for one of our own, or of someone else."""
    return next((paper for paper in PAPERS.values() if method in paper.methods), None)
