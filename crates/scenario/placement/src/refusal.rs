//! Why there is no placement, and what would help.

use thiserror::Error;

use crate::binding::Binding;
use crate::problem::Resource;

/// The reason for which there is no placement.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum NoPlacement {
    /// There are no machines.
    #[error("there are no machines")]
    NoMachines,
    /// Two nodes must be on two machines, and share one.
    #[error(
        "`{}` is on machine `{}` and `{}` on `{}`, but they cannot be separated: {}",
        nodes[0], machines[0], nodes[1], machines[1], listed(by)
    )]
    OnTwoMachines {
        /// The two nodes.
        nodes: [String; 2],
        /// Their machines.
        machines: [String; 2],
        /// What joins them, from the first to the second.
        by: Vec<Binding>,
    },
    /// Two nodes must be apart, and share a machine.
    #[error(
        "`{}` and `{}` are apart (`{label}`), but they cannot be separated: {}",
        nodes[0], nodes[1], listed(by)
    )]
    NotApart {
        /// The two nodes.
        nodes: [String; 2],
        /// Their label.
        label: String,
        /// What joins them, from the first to the second.
        by: Vec<Binding>,
    },
    /// No machine holds nodes that cannot be separated.
    #[error(
        "{} cannot be separated, and no machine holds them: `{machine}`, which comes closest, \
         would use {:.0} % of its {resource}{}", names(nodes), used * 100.0, because(by)
    )]
    GroupTooLarge {
        /// The nodes.
        nodes: Vec<String>,
        /// Machine that comes closest.
        machine: String,
        /// Capacity that is exceeded.
        resource: Resource,
        /// Use of what may be used of it; 1 is all.
        used: f64,
        /// What joins them.
        by: Vec<Binding>,
    },
    /// The search found no placement.
    #[error(
        "{}: of what was tried, the least overloaded has {} at {:.0} % of what may be used on \
         `{machine}`",
        if *is_certain { "no placement fits" } else { "the search found no placement" },
        resource, used * 100.0
    )]
    Overload {
        /// Machine with the greatest load.
        machine: String,
        /// Capacity that is exceeded.
        resource: Resource,
        /// Use of what may be used of it; 1 is all.
        used: f64,
        /// Whether all assignments were excluded.
        is_certain: bool,
    },
    /// The rules for links and labels exclude each other.
    #[error(
        "{}: {what}",
        if *is_certain { "no placement fits" } else { "the search found no placement" }
    )]
    Rules {
        /// The broken rule, in words.
        what: String,
        /// Whether all assignments were excluded.
        is_certain: bool,
    },
}

impl NoPlacement {
    /// What would make a placement possible, in words.
    pub fn help(&self) -> String {
        match self {
            Self::NoMachines => "list at least one".into(),
            Self::OnTwoMachines { by, .. } => {
                format!("name one machine for both, or {}", relaxed(by))
            }
            Self::NotApart { by, .. } => format!("leave out `apart`, or {}", relaxed(by)),
            Self::GroupTooLarge { resource, by, .. } => {
                format!("{}, or {}", more(*resource), relaxed(by))
            }
            Self::Overload { resource, is_certain, .. } => {
                let longer = if *is_certain { "" } else { ", or a longer `placement.solve_for`" };
                format!("{}{longer}", more(*resource))
            }
            Self::Rules { .. } => {
                "leave out `machine` or `apart`, add machines, or let more links be cut \
                 (`cut: any`)"
                    .into()
            }
        }
    }
}

/// What gives more of a resource.
fn more(resource: Resource) -> &'static str {
    match resource {
        Resource::Cpu => {
            "add machines, state a smaller `load` of nodes or links where it is known, or raise \
             `placement.headroom`"
        }
        Resource::Memory => {
            "add machines, state a smaller `load` of nodes, or raise `placement.headroom`"
        }
        Resource::Uplink => {
            "put nodes with much traffic `together`, state a smaller `load` of links, or give \
             machines a faster `uplink`"
        }
        Resource::Mnp => "add machines, or lower the rates of links",
    }
}

/// What would separate nodes.
fn relaxed(by: &[Binding]) -> String {
    let short = by.iter().find_map(|binding| match binding {
        Binding::Short { link, bound, .. } => Some((link, bound)),
        _ => None,
    });
    if let Some((link, bound)) = short {
        return format!(
            "give link `{link}` a delay of {bound} or more, or `cut: any` (frames are then late, \
             and the run is `suspect` at best)"
        );
    }
    match by.first() {
        Some(Binding::Uncut { link }) => {
            format!("leave out `cut: never` or `direct` of link `{link}`")
        }
        Some(Binding::Together { label }) => format!("leave out `together: {label}`"),
        _ => "take a larger machine".into(),
    }
}

/// Largest number of things that an error lists.
const MOST: usize = 5;

fn listed(by: &[Binding]) -> String {
    let mut words: Vec<String> = by.iter().take(MOST).map(ToString::to_string).collect();
    if by.len() > MOST {
        words.push(format!("and {} more", by.len() - MOST));
    }
    words.join(", ")
}

fn because(by: &[Binding]) -> String {
    if by.is_empty() { String::new() } else { format!(" ({})", listed(by)) }
}

fn names(nodes: &[String]) -> String {
    let quoted: Vec<String> = nodes.iter().take(MOST).map(|node| format!("`{node}`")).collect();
    let list = quoted.join(", ");
    if nodes.len() > MOST { format!("{list} and {} more", nodes.len() - MOST) } else { list }
}
