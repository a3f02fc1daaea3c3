#!/bin/sh
# The proofs that the contention monitor owes, one after the other: half an hour, most of it the ten
# runs of a backbone idle and not. Nothing else should run meanwhile.
set -eu
cd "$(dirname "$0")"
for proof in diagonal offline chain attribution speed overhead idle; do
    python3 "$proof.py"
    echo
done
