"""Table 1, the first rows: what the emulator costs traffic that it does not emulate."""

from evaluation import Evaluation, NotMeasured, Outcome, Table
import re

EVALUATION = Evaluation(
    row="A41",
    item="t1.overhead",
    source="§7.1, Table 1, rows default and IPFW-1",
    what="Round trips of pings to a machine whose classifier has one rule, beside one without the "
    "emulator.",
    published="default: 82.0 ± 5.93, 103.0 ± 8.75, 76.9 ± 4.16 µs (idle, kernel, user); IPFW-1: "
    "79.1 ± 3.91, 107.5 ± 6.25, 77.1 ± 5.18 µs; “approximately 4.5 µs” where the CPU is busy in "
    "the kernel",
    points={"default": [82.0, 103.0, 76.9], "IPFW-1": [79.1, 107.5, 77.1]},
    agreement="on an idle machine, the round trip of traffic that no claim selects is at most "
    "1.10 times that of the bare pair (107.5 ÷ 103.0 is 1.04)",
    arms=("emulated",),
    machine="microseconds are the machine's: only their ratio in one run is compared",
    known=(
        "With one rule the idle round trip is shorter than without the emulator, since timer "
        "ticks keep the CPU awake (§7.1).",
    ),
)


def measure(lab):
    lab.needs_root()
    text = lab.bench("python3", "benches/shape/delay.py", "--rounds", 3 if lab.is_full else 1,
                     "--count", 1000 if lab.is_full else 100, "--loads", "idle")
    rows = []
    for way in ("IPv4", "IPv6", "lo", "lo, IPv6"):
        plain, bare = (re.search(rf"^  {way}, {what} +median +([\d.]+)", text, re.M)
                       for what in ("unclaimed", r"bare \(before\)"))
        if plain and bare:
            rows.append([way, float(plain[1]), float(bare[1])])
    if not rows:
        raise NotMeasured("`benches/shape/delay.py` printed no round trips")
    worst = max(plain / bare for _, plain, bare in rows)
    return Outcome(
        agrees=worst <= 1.10,
        ours=f"unclaimed round trips are at most {worst:.2f} times those of the bare pair",
        table=Table(["way", "unclaimed, ms", "bare, ms"], rows),
    )
