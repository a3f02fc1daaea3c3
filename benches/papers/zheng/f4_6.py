"""Figures 4.4 to 4.8: a TCP transfer while the way back of its acknowledgements changes."""

from evaluation import Evaluation, Outcome, Plot, Table
from zheng.target import SCENARIO

GONE, BACK, END = 3.8, 10.5, 24
EVALUATION = Evaluation(
    row="B60",
    item="4.6",
    source="§4.2, Figures 4.4–4.8, p. 52–58",
    what="A TCP transfer A → VR1 → VR3 → B, whose acknowledgements go by VR3 → VR2 → VR1 until"
    " 3.8 s, nowhere until 10.5 s, and by VR3 → VR1 from then on.",
    published="VR2 forwards acknowledgements “for about 3.8 seconds. After that there is no route"
    " … until a new route is added to VR3 at about 10.5 seconds”; the transfer resumes",
    agreement="what is acknowledged grows until 3.8 s, not at all until 10.5 s, and again at the"
    " first retransmission of the sender after that: they come at doubling intervals, so within as"
    " long again as the outage was",
    arms=("virtual", "emulated"),
    known=("Rates and delays of this experiment are not given (Table 4.1 is for the next one);"
           " here they are 100 Mbit/s and none.",),
)


def measure(lab):
    transfer = ("{ name: transfer, from: a, to: b, tcp: { congestion_control: reno }, bulk: {},"
                f" for: {END - 1}s }}")
    run = lab.run(SCENARIO.format(duration=END, direct="", detour="", gone=GONE, back=BACK,
                                  traffic=transfer))
    acked = [(row["time_ns"] / 1e9, row["acked_bytes"])
             for row in run.samples("transfer")
             if row["acked_bytes"] is not None and row["time_ns"] / 1e9 <= END]
    at_gone = [bytes for time, bytes in acked if time <= GONE - 0.1][-1]
    silent = [bytes for time, bytes in acked if GONE + 0.3 <= time <= BACK]
    grows = [time for time, bytes in acked if time > BACK and bytes > silent[-1] + 100_000]
    resumed = grows[0] if grows else None
    agrees = (at_gone > 100_000 and len(set(silent)) <= 1 and resumed is not None
              and resumed <= BACK + (BACK - GONE))
    return Outcome(
        agrees=agrees,
        ours=f"nothing acknowledged from {GONE} to {BACK} s; acknowledged again from"
        f" {resumed:.1f} s on" if resumed else "the transfer does not resume",
        table=Table(["time, s", "acknowledged, MB"],
                    [[f"{time:.1f}", f"{bytes / 1e6:.1f}"] for time, bytes in acked[::20]]),
        plot=Plot("time, s", "acknowledged, MB",
                  {"NetLoom": [(round(time, 1), round(bytes / 1e6, 3)) for time, bytes in acked]}),
    )
