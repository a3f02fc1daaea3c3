"""A disk whose requests are answered one by one: a loop device over a file.

Disks of virtual machines often answer all that waits at once, so that they have idle moments at any
load.
"""

import os
import subprocess
import tempfile

from watched import ROOT


class Disk:
    """A disk of some size while it is in use; gone when this process is, however it ends."""

    def __init__(self, megabytes):
        self.megabytes = megabytes

    def __enter__(self):
        with tempfile.NamedTemporaryFile(dir=ROOT / "target") as file:
            os.posix_fallocate(file.fileno(), 0, self.megabytes << 20)
            make = ["losetup", "--find", "--show", "--direct-io=on", file.name]
            self.device = subprocess.run(
                make, check=True, capture_output=True, text=True
            ).stdout.strip()
        self.open = os.open(self.device, os.O_RDONLY)
        # Takes effect when nobody has it open any more.
        subprocess.run(["losetup", "--detach", self.device], check=True)
        return self.device

    def __exit__(self, *_):
        os.close(self.open)
