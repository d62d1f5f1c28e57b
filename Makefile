# Each target makes what it needs, so that it works on a machine where nothing was installed by hand.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint types unit browser bench clean
.DEFAULT_GOAL := demo

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

test: lint types unit

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.ready
	$(BIN)/mypy

unit: $(VENV)/.ready browser
	$(BIN)/python -m pytest -n auto --dist loadgroup tests

# The page of a simulation is tested in a real browser; where none can be installed those tests skip and say so.
browser:
	@{ command -v chromium && command -v chromedriver; } >/dev/null 2>&1 || \
	 { [ "$$(id -u)" = 0 ] && apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
	   apt-get install -y -qq --no-install-recommends chromium chromium-driver >/dev/null; } || \
	 echo "chromium cannot be installed: tests/browser will be skipped"

demo: $(VENV)/.ready
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/lab-queue/demo.sh

bench: $(VENV)/.ready
	@$(BIN)/python -m tests.bench

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
