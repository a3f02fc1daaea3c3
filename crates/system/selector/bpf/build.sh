#!/bin/sh
# Compiles the programs to the objects that are checked in beside them, or into another folder.
# Needs clang and llvm-strip 14 or later, and takes 14 where there are several, since other versions
# make other code. The ordinary build needs neither.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
into=${1:-$here}
clang=$(command -v clang-14 || echo clang)
strip=$(command -v llvm-strip-14 || echo llvm-strip)
# Paths in the debug information must not depend on where the project is.
cd "$here"
for name in selector reserve; do
    "$clang" -target bpf -mcpu=v3 -g -O2 -ffile-compilation-dir=. -Wall -Werror -c "$name.bpf.c" \
        -o "$into/$name.bpf.o"
    # What stays is BTF, which the loader needs.
    "$strip" --strip-debug "$into/$name.bpf.o"
done
