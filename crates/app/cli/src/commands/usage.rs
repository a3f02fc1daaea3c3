//! Tables of the resources of the machine that nodes use, and of ports that lead into them.

use comfy_table::Table;
use netloom_api::state::NodeStatus;
use netloom_units::readable::count;

use crate::table::table;

const MIB: f64 = (1 << 20) as f64;

/// Returns the table of resources that nodes use, if any is known.
pub fn table_of(nodes: &[NodeStatus]) -> Option<Table> {
    let headings =
        ["node", "CPU time", "throttled", "memory", "peak", "killed", "pids", "peak", "limits"];
    let mut rows = table(&headings);
    for node in nodes.iter().filter(|node| node.usage.is_some() || !node.limits.is_empty()) {
        let usage = node.usage.unwrap_or_default();
        let or_unknown = |text: Option<String>| text.unwrap_or_else(|| "–".into());
        let memory =
            |bytes: Option<u64>| or_unknown(bytes.map(|b| format!("{:.1} MiB", b as f64 / MIB)));
        let number = |number: Option<u64>| or_unknown(number.map(count));
        let time = |ns: u64| format!("{:.2} s", ns as f64 / 1e9);
        rows.add_row([
            node.name.clone(),
            or_unknown(usage.cpu_ns.map(time)),
            or_unknown(usage.throttled_ns.map(time)),
            memory(usage.memory),
            memory(usage.memory_peak),
            number(usage.memory_kills),
            number(usage.pids),
            number(usage.pids_peak),
            node.limits.to_string(),
        ]);
    }
    (!rows.is_empty()).then_some(rows)
}

/// Returns the table of ports of the machine that lead into nodes, if there are any.
pub fn published(nodes: &[NodeStatus]) -> Option<Table> {
    let mut rows = table(&["on this machine", "node", "port"]);
    for node in nodes {
        for publish in &node.published {
            let here: Vec<String> =
                publish.listens_on().iter().map(|address| address.to_string()).collect();
            rows.add_row([
                here.join(", "),
                node.name.clone(),
                format!("{}/{}", publish.to, publish.protocol),
            ]);
        }
    }
    (!rows.is_empty()).then_some(rows)
}
