"""Two flows share a bottleneck: prints who got how much, and whether the machine kept up."""

import netloom as nl

net = nl.Scenario("python-dumbbell", duration="6s")
left, right = net.routers("left", "right")
senders = net.hosts("s[1-2]")
receiver = net.host("r1")
for host, router in [*((sender, left) for sender in senders), (receiver, right)]:
    net.link(host, router, rate="1Gbit/s", delay="1ms")
net.link(left, right, name="bottleneck", rate="10Mbit/s", delay="20ms", queue={"limit": "50ms"})
for number, sender in enumerate(senders, 1):
    net.traffic(f"flow{number}", sender, receiver, tcp={}, bulk={}, duration="5s")

results = net.run().require("success")
for flow in results.summary["flows"]:
    print(f"{flow['name']}: {flow['received']['bytes'] * 8 / 5 / 1e6:.2f} Mbit/s")
print(results.verdict)
