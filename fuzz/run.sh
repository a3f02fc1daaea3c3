#!/bin/sh
# Runs every fuzz target for SECONDS (default 600), or those named: `fuzz/run.sh frames data`.
# Needs a C++ compiler; works with a stable Rust, because it asks for coverage with stable flags.
# What crashes a target is kept in fuzz/artifacts, what it learned in fuzz/corpus.
set -eu
cd "$(dirname "$0")"
: "${SECONDS_EACH:=600}"
coverage="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
coverage="$coverage -Cllvm-args=-sanitizer-coverage-inline-8bit-counters"
coverage="$coverage -Cllvm-args=-sanitizer-coverage-pc-table"
coverage="$coverage -Cllvm-args=-sanitizer-coverage-trace-compares"
# A target of its own, so that build scripts are not instrumented.
host=$(rustc -vV | sed -n 's/^host: //p')
RUSTFLAGS="$coverage --cfg fuzzing -Ccodegen-units=1" \
    cargo build --release --quiet --target "$host" --target-dir "${FUZZ_TARGET_DIR:-target}"
for name in "${@:-}"; do
    [ -n "$name" ] || continue
    targets="${targets:-} $name"
done
[ -n "${targets:-}" ] ||
    targets=$(sed -n 's/^name = "\(.*\)"$/\1/p' Cargo.toml | grep -v netloom-fuzz)
for name in $targets; do
    mkdir -p "corpus/$name" "artifacts/$name"
    case $name in
    document | scenario) seeds="../crates/scenario/scenario/tests/bad ../examples" ;;
    *) seeds=$(ls -d "seeds/$name" 2>/dev/null || true) ;;
    esac
    echo "== $name, $SECONDS_EACH s"
    # 20 s for one input is a hang, 2 GB is unbounded memory.
    "${FUZZ_TARGET_DIR:-target}/$host/release/$name" "corpus/$name" $seeds \
        -max_total_time="$SECONDS_EACH" -timeout=20 -rss_limit_mb=2048 -max_len=65536 \
        -artifact_prefix="artifacts/$name/" -print_final_stats=1 -verbosity=1 2>&1 | tail -15
done
