"""Packs a binary and the Python package as a wheel, netloom-VERSION-py3-none-PLATFORM.whl.

Usage: python3 scripts/wheel.py BINARY DIRECTORY. Metadata is that of pyproject.toml. The platform's
tag says the newest C library that the binary needs. The same input gives the same bytes. Prints the
wheel's path. Takes Python 3.11 and binutils.
"""

import base64
import csv
import hashlib
import io
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Tests pack fast.
LEVEL = int(os.environ.get("NETLOOM_PACK_LEVEL", "9"))
# Earliest time that a zip file can have.
TIME = (1980, 1, 1, 0, 0, 0)


def output(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def tag(binary):
    """The tag of the platform: PEP 600's `manylinux_X_Y_MACHINE`."""
    needed = re.findall(r"GLIBC_(\d+)\.(\d+)", output("objdump", "--dynamic-syms", binary))
    if not needed:
        raise SystemExit(f"wheel: {binary} is not linked with the GNU C library")
    major, minor = max((int(major), int(minor)) for major, minor in needed)
    return f"py3-none-manylinux_{major}_{minor}_{platform.machine()}"


def metadata(project, version):
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {version}",
        f"Summary: {project['description']}",
        f"License: {project['license']}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Classifier: {classifier}" for classifier in project["classifiers"]),
    ]
    for extra, requirements in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += (f"Requires-Dist: {what} ; extra == '{extra}'" for what in requirements)
    lines += ["Description-Content-Type: text/markdown", ""]
    return "\n".join(lines) + "\n" + (ROOT / project["readme"]).read_text()


def entry_points(project):
    groups = project["entry-points"].items()
    return "\n".join(
        f"[{group}]\n" + "".join(f"{name} = {what}\n" for name, what in names.items())
        for group, names in groups
    )


def contents(binary, platform_tag):
    """The files of the wheel: name, bytes and mode."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        pyproject = tomllib.load(file)
    project = pyproject["project"]
    version = output(binary, "--version").split()[1]
    package = f"netloom-{version}"
    for name in pyproject["tool"]["maturin"]["python-packages"]:
        for path in sorted((ROOT / "python" / name).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield str(path.relative_to(ROOT / "python")), path.read_bytes(), 0o644
    with tempfile.NamedTemporaryFile() as stripped:
        subprocess.run(["strip", "-o", stripped.name, binary], check=True)
        program = pathlib.Path(stripped.name).read_bytes()
    yield f"{package}.data/scripts/netloom", program, 0o755
    wheel = f"Wheel-Version: 1.0\nGenerator: netloom\nRoot-Is-Purelib: false\nTag: {platform_tag}\n"
    texts = {
        "METADATA": metadata(project, version),
        "WHEEL": wheel,
        "entry_points.txt": entry_points(project),
        "licenses/LICENSE": (ROOT / "LICENSE").read_text(),
    }
    for name, text in texts.items():
        yield f"{package}.dist-info/{name}", text.encode(), 0o644


def main():
    binary, directory = sys.argv[1:]
    platform_tag = tag(binary)
    files = list(contents(binary, platform_tag))
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    for name, data, _ in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.writerow([name, f"sha256={digest}", len(data)])
    info = files[-1][0].split("/")[0]
    rows.writerow([f"{info}/RECORD", "", ""])
    files.append((f"{info}/RECORD", record.getvalue().encode(), 0o644))
    target = pathlib.Path(directory) / f"{info.removesuffix('.dist-info')}-{platform_tag}.whl"
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as wheel:
        for name, data, mode in files:
            entry = zipfile.ZipInfo(name, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | mode) << 16
            wheel.writestr(entry, data)
    print(target)


main()
