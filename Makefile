# Everything below sets up what it needs: a virtual environment in .venv, made once.
PYTHON ?= python3
AGENT ?= good
BIN := .venv/bin

.PHONY: demo test check format schema bench clean

demo: .venv/demo  ## One real simulation, end to end: no key, no model
	@$(BIN)/python -m sparring.demo simulations/book_table.yaml --agent $(AGENT)

test: .venv/dev  ## The tests
	$(BIN)/python -m pytest

check: .venv/dev  ## Lint, format, types, and who may import whom
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

format: .venv/dev  ## Put the code in shape
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

schema: .venv/dev  ## Write the JSON Schema again after changing the format
	$(BIN)/sparring schema > schemas/scenario.schema.json

bench: .venv/dev  ## What commands and calls cost, beside pipecat's own `eval`
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/peer.py

clean:
	rm -rf .venv build dist .pytest_cache .ruff_cache .hypothesis

.venv/python:
	$(PYTHON) -c 'import sys; sys.exit("sparring needs Python 3.11 to 3.13; choose one: make PYTHON=python3.12 …" if not (3, 11) <= sys.version_info < (3, 14) else 0)'
	$(PYTHON) -m venv .venv
	@touch $@

.venv/demo: .venv/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[demo]'
	@touch $@

.venv/dev: .venv/demo
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@
