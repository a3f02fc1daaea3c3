"""Table 1, the last rows: a ping through two pipes of 10 ms."""

from evaluation import Evaluation, Outcome, Table
import re
import statistics

EVALUATION = Evaluation(
    row="A42",
    item="t1.pipes",
    source="§7.2, Table 1, rows HZ=1000 and HZ=250",
    what="Round trips of pings through a pipe of 10 ms in each direction.",
    published="HZ=1000: 19.63 ± 0.310, 19.71 ± 0.319, 19.62 ± 0.260 ms (idle, kernel, user; ± is "
    "the standard deviation); HZ=250: 21.99 ± 1.148 ms. The deviation is that of the timer’s tick",
    points={"HZ=1000": [19.63, 19.71, 19.62], "HZ=250": [21.99, 22.05, 22.06]},
    agreement="the mean is within 1 ms, their tick, of 20 ms and not below it, and the standard "
    "deviation is at most 0.31 ms",
    arms=("virtual", "emulated"),
    known=(
        "10 + 10 ms measure 19.63 ms: pipes of a millisecond’s tick release packets up to a tick "
        "too early.",
    ),
)


SCENARIO = """\
name: papers-pipes
topology:
  neighbours: known
  defaults: { node: { ipv6: none } }
  nodes: { a: , b: }
  links: [{ endpoints: [a, b], rate: 100Mbit/s, delay: 10ms }]
"""
TRAFFIC = "traffic: [{ name: ping, from: a, to: b, ping: { interval: 1s, count: 1000 } }]\n"
PROCESS = "processes: [{ name: ping, node: a, command: ping -n -i 0.05 -c COUNT b }]\n"


def measure(lab):
    if lab.is_virtual:
        delay = lab.run(SCENARIO + TRAFFIC).flows["ping"]["delay"]
        mean, least, most = (delay[key] / 1e6 for key in ("mean_ns", "min_ns", "max_ns"))
        spread = most - least
    else:
        run = lab.run(SCENARIO + PROCESS.replace("COUNT", "1000" if lab.is_full else "300"))
        times = [float(time) for time in re.findall(r"time=([\d.]+)", run.output("ping", "a"))]
        mean, least, spread = statistics.fmean(times), min(times), statistics.stdev(times)
    return Outcome(
        agrees=20 - 1e-9 <= least and mean <= 21 and spread <= 0.31,
        ours=f"{mean:.3f} ms, standard deviation {spread:.3f} ms, least {least:.3f} ms",
        table=Table(["", "mean, ms", "standard deviation, ms"],
                    [["published, HZ=1000, idle", 19.63, 0.310],
                     ["published, HZ=250, idle", 21.99, 1.148],
                     ["ours", f"{mean:.3f}", f"{spread:.3f}"]]),
    )
