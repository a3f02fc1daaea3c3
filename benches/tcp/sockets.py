#!/usr/bin/env python3
"""What `ss` shows of a kernel's connections, as ratios that `crates/model/tcp` has as constants.

One flow for each congestion control over 10 Mbit/s and 64 ms one way, in namespaces of a scenario
that is run with `netloom run` (NETLOOM: the binary; needs what a run needs).

rto - rtt     what the retransmission timeout adds to the smoothed round-trip time, least value, ms
pacing        pacing rate, in windows for each smoothed round-trip time: in slow start, later
buffer        send buffer for each packet of the window in slow start, in packets of 2304 bytes
bbr: rate     pacing rate for pacing gain and bandwidth
bbr: window   congestion window less window gain times bandwidth times least round trip, in packets

    sockets.py [SECONDS]
"""

import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NETLOOM = os.environ.get("NETLOOM", str(ROOT / "target" / "release" / "netloom"))
CONTROLS = ["reno", "cubic", "bbr"]
PACKET = 2304
MBIT = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9}


def scenario(seconds):
    nodes, links, processes = [], [], []
    for control in CONTROLS:
        a, b = f"{control}a", f"{control}b"
        nodes += [f"    {a}:", f"    {b}:"]
        links.append(
            f"    - {{ endpoints: [{a}, {b}], rate: 10Mbit/s, delay: 64ms,"
            " queue: { limit: 66kB } }"
        )
        looks = f"for i in $(seq {10 * seconds}); do ss -tniHm dport 5201; sleep 0.1; done"
        processes += [
            f"  - {{ name: server{control}, node: {b}, command: iperf3 -s, background: true,"
            " ready: { port: 5201 } }",
            f"  - name: client{control}",
            f"    node: {a}",
            f'    command: [iperf3, -C, {control}, -c, {b}, -t, "{seconds}"]',
            f"    start: {{ after: server{control} }}",
            f"  - name: watch{control}",
            f"    node: {a}",
            f'    command: [sh, -c, "{looks}"]',
            f"    start: {{ after: server{control} }}",
        ]
    head = ["name: bench-sockets", "topology:", "  nodes:", *nodes, "  links:", *links]
    return "\n".join([*head, "processes:", *processes]) + "\n"


def rate(text):
    """`12.3Mbps` in bytes per second."""
    number, unit = re.fullmatch(r"([\d.]+)([KMG]?)bps", text).groups()
    return float(number) * MBIT[unit] / 8


def looks(control, text):
    """What `ss` showed of the flow that sends: a dictionary for each look."""
    for line in text.splitlines():
        values = dict(re.findall(r"\b(\w+):([\w.]+)", line))
        values |= dict(re.findall(r"(pacing_rate|delivery_rate) ([\w.]+)", line))
        sizes = re.search(r",tb(\d+),", line)
        # The other connection is iperf3's own, which says little.
        sends = f" {control} " in line and int(values.get("bytes_acked", 0)) > 10_000
        if sizes and sends:
            yield {**values, "tb": int(sizes[1]), "line": line}


def middle(values):
    values = list(values)
    return f"{statistics.median(values):.3f}" if values else "-"


def report(control, seen):
    for one in seen:
        for key in ("rto", "rtt", "cwnd", "ssthresh", "mss"):
            one[key] = float(one.get(key, "nan"))
    print(f"{control}: {len(seen)} looks")
    print(f"  rto - rtt: {min(one['rto'] - one['rtt'] for one in seen):.1f}")
    if control == "bbr":
        report_bbr(seen)
        return
    paced = [one for one in seen if "pacing_rate" in one]
    slow = [one for one in paced if not one["cwnd"] >= one["ssthresh"]]
    print(f"  buffer: {middle(one['tb'] / PACKET / one['cwnd'] for one in slow)}")
    late = [one for one in paced if one["cwnd"] >= one["ssthresh"]]
    for name, those in (("slow start", slow), ("later", late)):
        windows = (
            rate(one["pacing_rate"]) * one["rtt"] / 1e3 / one["mss"] / one["cwnd"] for one in those
        )
        print(f"  pacing, {name}: {middle(windows)}")


def report_bbr(seen):
    rates, windows = [], []
    for one in seen:
        found = re.search(
            r"bbr:\(bw:([\w.]+),mrtt:([\d.]+),pacing_gain:([\d.]+),cwnd_gain:([\d.]+)\)",
            one["line"],
        )
        if not found or "pacing_rate" not in one:
            continue
        bandwidth, least = rate(found[1]), float(found[2]) / 1e3
        rates.append(rate(one["pacing_rate"]) / bandwidth / float(found[3]))
        if float(found[4]) == 2:
            windows.append(one["cwnd"] - 2 * bandwidth * least / one["mss"])
    print(f"  rate: {middle(rates)}")
    print(f"  window: {middle(windows)}")


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    with tempfile.TemporaryDirectory(prefix="netloom-bench-") as folder:
        (pathlib.Path(folder) / "netloom.yaml").write_text(scenario(seconds))
        command = [os.path.abspath(NETLOOM), "run", "-o", "results"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        print(f"Linux {platform.release()}")
        for control in CONTROLS:
            name = f"watch{control}@{control}a.stdout"
            text = pathlib.Path(folder, "results", "processes", name).read_text()
            report(control, list(looks(control, text)))


if __name__ == "__main__":
    main()
