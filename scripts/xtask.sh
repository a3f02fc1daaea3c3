#!/bin/sh
# Repository chores: `sh scripts/xtask.sh generate|lint|test …`. Built with all packages' features
# as tests and lints are; `cargo run --package xtask` would build 38 more packages, with others.
set -eu
cd "$(dirname "$0")/.."
"${CARGO:-cargo}" build --quiet --locked --workspace --bin xtask
exec "${CARGO_TARGET_DIR:-target}/debug/xtask" "$@"
