"""Figure 4.9 and Table 4.1: round trips while a route changes."""

from evaluation import Evaluation, Outcome, Plot, Table
from zheng.target import SCENARIO

GONE, BACK, END = 20, 35, 60
EVALUATION = Evaluation(
    row="B61",
    item="4.9",
    source="§4.2, Figure 4.9 and Table 4.1, p. 55–58",
    what="60 pings, one a second, over the links of Table 4.1: 3 ms there, twice 2 ms back by VR2;"
    " then no way back; then 2 ms straight back.",
    published="“Stage 1 shows an average round trip time of 7 milliseconds … No response … in Stage"
    " 2 … Stage 3 … 5 milliseconds”",
    points={"stage 1": 7, "stage 3": 5},
    agreement="the mean of stage 1 is 7 ms and that of stage 3 is 5 ms, each within 0.976 ms, their"
    " timer; no ping of stage 2 is answered",
    arms=("virtual", "emulated"),
    known=("When the stages begin is in the plot only; here it is 20 and 35 s.",),
)


def measure(lab):
    ping = "{ name: ping, from: a, to: b, ping: { interval: 1s, count: 60 } }"
    run = lab.run(SCENARIO.format(
        duration=END, direct=", forward: { rate: 50Mbit/s, delay: 3ms },"
        " reverse: { rate: 25Mbit/s, delay: 2ms }", detour=", delay: 2ms", gone=GONE - 0.5,
        back=BACK - 0.5, traffic=ping,
    ))
    rows = run.samples("ping")
    points, count, total = [], 0, 0
    for row in rows:
        if row["received_packets"] > count:
            new = row["received_packets"] - count
            points.append((round(row["time_ns"] / 1e9), (row["delay_sum_ns"] - total) / new / 1e6))
            count, total = row["received_packets"], row["delay_sum_ns"]
    stages = [
        [rtt for time, rtt in points if time <= GONE - 1],
        [rtt for time, rtt in points if GONE + 1 <= time <= BACK - 1],
        [rtt for time, rtt in points if time >= BACK + 1],
    ]
    first, last = (sum(stage) / max(1, len(stage)) for stage in (stages[0], stages[2]))
    return Outcome(
        agrees=abs(first - 7) <= 0.976 and abs(last - 5) <= 0.976 and not stages[1],
        ours=f"{first:.2f} ms, {len(stages[1])} answers, {last:.2f} ms",
        table=Table(["stage", "answers", "mean, ms", "published, ms"],
                    [[1, len(stages[0]), f"{first:.2f}", 7], [2, len(stages[1]), "–", "none"],
                     [3, len(stages[2]), f"{last:.2f}", 5]]),
        plot=Plot("time, s", "round trip, ms",
                  {"NetLoom": [(time, round(rtt, 3)) for time, rtt in points]},
                  levels={"published: stage 1": 7, "published: stage 3": 5}),
    )
