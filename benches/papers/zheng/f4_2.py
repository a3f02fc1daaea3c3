"""Figure 4.2: the bandwidth of a link in a chain of four routers."""

from evaluation import Evaluation, Outcome, Plot, Table

RATES = [0.1, 0.5, 1, 5, 10, 20, 30, 40, 50, 60]
# A datagram of 1470 bytes (section 3.3.1), with UDP, IPv4 and Ethernet headers.
PAYLOAD, FRAME = 1470, 1512
EVALUATION = Evaluation(
    row="B58",
    item="4.2",
    source="§4.1, Figure 4.2, p. 50–51",
    what="Throughput of UDP through four routers, one of whose links is set to 100 kbit/s to"
    " 60 Mbit/s.",
    published="“the measured bandwidth is very accurate when the expected bandwidth values are less"
    " than 50Mbps. Beyond that value, there is noticeable difference”",
    agreement="the throughput, headers included, is within 2 % of what was set below 50 Mbit/s"
    " (“less than 2%”, §3.3.1) and within 8 % from there on",
    arms=("virtual", "emulated"),
    known=("Lengths of datagrams are not given here; 1470 bytes are those of §3.3.1.",
           "10 MB were sent and timed. Here the receiver's rate is taken while the link is busy."),
)


def scenario(rate, seconds, chain=4):
    routers = [f"r{number}" for number in range(1, chain + 1)]
    path = ["a", *routers, "b"]
    slow = chain // 2
    links = []
    for number, (one, other) in enumerate(zip(path, path[1:])):
        speed = f"{rate}Mbit/s" if number == slow else "100Mbit/s"
        links.append(f"    - {{ endpoints: [{one}, {other}], rate: {speed} }}")
    return f"""\
name: papers-rate
topology:
  defaults: {{ node: {{ ipv6: none }}, link: {{ framing: none }} }}
  nodes:
    a:
    b:
{chr(10).join(f"    {router}: {{ kind: router }}" for router in routers)}
  links:
{chr(10).join(links)}
traffic:
  - name: load
    from: a
    to: b
    udp: {{}}
    cbr: {{ rate: {min(1.3 * rate, 95):.3f}Mbit/s }}
    size: {FRAME}B
    for: {seconds}s
measure: {{ flows: 1s }}
"""


def measure(lab):
    rows, points, agrees = [], [], True
    for rate in RATES:
        seconds = 30 if rate < 1 else 10
        run = lab.run(scenario(rate, seconds))
        found = run.rate("load", 2, seconds - 1) / 1e6 * FRAME / PAYLOAD
        error = found / rate - 1
        agrees &= abs(error) <= (0.02 if rate < 50 else 0.08)
        rows.append([rate, f"{found:.3f}", f"{error:+.2%}"])
        points.append((rate, round(found, 4)))
    worst = max(abs(found / rate - 1) for rate, found in points)
    return Outcome(
        agrees=agrees,
        ours=f"at most {worst:.2%} from what was set",
        table=Table(["set, Mbit/s", "found, Mbit/s", "error"], rows),
        plot=Plot("bandwidth that is set, Mbit/s", "bandwidth measured, Mbit/s",
                  {"NetLoom": points}, {"expected (the paper's line)": [(0, 0), (60, 60)]}),
    )
