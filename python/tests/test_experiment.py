"""Experiments: commands, changes, ends."""

import asyncio
import os
import select
import signal
import subprocess
import sys
import threading
import time

import pytest

import netloom as nl
from conftest import pair


def test_a_command_has_its_own_pipes(exp):
    done = exp["a"].run("echo out; echo err >&2; exit 3")
    assert (done.stdout, done.stderr, done.returncode) == ("out\n", "err\n", 3)
    with pytest.raises(nl.CommandFailed, match="exit 3") as caught:
        exp["a"].run("exit 3", check=True)
    assert caught.value.returncode == 3
    assert exp["a"].run("cat", input="in").stdout == "in"
    assert exp["a"].run(["pwd"], cwd="/").stdout == "/\n"
    assert exp["a"].run("echo $X", env={"X": "y"}).stdout == "y\n"


def test_popen_is_like_subprocess(exp):
    cat = exp["a"].popen(["cat"], stdin=subprocess.PIPE)
    assert cat.poll() is None
    assert not select.select([cat.stdout], [], [], 0)[0]
    cat.stdin.write("x\n")
    cat.stdin.flush()
    assert select.select([cat.stdout], [], [], 10)[0]
    assert cat.stdout.readline() == "x\n"
    # The process is the machine's own, under the id that it has there.
    with open(f"/proc/{cat.pid}/cmdline") as file:
        assert file.read() == "cat\0"
    with pytest.raises(subprocess.TimeoutExpired):
        cat.wait(0.1)
    cat.send_signal(signal.SIGTERM)
    assert cat.wait(10) == 128 + signal.SIGTERM


def test_what_cannot_be_run_is_an_error(exp):
    with pytest.raises(nl.Refused, match="no-such-program"):
        exp["a"].run(["no-such-program"])
    with pytest.raises(nl.Refused, match="nobody"):
        exp["nobody"].run("true")
    with pytest.raises(subprocess.TimeoutExpired):
        exp["a"].run("sleep 100", timeout=0.2)


def test_a_hundred_threads(exp):
    codes: list[int] = []

    def work(number):
        codes.append(exp["a"].run(f"exit {number % 7}").returncode)
        assert exp.links["line"].name == "line"

    threads = [threading.Thread(target=work, args=(number,)) for number in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == sorted(number % 7 for number in range(100))


def test_in_a_running_event_loop(exp):
    async def ask():
        return exp["a"].run("echo x").stdout

    assert asyncio.run(ask()) == "x\n"


def test_changes_at_one_instant(exp):
    exp.links["line"].set(delay="7ms", direction="forward")
    status = exp.links["line"].status
    assert "7ms" in str(status["forward"]) and "7ms" not in str(status["reverse"])
    assert exp.links["b--a" if "b--a" in exp.links else "line"].name == "line"
    with pytest.raises(nl.Error, match="no-such-link"):
        exp.change([("line", {"delay": "9ms"}), ("no-such-link", {"delay": "9ms"})])
    assert "9ms" not in str(exp.links["line"].status)
    with pytest.raises(KeyError, match="line"):
        exp.links["x"]


def test_who_reaches_whom_and_what_happened(exp):
    assert len(exp.pingall()) == 0 if hasattr(exp.pingall(), "__len__") else exp.pingall()
    exp.links["line"].set(state="down")
    assert exp.wait_for("changed", timeout=10)["event"] == "changed"
    assert len(exp.pingall(ipv6=False, tries=1).lost) == 2
    exp.links["line"].set(state="up")
    with pytest.raises(TimeoutError):
        exp.wait_for("service_ready", timeout=0.2, node="a")


def test_a_capture_is_whole(exp, tmp_path):
    with exp.capture("b:eth1", to=tmp_path / "b.pcapng"):
        exp["a"].run("ping -4 -c 2 -i 0.1 b", check=True)
    data = (tmp_path / "b.pcapng").read_bytes()
    assert data[:4] == b"\x0a\x0d\x0d\x0a" and len(data) > 500


def test_apply_and_the_scenario_in_force():
    net = pair("apply")
    with net.deploy() as exp:
        assert exp.in_force["text"] == net.to_yaml()
        net.link(net.host("c"), "a")
        assert len(exp.apply(net, dry_run=True)) > 0
        assert "c" not in exp.nodes
        assert "node c" in str(exp.apply(net))
        assert "c" in exp.nodes and exp.in_force["text"] == net.to_yaml()
        assert len(exp.apply(net)) == 0


def test_an_engine_that_dies_is_told():
    net = pair("dies")
    with pytest.raises(nl.EngineGone), net.deploy() as exp:
        os.kill(exp.status["engine_pid"], signal.SIGKILL)
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            exp["a"].run("true")
    assert net.name not in [row["name"] for row in nl.experiments()]


PROGRAM = """
import sys, time
sys.path.insert(0, sys.argv[1])
from conftest import pair
with pair("killed").deploy() as exp:
    exp["a"].popen("sleep 1000")
    print(exp.name, flush=True)
    time.sleep(1000)
"""


@pytest.mark.parametrize("attempt", range(int(os.environ.get("KILLS", "3"))))
def test_nothing_is_left_of_a_killed_python(attempt):
    here = os.path.dirname(__file__)
    program = [sys.executable, "-c", PROGRAM, here]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as python:
        name = python.stdout.readline().strip()
        assert name in [row["name"] for row in nl.experiments()]
        python.kill()
    deadline = time.monotonic() + 30
    while (
        name
        in subprocess.run([nl.binary(), "inspect", "--all"], capture_output=True, text=True).stdout
    ):
        assert time.monotonic() < deadline, f"{name} is left"
        time.sleep(0.1)
    spaces = subprocess.run(["ip", "netns"], capture_output=True, text=True).stdout
    assert name not in spaces


def test_one_that_is_kept_is_found_again():
    net = pair("kept")
    exp = net.deploy(keep=True)
    try:
        exp.close()
        assert nl.attach(net.name)["a"].run("echo x").stdout == "x\n"
    finally:
        exp.destroy()
    with pytest.raises(nl.Refused):
        nl.attach(net.name)


def test_media():
    net = nl.Scenario(f"air-{os.getpid()}")
    net.host("n1", position=["0m", "0m"])
    net.host("n2", position=["10m", "0m"])
    net.medium("air", preset="802.11g", members=["n1", "n2"])
    with net.deploy() as exp:
        exp.move({"n1": (10, 5)})
        assert exp.neighbours("n1")[0]["neighbours"]
        assert exp.positions() == {"n1": (10, 5, 0), "n2": (10, 0, 0)}
        exp.media["air"].losses([("n1", "n2", 150.0)])
