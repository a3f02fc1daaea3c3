#!/bin/sh
# The simulator beside ns-3, in one run and by turns: ten CUBIC flows over a bottleneck of 1 Gbit/s
# for two seconds. Needs g++ and Debian's libns3-dev. Prints goodput and CPU seconds of each turn,
# and the ratio of the medians.
set -eu
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seconds=${1:-2}
turns=${2:-5}

g++ -O2 -std=c++17 "$here/dumbbell.cc" -o "$work/ns3" -Wl,--no-as-needed -lns3-applications \
    -lns3-internet -lns3-traffic-control -lns3-point-to-point -lns3-bridge -lns3-network \
    -lns3-stats -lns3-core
cargo bench --quiet -p netloom-sim --bench tcp --no-run

uname -srm
grep -m 1 'model name' /proc/cpuinfo
python3 - "$work/ns3" "$seconds" "$turns" <<'PYTHON'
import re, resource, statistics, subprocess, sys

ns3, seconds, turns = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])

def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime

theirs, ours = [], []
for turn in range(turns):
    before = cpu()
    received = int(subprocess.check_output([ns3, f"--seconds={seconds}"]))
    theirs.append(cpu() - before)
    text = subprocess.check_output(
        ["cargo", "bench", "--quiet", "-p", "netloom-sim", "--bench", "tcp", "--", "--seconds",
         str(int(seconds))], text=True)
    found = re.search(r"(\d+) bytes, (\d+) ns, (\d+) packet-hops", text)
    bytes_, nanos, hops = map(int, found.groups())
    ours.append(nanos / 1e9)
    print(f"ns-3: {received * 8 / seconds / 1e6:.1f} Mbit/s in {theirs[-1]:.2f} s; "
          f"netloom: {bytes_ * 8 / seconds / 1e6:.1f} Mbit/s in {ours[-1]:.3f} s, "
          f"{hops / ours[-1] / 1e6:.2f} M packet-hops/s")
print(f"ratio of medians: {statistics.median(theirs) / statistics.median(ours):.1f}")
PYTHON
