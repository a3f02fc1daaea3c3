#!/bin/sh
# as-ordinary-user.sh COMMAND [ARGUMENT...]: runs a command as an ordinary user, with a home,
# subordinate ids and an empty XDG_RUNTIME_DIR of its own. As root, that user exists only in a mount
# namespace of this script's: nothing of the machine changes. An ordinary user runs the command as
# it is.
#
# SUBORDINATE_IDS=no leaves the subordinate ids out.
set -eu

if [ "$(id -u)" -ne 0 ]; then
    exec "$@"
fi
if [ "${1:-}" != --prepared ]; then
    # mktemp puts its own letters for the Xs.
    home=$(mktemp -d /tmp/netloom-user.XXXXXX)
    code=0
    unshare --mount --propagation private -- sh "$0" --prepared "$home" "$@" || code=$?
    rm -rf "$home"
    exit "$code"
fi
home=$2
shift 2

id=64000
while grep -q "^[^:]*:[^:]*:$id:" /etc/passwd /etc/group; do id=$((id + 1)); done
mkdir "$home/etc" "$home/user" "$home/runtime"
overlay() { # FILE LINE: the file, with one line more, in this mount namespace
    cp "/etc/$1" "$home/etc/$1" 2>/dev/null || : >"$home/etc/$1"
    [ -z "$2" ] || echo "$2" >>"$home/etc/$1"
    chmod 644 "$home/etc/$1"
    mount --bind "$home/etc/$1" "/etc/$1"
}
overlay passwd "netloom-test:x:$id:$id::$home/user:/bin/sh"
overlay group "netloom-test:x:$id:"
if [ "${SUBORDINATE_IDS:-yes}" = yes ]; then
    # Far from what `useradd` hands out.
    for file in subuid subgid; do
        [ -e "/etc/$file" ] || continue
        overlay "$file" "netloom-test:2000000000:65536"
    done
fi
# Most distributions let everybody open the device; where this one does not, a copy of it.
if [ "$(stat -c %a /dev/net/tun)" != 666 ]; then
    mount -t tmpfs -o mode=755 tmpfs "$home/etc"
    mknod -m 666 "$home/etc/tun" c 10 200
    mount --bind "$home/etc/tun" /dev/net/tun
fi
chown "$id:$id" "$home" "$home/user" "$home/runtime"
chmod 700 "$home/runtime"
chmod 711 "$home"
if ! setpriv --reuid "$id" --regid "$id" --clear-groups test -r "$PWD" -a -x "$PWD"; then
    echo "an ordinary user cannot read $PWD: put the sources where one can" >&2
    exit 1
fi
exec setpriv --reuid "$id" --regid "$id" --clear-groups --inh-caps=-all \
    env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    HOME="$home/user" USER=netloom-test LOGNAME=netloom-test \
    XDG_RUNTIME_DIR="$home/runtime" TMPDIR=/tmp "$@"
