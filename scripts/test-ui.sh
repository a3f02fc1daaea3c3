#!/bin/sh
# The page in Chromium, against a real `netloom ui` and real experiments: sh scripts/test-ui.sh
# TARGET NETLOOM [FILTER…]. As root, the tests run as an ordinary user as well (NETLOOM_UI_USER=0
# leaves that out). Traces of failures are in web/test-results.
set -eu
cd "$(dirname "$0")/.."
target=$(mkdir -p "$1" && cd "$1" && pwd)
NETLOOM=$(realpath "$2")
shift 2
export NETLOOM
if ! command -v chromium >/dev/null; then
    echo 'these tests need Chromium: apt-get install chromium' >&2
    exit 1
fi
PATH=$(sh scripts/node.sh "$target"):$PATH
export PATH
cd web
npx vitest run --configLoader runner --config vitest.browser.config.ts "$@"
if [ "$(id -u)" -eq 0 ] && [ "${NETLOOM_UI_USER:-1}" != 0 ]; then
    echo 'once more, as an ordinary user'
    sh ../scripts/as-ordinary-user.sh env PATH="$PATH" npx vitest run --configLoader runner \
        --config vitest.browser.config.ts "$@"
fi
