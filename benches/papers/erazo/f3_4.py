"""Figure 3.4: congestion windows of TCP variants."""

from evaluation import Evaluation, Outcome, Plot, Table

EVALUATION = Evaluation(
    row="E42",
    item="3.4",
    source="§3.2.1, Figures 3.3 and 3.4, p. 32",
    what="The congestion window of one flow over 10 Mbit/s with 64 ms and a queue of 66 kB, by "
    "congestion control.",
    published="“The results from ns-2 and PRIME match well, with only small differences”; "
    "emulated ones are similar, with “a slight phase shift”; VEGAS differs “on each trial”",
    agreement="the window of each control that backs off by losses peaks at what path and queue "
    "hold, (10 Mbit/s × 128 ms + 66 kB) ÷ 1514 bytes, within 15 %; Vegas stays 3 packets or so "
    "above the path alone and loses nothing after slow start",
    arms=("virtual",),
    known=(
        "Trajectories are published as plots only. Ours beside a kernel's: "
        "`benches/tcp/kernels.py --own`, docs/simulated-tcp.md.",
    ),
)


CONTROLS = ["bic", "cubic", "highspeed", "htcp", "hybla", "illinois", "reno", "scalable", "vegas",
            "veno", "westwood", "yeah"]
PATH = 10e6 * 0.128 / 8 / 1514
HELD = PATH + 66_000 / 1514
SETTLED = 20


def scenario(seconds):
    nodes, links, traffic = [], [], []
    for name in CONTROLS:
        nodes += [f"    {name}-{end}:" for end in "ab"]
        nodes += [f"    {name}-{side}: {{ kind: router }}" for side in "lr"]
        links += [
            f"    - {{ endpoints: [{name}-a, {name}-l], rate: 1Gbit/s }}",
            f"    - {{ endpoints: [{name}-l, {name}-r], rate: 10Mbit/s, delay: 64ms, framing: none,"
            " queue: { limit: 66kB } }",
            f"    - {{ endpoints: [{name}-r, {name}-b], rate: 1Gbit/s }}",
        ]
        traffic.append(f"  - {{ name: {name}, from: {name}-a, to: {name}-b, tcp:"
                       f" {{ congestion_control: {name} }}, bulk: {{}}, for: {seconds}s }}")
    return "\n".join(["name: papers-windows", "topology:",
                      "  defaults: { node: { ipv6: none, kind: host } }", "  nodes:", *nodes,
                      "  links:", *links, "traffic:", *traffic,
                      "measure: { flows: 100ms, interval: 10s }", ""])


def measure(lab):
    seconds = 300 if lab.is_full else 60
    run = lab.run(scenario(seconds))
    rows, curves, agrees = [], {}, True
    for name in CONTROLS:
        points = [(row["time_ns"] / 1e9, row["cwnd"]) for row in
                  run.rows("flows.parquet", flow=name) if row["cwnd"] is not None]
        late = [window for time, window in points if SETTLED <= time < seconds]
        peak, least = max(late), min(late)
        if name == "vegas":
            agrees &= PATH - 4 <= least and peak <= HELD
        else:
            agrees &= abs(peak / HELD - 1) <= 0.15
        rows.append([name, peak, least])
        if name in ("reno", "cubic", "scalable", "highspeed", "vegas"):
            curves[name] = [(round(time, 1), window) for time, window in points if time < seconds]
    peaks = [peak for name, peak, _ in rows if name != "vegas"]
    return Outcome(
        agrees=agrees,
        ours=f"path and queue hold {HELD:.0f} packets; windows peak at {min(peaks)} to"
        f" {max(peaks)}; Vegas between {rows[CONTROLS.index('vegas')][2]} and"
        f" {rows[CONTROLS.index('vegas')][1]}",
        table=Table(["control", "largest window from 20 s on", "least"], rows),
        plot=Plot("time, s", "congestion window, packets", curves,
                  levels={"path and queue": round(HELD, 1)}),
    )
