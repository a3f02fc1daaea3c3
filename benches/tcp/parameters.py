#!/usr/bin/env python3
"""What this machine's kernel shows of its congestion controls: the parameters of their modules.

Needs no rights. Constants of `crates/model/tcp` that are "recorded: parameter" come from here. A
kernel built without modules shows those of the controls that it has built in.
"""

import pathlib
import platform


def parameters():
    for file in sorted(pathlib.Path("/sys/module").glob("tcp_*/parameters/*")):
        yield file.parts[3].removeprefix("tcp_"), file.name, file.read_text().strip()


def main():
    controls = pathlib.Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text()
    print(f"Linux {platform.release()}: {controls.strip()}")
    for control, name, value in parameters():
        print(f"{control} {name} {value}")


if __name__ == "__main__":
    main()
