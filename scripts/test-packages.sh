#!/bin/sh
# test-packages.sh BINARY: packs a binary as a Debian package and as a wheel, installs each in a new
# Debian 12 without Rust, and runs it there as its users would. Takes root, and Debian's package
# `mmdebstrap`.
set -eu
if ! command -v mmdebstrap >/dev/null 2>&1; then
    echo "test-packages: mmdebstrap is missing: apt-get install mmdebstrap" >&2
    exit 1
fi
binary=$(readlink -f "$1")
cd "$(dirname "$0")/.."
target=$(readlink -f "${CARGO_TARGET_DIR:-target}")
work=$(mktemp -d /tmp/netloom-packages.XXXXXX)
trap 'rm -rf "$work"' EXIT
root=$work/root
began=$(date +%s)
step() { # WORDS: says what took so long
    echo "test-packages: $* ($(($(date +%s) - began)) s)"
}

# What takes no CPU time of ours comes first: Debian, and what a plot needs, beside each other.
mmdebstrap --quiet --variant=minbase --include=iproute2,iputils-ping,python3-venv \
    --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-include=/usr/share/doc/netloom/*' \
    --aptopt='Acquire::Languages "none"' bookworm "$root" >"$work/debian.log" 2>&1 &
debian=$!
venv=$target/pip-venv
[ -x "$venv/bin/pip" ] || /usr/bin/python3 -m venv "$venv" || python3 -m venv "$venv"
"$venv/bin/pip" download --quiet --only-binary :all: --python-version 3.11 --dest "$work/plot" \
    'matplotlib>=3.7'
step "downloaded matplotlib"
package=$(sh scripts/deb.sh "$binary" "$work")
wheel=$(python3 scripts/wheel.py "$binary" "$work")
step "packed $(du -m "$package" | cut -f 1) MB of package, $(du -m "$wheel" | cut -f 1) MB of wheel"
if ! wait "$debian"; then
    cat "$work/debian.log" >&2
    exit 1
fi
step "made a Debian 12"

mv "$package" "$wheel" "$work/plot" "$root/tmp/"
cp examples/python/dumbbell.py examples/python/sweep.py "$root/tmp/"
# The example of the README, as it is there.
sed -n '/^```python$/,/^```$/p' README.md | sed '/^```/d' >"$root/tmp/readme.py"
cat >"$root/tmp/try.sh" <<'END'
set -eu
mount -t proc proc /proc
umount --lazy /old
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mkdir -p /dev/pts && mount -t devpts devpts /dev/pts
export DEBIAN_FRONTEND=noninteractive
cd /tmp
say() { echo "--- $*"; }
nothing_is_left() {
    test -z "$(ls /run/netloom 2>/dev/null)"
}

say the package: manual page, completion, units, schema
dpkg --install netloom_*.deb >/dev/null
netloom --version
zcat /usr/share/man/man1/netloom-run.1.gz | grep -q 'Run a scenario'
for file in bash-completion/completions/netloom netloom/scenario.schema.json \
    doc/netloom/examples/hello/netloom.yaml ../lib/systemd/system/netloom-shape.socket; do
    test -s "/usr/share/$file"
done
say a network of two nodes
cat >pair.yaml <<'YAML'
name: pair
duration: 1s
topology:
  nodes: { a: {}, b: {} }
  links: [{ endpoints: [a, b], delay: 10ms }]
traffic:
  - { name: load, from: a, to: b, udp: {}, cbr: { rate: 1Mbit/s } }
processes:
  - { name: ping, node: a, command: ping -c 3 -i 0.2 b }
YAML
netloom run -t pair.yaml -o results
grep 'min/avg/max' results/processes/ping@a.stdout || cat results/processes/ping*
say the same in virtual time
netloom run --simulate --without-commands -t pair.yaml -o simulated
say it can be removed
nothing_is_left
dpkg --purge netloom >/dev/null
test ! -e /usr/bin/netloom

say the wheel, alone
python3 -m venv env
env/bin/pip install --quiet --no-index netloom-*.whl
test "$(env/bin/pip list --format freeze | grep -cv -e '^pip=' -e '^setuptools=')" -eq 1
PATH=/tmp/env/bin:$PATH
netloom doctor
say the example of the README
python readme.py
say examples/python/dumbbell.py
python dumbbell.py
say a plot
env/bin/pip install --quiet --no-index --find-links plot 'netloom[plot]'
python sweep.py
test -s netloom-results/python-loss/loss.png
nothing_is_left
END
# A new root, as a container has: nodes enter mount namespaces, which leads out of a mere chroot.
unshare --mount --pid --fork --net --propagation private sh -c '
    mount --bind "$0" "$0" && cd "$0" && mkdir --parents old && pivot_root . old
    exec chroot . sh /tmp/try.sh
' "$root"
step "passed"
