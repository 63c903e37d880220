"""The papers are named in one way: in the code, on the page of references, in CITATION.cff."""

import tomllib
from pathlib import Path

import pytest
import yaml

from assay.decisions.papers import PAPERS, paper_of
from assay.models.registry import methods
from assay.reproduce import papers

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "references.md").read_text(encoding="utf-8")
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

each_paper = pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)


def test_every_method_has_its_paper_but_one_of_our_own():
    without = [name for name in (*methods(), "complexity", "results") if paper_of(name) is None]
    assert without == ["traits"]
    assert paper_of("choice") is PAPERS["regan2011"]
    assert paper_of("a method of someone else") is None


def test_the_papers_are_those_that_are_reproduced():
    assert {*PAPERS} == {*papers()}


def test_how_papers_are_named():
    assert PAPERS["ferreira2012"].label == "Ferreira 2012"
    assert PAPERS["regan2011"].label == "Regan and Haworth 2011"
    assert PAPERS["difatta2009"].label == "Di Fatta, Haworth and Regan 2009"
    assert PAPERS["alliot2017"].citation == (
        "Alliot, J.-M. (2017). Who is the Master? ICGA Journal 39(1), 3–43. https://doi.org/10.3233/ICG-160012"
    )


@each_paper
def test_the_page_of_references(paper):
    [line] = [line for line in PAGE.splitlines() if line.startswith(f"| `{paper.name}` |")]
    named = ", ".join(f"`{method}`" for method in paper.methods)
    assert line == f"| `{paper.name}` | {named} | {paper.citation} |"
    assert f"{paper.bibtex}\n" in PAGE


@each_paper
def test_the_citation_file_has_the_same_references(paper):
    [entry] = [one for one in CITATION["references"] if one["title"] == paper.title]
    authors = tuple((one["family-names"], one["given-names"]) for one in entry["authors"])
    assert (authors, entry["year"]) == (paper.authors, paper.year)
    place = entry.get("journal") or entry.get("collection-title") or entry["institution"]["name"]
    assert place == paper.place
    assert (str(entry.get("volume", "")), str(entry.get("issue", ""))) == (paper.volume, paper.issue)
    assert (entry.get("start"), entry.get("end")) == (paper.pages or (None, None))
    assert entry.get("doi", "") == paper.doi
    assert entry.get("publisher", {"name": ""})["name"] == paper.publisher


def test_the_citation_file_is_of_this_version():
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION["version"] == PROJECT["version"]
    assert CITATION["license"] == PROJECT["license"]
    assert CITATION["keywords"] == PROJECT["keywords"]
