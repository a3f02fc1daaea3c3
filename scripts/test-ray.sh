#!/bin/sh
# test-ray.sh NETLOOM: the module that asks Ray for machines, and `netloom run` on three nodes of
# Ray, which goes to a virtual environment under target/. What cannot be is printed and counted.
set -eu
cd "$(dirname "$0")/.."
netloom=$1
venv=${CARGO_TARGET_DIR:-target}/ray-venv
ray="ray==2.60.0"

# Ordinary users run it, who cannot run one of somebody's home.
python=/usr/bin/python3
[ -x "$python" ] || python=python3

"$python" tests/ray/module.py
left_out=0
leave_out() { # WHY
    echo "skipped: $1"
    left_out=$((left_out + 1))
}
if ! [ -x "$venv/bin/ray" ] && ! { "$python" -m venv "$venv" && "$venv/bin/pip" install -q "$ray"; }
then
    leave_out "a run on three nodes of Ray: $ray cannot be installed into $venv"
elif [ "$(id -u)" != 0 ]; then
    leave_out "a run on three nodes of Ray: only root makes the namespaces that they are in"
else
    "$venv/bin/python" tests/ray/cluster.py "$venv" "$netloom"
fi
echo "test-ray: $left_out parts were left out"
