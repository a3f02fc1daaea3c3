//! However a shell ends, nothing of it is left.

use std::process::{Child, Command};

use nix::sys::signal::Signal;

use crate::common::{NETLOOM, eventually, kill, text};
use crate::{Place, said};

/// A command that has a process of its own session, and one that ignores the end of a session.
const WITH_OTHERS: &str = "setsid sleep 98765 & trap '' HUP; sleep 98765 & echo ready; sleep 98765";

fn pid(child: &Child) -> i32 {
    i32::try_from(child.id()).unwrap()
}

#[test]
fn what_a_command_leaves_ends_with_it() {
    let Some(place) = Place::new("what_a_command_leaves_ends_with_it") else { return };
    let line = "setsid sleep 98764 >/dev/null 2>&1 & (trap '' HUP; exec sleep 98764) & exit 0";
    let output = place.shell(&["--", "sh", "-c", line]);
    assert!(output.status.success(), "{}", said(&output));
    place.is_as_before();
}

#[test]
fn a_signal_to_the_client_is_for_the_command() {
    let Some(place) = Place::new("a_signal_to_the_client_is_for_the_command") else { return };
    for (signal, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143), (Signal::SIGHUP, 129)] {
        let mut shell = place.started(&["--", "sh", "-c", "echo ready; exec sleep 98763"]);
        kill(pid(&shell), signal);
        assert_eq!(shell.wait().unwrap().code(), Some(code), "{signal}");
        place.is_as_before();
    }
    // A command that does as it likes with it.
    let line = "trap 'exit 5' INT; echo ready; while :; do sleep 0.1; done";
    let mut shell = place.started(&["--", "sh", "-c", line]);
    kill(pid(&shell), Signal::SIGINT);
    assert_eq!(shell.wait().unwrap().code(), Some(5));
    place.is_as_before();
}

#[test]
fn a_killed_client_ends_the_shell() {
    let Some(place) = Place::new("a_killed_client_ends_the_shell") else { return };
    let mut shell = place.started(&["--", "sh", "-c", WITH_OTHERS]);
    kill(pid(&shell), Signal::SIGKILL);
    shell.wait().unwrap();
    place.is_as_before();
}

#[test]
fn a_killed_client_of_a_shell_in_a_shell_ends_both() {
    let Some(place) = Place::new("a_killed_client_of_a_shell_in_a_shell_ends_both") else { return };
    let inner = format!("{}-inner", place.name);
    let words = ["--", NETLOOM, "shell", "--name", &inner, "--", "sh", "-c", WITH_OTHERS];
    let mut shell = place.started(&words);
    kill(pid(&shell), Signal::SIGKILL);
    shell.wait().unwrap();
    place.is_as_before();
    eventually("nothing of the inner one is left", || crate::common::remains(&inner).is_empty());
}

#[test]
fn a_killed_engine_ends_the_shell() {
    let Some(place) = Place::new("a_killed_engine_ends_the_shell") else { return };
    let mut command = place.command(&["--", "sh", "-c", WITH_OTHERS]);
    let shell = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let shell = shell.spawn().unwrap();
    eventually("the command runs", || {
        std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", shell.id()))
            .is_ok_and(|children| children.split_whitespace().count() == 2)
            && crate::common::state(&place.name).join("engine.pid").exists()
    });
    kill(place.engine(), Signal::SIGKILL);
    let output = shell.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(125), "{}", said(&output));
    assert!(text(&output.stderr).contains("died"), "{}", said(&output));
    place.is_as_before();
}

#[test]
fn cleanup_removes_what_a_killed_shell_has_left() {
    let Some(place) = Place::new("cleanup_removes_what_a_killed_shell_has_left") else { return };
    let mut shell = place.started(&["--", "sh", "-c", WITH_OTHERS]);
    let engine = place.engine();
    kill(pid(&shell), Signal::SIGSTOP);
    kill(engine, Signal::SIGKILL);
    kill(pid(&shell), Signal::SIGKILL);
    shell.wait().unwrap();
    let mut command: Command =
        crate::machine::inside(&place.machine.machine, &[NETLOOM, "cleanup", &place.name]);
    crate::machine::ok(command.output().unwrap(), "cleanup");
    place.is_as_before();
}
