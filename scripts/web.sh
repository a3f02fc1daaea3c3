#!/bin/sh
# Makes web/dist, the page that `netloom ui` serves, from web/ and its lock file. With an argument,
# the npm script of that name is run instead: `sh scripts/web.sh TARGET check`.
set -eu
cd "$(dirname "$0")/.."
target=$(mkdir -p "$1" && cd "$1" && pwd)
PATH=$(sh scripts/node.sh "$target"):$PATH
export PATH
cd web
made=dist/index.html
newer() {
    find . ../docs/*.json \( -path ./node_modules -o -path ./dist \) -prune \
        -o -type f -newer "$made" -print
}
if [ $# -eq 1 ] && [ -e "$made" ] && [ -z "$(newer)" ]; then
    exit
fi
# npm writes this file last, so it is older than a lock file that has changed since.
if ! [ node_modules/.package-lock.json -nt package-lock.json ]; then
    npm ci --no-audit --no-fund --silent
    touch node_modules/.package-lock.json
fi
npm run --silent "${2:-build}"
