#!/usr/bin/env python3
"""Prints what an Abilene run has shown, from its results directory: report.py RESULTS

Round trips against the model, throughput against the bottleneck, and the outage that the cut of
Denver - Kansas City meant. Says of each round trip which part is the machine's. Exits with 1 where
something did not work at all: a host not reached, a flow that did not resume, more throughput than
the bottleneck can carry.

report.py --crossing RESULTS prints what `crossing.yaml` has measured, as a file to lay over a
scenario: `compensate` for all its links.
"""

import heapq
import json
import pathlib
import re
import statistics
import sys

RTT_TOLERANCE_MS = 0.3
# TCP payload over bytes on the line at MTU 1500: 1448 of 1514 + 24.
GOODPUT_SHARE = 1448 / 1538
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def seconds(text):
    number, unit = re.fullmatch(r"([0-9.]+)(ns|us|ms|s)", text).groups()
    return float(number) * UNITS[unit]


def bits_per_second(text):
    number, unit = re.fullmatch(r"([0-9.]+)([kMGT]?)bit/s", text).groups()
    return float(number) * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[unit]


class Results:
    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.scenario = json.loads((self.directory / "scenario.json").read_text())
        self.summary = json.loads((self.directory / "summary.json").read_text())
        lines = (self.directory / "events.jsonl").read_text().splitlines()
        self.events = [json.loads(line) for line in lines]
        self.graph, self.rates = {}, {}
        for link in self.scenario["links"]:
            a, b = (end["node"] for end in link["endpoints"])
            self.graph.setdefault(a, {})[b] = seconds(link["forward"]["delay"])
            self.graph.setdefault(b, {})[a] = seconds(link["reverse"]["delay"])
            self.rates[a, b] = bits_per_second(link["forward"]["rate"])
            self.rates[b, a] = bits_per_second(link["reverse"]["rate"])

    def output(self, process, node):
        return (self.directory / "processes" / f"{process}@{node}.stdout").read_text()

    def path(self, source, target, without=()):
        """Shortest path by delay: (seconds, nodes)."""
        queue, done = [(0.0, [source])], set()
        while queue:
            delay, nodes = heapq.heappop(queue)
            if nodes[-1] == target:
                return delay, nodes
            if nodes[-1] in done:
                continue
            done.add(nodes[-1])
            for peer, cost in self.graph[nodes[-1]].items():
                if {nodes[-1], peer} != set(without):
                    heapq.heappush(queue, (delay + cost, nodes + [peer]))
        raise SystemExit(f"no path from {source} to {target}")


    def sending(self, nodes, frame_bytes):
        """Seconds that the links of a path take to send a frame, Ethernet framing included."""
        links = zip(nodes, nodes[1:])
        return sum(8 * (frame_bytes + 24) / self.rates[link] for link in links)


def table(headings, rows):
    columns = list(zip(headings, *rows))
    widths = [max(len(cell) for cell in column) for column in columns]
    for row in [headings] + rows:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def crossing(directory):
    """The time that a link takes beyond its delay, as `compensate` for all links."""
    results = Results(directory)
    times = re.findall(r"time=([0-9.]+) ms", results.output("ping", "a"))
    delay, nodes = results.path("a", "b")
    beyond = statistics.median(float(time) for time in times) / 1e3 - 2 * delay
    each = max(0.0, beyond / (2 * (len(nodes) - 1)))
    print(f"# Measured by crossing.yaml: {len(times)} pings over {len(nodes) - 1} links.")
    print(f"topology: {{ defaults: {{ link: {{ compensate: {each * 1e6:.0f}us }} }} }}")


def compensated(results):
    """The time in s that was taken off the delay of each link."""
    text = results.scenario["links"][0]["forward"].get("compensate", "none")
    return seconds(text) if text[:1].isdigit() else 0.0


def round_trips(results):
    """Median round trip of every pair and family against the model of its path."""
    print("\nRound trips: the median of 40 pings against the model, which is twice the sum of the "
          "link delays")
    print("and the time that the links take to send the ping\n")
    rows, worst = [], 0.0
    for process in ("rtt1", "rtt2", "rtt3"):
        host = next(p["node"] for p in results.summary["processes"] if p["process"] == process)
        pieces = re.split(r"^to (\S+) -([46])$", results.output(process, host), flags=re.M)[1:]
        for peer, family, text in zip(*[iter(pieces)] * 3):
            times = [float(time) for time in re.findall(r"time=([0-9.]+) ms", text)]
            delay, nodes = results.path(host, peer)
            # Ethernet, IP and ICMP headers and ping's 56 bytes.
            sending = results.sending(nodes, 14 + {"4": 20, "6": 40}[family] + 8 + 56)
            model, median = 2000 * (delay + sending), statistics.median(times)
            if abs(median - model) > abs(worst):
                worst = median - model
            rows.append([
                f"{host} - {peer}", f"IPv{family}", str(len(nodes) - 2),
                f"{2000 * delay:.3f} ms", f"{2000 * sending:.3f} ms", f"{median:.3f} ms",
                f"{median - model:+.3f} ms",
                f"{1000 * (median - model) / 2 / (len(nodes) - 1):+.0f} us",
            ])
    headings = ["pair", "", "routers", "2 x delays", "sending", "median RTT", "beyond", "a link"]
    table(headings, rows)
    taken = compensated(results) * 1e6
    print(f"\n  largest difference from the model {worst:+.3f} ms (an idle machine stays within "
          f"{RTT_TOLERANCE_MS} ms; ping rounds to 0.1 ms).")
    print(f"  It is the machine's: kernels and engine take time to carry a frame over a link. "
          f"{taken:.0f} us of it")
    print("  for each link were measured at the start and taken off; the rest is how much busier")
    print("  the machine was then.")
    results.worst = worst
    return len(rows) == 12 and all(float(row[5].split()[0]) > 0 for row in rows)


