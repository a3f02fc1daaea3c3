#!/bin/sh
# Tests the Python package: its tests, the blocks of docs/python.md, examples/python, pyright, a
# notebook; as root, then as an ordinary user. Makes an environment under target/ with what the
# tests use.
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
export NETLOOM_BINARY="${NETLOOM_BINARY:-$PWD/$target/debug/netloom}"
export PYTHONPATH="$PWD/python" PYTHONDONTWRITEBYTECODE=1
venv="$PWD/$target/python-venv"

[ -x "$NETLOOM_BINARY" ] || "${CARGO:-cargo}" build --locked --workspace --bin netloom
if [ ! -e "$venv/installed" ]; then
    # An ordinary user can run the system's Python, and none in somebody's home.
    python=/usr/bin/python3
    [ -x "$python" ] || python=python3
    "$python" -m venv "$venv"
    "$venv/bin/pip" install --quiet pytest pyright datamodel-code-generator polars pandas pyarrow \
        matplotlib networkx nbclient ipykernel
    # Pyright brings its program when it is first called.
    "$venv/bin/pyright" --version
    touch "$venv/installed"
fi
run() { # OPTIONS...: as whoever calls it
    "$@" "$venv/bin/python" -m pytest -q -rs -p no:cacheprovider python/tests
}
run env
if [ "$(id -u)" -eq 0 ] && [ "${NETLOOM_SKIP_ROOTLESS:-}" != 1 ]; then
    echo "test-python: as an ordinary user"
    # Types and generated names are the same for everybody.
    PYTEST_ADDOPTS="-k 'not types and not numbers'"
    export PYTEST_ADDOPTS
    run sh scripts/as-ordinary-user.sh
fi
