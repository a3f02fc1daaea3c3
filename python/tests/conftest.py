import os

import pytest

import netloom as nl

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def pair(name: str) -> nl.Scenario:
    """Two hosts at a link, under a name that no other process of this machine uses."""
    net = nl.Scenario(f"{name}-{os.getpid()}", duration="1s")
    net.link(*net.hosts("a", "b"), name="line", rate="10Mbit/s", delay="5ms")
    return net


@pytest.fixture(scope="module")
def exp():
    with pair("py").deploy() as experiment:
        yield experiment
