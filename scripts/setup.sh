#!/bin/sh
# Installs what building, testing and the examples need and this machine lacks. Does nothing, fast,
# where all is there. Needs root only where something is missing. With `browser`, also Chromium, in
# which the page is tested.
set -eu

missing=
need() { # COMMAND PACKAGE
    for directory in $(echo "$PATH" | tr ':' ' ') /usr/sbin /sbin /usr/lib/frr; do
        [ -x "$directory/$1" ] && return
    done
    missing="$missing $2"
}

need cc gcc
need ip iproute2
need ping iputils-ping
need iperf3 iperf3
need traceroute traceroute
need tcpdump tcpdump
need ospfd frr
need bird bird2
need dnsmasq dnsmasq-base
need pasta passt
need udhcpc udhcpc
need nft nftables
need dig bind9-dnsutils
need curl curl
need ssh openssh-client
need sshd openssh-server
need python3 python3
need ps procps
need newuidmap uidmap
need setpriv util-linux

# Kernels of nodes' own: there for x86-64 only, and not on every system. What needs them is left out
# of the tests elsewhere.
if [ "$(uname -m)" = x86_64 ] && command -v apt-cache >/dev/null 2>&1 \
    && apt-cache show user-mode-linux >/dev/null 2>&1; then
    need linux.uml user-mode-linux
fi

# The compiler of the BPF objects that are checked in, by which a test compares them with their
# sources. Another version makes other code, and is no substitute.
if command -v apt-cache >/dev/null 2>&1 && apt-cache show clang-14 >/dev/null 2>&1; then
    need clang-14 clang-14
    need llvm-strip-14 llvm-14
fi

# Routing daemons of radio networks: not in every distribution. What needs them is left out there.
if command -v apt-cache >/dev/null 2>&1; then
    for daemon in babeld batmand; do
        if apt-cache show "$daemon" >/dev/null 2>&1; then need "$daemon" "$daemon"; fi
    done
fi

if [ "${1:-}" = browser ]; then need chromium chromium; fi

if ! command -v cargo >/dev/null 2>&1; then
    echo "setup: Rust is missing; install it from https://rustup.rs (1.88 or later)" >&2
    exit 1
fi
[ -z "$missing" ] && exit 0
if ! command -v apt-get >/dev/null 2>&1; then
    echo "setup: please install:$missing" >&2
    exit 1
fi
as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "setup: missing:$missing; run \`make setup\` as root" >&2
        exit 1
    fi
    as_root=sudo
fi
echo "setup: installing$missing"
# No service of these packages is to start on this machine: the daemons run in nodes. Where nobody
# else has set a policy for services, ours stands while the packages are installed.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    trap '$as_root rm -f "$policy"' EXIT INT TERM
    printf '#!/bin/sh\nexit 101\n' | $as_root tee "$policy" >/dev/null
    $as_root chmod 755 "$policy"
fi
$as_root apt-get -qq update
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq install -y --no-install-recommends $missing >/dev/null
