"""The guide, the examples, types, generated names, imports."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT

ENV = {**os.environ, "PYTHONPATH": f"{ROOT}/python"}


def test_every_block_of_the_guide_runs(tmp_path):
    for library in ("polars", "matplotlib", "networkx"):
        pytest.importorskip(library)
    with open(f"{ROOT}/docs/python.md") as file:
        blocks = re.findall(r"^```python\n(.*?)^```$", file.read(), re.S | re.M)
    assert len(blocks) > 6
    program = tmp_path / "guide.py"
    # Names of this process, so that two guides may run beside each other.
    text = "\n".join(blocks).replace('Scenario("dumbbell"', f'Scenario("dumbbell-{os.getpid()}"')
    program.write_text(text)
    env = {**ENV, "MPLBACKEND": "Agg"}
    done = subprocess.run(
        [sys.executable, program], cwd=tmp_path, env=env, text=True, capture_output=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "command, shows",
    [("dumbbell.py", "Mbit/s"), ("sweep.py", "Mbit/s"), ("aqm.py 1 1s", "bbr 50ms fq_codel delay")],
)
def test_examples_run(command, shows, tmp_path):
    name, *arguments = command.split()
    path = f"{ROOT}/examples/python/{name}"
    env = {**ENV, "MPLBACKEND": "Agg"}
    done = subprocess.run(
        [sys.executable, path, *arguments], cwd=tmp_path, env=env, text=True, capture_output=True
    )
    assert done.returncode == 0 and shows in done.stdout, done.stdout + done.stderr


def test_a_lab_is_marked(tmp_path):
    shutil.copy(f"{ROOT}/examples/python/test_fault.py", tmp_path)
    more = tmp_path / "test_more.py"
    more.write_text(
        "def test_it(network):\n"
        "    import netloom\n"
        "    net = netloom.Scenario('more'); net.host('a')\n"
        "    network(net)\n    assert False\n"
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "netloom.pytest_plugin",
        "-p",
        "no:cacheprovider",
        "--junitxml=marks.xml",
    ]
    done = subprocess.run(command, cwd=tmp_path, env=ENV, text=True, capture_output=True)
    # On a busy machine, one of the two that pass says that it cannot tell.
    marks = ("2 passed", "1 passed, 1 skipped")
    passed = any(mark in done.stdout for mark in marks)
    assert done.returncode == 1 and passed, done.stdout + done.stderr
    assert "1 failed" in done.stdout and "experiment more-" in done.stdout
    assert 'tests="3"' in (tmp_path / "marks.xml").read_text()


def test_a_notebook_runs(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(f"{ROOT}/examples/python/notebook.ipynb", as_version=4)
    client = nbclient.NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    )
    os.environ["PYTHONPATH"] = ENV["PYTHONPATH"]
    client.execute()
    outputs = str([cell.get("outputs") for cell in notebook.cells])
    assert "<svg" in outputs and "<td>" in outputs and "1 received" in outputs


def pyright(*arguments, cwd=ROOT):
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, *arguments]
    return subprocess.run(command, cwd=cwd, env=ENV, text=True, capture_output=True)


def test_types(tmp_path):
    pytest.importorskip("pyright")
    done = pyright("-p", ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    (tmp_path / "pyrightconfig.json").write_text(
        f'{{"extraPaths": ["{ROOT}/python"], "typeCheckingMode": "strict"}}'
    )
    right = (
        'import netloom as nl\nnet = nl.Scenario("x")\n'
        'a, b = net.hosts("a", "b")\nnet.link(a, b, rate="1Mbit/s")\n'
    )
    (tmp_path / "right.py").write_text(right)
    (tmp_path / "wrong.py").write_text(right.replace("rate=", "rat="))
    done = pyright("-p", str(tmp_path), cwd=tmp_path)
    # Each run of pyright takes long to begin, so both are in one.
    assert done.returncode == 1 and '"rat"' in done.stdout, done.stdout
    assert "right.py:" not in done.stdout and "1 error" in done.stdout, done.stdout


@pytest.mark.parametrize(
    "file, kind",
    [
        ("openapi.json", "openapi"),
        ("scenario.schema.json", "jsonschema"),
    ],
)
def test_generated_classes_have_no_numbers(file, kind, tmp_path):
    pytest.importorskip("datamodel_code_generator")
    target = tmp_path / "made.py"
    command = [
        sys.executable,
        "-m",
        "datamodel_code_generator",
        "--input",
        f"{ROOT}/docs/{file}",
        "--input-file-type",
        kind,
        "--output",
        target,
        "--use-title-as-name",
        "--output-model-type",
        "typing.TypedDict",
        "--target-python-version",
        "3.10",
        "--formatters",
        "builtin",
    ]
    subprocess.run(command, check=True, capture_output=True)
    names = re.findall(
        r"^(?:class )?(\w+)(?:\(|: TypeAlias| = TypedDict)", target.read_text(), re.M
    )
    assert len(names) > 200
    # These end with a number in the product's own words.
    own = re.compile(r"(Dualpi2|DualPi2|[Ii]pv4|[Ii]pv6)$")
    assert [name for name in names if name[-1].isdigit() and not own.search(name)] == []


def test_an_import_is_cheap():
    program = (
        "import os, sys\n"
        "def spent(): t = os.times(); return t.user + t.system\n"
        "before = spent()\nimport {}\nprint(spent() - before)\n"
        "print([name for name in sys.modules if name.endswith('_types')])"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", program.format("netloom")],
        env=ENV,
        text=True,
        capture_output=True,
        check=True,
    ).stdout
    assert "netloom" not in loaded.splitlines()[1]
    heavy = "import sys, netloom; print(any(m in sys.modules for m in ('polars', 'http.client')))"
    done = subprocess.run([sys.executable, "-c", heavy], env=ENV, text=True, capture_output=True)
    assert done.stdout == "False\n", done.stderr
