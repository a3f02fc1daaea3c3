//! Which nodes run on which machine: a list of machines, the demands of a scenario, and the search
//! for the fewest machines and the least traffic between them.
//!
//! | module | what |
//! |---|---|
//! | `machines` | lists of machines, from a file, as `local:N` or as `ray:ADDRESS` |
//! | `capacity` | what a machine bears, from its profile |
//! | `demand` | what the nodes and links of a scenario need |
//! | `problem` | nodes, links, machines and rules, as the search and its check get them |
//! | `groups` | nodes that no placement can separate |
//! | `binding` | why not |
//! | `search` | finds a placement |
//! | `check` | finds what is wrong with a placement, without the code of the search |
//! | `account` | the load of each machine and the links that are cut, for people |
//! | `written` | placements as files |
//! | `refusal` | why there is no placement, and what would help |
//!
//! After Zheng 2003, §3.5, with the corrections of `docs/decisions/041-placing-nodes.md`. Pure:
//! time counts in steps of the search. Not here: files, probes of the network between machines
//! (`netloom-lead`).

mod account;
mod binding;
mod capacity;
mod check;
mod demand;
mod groups;
mod machines;
mod problem;
mod refusal;
mod search;
mod written;

pub use account::{Account, CutLink, MachineLoad};
pub use binding::Binding;
pub use capacity::capacities;
pub use check::{Violation, check};
pub use demand::{Needs, demands};
pub use groups::Groups;
#[cfg(feature = "schema")]
pub use machines::json_schema;
pub use machines::{Local, Machines, MemberMachine, Ray, Reserve, START, Tunnel};
pub use problem::{
    Bounds, Cost, Flow, LinkDemand, Machine, Mnp, NodeDemand, Placement, Problem, Resource,
};
pub use refusal::NoPlacement;
pub use search::{ASSIGNMENTS, STEPS_PER_SECOND, Solution, place};
pub use written::{PlacementError, WrittenPlacement};
