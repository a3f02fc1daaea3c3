#!/bin/sh
# The benchmarks of nodes, links, machines, the data plane, routes, TCP and symbiosis, in turn.
# They measure and print; they judge nothing. docs/measured names all others, with the commands of
# each: many take half an hour, an idle machine, or programs that are not part of NetLoom.
set -eu
cd "$(dirname "$0")/.."
for bench in hello ring changes replay background generators shell; do
    python3 "benches/$bench.py"
    echo
done
for bench in losses clocks cost abilene; do
    python3 "benches/machines/$bench.py"
    echo
done
python3 benches/scale/hops.py
echo
cargo run --quiet --release --locked --package netloom-dataplane --example accuracy
echo
cargo bench --quiet --locked --package netloom-dataplane --bench throughput
echo
cargo bench --quiet --locked --package netloom-plan --bench tables
echo
cargo bench --quiet --locked --package netloom-tcp --bench segments
echo
cargo bench --quiet --locked --package netloom-symbiosis --bench paper
