"""Section 5.2.2: the throughput of TCP over 30 ms each way."""

from evaluation import Evaluation, Outcome, Table

WINDOWS = [64, 128, 240, 256]
EVALUATION = Evaluation(
    row="B75",
    item="5.2.2",
    source="§5.2.2, p. 83",
    what="TCP throughput between a storage and a mirror daemon over 100 Mbit/s, 30 ms each way.",
    published="“The packet delay parameter is set to 30ms in either direction and the measured TCP"
    " throughput is 32.8Mbps using TTCP”",
    points={"Mbit/s": 32.8},
    agreement="throughput follows the window over the round trip, within 5 %, and one window of at"
    " most 256 KiB gives 32.8 Mbit/s within 5 %",
    arms=("virtual",),
    known=("TTCP’s window is not given. 32.8 Mbit/s over 60 ms are 246 kB (240 KiB).",),
)


def scenario(window):
    # Linux 6.x takes 167/256 of a buffer for the window, where segments are full.
    buffer = window * 1024 * 256 // 167
    return f"""\
name: papers-mirror
topology:
  defaults: {{ node: {{ ipv6: none }} }}
  nodes:
    storage:
    router: {{ kind: router }}
    mirror: {{ sysctls: {{ net.ipv4.tcp_rmem: 4096 {buffer} {buffer} }} }}
  links:
    - {{ endpoints: [storage, router], rate: 100Mbit/s, delay: 30ms }}
    - {{ endpoints: [router, mirror], rate: 100Mbit/s }}
traffic:
  - name: ttcp
    from: storage
    to: mirror
    tcp: {{ congestion_control: reno }}
    bulk: {{}}
    for: 20s
measure: {{ flows: 1s }}
"""


def measure(lab):
    rows, found = [], {}
    for window in WINDOWS:
        rate = lab.run(scenario(window)).rate("ttcp", 5, 19) / 1e6
        bound = window * 1024 * 8 / 0.060 / 1e6
        found[window] = (rate, bound)
        rows.append([window, f"{rate:.1f}", f"{bound:.1f}"])
    agrees = all(abs(rate / bound - 1) <= 0.05 for rate, bound in found.values())
    agrees &= abs(found[240][0] / 32.8 - 1) <= 0.05
    return Outcome(
        agrees=agrees,
        ours=f"{found[240][0]:.1f} Mbit/s with a window of 240 KiB, {found[64][0]:.1f} with 64",
        table=Table(["window, KiB", "Mbit/s", "window ÷ 60 ms, Mbit/s"], rows),
    )
