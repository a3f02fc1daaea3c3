//! The first process of a node.
//!
//! The engine executes its own binary as `netloom __init`, with a control socket as standard input.
//! This *launcher* is a new process with one thread, so it may do what a program with many threads
//! must not: enter the node's namespaces and fork. Its child is the node's *init*, process 1 of a
//! new PID namespace. Init is a child of the engine, because the launcher forks it on behalf of its
//! own parent. Init creates the node's view of the file system, starts processes, reaps all of
//! them, and exits when the control socket closes. The kernel then kills all processes of the node.
//! So nothing outlives the engine, however it ends.

mod failure;
mod launch;
mod serve;
mod spawn;
mod view;

use std::io;
use std::process::exit;

pub(crate) use serve::signal_group;
pub(crate) use spawn::spawn;

use crate::process::control::{Control, FromInit};
use failure::attempt;

/// Runs `netloom __init`. Does not return. The exit code has no meaning, because errors are
/// reported through the control socket.
pub fn main() -> ! {
    let code = match launch::control() {
        Ok(control) => run(&control),
        Err(_) => 2,
    };
    exit(code)
}

fn run(control: &Control) -> i32 {
    match launch::launch(control) {
        // The launcher has finished its work.
        Ok(launch::Launched::Launcher) => 0,
        Ok(launch::Launched::Init(received)) => {
            let (setup, view) = &*received;
            let created = match setup.has_files {
                true => view::create_again(setup, view),
                false => view::create(setup, view),
            };
            let ready = created
                .and_then(|()| attempt(control.send(&FromInit::Ready, &[]), || "report".into()));
            if let Err((action, error)) = ready {
                report(control, action, &error);
                return 1;
            }
            serve::serve(control, &setup.oom_score, &view.env).map_or(1, |()| 0)
        }
        Err((action, error)) => {
            report(control, action, &error);
            1
        }
    }
}

fn report(control: &Control, action: String, error: &io::Error) {
    let errno = error.raw_os_error().unwrap_or(libc::EIO);
    // If the engine is gone, nobody can receive the report.
    let _ = control.send(&FromInit::SetupFailed { action, errno }, &[]);
}
