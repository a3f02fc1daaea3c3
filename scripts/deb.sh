#!/bin/sh
# deb.sh BINARY DIRECTORY: packs a binary as netloom_VERSION_ARCHITECTURE.deb in DIRECTORY, with its
# manual pages, completions, systemd units and schemas. Prints the package's path. With
# NETLOOM_PACK_LEVEL=1 it is packed fast, for tests.
set -eu
binary=$(readlink -f "$1")
directory=$(readlink -f "$2")
cd "$(dirname "$0")/.."

version=$("$binary" --version | cut -d ' ' -f 2)
architecture=$(dpkg --print-architecture)
tree=$(mktemp -d /tmp/netloom-deb.XXXXXX)
trap 'rm -rf "$tree"' EXIT
chmod 755 "$tree"

install -D --mode 755 "$binary" "$tree/usr/bin/netloom"
strip "$tree/usr/bin/netloom"
share=$tree/usr/share
install -d "$share/man/man1"
"$binary" man "$share/man/man1"
gzip --best --no-name "$share/man/man1"/*
complete() { # SHELL FILE
    install -d "$(dirname "$share/$2")"
    "$binary" completion "$1" >"$share/$2"
}
complete bash bash-completion/completions/netloom
complete zsh zsh/vendor-completions/_netloom
complete fish fish/vendor_completions.d/netloom.fish
install -D --mode 644 --target-directory "$tree/usr/lib/systemd/system" systemd/*
install -D --mode 644 --target-directory "$share/netloom" docs/*.schema.json docs/openapi.json
install -D --mode 644 LICENSE "$share/doc/netloom/copyright"
install -D --mode 644 README.md "$share/doc/netloom/README.md"
cp -r examples "$share/doc/netloom/examples"

# Programs that nodes run are the user's choice, so they are suggested.
symbols=$(objdump --dynamic-syms "$binary" | grep --only-matching 'GLIBC_2[0-9.]*')
libc=$(echo "$symbols" | sort --version-sort | tail -n 1)
install -d "$tree/DEBIAN"
cat >"$tree/DEBIAN/control" <<END
Package: netloom
Version: $version
Architecture: $architecture
Maintainer: The NetLoom project
Installed-Size: $(du --summarize --block-size 1K "$tree" | cut -f 1)
Depends: libc6 (>= ${libc#GLIBC_}), libgcc-s1
Recommends: uidmap
Suggests: frr, iperf3, tcpdump, openssh-client
Section: net
Priority: optional
Description: network laboratory: emulation, simulation, and a verdict on both
 One file describes a network. NetLoom makes it of nodes that run unmodified
 programs on their own network stacks and of links that behave as written, or
 simulates it in virtual time, and says whether the result can be trusted.
END
dpkg-deb --root-owner-group ${NETLOOM_PACK_LEVEL:+-Zgzip "-z$NETLOOM_PACK_LEVEL"} \
    --build "$tree" "$directory" >/dev/null
echo "$directory/netloom_${version}_$architecture.deb"
