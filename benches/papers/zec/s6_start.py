"""Section 6: how long a network of 200 nodes takes."""

from evaluation import Evaluation, Outcome, Table
import random
import time

EVALUATION = Evaluation(
    row="C41",
    item="6.start",
    source="§6",
    what="The time until a network of 200 nodes is there.",
    published="“using a completely unoptimized interpreter-based tool IMUNES can instantiate a "
    "200 node network topology in less than 30 seconds”",
    points={"s": 30},
    agreement="200 nodes with 400 links are deployed in less than 30 s",
    arms=("emulated",),
    machine="seconds are the machine's",
)


def scenario(nodes):
    """A ring with as many chords, at random: four links for each node."""
    draw = random.Random(1)
    names = [f"n{number}" for number in range(nodes)]
    links = list(zip(names, [*names[1:], names[0]]))
    links += [tuple(draw.sample(names, 2)) for _ in range(nodes)]
    return "\n".join([
        "name: papers-start", "duration: 1s", "topology:",
        "  defaults: { node: { kind: router, ipv6: none }, link: { delay: 1ms } }", "  nodes:",
        *(f"    {name}:" for name in names), "  links:",
        *(f"    - {{ endpoints: [{one}, {other}] }}" for one, other in links), "",
    ])


def measure(lab):
    lab.needs_root()
    begun = time.monotonic()
    run = lab.execute(scenario(200), None)
    lab.judgements.append(run.summary["verdict"]["judgement"])
    up, whole = run.summary["deploy_seconds"], time.monotonic() - begun
    return Outcome(
        agrees=up < 30,
        ours=f"up after {up:.1f} s; deployed, run for a second and removed in {whole:.1f} s",
        table=Table(["", "s"], [["published, to be instantiated", 30], ["ours", f"{up:.1f}"]]),
    )
