"""The papers are cited in one way: in the code, on the page of methods, in BibTeX, in CITATION.cff."""

import tomllib
from pathlib import Path

import pytest
import yaml

from assay.cli.methods import PAPERS, paper_of
from assay.models.registry import methods
from assay.reproduce import papers

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "understand" / "methods.md").read_text(encoding="utf-8")
BIBTEX = (ROOT / "docs" / "papers.bib").read_text(encoding="utf-8")
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


@each_paper
def test_the_page_of_methods_and_the_citation_file(paper):
    assert f"- {paper.citation}" in PAGE.splitlines()
    [bibtex] = [text for text in BIBTEX.split("@") if f"{{{paper.name},\n" in text]
    [entry] = [one for one in CITATION["references"] if one["title"] in paper.citation]
    assert f"title = {{{{{entry['title']}}}}}" in bibtex
    assert f"year = {{{entry['year']}}}" in bibtex
    assert f"({entry['year']})" in paper.citation
    for author in entry["authors"]:
        assert f"{author['family-names']}, {author['given-names']}" in bibtex
        assert f"{author['family-names']}, {author['given-names'][0]}" in paper.citation
    place = entry.get("journal") or entry.get("collection-title") or entry["institution"]["name"]
    assert f"{{{place}}}" in bibtex
    assert place in paper.citation
    if "doi" in entry:
        assert f"doi = {{{entry['doi']}}}" in bibtex
        assert paper.citation.endswith(f"https://doi.org/{entry['doi']}")
    if "start" in entry:
        assert f"pages = {{{entry['start']}--{entry['end']}}}" in bibtex
        assert f"{entry['start']}–{entry['end']}" in paper.citation
    if "volume" in entry:
        assert f"{entry['volume']}({entry['issue']})" in paper.citation


def test_the_citation_file_is_of_this_version():
    assert CITATION["cff-version"] == "1.2.0"
    for name in ("version", "license", "keywords"):
        assert CITATION[name] == PROJECT[name]
