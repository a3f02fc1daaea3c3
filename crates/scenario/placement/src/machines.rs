//! Lists of machines: a file like `machines.yaml`, or `local:N` for machines that NetLoom makes
//! itself on this one.

mod list;
mod local;
mod raw;

use netloom_document::{Diagnostic, Diagnostics, Dialect, decode, parse};

pub use list::{Local, Machines, MemberMachine, Reserve, Tunnel};
use raw::RawMachines;

#[cfg(feature = "schema")]
pub use raw::json_schema;

/// Words of lists of machines.
static DIALECT: Dialect = Dialect {
    one_document: "a list of machines is one document",
    empty: "a list of machines needs at least `machines`",
    lists_all: "",
    synonyms: &[
        ("host", "address"),
        ("hosts", "machines"),
        ("ip", "address"),
        ("nodes", "machines"),
        ("ssh", "address"),
        ("bandwidth", "uplink"),
    ],
    misplaced: &[("mnp", "capacity"), ("guard", "tunnel"), ("encryption", "tunnel")],
    sections: &[("machines", ""), ("start", ""), ("tunnel", ""), ("lost_after", "")],
    in_a_mapping: |key, value| match key {
        "start" => Some(format!("write `start: {{command: \"{value}\"}}`")),
        "capacity" => Some("write like `capacity: {mnp: {2: 91Mbit/s}}`".into()),
        _ if value.contains(['@', '.', ':']) => {
            Some(format!("write `{key}: {{address: {value}}}`"))
        }
        _ => None,
    },
    ..Dialect::PLAIN
};

impl Machines {
    /// Reads a list of machines.
    ///
    /// # Errors
    /// All errors of the text, each with its place.
    pub fn parse(text: &str) -> Result<Self, Diagnostics> {
        let found = |list| Diagnostics::new(list, &DIALECT);
        let tree = parse(text, &DIALECT).map_err(|error| found(vec![error]))?;
        let decoded = decode::<RawMachines>(&tree);
        if !decoded.shape.is_empty() {
            return Err(Diagnostics::of_shape(decoded.shape));
        }
        let mut findings: Vec<Diagnostic> = decoded.errors;
        let machines = decoded.value.map(|raw| raw.resolve(&mut findings));
        match machines {
            Some(machines) if findings.is_empty() => Ok(machines),
            _ => Err(found(findings)),
        }
    }
}
