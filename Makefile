PYTHON ?= python3
PORT ?= 2024
BIN := .venv/bin
.DEFAULT_GOAL := help

help: ## explain the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'
	@echo
	@echo '  make ask Q="年付套餐买错了能退款吗"   answers from the sample help centre; needs no key'

setup: .venv/ready ## install everything into .venv (a no-op the second time)

.venv/ready: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; name one: make setup PYTHON=python3.12") if sys.version_info < (3, 11) else None'
	@echo "Installing into .venv (about a minute the first time) …"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

ask: setup ## answer a question: make ask Q="…"
	@test -n "$$SUPPORTPILOT_QUESTION" || { echo 'Say what to ask: make ask Q="年付套餐买错了能退款吗"' >&2; exit 2; }
	@$(BIN)/supportpilot ask "$$SUPPORTPILOT_QUESTION" $(ARGS)

# Exported as it is, not pasted into the command nor expanded: a question may hold quotes and $(…). Make exports
# the variables of its command line by itself, expanded, hence unexport.
export SUPPORTPILOT_QUESTION = $(value Q)
unexport Q

chat: setup ## talk in the terminal
	@$(BIN)/supportpilot chat $(ARGS)

dev: setup ## serve the graph for Studio and the SDK (langgraph dev), on PORT
	@LANGSMITH_TRACING=false LANGGRAPH_NO_VERSION_CHECK=true LANGGRAPH_CLI_NO_ANALYTICS=1 \
		$(BIN)/langgraph dev --no-browser --no-reload --port $(PORT) --n-jobs-per-worker 10 $(ARGS)

test: setup ## run the tests with coverage
	@$(BIN)/python -m pytest --cov --cov-report=term:skip-covered -q $(ARGS)

eval: setup ## run every eval suite and write evals/out/report.html
	@$(BIN)/python -m evals run all --out evals/out $(ARGS)

floors: setup ## run the quick suites: what must not get worse
	@$(BIN)/python -m evals run floors $(ARGS)

bench: setup ## measure a warm turn node by node, the graph beside a plain agent, 200 threads at once, memory over 5,000 turns
	@$(BIN)/python -m evals.bench $(ARGS)

soak: setup ## turns and memories on workers that are killed meanwhile, and so is Postgres; counts what is lost or done twice
	@$(BIN)/python -m evals.load --turns 2000 --threads 40 --kills 20 --crashes 5 --json evals/out/soak.json $(ARGS)
	@$(BIN)/python -m evals.durability --turns 1000 --times 20

fuzz: setup ## fuzz every route of a worker by its description (schemathesis, in an environment of its own)
	@test -x .venv/tools/bin/schemathesis || { test -x .venv/tools/bin/pip || $(PYTHON) -m venv .venv/tools; \
		.venv/tools/bin/pip install --quiet schemathesis; }
	@SUPPORTPILOT_AUTH_TOKENS='{"fuzz": {"user_id": "fuzz", "tenant": "fuzz", "staff": true}}' \
		SUPPORTPILOT_TURNS_PER_MINUTE=100000 $(BIN)/uvicorn graph.server.service:app --port $(PORT) --log-level error & \
		worker=$$!; trap "kill $$worker" EXIT; \
		curl --silent --retry 60 --retry-delay 1 --retry-connrefused --output /dev/null http://127.0.0.1:$(PORT)/health; \
		.venv/tools/bin/schemathesis run http://127.0.0.1:$(PORT)/openapi.json --header "Authorization: Bearer fuzz" \
		--checks not_a_server_error $(ARGS)

audit: setup ## look up the pinned dependencies among the known vulnerabilities (OSV), where they can be reached
	@if ! curl --silent --max-time 10 --output /dev/null https://api.osv.dev/; then \
		echo 'Not audited: api.osv.dev is out of reach.'; exit 0; fi; \
		test -x .venv/tools/bin/pip-audit || { test -x .venv/tools/bin/pip || $(PYTHON) -m venv .venv/tools; \
		.venv/tools/bin/pip install --quiet pip-audit; }; \
		.venv/tools/bin/pip-audit --vulnerability-service osv --disable-pip --require-hashes --requirement requirements.lock $(ARGS)

check: setup ## lint, format, types, import contract
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

lock: setup ## pin the dependencies anew in requirements.lock
	@test -x .venv/tools/bin/uv || { $(PYTHON) -m venv .venv/tools && .venv/tools/bin/pip install --quiet uv; }
	@.venv/tools/bin/uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --upgrade \
		--generate-hashes --no-annotate --no-header --quiet -o requirements.lock

docs: setup ## write the pages of docs/ that are made: the settings
	@$(BIN)/python -m evals docs $(ARGS)

snapshots: setup ## accept the prompts and the drawing as they are now
	@$(BIN)/python -m pytest -q --snapshot-update $(ARGS)

.PHONY: help setup ask chat dev test eval floors bench soak fuzz audit check lock docs snapshots
