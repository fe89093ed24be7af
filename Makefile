# Two commands set everything up on a machine with Python 3.11 and make: `make demo` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test check format bench chaos simulate mutants clean

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("Trackside needs Python 3.11 or newer, and this is %d.%d; name one with: make PYTHON=python3.11 …" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

demo: $(STAMP) ## Start a tracker with a sample repository, and the bot beside it
	$(BIN)/trackside demo $(ARGS)

test: $(STAMP) ## Run the suite
	$(BIN)/python -m pytest -n auto $(ARGS)

check: $(STAMP) ## Lint, types, layers, and the built wheel
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.smoke.wheel

format: $(STAMP) ## Format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMP) ## Measure, in one run: accepted webhooks, claims, label-to-run latency
	$(BIN)/python -m tests.benchmarks

chaos: $(STAMP) ## Kill the bot at every step of the story, and lose deliveries on hundreds of days
	$(BIN)/python -m pytest -n auto tests/scenarios/test_kill.py tests/webhooks/test_twins.py --every-step $(ARGS)

simulate: $(STAMP) ## Run SEEDS simulated worlds; SEED=7 shows one, with REPLAY=… cut down as it was printed
	$(BIN)/python -m tests.simulation $(if $(SEEDS),--seeds $(SEEDS)) $(if $(SEED),--seed $(SEED)) $(if $(REPLAY),--replay '$(REPLAY)') $(ARGS)

mutants: $(STAMP) ## Break the scheduler on purpose, in a copy, and see that the simulation or a test finds it
	$(BIN)/python -m tests.simulation.mutants $(ARGS)

clean: ## Remove what these commands made
	rm -rf $(VENV) .demo dist build
