//! Nodes in a real kernel: each test has an experiment of its own, and may run at the same time as
//! all others.
//!
//! This binary is three programs: the tests; with `__init` as its first argument, the role of the
//! `netloom` binary in nodes; and with `__create`, an engine that waits to be killed.

mod crash;
mod lifecycle;
mod network;
mod processes;
mod view;
mod world;

use libtest_mimic::{Arguments, Trial};

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("__init") => netloom_nodes::init::main(),
        Some("__create") => crash::creator(),
        _ => {}
    }
    let arguments = Arguments::from_args();
    if !nix::unistd::geteuid().is_root() {
        // The engine does the same for an ordinary user, also before it starts threads.
        netloom_nodes::rootless::enter().unwrap();
    }
    let groups = [
        ("network", network::TESTS),
        ("processes", processes::TESTS),
        ("view", view::TESTS),
        ("lifecycle", lifecycle::TESTS),
        ("crash", crash::TESTS),
    ];
    let trials = groups.iter().flat_map(|(group, tests)| {
        tests.iter().map(move |(name, test)| {
            let run = move || {
                test();
                Ok(())
            };
            Trial::test(format!("{group}::{name}"), run)
        })
    });
    libtest_mimic::run(&arguments, trials.collect()).exit();
}
