# Two commands: `make hint` (advice for a real position) and `make test` (lint, types and the whole test suite).
# Each makes its own virtual environment first, and only the first time.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
PACKAGES := games solvers eval cli

.PHONY: hint test lint types pytest clean

hint: $(VENV)/installed
	@$(BIN)/voyageur hint docs/positions/niagara-midgame.yaml

test: lint types pytest

lint: $(VENV)/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# Through symbolic links, because mypy cannot see four folders as parts of one namespace package.
types: $(VENV)/installed-test
	@mkdir -p .mypy/voyageur
	@for package in $(PACKAGES); do ln -sfn ../../$$package .mypy/voyageur/$$package; done
	MYPYPATH=.mypy $(BIN)/mypy -p voyageur

pytest: $(VENV)/installed-test
	$(BIN)/pytest

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "voyageur needs Python 3.11 or newer; say which with: make PYTHON=python3.12 ..."; exit 1; }
	@echo "Making $(VENV) (this once)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	@echo "Installing voyageur into $(VENV) (this once)"
	@$(PIP) --editable .
	@touch $@

$(VENV)/installed-test: $(VENV)/installed
	@echo "Installing what the tests need (this once)"
	@$(PIP) --editable '.[test]'
	@touch $@

clean:
	rm -rf $(VENV) .mypy .mypy_cache .ruff_cache .pytest_cache .hypothesis build *.egg-info