def throughput(results):
    """Goodput before the cut against what the slowest link on the path lets through."""
    flow = json.loads(results.output("flow", "host-newyork"))
    steady = [
        i["sum"]["bits_per_second"] for i in flow["intervals"] if 3 <= i["sum"]["start"] < 9.5
    ]
    measured = results.measured = statistics.mean(steady) / 1e6
    wanted = 100 * GOODPUT_SHARE
    print("\nThroughput of one TCP flow from Seattle to New York, seconds 3 to 9.5\n")
    table(
        ["bottleneck", "TCP payload it can carry", "measured", "share"],
        [
            [
                "100 Mbit/s",
                f"{wanted:.1f} Mbit/s",
                f"{measured:.1f} Mbit/s",
                f"{measured / wanted:.1%}",
            ]
        ],
    )
    # What waits in the receiver's socket at either end of the window may shift it a little.
    return 0 < measured <= wanted * 1.01


def outage(results):
    """The gap that the cut left in a stream of 100 pings a second, and the paths around it."""
    times = [
        float(stamp)
        for stamp in re.findall(
            r"^\[([0-9.]+)\].* "
            r"time=",
            results.output("probe", "host-seattle"),
            re.M,
        )
    ]
    zero = results.summary["started_unix"]
    changes = [event for event in results.events if event["event"] == "changed"]
    cut, restored = (zero + event["time"] / 1e9 for event in changes[:2])
    before, after = max(
        (b - a, (a, b)) for a, b in zip(times, times[1:]) if b >= cut and a < restored
    )[1]
    usual, nodes = results.path("host-seattle", "host-newyork")
    detour, around = results.path("host-seattle", "host-newyork", ("denver", "kansascity"))
    print("\nThe cut of denver - kansascity, seen by 100 pings a second\n")
    table(
        ["", "path", "2 x delays"],
        [
            ["before", " ".join(nodes[1:-1]), f"{2000 * usual:.3f} ms"],
            ["after", " ".join(around[1:-1]), f"{2000 * detour:.3f} ms"],
        ],
    )
    felt = results.felt = after - before
    print(f"\n  the last answer before came {before - cut:+.3f} s from the cut, the next one "
          f"{after - cut:+.3f} s:")
    print(f"  an outage of {felt * 1000:.0f} ms until OSPF had found the way around")
    flow = json.loads(results.output("flow", "host-newyork"))
    resumed = sum(i["sum"]["bytes"] for i in flow["intervals"] if 14 <= i["sum"]["start"] < 19)
    print(f"  the TCP flow carried {resumed * 8 / 5e6:.1f} Mbit/s on the detour (seconds 14 to 19)")
    trace = next(event for event in results.events if event["event"] == "command_ended")["output"]
    named = [city for city in around[1:-1] if city in trace]
    print(f"  traceroute during the cut names {', '.join(named)}")
    return resumed > 0 and named == around[1:-1] and felt < 10


def take_away(results):
    """What a stranger should remember, and do next."""
    judgement = results.summary["verdict"]["judgement"]
    print(f"""
What you have seen

  11 routers with unmodified OSPF and 4 hosts, each with a network stack of its own, in one process
  tree on this machine, up in {results.summary["deploy_seconds"]:.1f} s. Nothing is left of them.
  Delays within {abs(results.worst):.2f} ms of the model, {results.measured:.1f} Mbit/s through \
100 Mbit/s, an outage of {results.felt * 1000:.0f} ms.
  Whether these numbers are the network's or the machine's: its verdict is {judgement.upper()}.

Next

  curves and events: xdg-open {results.directory}/report.html
  a picture of it: target/release/netloom graph -t examples/abilene/netloom.yaml --format svg
  a network of your own in ten minutes: docs/first-network.md""")


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--crossing":
        crossing(sys.argv[2])
        return 0
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    results = Results(sys.argv[1])
    verdicts = [check(results) for check in (round_trips, throughput, outage)]
    timing = results.summary["timing"]
    late, wake = timing["lateness"], timing["timer_wakeup"]
    print("\nThe machine during the run\n")
    table(
        ["", "median", "p99", "p99.9"],
        [
            [name] + [f"{row[key]:.0f} us" for key in ("p50_us", "p99_us", "p999_us")]
            for name, row in (
                ("frames later than scheduled", late),
                ("its own timer wake-up", wake),
            )
        ],
    )
    lost = sum(timing["unmodelled_drops"].values())
    print(f"\n  frames lost outside the model: {lost}")
    if not all(verdicts):
        print("\nSomething above did not work.")
        return 1
    take_away(results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
