//! Objects of other programs are left alone, whatever their names are.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::{fs, io};

use common::{Lab, eventually, has_ip_netns, takes_root, text};

/// A network namespace of somebody else's, with a process and a device in it.
struct Stranger {
    name: String,
    process: Child,
}

impl Stranger {
    fn new(name: &str) -> Self {
        let ip = |arguments: &[&str]| {
            let output = Command::new("ip").args(arguments).output().unwrap();
            assert!(output.status.success(), "{}", text(&output.stderr));
        };
        ip(&["netns", "add", name]);
        ip(&["-n", name, "link", "add", "d0", "type", "veth"]);
        let mut command = Command::new("ip");
        command.args(["netns", "exec", name, "sh", "-c", "echo; exec sleep 987640"]);
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = [0];
        io::Read::read_exact(process.stdout.as_mut().unwrap(), &mut line).unwrap();
        Self { name: name.into(), process }
    }

    /// Everything of it is as it was.
    fn is_well(&mut self) -> bool {
        let devices = Command::new("ip").args(["-n", &self.name, "link", "show", "d0"]).output();
        self.process.try_wait().unwrap().is_none() && devices.unwrap().status.success()
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = Command::new("ip").args(["netns", "delete", &self.name]).output();
    }
}

#[test]
fn namespaces_of_others_are_left_alone_whatever_they_are_called() {
    if !has_ip_netns("namespaces_of_others_are_left_alone_whatever_they_are_called") {
        return;
    }
    let lab = Lab::pair("");
    let mut of_a_node = Stranger::new(&format!("{}.a", lab.name));
    let mut of_none = Stranger::new(&format!("{}.r1", lab.name));
    let mut are_well = |when: &str| {
        assert!(of_a_node.is_well() && of_none.is_well(), "{when}");
    };
    let (_, error) = lab.fails(&["deploy"]);
    assert!(error.contains("exists already") && error.contains("somebody else's"), "{error}");
    are_well("a name of a node is taken");
    let printed = lab.ok(&["cleanup", &lab.name]);
    assert!(
        printed.contains("nothing was left") && printed.contains("left alone /run/netns/"),
        "{printed}"
    );
    are_well("cleanup of an experiment that never was");
    common::rewrite(&lab, "topology:\n  nodes: { x: { binds: { /no/such/place: /mnt } } }\n");
    lab.fails(&["deploy"]);
    are_well("a start that fails for another reason");
    common::rewrite(&lab, "topology:\n  nodes: { x: , y: }\n");
    lab.ok(&["deploy"]);
    lab.sh("x", "true");
    lab.ok(&["destroy", &lab.name]);
    are_well("an experiment of the same name ends");
    lab.ok(&["deploy"]);
    common::kill(lab.engine_pid(), nix::sys::signal::Signal::SIGKILL);
    lab.ok(&["cleanup", &lab.name]);
    are_well("cleanup after an experiment of the same name");
    drop((of_a_node, of_none));
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn another_state_directory_does_not_harm_an_experiment_of_the_same_name() {
    if !takes_root(
        "another_state_directory_does_not_harm_an_experiment_of_the_same_name",
        "an ordinary user's experiments have all that is theirs in their state directories",
    ) {
        return;
    }
    let lab = Lab::pair("");
    lab.ok(&["deploy"]);
    let node = format!("a@{}", lab.name);
    let mut running = lab.command(&["exec", &node, "--", "sleep", "987641"]).spawn().unwrap();
    eventually("the command runs", || lab.sh("a", "ps ax").contains("987641"));
    let elsewhere = |arguments: &[&str]| {
        let mut command = lab.command(arguments);
        command.env("NETLOOM_STATE_DIR", lab.path("elsewhere")).output().unwrap()
    };
    assert!(!elsewhere(&["deploy"]).status.success());
    for cleanup in [&["cleanup", &lab.name][..], &["cleanup"], &["cleanup", "--all"]] {
        assert!(elsewhere(cleanup).status.success());
    }
    assert_eq!(running.try_wait().unwrap(), None);
    assert!(lab.sh("a", "ping -n -c 1 -W 2 b").contains("1 received"));
    lab.ok(&["destroy", &lab.name]);
    running.wait().unwrap();
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn a_directory_of_others_is_no_state_directory() {
    let lab = Lab::pair("");
    let (state, own) = (lab.path("home"), lab.path("home").join(&lab.name));
    fs::create_dir_all(&own).unwrap();
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    fs::set_permissions(&state, private).unwrap();
    fs::write(own.join("thesis.tex"), "years of work").unwrap();
    let there = |arguments: &[&str]| {
        lab.command(arguments).env("NETLOOM_STATE_DIR", &state).output().unwrap()
    };
    for arguments in [&["cleanup", &lab.name][..], &["deploy"], &["cleanup", "--force", &lab.name]]
    {
        let output = there(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        let words = text(&output.stderr);
        assert!(words.contains("no state directory of NetLoom"), "{words}");
    }
    assert!(there(&["cleanup", "--all"]).status.success());
    let left: Vec<PathBuf> =
        fs::read_dir(&own).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left, [own.join("thesis.tex")]);
}

/// The engine's number has passed to another process, while somebody else keeps the lock.
#[test]
fn cleanup_with_force_kills_no_stranger() {
    let lab = Lab::pair("");
    lab.ok(&["deploy"]);
    let state = common::state(&lab.name);
    // The lock, as another program would hold it.
    let holder = "import fcntl, sys, struct, time\n\
                  f = open(sys.argv[1], 'r+')\n\
                  l = struct.pack('hhqqi', fcntl.F_WRLCK, 0, 0, 0, 0)\n\
                  fcntl.fcntl(f, 38, l)\n\
                  print(flush=True); time.sleep(1000)";
    let hold = |lock: &Path| {
        let mut command = Command::new("python3");
        command.args(["-c", holder]).arg(lock).stdout(Stdio::piped()).spawn().unwrap()
    };
    common::kill(lab.engine_pid(), nix::sys::signal::Signal::SIGKILL);
    eventually("the engine is gone", || {
        text(&lab.netloom(&["inspect", "--all"]).stdout).contains("engine has died")
    });
    let mut stranger = hold(&state.join("lock"));
    let mut line = [0];
    io::Read::read_exact(stranger.stdout.as_mut().unwrap(), &mut line).unwrap();
    fs::write(state.join("engine.pid"), stranger.id().to_string()).unwrap();
    let (_, error) = lab.fails(&["cleanup", "--force", &lab.name]);
    let alive = stranger.try_wait().unwrap().is_none();
    stranger.kill().unwrap();
    stranger.wait().unwrap();
    assert!(alive && error.contains("nothing was killed"), "{error}");
    lab.ok(&["cleanup", &lab.name]);
    assert_eq!(lab.remains(), [""; 0]);
}
