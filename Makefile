# The first target that needs the environment makes it: nothing but Python (3.11 or newer) and make is assumed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: play test install check types clean

play: install
	$(BIN)/nodealer play

install: $(STAMP)

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

test: install
	$(BIN)/python -m pytest

# mypy and pyright see the four folders as nodealer.* through links (setuptools' package-dir is invisible to them).
types:
	mkdir -p .types/nodealer
	for d in engine crypto p2p cli; do ln -sfn ../../$$d .types/nodealer/$$d; done

check: install types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest

clean:
	rm -rf $(VENV) .types build *.egg-info
