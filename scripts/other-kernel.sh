#!/bin/sh
# Runs a command as root, in this folder, under another kernel: Debian's, in a virtual machine of
# two emulated CPUs. It sees this machine's files, and what it writes goes with it. Its control
# groups are of version 2 alone, as on ordinary distributions; it has no network. Exits as the
# command did, or with 124 after LIMIT seconds (600).
#
#     scripts/other-kernel.sh target/release/netloom doctor
#     KERNEL=linux-image-cloud-amd64 scripts/other-kernel.sh target/debug/deps/limits-0123456789
#
# Needs Debian on x86, and: apt-get install qemu-system-x86 busybox-static cpio kmod The CPUs take
# turns: with a thread for each, QEMU 7.2 was seen to hang while the kernel changes its own code.
set -eu
kernel=${KERNEL:-linux-image-amd64}
work=${CARGO_TARGET_DIR:-target}/other-kernel/$kernel
mkdir -p "$work"
work=$(cd "$work" && pwd)
here=$(pwd)

# The kernel and its modules, without installing them.
if ! [ -e "$work/kernel" ]; then
    package=$(apt-cache depends "$kernel" | awk '/Depends: linux-image-/ {print $2; exit}')
    (cd "$work" && rm -rf unpacked ./*.deb && apt-get download "${package:-$kernel}" &&
        dpkg-deb -x ./*.deb unpacked)
    depmod -b "$work/unpacked" "$(ls "$work/unpacked/lib/modules")"
    ln -s "$work"/unpacked/boot/vmlinuz-* "$work/kernel"
fi
release=$(ls "$work/unpacked/lib/modules")

# A first root that mounts this machine's, below an overlay.
first=$work/first
rm -rf "$first"
for folder in bin modules proc sys dev lower upper root; do mkdir -p "$first/$folder"; done
cp "$(command -v busybox)" "$first/bin/busybox"
for module in virtio_pci 9pnet_virtio 9p overlay; do
    modprobe -d "$work/unpacked" -S "$release" --show-depends "$module" |
        awk '$1 == "insmod" {print $2}'
done | awk '!seen[$0]++' | while read -r file; do
    cp "$file" "$first/modules/"
    basename "$file" >> "$first/modules/order"
done
cat > "$first/init" <<'INIT'
#!/bin/busybox sh
export PATH=/bin
/bin/busybox --install -s /bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
for module in $(cat /modules/order); do insmod "/modules/$module"; done
mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=loose,ro machine /lower
mount -t tmpfs -o size=50% tmpfs /upper && mkdir /upper/files /upper/work
mount -t overlay -o lowerdir=/lower,upperdir=/upper/files,workdir=/upper/work overlay /root
for folder in dev proc sys; do mount --move "/$folder" "/root/$folder"; done
exec switch_root /root /bin/sh "$(sed 's/.*guest=\([^ ]*\).*/\1/' /root/proc/cmdline)"
INIT
chmod +x "$first/init"
(cd "$first" && find . | cpio --quiet -o -H newc) | gzip > "$work/first.gz"

# What it does then. Words of the command stay words.
words=
for word in "$@"; do
    words="$words '$(printf %s "$word" | sed "s/'/'\\\\''/g")'"
done
cat > "$work/guest" <<GUEST
export PATH=$PATH HOME=/root CARGO_TARGET_DIR='${CARGO_TARGET_DIR:-}'
[ -n "\$CARGO_TARGET_DIR" ] || unset CARGO_TARGET_DIR
mount -t tmpfs tmpfs /run
mkdir -p /dev/pts /dev/shm /lib/modules
mount -t devpts devpts /dev/pts; mount -t tmpfs tmpfs /dev/shm
mount -t cgroup2 cgroup2 /sys/fs/cgroup
[ -e /lib/modules/$release ] || ln -s '$work/unpacked/lib/modules/$release' /lib/modules/$release
ip link set lo up
# Other modules come when they are needed; the device of this one is made by what starts a
# distribution.
modprobe tun
date -s '@$(date +%s)' > /dev/null
cd '$here'
$words
echo "exit \$?"
busybox poweroff -f
GUEST

echo "$release:" "$@"
timeout "${LIMIT:-600}" qemu-system-x86_64 \
    -accel tcg,thread=single -smp 2 -m 4096 -cpu max -display none -serial stdio \
    -no-reboot -nic none -kernel "$work/kernel" -initrd "$work/first.gz" \
    -append "console=ttyS0 quiet mitigations=off panic=1 guest=$work/guest" \
    -virtfs local,path=/,mount_tag=machine,security_model=none,readonly=on,multidevs=remap \
    < /dev/null |
    tr -d '\r' | tee "$work/said"
status=$(sed -n 's/^exit \([0-9]*\)$/\1/p' "$work/said" | tail -1)
exit "${status:-124}"
