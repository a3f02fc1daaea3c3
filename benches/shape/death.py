#!/usr/bin/env python3
"""What a daemon's death does to traffic: kill -9, then SIGSTOP and SIGCONT, then kills at random
moments.

Two hosts in namespaces of their own, joined by veth; a claim of 10 + 10 ms of all traffic, a
ping every 20 ms, and a TCP connection that was shaped and must go on. Prints what was lost, the
longest time without an answer, and what was left a second later.

As root: death.py [--rounds N] [--kills N]
"""

import argparse
import contextlib
import http.client
import pathlib
import random
import re
import signal
import statistics
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from common import machine
from host import CLIENT, THERE, hosts, round_trips, server

PORT = 7001


class Ping:
    """A ping every 20 ms."""

    def __init__(self, both):
        words = both.command("a", "ping", "-n", "-D", "-i", "0.02", THERE)
        self.running = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)

    def end(self):
        """How many were lost, the longest gap between answers, and all round trips by time."""
        time.sleep(0.3)
        self.running.send_signal(signal.SIGINT)
        text = self.running.communicate()[0]
        pattern = r"\[([\d.]+)\] .*icmp_seq=(\d+) .*time=([\d.]+)"
        answers = [
            (float(at), int(seq), float(trip)) for at, seq, trip in re.findall(pattern, text)
        ]
        times = sorted(at for at, _, _ in answers)
        gap = max(after - before for before, after in zip(times, times[1:]))
        sent = int(re.search(r"(\d+) packets transmitted", text)[1])
        # The last one may be on its way when ping ends.
        lost = max(answers, key=lambda answer: answer[1])[1] - len({seq for _, seq, _ in answers})
        return lost, gap, answers, sent


def claim(both):
    both.shape("add", "all", "--prefix", f"{THERE}/32", "--both", "delay=10ms")


def lasting(both, seconds):
    """A shaped TCP connection, a request every 10 ms for so long."""
    words = both.command("a", sys.executable, "-c", CLIENT, THERE, PORT, int(seconds * 100), 0.001)
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def killed(both):
    both.serve()
    claim(both)
    connection, ping = lasting(both, 1), Ping(both)
    time.sleep(1)
    both.daemon.kill()
    both.daemon.wait()
    time.sleep(1)
    left = both.left()
    lost, gap, answers, _ = ping.end()
    trips = [float(line) for line in connection.communicate(timeout=30)[0].split()]
    print(
        f"kill -9: lost {lost}, longest gap {gap * 1000:.0f} ms, before {answers[10][2]:.1f} ms, "
        f"after "
        f"{answers[-1][2]:.2f} ms, left after 1 s: {left or 'nothing'}; TCP: {len(trips)} of 100 "
        f"answers, "
        f"first {trips[0]:.1f} ms, last {trips[-1]:.2f} ms"
    )
    return lost, gap, left, len(trips)


def stopped(both):
    both.serve()
    claim(both)
    ping = Ping(both)
    time.sleep(1)
    both.daemon.send_signal(signal.SIGSTOP)
    time.sleep(1.5)
    both.daemon.send_signal(signal.SIGCONT)
    time.sleep(1)
    lost, gap, answers, _ = ping.end()
    verdict = both.verdict("all")
    trips = [trip for _, _, trip in answers]
    print(
        f"STOP, CONT: lost {lost}, longest gap {gap * 1000:.0f} ms, while stopped "
        f"{min(trips):.2f} ms, after "
        f"{statistics.median(trips[-20:]):.1f} ms, verdict: {verdict}"
    )
    both.shape("stop")
    both.daemon.wait(30)
    return lost, gap, verdict


def at_random(both, kills, seed=1):
    """Kills in the middle of requests; what is lost, and what is left."""
    dice, worst, left, broken = random.Random(seed), [0, 0.0], [], 0
    for _ in range(kills):
        both.serve()
        ping = Ping(both)
        is_over = threading.Event()

        def disturb():
            claim = {"prefix": [f"{THERE}/32"], "delay": "2ms"}
            with contextlib.suppress(OSError, RuntimeError, http.client.HTTPException):
                api = both.api()
                with contextlib.suppress(RuntimeError):
                    # What an earlier life left is taken up.
                    api.ask("DELETE", "/claims/a")
                while not is_over.is_set():
                    api.ask("POST", "/claims", {"name": "a", "claim": claim})
                    api.ask("PATCH", "/claims/a", {"out": {"delay": "4ms"}})
                    api.ask("DELETE", "/claims/a")

        thread = threading.Thread(target=disturb)
        thread.start()
        time.sleep(0.2 + dice.random() * 0.3)
        both.daemon.kill()
        both.daemon.wait()
        is_over.set()
        thread.join()
        time.sleep(1)
        lost, gap, _, _ = ping.end()
        worst = [max(worst[0], lost), max(worst[1], gap)]
        left += both.left()
        broken += lost > 3
    print(
        f"{kills} kills at random moments: most lost {worst[0]}, longest gap "
        f"{worst[1] * 1000:.0f} ms, more than "
        f"three lost in {broken}, left: {left or 'nothing'}"
    )


def main():
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--kills", type=int, default=100)
    options = options.parse_args()
    print(machine())
    with hosts() as both, server(both, "b", PORT):
        for _ in range(options.rounds):
            killed(both)
            (both.directory / "state" / "claims.json").unlink(missing_ok=True)
            stopped(both)
        at_random(both, options.kills)


if __name__ == "__main__":
    main()
