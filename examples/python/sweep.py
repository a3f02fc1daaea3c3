"""How much of a bottleneck does a flow keep when frames are lost? A sweep, its table and a plot."""

import os

import netloom as nl

net = nl.Scenario("python-loss", duration="6s")
net.link(*net.hosts("a", "b"), name="line", rate="10Mbit/s", delay="20ms",
         queue={"limit": "100kB"}, forward={"loss": "0%"})
net.traffic("load", "a", "b", tcp={"congestion_control": "cubic"}, bulk={}, duration="5s")

sweep = nl.sweep(
    net,
    vary={
        "links.line.forward.loss": ["0.01%", "0.1%", "1%"],
        "control": {"paths": ["traffic.load.tcp.congestion_control"], "values": ["cubic", "bbr"]},
    },
    seeds=3,
    simulate=True,
    metrics={"goodput": nl.flow("load").goodput},
)
for row in sweep.points:
    half = "no interval" if row["half"] is None else f"± {row['half'] / 1e6:.2f}"
    print(*row["point"].values(), f"{row['mean'] / 1e6:.2f} Mbit/s {half}")

try:
    import matplotlib
except ImportError:
    print(f"there is no matplotlib; see {sweep.report()}")
else:
    matplotlib.use("Agg")
    from matplotlib import pyplot

    for control in ("cubic", "bbr"):
        rows = [row for row in sweep.points if row["point"]["control"] == control]
        losses = [float(row["point"]["links.line.forward.loss"].rstrip("%")) for row in rows]
        means = [row["mean"] / 1e6 for row in rows]
        pyplot.errorbar(losses, means, [row["half"] / 1e6 for row in rows], label=control)
    pyplot.xscale("log")
    pyplot.xlabel("loss (%)")
    pyplot.ylabel("goodput (Mbit/s)")
    pyplot.legend()
    pyplot.savefig(os.path.join(sweep.directory, "loss.png"))
    print(os.path.join(sweep.directory, "loss.png"))
