"""The study of ../aqm-study: what do queue disciplines do to delay and goodput? 360 runs."""

import sys

import netloom as nl

seeds, duration = int((sys.argv + ["10"])[1]), (sys.argv + ["", "30s"])[2]
net = nl.Scenario("aqm-python", duration=duration)
left, right = net.routers("left", "right")
a, b, c, d = net.hosts("a", "b", "c", "d")
for host, router in ((a, left), (b, left), (c, left), (d, right)):
    net.link(host, router, rate="100Mbit/s", delay="500us")
net.link(left, right, name="bottleneck", rate="10Mbit/s", queue={"discipline": "fifo"})
for name, sender, port in (("first", a, 5001), ("second", b, 5002)):
    net.traffic(name, sender, d, tcp={"port": port, "congestion_control": "cubic"}, bulk={})
net.traffic("random", c, d, udp={}, poisson={"rate": "200kbit/s"}, size="500B")

paths = [f"traffic.{flow}.tcp.congestion_control" for flow in ("first", "second")]
sweep = nl.sweep(net, seeds=seeds, simulate=True, keep="summary", vary={
    "links.bottleneck.delay": ["5ms", "20ms", "50ms"],
    "control": {"paths": paths, "values": ["cubic", "reno", "bbr"]},
    "links.bottleneck.queue.discipline": ["fifo", "codel", "pie", "fq_codel"],
}, metrics={"delay": nl.flow("random").delay_mean, "goodput": nl.pipe("bottleneck/forward").load})
for row in sweep.points:
    unit = {"delay": (1e6, "ms"), "goodput": (0.01, "%")}[row["metric"]]
    print(*row["point"].values(), row["metric"], f"{row['mean'] / unit[0]:.1f} {unit[1]}")
