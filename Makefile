# Two commands on a fresh Debian machine with git, make and python3:
#   make demo    set everything up and do the main job on a bundled example
#   make test    set everything up and run every check
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

VENV ?= .venv
BIN := $(VENV)/bin
PYTHON ?= python3
# pep517: one of the peers has an old setup.py, and pip's warning about it would be the first line a newcomer reads.
PIP_FLAGS := --quiet --use-pep517 --disable-pip-version-check -c constraints.txt

.PHONY: help demo test docs proof fuzz faults browser check bench setup engine tools clean

help:
	@echo "make demo   set up and rate a bundled example"
	@echo "make test   set up and run every check"
	@echo "make docs   build the site into build/site; no network needed after the set-up"
	@echo "make proof  the tests that take minutes: at full size what make test shows in small"
	@echo "make fuzz   read damaged and hostile files for some minutes (FUZZ_SECONDS for each kind)"
	@echo "make faults kill runs, damage workspaces and use hostile engines for some minutes (FAULTS_TIMES)"
	@echo "make browser drop games, pause, kill and go on in a real browser; every page for everybody (axe)"
	@echo "make bench  measure speed, as ratios against named alternatives"
	@echo "make clean  remove the virtual environment and the demo's files"

# The stamps make a second call instant, and redo the work when its inputs change.
$(BIN)/python:
	@scripts/make-venv "$(PYTHON)" "$(VENV)"

$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing assay into $(VENV) ..."
	@$(BIN)/python -m pip install $(PIP_FLAGS) -e ".[dev,cluster,peers,png,web]"
	@touch $@

setup: $(VENV)/.installed

engine:
	@scripts/find-engine

# For tests only: without these, some are skipped.
tools:
	@scripts/find-test-tools

demo: setup engine
	@$(BIN)/python scripts/demo.py

test: setup engine tools check
	@$(BIN)/python -m pytest -n auto $(PYTEST_FLAGS)

docs: setup
	@$(BIN)/python -m sphinx -W -q -b html docs build/site
	@echo "Open build/site/index.html"

proof: setup engine tools
	@$(BIN)/python -m pytest -n auto -m proof $(PYTEST_FLAGS)

# New cases every time; the seed is printed, and FUZZ_SEED gives the same ones again.
FUZZ_SECONDS ?= 60
FUZZ_SEED ?= $(shell date +%s)
fuzz: setup
	@echo "FUZZ_SEED=$(FUZZ_SEED), $(FUZZ_SECONDS) seconds for each kind of file"
	@ASSAY_FUZZ_SEED=$(FUZZ_SEED) ASSAY_FUZZ_SECONDS=$(FUZZ_SECONDS) $(BIN)/python -m pytest -q tests/fuzz $(PYTEST_FLAGS)

# Likewise: as many times the trials of `make test`, from another seed every time.
FAULTS_TIMES ?= 20
FAULTS_SEED ?= $(shell date +%s)
faults: setup
	@echo "FAULTS_SEED=$(FAULTS_SEED), $(FAULTS_TIMES) times the trials of make test"
	@ASSAY_FAULTS_SEED=$(FAULTS_SEED) ASSAY_FAULTS_TIMES=$(FAULTS_TIMES) $(BIN)/python -m pytest -q -n auto tests/faults $(PYTEST_FLAGS)

browser: setup tools
	@ASSAY_BROWSER=1 $(BIN)/python -m pytest -q tests/web/test_browser.py $(PYTEST_FLAGS)

check: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: setup engine
	@$(BIN)/python -m benchmarks

clean:
	rm -rf "$(VENV)" demo
