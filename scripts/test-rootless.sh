#!/bin/sh
# Runs the end-to-end tests, every example and the kernel tests of nodes and data plane as an
# ordinary user, and what differs without subordinate ids once more without. What is the same for
# all users (pure code, and programs of the kernel's side, which take root) is left to `make unit`.
# Lists and counts what takes root. The programs are those that `make unit` has built.
#
# Fails where this machine forbids user namespaces; NETLOOM_SKIP_ROOTLESS=1 leaves the tests out.
set -eu
cd "$(dirname "$0")/.."
as_user="$PWD/scripts/as-ordinary-user.sh"

if [ "${NETLOOM_SKIP_ROOTLESS:-}" = 1 ]; then
    echo "test-rootless: SKIPPED, as NETLOOM_SKIP_ROOTLESS=1 asks"
    exit 0
fi
if ! why=$(sh "$as_user" unshare --user --map-root-user --mount true 2>&1); then
    echo "test-rootless: this machine gives ordinary users no user namespace: $why" >&2
    echo "docs/rootless.md says how to allow it; NETLOOM_SKIP_ROOTLESS=1 leaves these tests out" >&2
    exit 1
fi

# mktemp puts its own letters for the Xs.
NETLOOM_LEFT_OUT=$(mktemp /tmp/netloom-left-out.XXXXXX)
export NETLOOM_LEFT_OUT
trap 'rm -f "$NETLOOM_LEFT_OUT"' EXIT

run_by() { # PROGRAMS WORDS SELECTION...: tests of these names, so many programs at a time, each
    # started by these words
    beside=$1
    by=$2
    shift 2
    sh scripts/xtask.sh test --beside "$beside" --runner "$by" --workspace "$@"
}
run() { # SELECTION...: tests of these names, each program as an ordinary user
    run_by "${TEST_PROGRAMS:-3}" "sh $as_user" "$@"
}
echo "test-rootless: with subordinate ids"
run --test nodes --test command_line --test client --test reach --test cookbook --test rootless \
    --test doctor --test lab --test apply --test apply_software --test machines --test direct \
    --test vlans --test services --test service_options --test crash --test cycles --test faults \
    --test limits --test publish --test outside --test shell --test traffic --test conditions \
    --test hybrid --test own_kernel --test examples
# These count frames, and an ordinary user's workers have no real-time priority: one at a time.
RUST_TEST_THREADS=1 run_by 1 "sh $as_user" --test runs --test cables --test endings \
    --test expect --test timeline --test verdict --test lesser_machines --test calibrate
# These make namespaces themselves, which they may in a user namespace.
run_by 1 "sh $as_user unshare --user --map-root-user --mount" --test kernel
echo "two_arms: its sockets receive into more memory than an ordinary user's may" \
    >>"$NETLOOM_LEFT_OUT"
echo "test-rootless: without subordinate ids"
SUBORDINATE_IDS=no run --test nodes --test rootless --test lab --test direct --test vlans \
    --test services --test crash --test cycles

echo "test-rootless: $(sort -u "$NETLOOM_LEFT_OUT" | wc -l) parts take root and were left out:"
sort -u "$NETLOOM_LEFT_OUT" | sed 's/^/    /'
