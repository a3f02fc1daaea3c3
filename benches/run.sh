#!/bin/sh
# Every benchmark, one after the other. They measure and print; they judge nothing.
set -eu
cd "$(dirname "$0")/.."
for bench in hello ring; do
    python3 "benches/$bench.py"
    echo
done
cargo bench --quiet --locked --package netloom-dataplane --bench throughput
