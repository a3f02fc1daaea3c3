//! The networks of a calibration and their traffic, as scenarios.

use std::path::Path;

use anyhow::{Context, Result};
use netloom_gauge::traffic::{Order, Protocol, READY, ROLE, Send};
use netloom_profile::{Shape, Traffic};
use serde_json::{Value, json};

use super::session::EXPERIMENT;

/// The port of receivers.
pub const PORT: u16 = 5000;
/// The process that receives, in every host that is a destination.
pub const RECEIVER: &str = "receive";

/// The delay of each link, in milliseconds.
pub const DELAY_MILLIS: u32 = 1;

/// A load on a network.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// The network.
    pub shape: Shape,
    /// The kind of traffic.
    pub traffic: Traffic,
    /// Writes of each sender in a second.
    pub pace: f64,
    /// Time for which they send, in seconds.
    pub seconds: f64,
}

impl Load {
    /// Returns the scenario of a run whose processes start in the folder of `binary`, which is this
    /// program.
    pub fn scenario(&self, binary: &Path) -> Result<String> {
        let program = program(binary)?;
        let run = |order: &Order| -> Result<Value> {
            Ok(json!([program, ROLE, serde_json::to_string(order)?]))
        };
        let protocol = match self.traffic {
            Traffic::Udp60 | Traffic::Udp1514 => Protocol::Udp,
            Traffic::Tcp => Protocol::Tcp,
        };
        let flows = self.flows();
        let receivers: Vec<&String> = flows.iter().map(|(_, to)| to).collect();
        let mut processes = vec![json!({
            "name": RECEIVER, "nodes": receivers, "ready": {"output": READY},
            "command": run(&Order::Receive { protocol, port: PORT })?,
        })];
        for (from, to) in &flows {
            let order = Order::Send(Send {
                protocol,
                to: to.clone(),
                port: PORT,
                payload: self.traffic.payload(),
                pace: self.pace,
                seconds: self.seconds,
            });
            processes.push(json!({
                "name": sender(from), "node": from, "command": run(&order)?,
                "start": {"after": RECEIVER, "when": "ready"},
            }));
        }
        let scenario =
            json!({"name": EXPERIMENT, "topology": topology(self.shape), "processes": processes});
        text(&scenario)
    }

    /// Returns the pairs of sender and receiver.
    pub fn flows(&self) -> Vec<(String, String)> {
        match self.shape {
            Shape::Chain { .. } => vec![("a".into(), "b".into())],
            Shape::Node { ports } => {
                (0..ports).map(|port| (host(port), host((port + 1) % ports))).collect()
            }
        }
    }
}

/// Returns a scenario as the text of a file.
pub fn text(scenario: &Value) -> Result<String> {
    Ok(netloom_document::write(&netloom_document::encode(scenario)?))
}

/// Returns the path of this program for a process that starts in its folder.
pub fn program(binary: &Path) -> Result<String> {
    let name = binary.file_name().context("the netloom binary has no name")?;
    Ok(format!("./{}", name.to_string_lossy()))
}

/// Returns the nodes and links of a network.
pub fn topology(shape: Shape) -> Value {
    let mut nodes = serde_json::Map::new();
    let host_node = || json!({"kind": "host"});
    let router_node = || json!({"kind": "router"});
    let mut links = Vec::new();
    match shape {
        Shape::Chain { hops } => {
            let names: Vec<String> = (0..=hops)
                .map(|number| match number {
                    0 => "a".into(),
                    last if last == hops => "b".into(),
                    router => format!("r{router}"),
                })
                .collect();
            for (number, name) in (0..).zip(&names) {
                let is_end = number == 0 || number == hops;
                nodes.insert(name.clone(), if is_end { host_node() } else { router_node() });
            }
            links.extend(names.windows(2).map(|ends| link(&ends[0], &ends[1])));
        }
        Shape::Node { ports } => {
            nodes.insert("r".into(), router_node());
            for port in 0..ports {
                nodes.insert(host(port), host_node());
                links.push(link(&host(port), "r"));
            }
        }
    }
    json!({"nodes": nodes, "links": links})
}

/// Returns the name of the process that sends from a host.
pub fn sender(host: &str) -> String {
    format!("send-{host}")
}

fn host(port: u32) -> String {
    format!("h{port}")
}

/// Returns a link without a rate. It delays frames, so that it can be measured how late they leave.
fn link(a: &str, b: &str) -> Value {
    json!({"endpoints": [a, b], "delay": format!("{DELAY_MILLIS}ms")})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_network_is_a_scenario() {
        let shapes = [
            (Shape::Chain { hops: 1 }, 2, 1),
            (Shape::Chain { hops: 4 }, 5, 4),
            (Shape::Node { ports: 2 }, 3, 2),
            (Shape::Node { ports: 8 }, 9, 8),
        ];
        for (shape, nodes, links) in shapes {
            for traffic in Traffic::ALL {
                let load = Load { shape, traffic, pace: 10.0, seconds: 1.0 };
                let text = load.scenario(Path::new("/bin/netloom")).unwrap();
                let loaded = netloom_scenario::load(&text)
                    .unwrap_or_else(|errors| panic!("{}", errors.render("scenario", &text)));
                let scenario = loaded.scenario;
                assert!(loaded.warnings.is_empty(), "{}", loaded.warnings.render("", &text));
                assert_eq!((scenario.nodes.len(), scenario.links.len()), (nodes, links));
                assert_eq!(scenario.processes.len(), 1 + shape.flows() as usize);
            }
        }
    }
}
