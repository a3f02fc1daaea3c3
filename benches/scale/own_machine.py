"""A machine of its own for a program: new namespaces for networks, mounts and processes, in which
nothing else is and nothing is left behind. Takes root."""

import os

# What is in it goes with its first process.
UNSHARE = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
# A new /sys shows the new namespace's devices; the cgroups below it are the machine's.
# What others have mounted below /run, like the names of their namespaces, would come and go here.
PREPARE = """
awk '$5 ~ "^/run/" { print $5 }' /proc/self/mountinfo | tac | xargs -r umount --lazy
mount -t tmpfs tmpfs /run
mkdir /run/cgroup
mount --rbind /sys/fs/cgroup /run/cgroup
umount --lazy /sys
mount -t sysfs sysfs /sys
mount --rbind /run/cgroup /sys/fs/cgroup
umount --lazy /run/cgroup
rmdir /run/cgroup
ip link set lo up
"""


def own_machine(words, prepare=""):
    """The words that start the program `words`, after the lines of shell `prepare`."""
    if os.geteuid() != 0:
        raise SystemExit("this benchmark takes root: it makes a machine of its own")
    return [*UNSHARE, "sh", "-euc", f'{PREPARE}{prepare}\nexec "$@"', "sh", *map(str, words)]
