# The first target that needs the environment makes it: nothing but Python (3.11 or newer) and make is assumed.
#   make play ARGS="--bots 2 --stacking"     make test ARGS="tests/engine -x"
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
ARGS ?=

.PHONY: play test install check lint format types bench soak-engine soak-drops soak-bots soak-screen soak-editions soak-mutants soak-js soak-crashes soak-lan soak-memory soak-sequences fuzz clean

play: install
	@$(BIN)/nodealer play $(ARGS) || [ $$? -eq 6 ]

# Files go to workers whole, so that what a file shares (a LAN of namespaces, a table) is made once.
test: install
	$(BIN)/python -m pytest -n auto --dist loadfile $(ARGS)

install: $(STAMP)

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

check: lint test

lint: install types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: install
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# mypy and pyright see the four folders as nodealer.* through links (setuptools' package-dir is invisible to them).
types:
	@mkdir -p .types/nodealer
	@for d in engine crypto p2p cli; do ln -sfn ../../$$d .types/nodealer/$$d; done

# The speed against benchmarks/baseline.json: counts exactly, times by their ratio to the group's own operations.
#   everything else: nodealer bench --all      side by side with another: .venv/bin/python -m benchmarks.rivals
bench: install
	$(BIN)/python -m benchmarks.compare $(ARGS)

# 100,000 random rounds with open cards; at most an hour.
soak-engine: install
	$(BIN)/python -m pytest -p no:randomly -m soak tests/engine $(ARGS)

# Every order of the votes of small tables, by the real machine (a quarter of an hour).
soak-drops: install
	$(BIN)/python -m pytest -p no:randomly -m soak -s tests/p2p/test_drops.py $(ARGS)

# 30 matches of real processes in a row: two to four seats, to 250 and to 500, with stacking and without.
soak-bots: install
	$(BIN)/python -m pytest -p no:randomly -m soak tests/cli/test_processes.py $(ARGS)

# 30 matches in a row for each of Despicable Me 4 and Lilo & Stitch, 2, 3, 5 and 10 seats, one hand and to 500 (hours).
#   make soak-editions ARGS="--seats 3 --target 0 --repeat 5"
soak-editions: install
	$(BIN)/python tests/soak_matches.py $(ARGS)

# Whole matches to 250 on the full screen, 80x24 and 120x40, played by a script that reads the screen and presses keys
# (needs tmux), and one in lines.
soak-screen: install
	$(BIN)/python -m pytest -p no:randomly -n 0 -m soak tests/cli/screen tests/cli/test_plain_hands.py $(ARGS)

# Transcripts with a byte changed at 500 random places: every one is refused, at the record that was changed.
soak-mutants: install
	$(BIN)/python -m pytest -p no:randomly -m soak tests/vectors/test_mutations.py $(ARGS)

# The verifier in JavaScript reads fresh matches of bots, of every edition (needs Node and npm).
soak-js: install
	cd examples/js-verifier && npm install --no-package-lock --no-audit --no-fund --silent
	$(BIN)/python -m pytest -p no:randomly -m soak tests/vectors/test_js_verifier.py $(ARGS)

# A crash right before and right after every message that a peer sends or receives in a whole one-hand match of four, for
# a host and two others; less than 40 minutes. Then 40 matches of real processes of which one is killed and started again.
#   make soak-crashes ARGS="--players 3 --every 10"
soak-crashes: install
	$(BIN)/python -m tests.soak_crashes $(ARGS)
	$(BIN)/python -m tests.soak_kills

# 300 matches of real programs on a LAN of namespaces that loses, delays, cuts and moves them, with kills and leavers, and
# single faults that take long (needs root, iproute2 and /dev/net/tun).   make soak-lan ARGS="20 --seed 1000"
soak-lan: install
	$(BIN)/python -m pytest -p no:randomly -n 0 -m soak tests/lan
	$(BIN)/python tests/soak_lan.py $(ARGS)

# A match of 50 rounds by four real processes: what each holds in memory must not grow with the match (ten minutes; Linux).
#   make soak-memory ARGS="--rounds 100 --edition lilo-stitch"
soak-memory: install
	$(BIN)/python -m tests.soak_memory $(ARGS)

# 100,000 random sequences of entries into the table machine, and some into whole tables; one writer misbehaves in each.
soak-sequences: install
	$(BIN)/python -m tests.soak_sequences $(ARGS)

# Ten million inputs to all decoders of bytes from the wire or a file, guided by coverage; less than an hour on one core.
# The fuzzer is fetched here and by nobody else, for it has no wheel for every Python. What it finds is in .fuzz/.
#   make fuzz ARGS="--inputs 100000 --only entry vote"
fuzz: install
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'atheris>=3'
	$(BIN)/python -m tests.soak_fuzz $(ARGS)

clean:
	rm -rf $(VENV) .types build *.egg-info
