#!/usr/bin/env python3
"""How fast a kernel's CUBIC grows after slow start and before its first loss.

One flow over a slow link with a long round trip and a queue that it does not fill, in two
namespaces. Printed: by how many packets the congestion window grew while so many were
acknowledged, from where slow start ended (HyStart) to the end or the first retransmission.

    growth.py [SECONDS]
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NETLOOM = os.environ.get("NETLOOM", str(ROOT / "target" / "release" / "netloom"))
SCENARIO = """
name: bench-growth
topology:
  nodes: {{a: {{}}, b: {{}}}}
  links: [{{endpoints: [a, b], rate: 20Mbit/s, delay: 100ms, queue: {{limit: 20000packets}}}}]
processes:
  - {{name: server, node: b, command: "iperf3 -s", background: true, ready: {{port: 5201}}}}
  - name: client
    node: a
    command: [iperf3, -C, cubic, -c, b, -t, "{seconds}"]
    start: {{after: server}}
  - name: watch
    node: a
    command: [sh, -c, "for i in $(seq {looks}); do ss -tniH dport 5201; sleep 0.2; done"]
    start: {{after: server}}
"""


def looks(seconds):
    """What `ss` showed of the flow that sends: a dictionary for each look."""
    with tempfile.TemporaryDirectory(prefix="netloom-bench-") as folder:
        text = SCENARIO.format(seconds=seconds, looks=5 * seconds)
        (pathlib.Path(folder) / "netloom.yaml").write_text(text)
        command = [os.path.abspath(NETLOOM), "run", "-o", "results"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        output = pathlib.Path(folder, "results", "processes", "watch@a.stdout").read_text()
    for line in output.splitlines():
        values = dict(re.findall(r"\b(\w+):(\d+)", line))
        # The other connection is iperf3's own, which stays at its first window.
        if int(values.get("cwnd", 0)) > 10 and "ssthresh" in values:
            yield values


def main():
    seen = list(looks(int(sys.argv[1]) if len(sys.argv) > 1 else 10))
    after = [one for one in seen if int(one["cwnd"]) >= int(one["ssthresh"])]
    after = [one for one in after if "retrans" not in one]
    if len(after) < 2:
        sys.exit("slow start did not end before a loss: nothing to see")
    first, last = after[0], after[-1]
    grown = int(last["cwnd"]) - int(first["cwnd"])
    acked = (int(last["bytes_acked"]) - int(first["bytes_acked"])) / int(last["mss"])
    print(f"Linux {os.uname().release}: slow start ended at {first['ssthresh']} packets")
    each = acked / grown
    print(f"then {grown} packets more while {acked:.0f} were acknowledged: one for {each:.1f}")


main()
