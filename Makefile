# What people type and what CI runs. Everything works from a bare Debian or Ubuntu with Rust and
# Python; `make setup` installs the rest and is part of what needs it.

CARGO ?= cargo
TARGET := $(or $(CARGO_TARGET_DIR),target)
NETLOOM := $(TARGET)/release/netloom
# The crates without I/O or clock; `tests/layers.rs` holds this list against ARCHITECTURE.md.
PURE := units link spanning-tree fabric medium traffic radio tcp tunnel clock partition sim symbiosis mobility monitor document scenario drawing plan placement services api profile shape report-page sweep
PURE_PACKAGES := $(PURE:%=--package netloom-%)
DEMO_RESULTS := target/demo
# Most end-to-end tests wait more than they compute: at most so many programs, and tests of each, at
# a time. `xtask test` begins another program only while the machine has CPU time left.
export RUST_TEST_THREADS ?= 3
export TEST_PROGRAMS ?= 3

.PHONY: all setup build dist deb wheel demo check test lint unit faults bench papers attack fuzz
.PHONY: test-rootless test-packages test-python test-ray generate bpf docs clean
.PHONY: web check-web test-ui demo-ui browser

all: build

setup:            ## install what a bare Debian or Ubuntu lacks
	@sh scripts/setup.sh

build: setup      ## the release binary, target/release/netloom
	@$(MAKE) --no-print-directory web \
	    || echo 'make: netloom ui will have no page; the rest is the same' >&2
	$(CARGO) build --release --locked

web:              ## the page of `netloom ui`, web/dist, which binaries hold; needs network for npm
	@sh scripts/web.sh $(TARGET)

check-web:        ## the page's inner loop: types, lints, tests of what has no DOM
	@sh scripts/web.sh $(TARGET) check

test-ui: check-web web browser  ## the page in Chromium, with a real `netloom ui`: five minutes
	$(CARGO) build --workspace --bin netloom --locked
	@sh scripts/test-ui.sh $(TARGET) $(TARGET)/debug/netloom

dist: setup web   ## the binary to hand on, stripped: target/dist/netloom
	$(CARGO) build --profile dist --locked
	@ls -l $(TARGET)/dist/netloom

deb: dist         ## a package for Debian and Ubuntu: target/netloom_VERSION_ARCHITECTURE.deb
	@sh scripts/deb.sh $(TARGET)/dist/netloom $(TARGET)

# NETLOOM_BINARY=target/debug/netloom takes one that is there.
test-packages: $(if $(NETLOOM_BINARY),,dist)  ## package and wheel in a new Debian 12: as root
	@$(if $(NETLOOM_BINARY),NETLOOM_PACK_LEVEL=1) sh scripts/test-packages.sh \
	    $(or $(NETLOOM_BINARY),$(TARGET)/dist/netloom)

demo-ui: build    ## the page on a backbone with OSPF and two TCP flows, with a tour; Ctrl-C ends it
	@sh scripts/demo-ui.sh $(NETLOOM)

demo: build       ## a backbone with OSPF, a TCP flow, and a cut: about two minutes
	@sh examples/abilene/demo.sh $(NETLOOM) $(DEMO_RESULTS)

check:            ## the inner loop: format, lints and tests of the pure crates, generated files
	$(CARGO) fmt --all --check
	$(CARGO) clippy $(PURE_PACKAGES) --all-targets --locked -- --deny warnings
	$(CARGO) test $(PURE_PACKAGES) --package xtask --locked

# Each example runs once: as an ordinary user, unless those tests are left out.
ifneq ($(NETLOOM_SKIP_ROOTLESS),1)
test: export NETLOOM_EXAMPLES = user
endif
test: setup lint unit test-rootless

browser:
	@sh scripts/setup.sh browser

lint:
	$(CARGO) fmt --all --check
	@sh scripts/xtask.sh lint
	@python3 scripts/python-reference.py --check
ifneq ($(notdir $(RUSTC_WORKSPACE_WRAPPER)),clippy-driver)
	$(CARGO) clippy --workspace --all-targets --locked -- --deny warnings
else
	@echo 'lint: the build of the tests lints with clippy, and fails on warnings'
endif

unit:             ## unit tests, end-to-end tests, and every example
	@sh scripts/xtask.sh test --beside $(TEST_PROGRAMS) --workspace
	$(CARGO) test --workspace --locked --doc

test-rootless: setup  ## end-to-end tests, kernel tests and examples as an ordinary user
	@sh scripts/test-rootless.sh

test-ray: setup   ## runs on three nodes of Ray, which is installed into target/: as root, two minutes
	$(CARGO) build --workspace --bin netloom --locked
	@sh scripts/test-ray.sh $(TARGET)/debug/netloom
test-python:      ## the Python package, its guide and examples, as root and as an ordinary user
	@sh scripts/test-python.sh

wheel: dist       ## the Python package with the binary: target/wheels/netloom-*.whl
	@python3 scripts/wheel.py $(TARGET)/dist/netloom $(TARGET)/wheels

faults: setup     ## a fault at every step of deploy, apply, destroy and claims: a quarter of an hour
	NETLOOM_FAULTS=all $(CARGO) test --workspace --locked --test faults -- --nocapture

bench: build      ## measures; asserts nothing
	@sh benches/run.sh

papers: build     ## the papers' evaluations, and docs/measured/papers.md (ONLY=zheng,4.1 PAPERS=--full)
	python3 benches/papers run $(ONLY) $(PAPERS) --report

attack: build     ## kills, files, disks, frames, users, losses, verdicts, machines: as root
	python3 attack/run.py $(ATTACK)

fuzz:             ## every fuzz target for ten minutes (SECONDS_EACH=600)
	@sh fuzz/run.sh

generate:         ## schema, API document, references of properties and of Python from the types
	@sh scripts/xtask.sh generate
	@python3 scripts/python-reference.py

docs: setup       ## the documents as a book, target/book/index.html
	@command -v mdbook >/dev/null || [ -x $(TARGET)/tools/bin/mdbook ] \
	    || $(CARGO) install --locked --root $(TARGET)/tools mdbook
	PATH="$$PATH:$(TARGET)/tools/bin" mdbook build

bpf:              ## the kernel's programs from their sources; needs clang and llvm
	@sh crates/system/probes/bpf/build.sh
	@sh crates/system/selector/bpf/build.sh

clean:
	$(CARGO) clean
