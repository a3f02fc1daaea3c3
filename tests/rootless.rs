//! Situations that only ordinary users meet. Tests that need an ordinary user are skipped as root;
//! `make test-rootless` runs them.

mod common;

use std::process::Command;

use common::{Lab, NETLOOM, eventually, kill, text};
use nix::sys::signal::Signal;

/// Whether the tests run as an ordinary user.
fn is_ordinary() -> bool {
    let ordinary = !nix::unistd::geteuid().is_root();
    if !ordinary {
        eprintln!("not tested: it takes an ordinary user (`make test-rootless`)");
    }
    ordinary
}

#[test]
fn restricted_user_namespaces_are_reported_with_what_allows_them() {
    let lab = Lab::pair("");
    for (limit, remedy) in [
        ("max_user_namespaces", "sysctl user.max_user_namespaces=10000"),
        ("max_mnt_namespaces", "raise `user.max_user_namespaces`"),
    ] {
        // The limit holds below a namespace of the test's own, in which it is an ordinary user.
        let line = format!("echo 0 > /proc/sys/user/{limit} && {NETLOOM} deploy");
        let output = Command::new("unshare")
            .args(["--user", "--map-user=1000", "--map-group=1000", "--keep-caps"])
            .args(["sh", "-c", &line])
            .current_dir(&lab.directory)
            .env("NETLOOM_STATE_DIR", lab.path("state"))
            .output()
            .unwrap();
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        for part in ["as an ordinary user", remedy, "docs/rootless.md"] {
            assert!(error.contains(part), "{error} does not say {part}");
        }
        assert_eq!(lab.remains(), [""; 0]);
        assert_eq!(std::fs::read_dir(lab.path("state")).unwrap().count(), 0);
    }
}

#[test]
fn a_state_directory_that_others_may_write_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    if !is_ordinary() {
        return;
    }
    let lab = Lab::pair("");
    let root = lab.path("state");
    std::fs::create_dir(&root).unwrap();
    std::fs::set_permissions(&root, std::fs::Permissions::from_mode(0o777)).unwrap();
    let output = lab.command(&["deploy"]).env("NETLOOM_STATE_DIR", &root).output().unwrap();
    let error = text(&output.stderr);
    assert!(error.contains("is not a directory that is yours alone"), "{error}");
    assert_eq!(std::fs::read_dir(&root).unwrap().count(), 0);
    // Nor is somebody else's engine taken for one's own.
    std::fs::create_dir(root.join("bait")).unwrap();
    let output = lab.command(&["inspect"]).env("NETLOOM_STATE_DIR", &root).output().unwrap();
    assert!(text(&output.stderr).contains("is not a directory that is yours alone"), "{output:?}");
}

#[test]
fn programs_change_to_other_users_where_there_are_subordinate_ids() {
    if !is_ordinary() {
        return;
    }
    let lab = Lab::pair("");
    lab.ok(&["deploy"]);
    assert_eq!(lab.sh("a", "id -u"), "0\n");
    let lines = lab.sh("a", "wc -l < /proc/self/uid_map");
    let (code, said) = lab.try_sh("a", "setpriv --reuid 101 --regid 101 --clear-groups id -u");
    match lines.trim() {
        "1" => assert!(code != 0 && said.contains("failed"), "{said}"),
        _ => assert_eq!((code, said.as_str()), (0, "101\n")),
    }
}

#[test]
fn all_but_a_directory_goes_with_the_engine() {
    if !is_ordinary() {
        return;
    }
    let lab = Lab::pair("");
    lab.ok(&["deploy"]);
    lab.sh("a", "setsid sleep 987649 </dev/null >/dev/null 2>&1 &");
    let pid = lab.engine_pid();
    let namespace = std::fs::read_link(format!("/proc/{pid}/ns/user")).unwrap();
    kill(pid, Signal::SIGKILL);
    eventually("only the state directory is left", || {
        lab.remains().iter().all(|what| what.starts_with("state "))
    });
    eventually("no process is left in the namespace", || {
        let mut processes = std::fs::read_dir("/proc").unwrap().flatten();
        processes.all(|process| {
            let other = std::fs::read_link(process.path().join("ns/user"));
            other.map_or(true, |other| other != namespace)
        })
    });
}
