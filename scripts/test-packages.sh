#!/bin/sh
# test-packages.sh PACKAGE.deb: installs the package in a new Debian 12 without anything else, and
# runs it there as its users would. Takes root, and Debian's package `mmdebstrap`.
set -eu
package=$(readlink -f "$1")
if ! command -v mmdebstrap >/dev/null 2>&1; then
    echo "test-packages: mmdebstrap is missing: apt-get install mmdebstrap" >&2
    exit 1
fi
root=$(mktemp -d /tmp/netloom-packages.XXXXXX)
trap 'rm -rf "$root"' EXIT
mmdebstrap --quiet --variant=minbase --include=iproute2,iputils-ping,man-db bookworm "$root"
cp "$package" "$root/tmp/"
cat >"$root/tmp/try.sh" <<'END'
set -eu
mount -t proc proc /proc
umount --lazy /old
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mkdir -p /dev/pts && mount -t devpts devpts /dev/pts
export DEBIAN_FRONTEND=noninteractive
dpkg --install "/tmp/$1" >/dev/null
cd /tmp
say() { echo "--- $*"; }
say netloom --version
netloom --version
say manual page, completion, units, schema
man netloom-run | grep -q 'Run a scenario'
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
say nothing is left
test -z "$(ls /run/netloom 2>/dev/null)"
dpkg --purge netloom >/dev/null
test ! -e /usr/bin/netloom
say removed
END
# A new root, as a container has: nodes enter mount namespaces, which leads out of a mere chroot.
unshare --mount --pid --fork --net --propagation private sh -c '
    mount --bind "$0" "$0" && cd "$0" && mkdir --parents old && pivot_root . old
    exec chroot . sh /tmp/try.sh "$1"
' "$root" "$(basename "$package")"
