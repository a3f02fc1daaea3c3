//! Members that dial their lead, where no command leads to them: on the nodes of a Ray cluster. A
//! stream to a machine is then what it is by `ssh`: the standard input and output of a `netloom
//! __member` there.
//!
//! | module | contents |
//! |---|---|
//! | `ray` | machines of a Ray cluster, with [`dial`] on each: [`Cluster`] |
//! | `tasks` | tasks of a Ray cluster, which need none of the others: [`Tasks`] |
//! | `helper` | the process that speaks with Ray |
//! | `desk` | the lead's side: machines dial it, and it gives their streams to relays |
//! | `relay` | a command, like `ssh`, that joins its standard input and output to such a stream |
//! | `dial` | a machine's side: dials the lead, and starts what it asks for |
//! | `line` | what both sides know |
//! | `pins` | who is at the other end |
//!
//! ```text
//! lead ── relay ── desk ═══ TLS ═══ dial ── netloom __member
//! ```
//!
//! A stream that ends at one end ends at the other, so that the lead's end is that of its lease.

mod desk;
mod dial;
mod helper;
mod line;
mod pins;
mod ray;
mod relay;
mod tasks;

pub use line::{DIAL, RELAY};
pub use ray::Cluster;
pub use tasks::Tasks;

/// Runs one of the two roles. Returns its exit code.
pub fn main(role: &str, arguments: impl Iterator<Item = String>) -> i32 {
    let done = match role {
        DIAL => dial::main(),
        _ => relay::main(arguments),
    };
    match done {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("error: {}", netloom_api::in_words(error.as_ref()));
            1
        }
    }
}
