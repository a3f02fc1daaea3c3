"""Scenarios: text, edits, findings."""

import glob
import os
import subprocess

import pytest

import netloom as nl
from conftest import ROOT, pair

EXAMPLES = sorted(glob.glob(f"{ROOT}/examples/**/*.yaml", recursive=True))


def test_the_text_of_every_example_is_kept():
    assert len(EXAMPLES) > 30
    for path in EXAMPLES:
        with open(path, "rb") as file:
            assert nl.load(path).to_yaml().encode() == file.read(), path


def test_an_edit_changes_one_line(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text(
        "name: x # the name\n# nodes\ntopology:\n  nodes: {a: , b: }\n"
        "  links:\n    - {endpoints: [a, b], delay: 1ms} # a link\n"
    )
    net = nl.load(path)
    net.links["a--b"]["delay"] = "2ms"
    assert net.to_yaml() == path.read_text().replace("1ms", "2ms")
    net.link("a", net.host("c"))
    net["seed"] = 4
    text = net.to_yaml()
    assert "# a link" in text and "# nodes" in text and "# the name" in text
    net.save(path)
    assert list(nl.load(path).nodes) == ["a", "b", "c"] and nl.load(path)["seed"] == 4


def test_both_ways_to_a_scenario_are_the_same(tmp_path):
    net = pair("same")
    net.traffic("load", "a", "b", udp={}, cbr={"rate": "1Mbit/s"}, duration="500ms")
    built = net.run(simulate=True, output=tmp_path / "built")
    net.save(tmp_path / "netloom.yaml")
    arguments = ["run", "--simulate", "-t", str(tmp_path / "netloom.yaml")]
    arguments += ["-o", str(tmp_path / "typed")]
    subprocess.run([nl.binary(), *arguments], check=True, stdout=subprocess.DEVNULL)
    for name in ("scenario.json", "scenario.yaml", "pipes.parquet"):
        kept = (tmp_path / "typed" / name).read_bytes()
        assert (tmp_path / "built" / name).read_bytes() == kept, name
    assert built.success


def test_findings_name_the_call(tmp_path):
    net = nl.Scenario("wrong")
    net.link("a", "b")
    line = test_findings_name_the_call.__code__.co_firstlineno + 2
    with pytest.raises(nl.ScenarioError) as caught:
        net.deploy()
    places = [finding.file for finding in caught.value.diagnostics]
    assert any(place.startswith(f"{__file__}:{line} ") for place in places), places
    path = tmp_path / "bad.yaml"
    path.write_text("name: x\nfoo: 3\n")
    with pytest.raises(nl.ScenarioError) as caught:
        nl.load(path).run(simulate=True)
    places = {(found.file, found.line) for found in caught.value.diagnostics}
    assert (str(path), 2) in places, places


def test_text_that_is_no_yaml_has_a_place(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text("name: [x\n")
    with pytest.raises(nl.ScenarioError) as caught:
        nl.load(path)
    assert caught.value.diagnostics[0].file == str(path)


def test_names_are_expanded():
    net = nl.Scenario("many")
    assert len(net.hosts("n[1-50]")) == 50
    assert [str(node) for node in net.routers("r[08-11]")] == ["r08", "r09", "r10", "r11"]


def test_quantities():
    assert nl.seconds("41us") == pytest.approx(41e-6)
    assert nl.bits("10Mbit/s") == 10e6 and nl.bits("1500B") == 12000
    with pytest.raises(ValueError):
        nl.seconds("1parsec")


def test_another_version_is_refused(tmp_path, monkeypatch):
    other = tmp_path / "netloom"
    other.write_text("#!/bin/sh\necho netloom 9.9.9\n")
    other.chmod(0o755)
    monkeypatch.delenv("NETLOOM_BINARY")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    with pytest.raises(nl.Error, match=r"9\.9\.9.*0\.1\.0"):
        nl.binary()


def test_the_version_is_the_binarys():
    with open(f"{ROOT}/Cargo.toml") as file:
        assert f'version = "{nl.__version__}"' in file.read()
