"""Figure 5: TCP over the loopback by MTU, in a virtual node and without."""

from evaluation import Evaluation, NotMeasured, Outcome, Table
import json
import shutil
import statistics
import subprocess

EVALUATION = Evaluation(
    row="C35",
    item="5",
    source="§4.1, Figure 5",
    what="TCP throughput over the loopback interface of a node, beside that of the machine "
    "itself, by the MTU of the loopback.",
    published="“For MTU value of 1500 octets, the throughput achieved using the modified kernel "
    "was around 93% of values observed on the standard system”; one way “around 96.5%”",
    points={"1500 octets": 0.93},
    agreement="in a node at least 0.93 of the machine's own, at each MTU (medians of turns)",
    arms=("emulated",),
    machine="only the ratio of turns in one run is compared",
    known=(
        "That one way costs the square root of 0.93 holds only if sending and receiving slow down "
        "alike, and do nothing at once.",
    ),
)


MTUS = [500, 1500, 9000, 65536]
SCRIPT = (
    "ip link set lo mtu {mtu}; iperf3 -s -1 -p 5999 >/dev/null & sleep 0.5;"
    " iperf3 -c 127.0.0.1 -p 5999 -t {seconds} --json"
)
SCENARIO = """\
name: papers-loopback
topology:
  nodes: {{ a: , b: }}
  links: [{{ endpoints: [a, b] }}]
processes:
  - {{ name: flow, node: a, command: [sh, -c, '{script}'] }}
"""


def rate(text):
    return json.loads(text)["end"]["sum_received"]["bits_per_second"] / 1e9


def measure(lab):
    lab.needs_root()
    if not shutil.which("iperf3"):
        raise NotMeasured("there is no `iperf3` (apt-get install iperf3)")
    rows, agrees = [], True
    rounds = 5 if lab.is_full else 2
    for mtu in MTUS:
        script = SCRIPT.format(mtu=mtu, seconds=2)
        node, bare = [], []
        for turn in range(rounds):
            run = lab.run(SCENARIO.format(script=script) + f"# {turn}\n")
            node.append(rate(run.output("flow", "a")))
            # A network namespace that nobody made a node of: the machine's own stack.
            done = subprocess.run(["unshare", "-n", "sh", "-c", "ip link set lo up; " + script],
                                  capture_output=True, text=True, check=True)
            bare.append(rate(done.stdout))
        ratio = statistics.median(node) / statistics.median(bare)
        agrees &= ratio >= 0.93
        rows.append([mtu, f"{statistics.median(node):.2f}", f"{statistics.median(bare):.2f}",
                     f"{ratio:.2f}"])
    return Outcome(
        agrees=agrees,
        ours=f"in a node {min(row[3] for row in rows)} to {max(row[3] for row in rows)} of the"
        " machine's own",
        table=Table(["MTU", "node, Gbit/s", "machine, Gbit/s", "ratio"], rows),
    )
