"""Figures 4.10 to 4.13: four mobile nodes, of which two relay one after the other."""

from evaluation import Evaluation, Outcome, Plot, Table

LEFT, CAME, END = 15, 18, 33
EVALUATION = Evaluation(
    row="B62",
    item="4.12",
    source="§4.3, Figures 4.10–4.13, Tables 4.2 and 4.3, p. 58–64",
    what="A and C reach each other by B until 15 s, not at all until 18 s, and by D from then on,"
    " with the delays and rates of Table 4.3: pings, and a file transfer from 3.5 s on.",
    published="round trips “on an average of 7 milliseconds”, none “for 3 seconds”, then “on an"
    " average of 9 milliseconds”; the transfer runs for “about 11.5 seconds”, is “interrupted for 3"
    " seconds, and then resume[s] at t=18s”",
    points={"by B": 7, "by D": 9},
    agreement="mean round trips of 7 and 9 ms, each within 1 ms (“the time accuracy … is almost 1"
    " millisecond”), nothing from 15 to 18 s, and the transfer goes on by the sender's first"
    " retransmission after 18 s: within 3 s",
    arms=("virtual", "emulated"),
    known=("By Table 4.2, node B is at (20, 25) at 15 s; at one foot a second it is at (20, 15),"
           " which is also where it leaves the reach of A and C.",
           "Delays “<1” ms of Table 4.3 are none here."),
)

# Links as their neighbour lists make them: (name, ends, delays there and back, rates, ms, Mbit/s).
LINKS = [("ab", "a", "b", 3, 2, 10, 10), ("bc", "b", "c", 2, 0, 10, 10),
         ("ad", "a", "d", 3, 2, 10, 5), ("dc", "d", "c", 4, 0, 5, 10)]


def link(name, one, other, there, back, out, home):
    return (
        f"    - {{ name: {name}, endpoints: ['{one}:{name}', '{other}:{name}'],"
        f" forward: {{ delay: {there}ms, rate: {out}Mbit/s }},"
        f" reverse: {{ delay: {back}ms, rate: {home}Mbit/s }} }}"
    )


def scenario(traffic):
    """The scenario: interfaces carry the names of their links."""
    return f"""\
name: papers-mobile
duration: {END}s
topology:
  neighbours: known
  defaults: {{ node: {{ ipv6: none }}, link: {{ framing: none }} }}
  kinds: {{ router: {{ loopback: none, routing: none }} }}
  nodes:
    a:
      routing: none
      interfaces: {{ ab: {{ ipv4: 10.1.1.1/24 }}, ad: {{ ipv4: 10.1.2.1/24 }} }}
      routes: [{{ to: 10.2.0.0/16, via: 10.1.1.2 }}]
    c:
      routing: none
      interfaces: {{ bc: {{ ipv4: 10.2.1.1/24 }}, dc: {{ ipv4: 10.2.2.1/24 }} }}
      routes: [{{ to: 10.1.0.0/16, via: 10.2.1.2 }}]
    b:
      kind: router
      interfaces: {{ ab: {{ ipv4: 10.1.1.2/24 }}, bc: {{ ipv4: 10.2.1.2/24 }} }}
      routes: [{{ to: 10.2.2.0/24, via: 10.2.1.1 }}, {{ to: 10.1.2.0/24, via: 10.1.1.1 }}]
    d:
      kind: router
      interfaces: {{ ad: {{ ipv4: 10.1.2.2/24 }}, dc: {{ ipv4: 10.2.2.2/24 }} }}
      routes: [{{ to: 10.2.1.0/24, via: 10.2.2.1 }}, {{ to: 10.1.1.0/24, via: 10.1.2.1 }}]
  links:
{chr(10).join(link(*each) for each in LINKS)}
timeline:
  - {{ at: 0s, node: d, state: down }}
  - {{ at: {LEFT}s, node: b, state: down }}
  - {{ at: {CAME}s, node: d, state: up }}
  - {{ at: {CAME}s, node: a, route: {{ replace: {{ to: 10.2.0.0/16, via: 10.1.2.2 }} }} }}
  - {{ at: {CAME}s, node: c, route: {{ replace: {{ to: 10.1.0.0/16, via: 10.2.2.2 }} }} }}
traffic:
  - {traffic}
measure: {{ flows: 100ms }}
"""


def measure(lab):
    pings = lab.run(scenario("{ name: ping, from: a, to: c, ping: { interval: 1s, count: 33 } }"))
    points, count, total = [], 0, 0
    for row in pings.samples("ping"):
        if row["received_packets"] > count:
            new = row["received_packets"] - count
            points.append((row["time_ns"] / 1e9, (row["delay_sum_ns"] - total) / new / 1e6))
            count, total = row["received_packets"], row["delay_sum_ns"]
    stages = [[rtt for time, rtt in points if begin <= time < end]
              for begin, end in ((0, LEFT), (LEFT + 0.2, CAME), (CAME, END))]
    by_b, by_d = (sum(stage) / max(1, len(stage)) for stage in (stages[0], stages[2]))
    ftp = lab.run(scenario("{ name: ftp, from: a, to: c, tcp: { congestion_control: reno },"
                           " bulk: {}, start: 3.5s, for: 29s }"))
    bytes = [(row["time_ns"] / 1e9, row["received_bytes"]) for row in ftp.samples("ftp")
             if row["time_ns"] / 1e9 <= END]
    before = [has for time, has in bytes if time <= LEFT + 0.3][-1]
    silent = {has for time, has in bytes if LEFT + 0.3 <= time <= CAME}
    resumed = [time for time, has in bytes if time > CAME and has > before + 20_000]
    resumed = resumed[0] if resumed else END
    agrees = (abs(by_b - 7) <= 1 and abs(by_d - 9) <= 1 and not stages[1] and len(silent) <= 1
              and resumed <= CAME + 3)
    return Outcome(
        agrees=agrees,
        ours=f"{by_b:.2f} ms by B, {len(stages[1])} answers between, {by_d:.2f} ms by D; the"
        f" transfer stands from {LEFT} s and goes on at {resumed:.1f} s",
        table=Table(["", "published", "ours"],
                    [["round trip by B, ms", 7, f"{by_b:.2f}"],
                     ["round trip by D, ms", 9, f"{by_d:.2f}"],
                     ["transfer interrupted from, s", 15, LEFT],
                     ["transfer goes on at, s", 18, f"{resumed:.1f}"]]),
        plot=Plot("time, s", "received, MB",
                  {"NetLoom": [(round(time, 1), round(has / 1e6, 3)) for time, has in bytes]}),
    )
