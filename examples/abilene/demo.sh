#!/bin/sh
# demo.sh NETLOOM RESULTS: measures what this machine takes for a link, runs abilene with that taken
# off, and says what came out.
set -e
netloom=$1
results=$2
here=$(dirname "$0")
rm -rf "$results" "$results-crossing"
mkdir -p "$(dirname "$results")"
"$netloom" run -t "$here/crossing.yaml" -o "$results-crossing" >/dev/null
python3 "$here/report.py" --crossing "$results-crossing" >"$results-crossing.yaml"
"$netloom" run -t "$here/netloom.yaml" --with "$results-crossing.yaml" -o "$results"
python3 "$here/report.py" "$results"
