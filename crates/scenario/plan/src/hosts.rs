//! The text of `/etc/hosts`.

use std::fmt::Write;

use crate::cidr::Cidr;
use crate::model::NodePlan;

/// Returns the text with one name for each address. `name` is the node's primary address in each
/// family. Every other interface address is `interface.name`, so `traceroute` shows the router and
/// the interface.
pub(crate) fn hosts_file(nodes: &[NodePlan]) -> String {
    let mut text = String::from("127.0.0.1 localhost\n::1 localhost ip6-localhost\n");
    let mut line = |address, name: std::fmt::Arguments<'_>| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{address} {name}");
    };
    for node in nodes {
        for address in &node.primary {
            line(*address, format_args!("{}", node.name));
        }
    }
    for node in nodes {
        for interface in &node.interfaces {
            for prefix in &interface.addresses {
                let address = Cidr::from(*prefix).address();
                if !node.primary.contains(&address) {
                    line(address, format_args!("{}.{}", interface.name, node.name));
                }
            }
        }
    }
    text
}
