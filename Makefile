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
PIP_FLAGS := --quiet --disable-pip-version-check -c constraints.txt

.PHONY: help demo test check bench setup engine clean

help:
	@echo "make demo   set up and rate a bundled example"
	@echo "make test   set up and run every check"
	@echo "make bench  measure speed, as ratios against named alternatives"
	@echo "make clean  remove the virtual environment and the demo's files"

# The stamps make a second call instant, and redo the work when its inputs change.
$(BIN)/python:
	@scripts/make-venv "$(PYTHON)" "$(VENV)"

$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing assay into $(VENV) ..."
	@$(BIN)/python -m pip install $(PIP_FLAGS) -e ".[dev,cluster,peers]"
	@touch $@

setup: $(VENV)/.installed

engine:
	@scripts/find-engine

demo: setup engine
	@$(BIN)/python scripts/demo.py

test: setup engine check
	@$(BIN)/python -m pytest -n auto $(PYTEST_FLAGS)

check: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: setup engine
	@$(BIN)/python -m benchmarks

clean:
	rm -rf "$(VENV)" demo
