"""Section 7.3: how fast the emulator is configured anew."""

from evaluation import Evaluation, NotMeasured, Outcome, Table
import re

EVALUATION = Evaluation(
    row="A45",
    item="7.3",
    source="§7.3",
    what="How long a change of a pipe takes, through all of the tools that a user has.",
    published="one call of ipfw “takes less than 10 ms … even on a very slow system”; the whole "
    "process “can run in 150 ms”; optimised, “at least 10 reconfigurations per second”",
    points={"changes a second": 10},
    agreement="at least 10 changes a second by `netloom shape netconfig`, the users’ tool, while "
    "10,000 datagrams a second lose nothing but what queues drop",
    arms=("emulated",),
)


def measure(lab):
    lab.needs_root()
    text = lab.bench("python3", "benches/shape/changes.py", "--seconds", 5)
    found = re.findall(r"^  (\S.*?) +(\d+) changes/s .*?; of (\d+) datagrams (\d+) lost \((\d+)",
                       text, re.M)
    if not found:
        raise NotMeasured(f"`benches/shape/changes.py` printed no rate: {text.strip()[-200:]}")
    rates = {what: int(rate) for what, rate, *_ in found}
    lost = sum(int(all_lost) - int(by_queues) for *_, all_lost, by_queues in found)
    return Outcome(
        agrees=min(rates.values()) >= 10 and lost <= 0,
        ours="; ".join(f"{what}: {rate} a second" for what, rate in rates.items())
        + f"; {max(0, lost)} datagrams lost",
        table=Table(["by", "changes a second"], list(map(list, rates.items()))),
    )
