"""Results, sweeps, graphs, and how things show themselves."""

import pytest

import netloom as nl
from conftest import pair


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    net = pair("run")
    net.traffic("load", "a", "b", udp={}, cbr={"rate": "1Mbit/s"}, duration="800ms")
    return net.run(simulate=True, output=tmp_path_factory.mktemp("run") / "results")


def test_tables(simulated):
    rows = simulated.pipes.rows()
    assert {row["link"] for row in rows} == {"line"}
    pytest.importorskip("polars")
    assert simulated.pipes.to_polars().height == len(rows)
    assert simulated.pipes.good().scan().collect().height == len(rows)
    with pytest.raises(nl.Error, match="shared media"):
        _ = simulated.radio
    assert simulated.verdict.judgement == "valid"
    assert simulated.require("valid") is simulated
    assert simulated.events[0]["event"]


def test_tables_of_other_libraries(simulated):
    rows = len(simulated.flows.rows())
    pytest.importorskip("pyarrow")
    assert simulated.flows.good().to_arrow().num_rows == rows
    pytest.importorskip("pandas")
    assert len(simulated.flows.good().to_pandas()) == rows


def test_an_emulated_run_has_a_verdict(tmp_path):
    net = pair("verdict")
    net.process("client", "a", "ping -c 2 -i 0.2 b")
    net.process("fails", "b", "exit 4")
    results = net.run(output=tmp_path / "results")
    assert results.verdict.judgement in ("valid", "suspect", "invalid")
    assert results.verdict.pipe("line/forward").at_most["p99"] is not None
    assert "2 packets" in results.processes["client"].stdout
    assert results.code == 3
    with pytest.raises(nl.Untrusted, match="fails"):
        results.require("success")
    with pytest.raises(KeyError, match="line/forward"):
        results.verdict.pipe("nothing")
    assert "findings" in results.verdict.data


def test_comparison(simulated):
    assert nl.compare(simulated, simulated, tolerance={"goodput": "1%"})


def test_a_sweep_goes_on(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    net = pair("sweep")
    net.traffic("load", "a", "b", udp={}, cbr={"rate": "1Mbit/s"}, duration="500ms")
    asked = {"vary": {"links.line.delay": ["5ms", "6ms"]}, "simulate": True}
    metrics = {"goodput": nl.flow("load").goodput}
    folder = tmp_path / "sweep"
    first = nl.sweep(net, seeds=2, metrics=metrics, output=folder, **asked)
    assert len(first.runs.rows()) == 4 and len(first.points) == 2
    kept = {path: path.stat().st_mtime_ns for path in (folder / "runs").iterdir()}
    more = nl.sweep(net, seeds=3, metrics=metrics, output=folder, **asked).require()
    assert len(more.runs.rows()) == 6 and len(more.results()) == 6
    assert all(path.stat().st_mtime_ns == time for path, time in kept.items())
    assert {path.name for path in tmp_path.iterdir()} == {"sweep"}
    with pytest.raises(nl.Error, match="nothing"):
        nl.sweep(
            net,
            vary={"links.nothing.delay": ["1ms"]},
            metrics=metrics,
            simulate=True,
            output=tmp_path / "wrong",
        )


def test_graphs():
    networkx = pytest.importorskip("networkx")
    graph = networkx.MultiGraph(name="g h")
    graph.add_node(1, label="New York", Latitude=40.7, Longitude=-74.0)
    graph.add_node(2, label="London", Latitude=51.5, Longitude=-0.1)
    graph.add_edge(1, 2, speed=1e9, cost=3)
    graph.add_edge(1, 2, speed=2e9, cost=4)
    net = nl.from_networkx(graph, rate="speed", delay="from-distance:5us/km", cost="cost", hosts=1)
    assert net.validate() is not None
    first = net["topology"]["links"][0]
    assert first["rate"] == "1000000000bit/s" and first["cost"] == 3
    assert nl.seconds(first["delay"]) == pytest.approx(5570e3 * 5e-9, rel=0.01)
    back = net.to_networkx()
    assert back.number_of_nodes() == 4 and back.number_of_edges() == 4


def test_everything_shows_itself(simulated):
    assert "<svg" in pair("shown")._repr_html_()
    assert "line/forward" in simulated._repr_html_()
    assert "<td>" in simulated.pipes._repr_html_()
    with pair("shown").deploy() as exp:
        assert "links" in exp._repr_html_() and "<svg" in exp._repr_html_()
    assert "gone" in exp._repr_html_()
